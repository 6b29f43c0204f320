package scripted

import (
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/local/scripted/fault"
)

// Schedule decides the fault of a call; fault.None for no fault. It may be called
// concurrently, and decides by the question and its N alone.
type Schedule interface {
	Fault(Question) fault.Kind
}

// Order is a list of faults for the questions whose User text contains a text:
// the first call for a question gets the first of the faults, and so on, then
// no more.
type Order struct {
	Contains string // "" fits every question
	Faults   []fault.Kind
}

// Ordered is a Schedule by the first order that fits. It panics on a fault
// that does not exist.
func Ordered(orders ...Order) Schedule {
	for _, order := range orders {
		mustExist(order.Faults)
	}
	return ordered(orders)
}

type ordered []Order

// Fault returns the fault of the first order that fits the question.
func (o ordered) Fault(q Question) fault.Kind {
	for _, order := range o {
		if !strings.Contains(q.User, order.Contains) {
			continue
		}
		if q.N < len(order.Faults) {
			return order.Faults[q.N]
		}
		return fault.None
	}
	return fault.None
}

func (o ordered) kinds() (all []fault.Kind) {
	for _, order := range o {
		for _, f := range order.Faults {
			if f != fault.None {
				all = append(all, f)
			}
		}
	}
	return all
}

// Random is a Schedule by which a share of the calls, 0 to 1, fail, each kind about
// as often as any other; without kinds it takes all of Kinds, including those that
// hang until the client's own timeout. It panics on a fault that does
// not exist.
//
// It is a shuffled deck in which every question has its own place: whether a
// call fails follows from the seed, the question and its N. The first
// fault of a question is the card at its place, which follows from the seed and
// the question, the next one the card after that. So a question with as many
// faults as there are kinds has met each of them once. Over different questions
// it is chance: n faults miss one of k kinds with a probability of at most
// k(1-1/k)^n, less than 1 in 1000 for 30 kinds and 310 faults. Server.Faults
// shows those that did not happen.
func Random(seed uint64, share float64, kinds ...fault.Kind) Schedule {
	mustExist(kinds)
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	cards := slices.Clone(kinds)
	draw(seed, "shuffle").Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return deck{seed, share, cards}
}

type deck struct {
	seed  uint64
	share float64
	cards []fault.Kind
}

// Fault draws a fault from the cards, or none.
func (d deck) Fault(q Question) fault.Kind {
	key := q.key()
	if !d.hits(key, q.N) {
		return fault.None
	}
	place := draw(d.seed, "place", key).IntN(len(d.cards))
	for n := range q.N {
		if d.hits(key, n) {
			place++
		}
	}
	return d.cards[place%len(d.cards)]
}

func (d deck) hits(key string, n int) bool {
	return draw(d.seed, "hit", key, strconv.Itoa(n)).Float64() < d.share
}

func (d deck) kinds() []fault.Kind { return d.cards }

func mustExist(faults []fault.Kind) {
	for _, f := range faults {
		rowOf(f)
	}
}

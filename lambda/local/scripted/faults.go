package scripted

import (
	"slices"
	"strconv"
	"strings"
)

// Faults decide the fault of each call, by the question and its N alone. A nil
// *Faults has none.
type Faults struct {
	kinds []Fault // that can happen
	of    func(Question) Fault
}

// Fault returns the fault of a call; NoFault for no fault.
func (f *Faults) Fault(q Question) Fault {
	if f == nil {
		return NoFault
	}
	return f.of(q)
}

// newFaults panics on a fault that does not exist.
func newFaults(kinds []Fault, of func(Question) Fault) *Faults {
	for _, kind := range kinds {
		rowOf(kind)
	}
	return &Faults{kinds, of}
}

// Order is a list of faults for the questions whose User text contains a text:
// the first call for a question gets the first of the faults, and so on, then
// no more.
type Order struct {
	Contains string // "" fits every question
	Faults   []Fault
}

// Ordered are the faults of the first order that fits the question. It panics on a
// fault that does not exist.
func Ordered(orders ...Order) *Faults {
	var kinds []Fault
	for _, order := range orders {
		kinds = append(kinds, order.Faults...)
	}
	return newFaults(kinds, func(q Question) Fault {
		at := slices.IndexFunc(orders, func(o Order) bool { return strings.Contains(q.User, o.Contains) })
		if at < 0 || q.N >= len(orders[at].Faults) {
			return NoFault
		}
		return orders[at].Faults[q.N]
	})
}

// Random lets a share of the calls fail, 0 to 1, with each kind about as often as any
// other; without kinds it takes all of Kinds, and so calls that hang until the
// client's own timeout. It panics on a fault that does not exist.
//
// It is a shuffled deck in which every question has its own place: whether a
// call fails follows from the seed, the question and its N. The first
// fault of a question is the card at its place, which follows from the seed and
// the question, the next one the card after that. So a question with as many
// faults as there are kinds has met each of them once. Over different questions
// it is chance: n faults miss one of k kinds with a probability of at most
// k(1-1/k)^n, less than 1 in 1000 for 30 kinds and 310 faults. Server.Faults
// shows those that did not happen.
func Random(seed uint64, share float64, kinds ...Fault) *Faults {
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	cards := slices.Clone(kinds)
	draw(seed, "shuffle").Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return newFaults(cards, deck{seed, share, cards}.fault)
}

type deck struct {
	seed  uint64
	share float64
	cards []Fault
}

// fault draws a fault from the cards, or none.
func (d deck) fault(q Question) Fault {
	key := q.key()
	if !d.hits(key, q.N) {
		return NoFault
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

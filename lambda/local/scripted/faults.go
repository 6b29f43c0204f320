package scripted

import (
	"slices"
	"strconv"
	"strings"
)

// Faults decide the fault of each call by nothing but the question and its N. A nil *Faults
// never fails.
type Faults struct {
	kinds []Fault // all possible ones
	of    func(Question) Fault
}

// Fault returns the fault of a call, or NoFault.
func (f *Faults) Fault(q Question) Fault {
	if f == nil {
		return NoFault
	}
	return f.of(q)
}

// newFaults panics on an unknown fault.
func newFaults(kinds []Fault, of func(Question) Fault) *Faults {
	for _, kind := range kinds {
		rowOf(kind)
	}
	return &Faults{kinds, of}
}

// Order lists the faults for questions with Contains in their User text and Name as the name of
// their schema, for the first call, the second and so on; later calls don't fail.
type Order struct {
	Contains string // "" matches every question
	Name     string // likewise
	Faults   []Fault
}

// Ordered uses the faults of the first matching order. It panics on an unknown fault.
func Ordered(orders ...Order) *Faults {
	var kinds []Fault
	for _, order := range orders {
		kinds = append(kinds, order.Faults...)
	}
	return newFaults(kinds, func(q Question) Fault {
		at := slices.IndexFunc(orders, func(o Order) bool {
			return strings.Contains(q.User, o.Contains) && (o.Name == "" || o.Name == q.Name)
		})
		if at < 0 || q.N >= len(orders[at].Faults) {
			return NoFault
		}
		return orders[at].Faults[q.N]
	})
}

// Random makes a share of the calls fail, 0 to 1, each kind about equally often. Without kinds
// it uses all Kinds, including calls that hang until the client's timeout. It panics on an
// unknown fault.
//
// It works like a shuffled deck: whether a call fails depends on the seed, the question and
// its N. The seed and the question determine the place of the question's first fault in the
// deck, and each further fault is the next card. So a question with as many faults as kinds
// meets each kind once. Over different questions it is chance: n faults miss one of k kinds
// with a probability of at most k(1-1/k)^n, less than 1 in 1000 for 30 kinds and 310 faults.
// See Server.Faults for the kinds that never happened.
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

// fault draws a card, or NoFault.
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

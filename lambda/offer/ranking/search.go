package ranking

import (
	"iter"
	"sync"
)

// ranked is a place in a user's order of candidates: by turn, then by score, by lot
// and by id.
// Indexes are in the order of the ids.
type ranked struct {
	turn  int // 0: not offered lately; then the latest date last
	score int
	lot   uint64
	user  int32
}

func (r ranked) before(s ranked) bool {
	switch {
	case r.turn != s.turn:
		return r.turn < s.turn
	case r.score != s.score:
		return r.score > s.score
	case r.lot != s.lot:
		return r.lot < s.lot
	}
	return r.user < s.user
}

// order is a user's order of candidates: by the user's preferences or, for its admissions, by
// its preferences as a candidate.
type order struct {
	of    *user
	terms []Term
	heap  *heap
}

// descending returns the candidates that pass all filters and may meet the user on the date,
// the best first. It opens branches by the most points anything in them can get, so it returns
// a candidate only when no closed branch can have a better one.
func (x *Index) descending(from int32, terms []Term) iter.Seq[ranked] {
	return func(yield func(ranked) bool) {
		h := heaps.Get().(*heap)
		defer func() { heaps.Put(h) }()
		*h = (*h)[:0]
		o := order{&x.users[from], terms, h}
		for _, t := range x.trees(o.of) {
			x.branch(o, t, 0)
		}
		for len(*h) > 0 {
			if e := h.pop(); e.tree != nil {
				x.open(o, e)
			} else if !yield(e.ranked) {
				return
			}
		}
	}
}

// branch adds a node, unless no user in it can pass the filters.
func (x *Index) branch(o order, t *tree, at int32) {
	if most, possible := x.algorithm.most(o.terms, o.of, t.nodes[at].bounds(o.of)); possible {
		o.heap.push(entry{ranked{score: most, user: at}, t})
	}
}

func (x *Index) open(o order, e entry) {
	n := &e.tree.nodes[e.user]
	if n.left != 0 {
		x.branch(o, e.tree, n.left)
		x.branch(o, e.tree, n.right)
		return
	}
	x.compared.Add(int64(n.end - n.first))
	for _, c := range e.tree.users[n.first:n.end] {
		if p := between(o.of, &x.users[c]); x.algorithm.passes(p) {
			o.heap.push(entry{x.place(o.terms, p, c), nil})
		}
	}
}

// place returns the place of p.to in the order of p.from.
func (x *Index) place(terms []Term, p pair, candidate int32) ranked {
	return ranked{p.turn(x.algorithm.Recent), score(terms, p), x.lot(p), candidate}
}

// entry is a candidate, or a branch with an upper bound of its scores.
type entry struct {
	ranked
	tree *tree // nil for a candidate; otherwise user is the index of the node
}

func (e entry) before(f entry) bool {
	if e.turn == f.turn && e.score == f.score && (e.tree == nil) != (f.tree == nil) {
		return e.tree != nil // it may hold a better lot
	}
	return e.ranked.before(f.ranked)
}

var heaps = sync.Pool{New: func() any { return new(heap) }}

// heap has the best entry first. It doesn't use container/heap, which would allocate for each
// entry.
type heap []entry

func (h *heap) push(e entry) {
	*h = append(*h, e)
	s, i := *h, len(*h)-1
	for up := (i - 1) / 2; i > 0 && e.before(s[up]); i, up = up, (up-1)/2 {
		s[i] = s[up]
	}
	s[i] = e
}

func (h *heap) pop() entry {
	s := *h
	best, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for down := 1; down < len(s); down = 2*i + 1 {
		if down+1 < len(s) && s[down+1].before(s[down]) {
			down++
		}
		if !s[down].before(last) {
			break
		}
		s[i] = s[down]
		i = down
	}
	if len(s) > 0 {
		s[i] = last
	}
	return best
}

package ranking

import (
	"iter"
	"sync"
)

// ranked is a place in a user's order of candidates: by score, then by lot, then by
// id, which is the order of the indexes.
type ranked struct {
	score int
	lot   uint64
	user  int32
}

func (r ranked) before(s ranked) bool {
	switch {
	case r.score != s.score:
		return r.score > s.score
	case r.lot != s.lot:
		return r.lot < s.lot
	}
	return r.user < s.user
}

// descending returns the candidates that pass all filters and that the user may meet
// on the date, the best first. It opens branches by the most points that anything in
// them can get: a candidate is returned when no closed branch can have a better one.
func (x *Index) descending(from int32) iter.Seq[ranked] {
	return func(yield func(ranked) bool) {
		h := heaps.Get().(*heap)
		defer func() { heaps.Put(h) }()
		*h = (*h)[:0]
		u := &x.users[from]
		for _, t := range x.trees(u) {
			x.branch(u, t, 0, h)
		}
		for len(*h) > 0 {
			e := h.pop()
			if e.tree == nil {
				if !yield(e.ranked) {
					return
				}
				continue
			}
			x.open(u, e, h)
		}
	}
}

// branch adds a node, unless nobody in it passes the filters.
func (x *Index) branch(u *user, t *tree, at int32, h *heap) {
	if most, possible := x.algorithm.most(u, t.nodes[at].bounds(u)); possible {
		h.push(entry{ranked{score: most, user: at}, t})
	}
}

func (x *Index) open(u *user, e entry, h *heap) {
	n := &e.tree.nodes[e.user]
	if n.left != 0 {
		x.branch(u, e.tree, n.left, h)
		x.branch(u, e.tree, n.right, h)
		return
	}
	x.compared.Add(int64(n.end - n.first))
	for _, c := range e.tree.users[n.first:n.end] {
		p := pair{from: u, to: &x.users[c]}
		if x.algorithm.passes(&p) {
			h.push(entry{x.place(&p, c), nil})
		}
	}
}

// place returns the place of the pair's candidate in the order of its user.
func (x *Index) place(p *pair, candidate int32) ranked {
	return ranked{x.algorithm.score(p), lot(p.from.hash, p.to.hash, x.key.Date), candidate}
}

// entry is a candidate, or a branch with the score that nothing in it exceeds.
type entry struct {
	ranked
	tree *tree // nil for a candidate; else user is the index of the node
}

func (e entry) before(f entry) bool {
	if e.score == f.score && (e.tree == nil) != (f.tree == nil) {
		return e.tree != nil // it may hold a better lot
	}
	return e.ranked.before(f.ranked)
}

var heaps = sync.Pool{New: func() any { return new(heap) }}

// heap has the best entry first. container/heap would allocate for each.
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

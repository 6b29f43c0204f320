package ranking

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// market is the users of a date who may meet each other, and no one else. Settling it finds
// for each candidate the users that it admits, so that no set is short while a candidate has
// room, by deferred acceptance (Gale and Shapley, 1962): each user asks the candidates in the
// user's order, and a candidate asked by more users than its limit keeps those suiting it
// best. The result doesn't depend on the order of the users: it is the one in which no user and
// candidate would both rather have each other, and of these the best for the users.
//
// It is done twice. At first the limit is Algorithm.usual, so that all candidates are shown
// alike, and nobody asks a candidate offered lately. Then the users with short sets ask again,
// and the limit is Algorithm.Exposure. At last the sets are evened out; see evening.
type market struct {
	once    sync.Once
	members []int32
}

// usual is the number of users that a candidate admits unless further ones need it.
func (a *Algorithm) usual() int { return min(a.Exposure, a.PerDay*6/5) }

// settle fills in the last users that each candidate of the market admits.
func (x *Index) settle(m *market) {
	m.once.Do(func() {
		s := settling{x: x, asking: make([]*asker, len(x.users)), held: make([]worst, len(x.users))}
		for _, u := range m.members {
			s.asking[u] = &asker{user: u}
		}
		s.rank(m.members)
		limits := make([]int, len(x.users))
		for _, c := range m.members {
			limits[c] = x.algorithm.usual()
		}
		s.run(m.members, limits)
		s.first = s.last(m.members, limits)
		for _, c := range m.members {
			limits[c] = x.algorithm.Exposure - len(s.held[c])
		}
		first := slices.Clone(s.held)
		clear(s.held)
		s.run(s.short(m.members), limits)
		second := s.last(m.members, limits)
		for _, c := range m.members {
			x.admitted[c].Store(&admission{s.first[c], second[c]})
		}
		s.even(m.members, first)
	})
}

// admission is the last user that a candidate admits, and the last one with a short set.
type admission struct{ last, filling ranked }

// Places before and behind all others of an order.
var (
	behindAll = ranked{turn: math.MaxInt, score: math.MinInt}
	beforeAll = ranked{turn: math.MinInt}
)

type settling struct {
	x      *Index
	asking []*asker // by user, as all lists here
	held   []worst
	limits []int
	first  []ranked // the last users by the first run; nil during it
}

// run lets users ask until all have full sets, or no one left to ask.
func (s *settling) run(users []int32, limits []int) {
	s.limits = limits
	for queue := slices.Clone(users); len(queue) > 0; {
		u := queue[len(queue)-1]
		queue = s.ask(s.asking[u], queue[:len(queue)-1])
	}
}

// last returns the last user that each candidate keeps, or behindAll if it has room.
func (s *settling) last(candidates []int32, limits []int) []ranked {
	all := make([]ranked, len(s.held))
	for _, c := range candidates {
		switch h := s.held[c]; {
		case len(h) < limits[c]:
			all[c] = behindAll
		case len(h) > 0:
			all[c] = h[0]
		default:
			all[c] = beforeAll
		}
	}
	return all
}

// short returns the users with short sets, who ask again from the beginning.
func (s *settling) short(users []int32) (list []int32) {
	for _, u := range users {
		if a := s.asking[u]; a.admits < s.x.algorithm.PerDay {
			a.next = 0
			list = append(list, u)
		}
	}
	return list
}

// asker is a user with the beginning of its order.
type asker struct {
	user    int32
	order   []ranked
	next    int // the first one of the order that wasn't asked
	limit   int // of the order's length
	admits  int // candidates that hold the user
	emptied bool
}

// rank finds the first candidates of all users, on all processors.
func (s *settling) rank(members []int32) {
	var workers sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for w := range n {
		workers.Go(func() {
			for i := w; i < len(members); i += n {
				s.extend(s.asking[members[i]])
			}
		})
	}
	workers.Wait()
}

// extend doubles the known part of a user's order, which at first has as many candidates as
// evening out chooses from, because each search begins at the best one.
func (s *settling) extend(a *asker) {
	a.limit = max(2*a.limit, evenReach*s.x.algorithm.PerDay)
	known := a.order
	a.order, a.emptied = make([]ranked, 0, a.limit), true
	for r := range s.x.descending(a.user, s.x.algorithm.Terms) {
		if len(a.order) == a.limit {
			a.emptied = false
			break
		}
		a.order = append(a.order, r)
	}
	a.next = len(known)
}

// ask lets a user ask until its set is full or there is no one left. It returns the queue with
// the users who lost a place.
func (s *settling) ask(a *asker, queue []int32) []int32 {
	for a.admits < s.x.algorithm.PerDay {
		if a.next == len(a.order) {
			if a.emptied {
				return queue
			}
			s.extend(a)
			continue
		}
		c, turn := a.order[a.next].user, a.order[a.next].turn
		if turn > 0 && s.first == nil {
			return queue // others come first, also if they have to be shown more often
		}
		a.next++
		r := s.x.asked(c, a.user)
		if s.first != nil && turn == 0 && !s.first[c].before(r) {
			continue // it has the user
		}
		out, ok := s.hold(c, r)
		if !ok {
			continue
		}
		a.admits++
		if out >= 0 {
			s.asking[out].admits--
			queue = append(queue, out)
		}
	}
	return queue
}

// hold adds a user to those kept by a candidate. It returns the user who lost the place,
// or -1.
func (s *settling) hold(candidate int32, r ranked) (out int32, ok bool) {
	h := s.held[candidate]
	limit := s.limits[candidate]
	if len(h) < limit {
		h.push(r)
		s.held[candidate] = h
		return -1, true
	}
	if limit == 0 || !r.before(h[0]) {
		return -1, false
	}
	out = h[0].user
	h[0] = r
	h.sink()
	return out, true
}

// worst is a heap of users with the one that suits least first.
type worst []ranked

func (h *worst) push(r ranked) {
	*h = append(*h, r)
	s := *h
	for i := len(s) - 1; i > 0 && s[(i-1)/2].before(s[i]); i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
}

// sink moves the first one to its place.
func (h worst) sink() {
	for i, down := 0, 1; down < len(h); down = 2*i + 1 {
		if down+1 < len(h) && h[down].before(h[down+1]) {
			down++
		}
		if !h[i].before(h[down]) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

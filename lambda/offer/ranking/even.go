package ranking

import "slices"

// Numbers of evening out.
const (
	evenReach  = 8  // sets' worth of a user's order to choose from
	evenRounds = 4  // by one price, at most
	evenChecks = 8  // in a round, whether the candidates are shown alike enough
	evenEnough = 26 // hundredths of the Gini coefficient
)

// evenPrices are the points of a user that are worth showing one candidate once less, and a
// candidate shown one time less often once more.
var evenPrices = []int{3, 5, 7, 10, 20, 40, 80, 160, 320}

// evening changes the sets of a settled market so that candidates are shown more alike. A user
// takes a candidate shown less often for one shown more often, if the points lost are fewer than
// the price of the difference. By raising the price it goes only as far as necessary: many
// candidates are nearly as good where users suit many others.
type evening struct {
	x      *Index
	orders [][]ranked // by user
	has    [][]bool   // by user and place in the order
	shown  []int      // by candidate
	price  int
}

func (s *settling) even(members []int32, first []worst) {
	n := len(s.x.users)
	e := evening{x: s.x, orders: make([][]ranked, n), has: make([][]bool, n), shown: make([]int, n)}
	sets := make([][]int32, n)
	for _, c := range members {
		for _, held := range [][]ranked{first[c], s.held[c]} {
			for _, r := range held {
				sets[r.user] = append(sets[r.user], c)
				e.shown[c]++
			}
		}
	}
	for _, u := range members {
		e.take(s.asking[u].order, u, sets[u])
	}
	for _, e.price = range evenPrices {
		for round := 0; round < evenRounds && e.round(members); round++ {
		}
	}
	for _, u := range members {
		s.x.sets[u] = nil
		for i, r := range e.orders[u] {
			if e.has[u][i] {
				s.x.sets[u] = append(s.x.sets[u], r.user)
			}
		}
	}
	for _, c := range members {
		s.x.shown[c] = int32(e.shown[c])
	}
}

// take cuts an order to the candidates to choose from, and the ones in the set.
func (e *evening) take(order []ranked, u int32, set []int32) {
	for i, r := range order {
		in := slices.Contains(set, r.user)
		if in || i < evenReach*e.x.algorithm.PerDay {
			e.orders[u], e.has[u] = append(e.orders[u], r), append(e.has[u], in)
		}
	}
}

// round lets each user fill and change its set until the candidates are shown alike enough. It
// reports whether one changed and others may.
func (e *evening) round(users []int32) (changed bool) {
	for i, u := range users {
		if i%(len(users)/evenChecks+1) == 0 && e.enough(users) {
			return false
		}
		e.fill(u)
		for e.swap(u) {
			changed = true
		}
	}
	return changed
}

// swap changes the one candidate of a set that gains most. It takes none offered lately for one
// that wasn't, and no points count if it takes one that wasn't for one that was. So a gain has a
// part of each of both, and the best pair is the best of each.
func (e *evening) swap(u int32) bool {
	var leaves, comes [3]choice // offered lately or not; the third for an exchange of both kinds
	for i, r := range e.orders[u] {
		lately, cost := 0, e.price*e.shown[r.user]
		if r.turn > 0 {
			lately = 1
		}
		switch {
		case e.has[u][i]:
			leaves[lately].better(cost-r.score, i)
			if lately == 1 {
				leaves[2].better(cost, i)
			}
		case e.shown[r.user] < e.x.algorithm.Exposure:
			comes[lately].better(r.score-cost, i)
			if lately == 0 {
				comes[2].better(-cost, i)
			}
		}
	}
	best, out, in := 0, 0, 0
	for k := range leaves {
		l, c := leaves[k], comes[k]
		gain := l.gain + c.gain - e.price
		if l.found && c.found && gain > 0 && (gain > best || gain == best && (l.at < out || l.at == out && c.at < in)) {
			best, out, in = gain, l.at, c.at
		}
	}
	if best == 0 {
		return false
	}
	e.has[u][out], e.has[u][in] = false, true
	e.shown[e.orders[u][out].user]--
	e.shown[e.orders[u][in].user]++
	return true
}

// choice is the first place of an order with the largest gain.
type choice struct {
	gain, at int
	found    bool
}

func (c *choice) better(gain, at int) {
	if !c.found || gain > c.gain {
		*c = choice{gain, at, true}
	}
}

// enough reports whether the candidates are shown alike enough.
func (e *evening) enough(candidates []int32) bool {
	users := make([]int, e.x.algorithm.Exposure+1) // by how often they are shown
	for _, c := range candidates {
		users[e.shown[c]]++
	}
	before, sum, weighted := 0, 0, 0
	for shown, n := range users {
		sum += n * shown
		weighted += n * (2*before + n - len(candidates)) * shown
		before += n
	}
	return 100*weighted <= evenEnough*len(candidates)*sum
}

// fill adds candidates to a short set that aren't shown often any more.
func (e *evening) fill(u int32) {
	n := 0
	for _, in := range e.has[u] {
		if in {
			n++
		}
	}
	for i, r := range e.orders[u] {
		if n < e.x.algorithm.PerDay && !e.has[u][i] && e.shown[r.user] < e.x.algorithm.usual() {
			e.has[u][i] = true
			e.shown[r.user]++
			n++
		}
	}
}

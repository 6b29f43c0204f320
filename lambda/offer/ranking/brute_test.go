package ranking

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// exhaustive compares everyone with everyone: the definition of a set, without
// trees, bounds or anything that is kept.
func exhaustive(x *Index, from int, admitted func(candidate, user int) bool) (offers []Offer) {
	for _, c := range allOf(x, from, x.algorithm.Terms) {
		if !admitted(int(c.user), from) {
			continue
		}
		p := between(&x.users[from], &x.users[c.user])
		offers = append(offers, Offer{p.to.id, len(offers) + 1, c.score, x.algorithm.points(p)})
		if len(offers) == x.algorithm.PerDay {
			break
		}
	}
	return offers
}

// admittedOf returns who is admitted by whom: until version 3 the first ones in a candidate's
// order; then what is left when nobody asks any more.
func admittedOf(x *Index) func(candidate, user int) bool {
	if !x.algorithm.Settles {
		return func(candidate, user int) bool {
			first := allOf(x, candidate, x.algorithm.Admits)
			first = first[:min(len(first), x.algorithm.Exposure)]
			return slices.ContainsFunc(first, func(r ranked) bool { return int(r.user) == user })
		}
	}
	first := accepted(x, func(int) int { return min(x.algorithm.Exposure, 6*x.algorithm.PerDay/5) }, nil)
	second := accepted(x, func(c int) int { return x.algorithm.Exposure - len(first[c]) }, first)
	has := map[[2]int]bool{} // user and candidate
	for c := range x.users {
		for _, r := range append(first[c], second[c]...) {
			has[[2]int{int(r.user), c}] = true
		}
	}
	for slot := range x.days {
		if other := meets(slot, x.key.Date, x.days); slot <= other {
			evened(x, has, slot, other)
		}
	}
	return func(candidate, user int) bool { return has[[2]int{user, candidate}] }
}

// evened changes the sets of the users in two slots, who may meet no others, until their
// candidates are shown alike enough.
func evened(x *Index, has map[[2]int]bool, slots ...int) {
	shown, orders := map[int]int{}, map[int][]ranked{}
	var market []int
	for u := range x.users {
		if x.users[u].err == nil && slices.Contains(slots, slot(x.users[u].hash, x.days)) {
			all, first := allOf(x, u, x.algorithm.Terms), 0
			orders[u] = slices.DeleteFunc(all, func(r ranked) bool {
				first++
				return first > 8*x.algorithm.PerDay && !has[[2]int{u, int(r.user)}]
			})
			market = append(market, u)
		}
	}
	for pair := range has {
		if _, ok := orders[pair[0]]; ok {
			shown[pair[1]]++
		}
	}
	for _, price := range []int{3, 5, 7, 10, 20, 40, 80, 160, 320} {
		for range 4 {
			for i, u := range market {
				var counts []int
				for _, c := range market {
					counts = append(counts, shown[c])
				}
				if i%(len(market)/8+1) == 0 && Gini(counts) <= 0.26 {
					return
				}
				fillAndSwap(x, has, shown, orders[u], u, price)
			}
		}
	}
}

func fillAndSwap(x *Index, has map[[2]int]bool, shown map[int]int, order []ranked, u, price int) {
	var in, out []ranked
	for _, r := range order {
		if has[[2]int{u, int(r.user)}] {
			in = append(in, r)
		} else {
			out = append(out, r)
		}
	}
	give := func(r ranked, n int) {
		has[[2]int{u, int(r.user)}] = n > 0
		shown[int(r.user)] += n
	}
	for _, r := range out {
		if len(in) < x.algorithm.PerDay && shown[int(r.user)] < min(x.algorithm.Exposure, 6*x.algorithm.PerDay/5) {
			give(r, 1)
			in = append(in, r)
		}
	}
	for {
		best, give1, take := 0, ranked{}, ranked{}
		for _, a := range order {
			for _, b := range order {
				if !has[[2]int{u, int(a.user)}] || has[[2]int{u, int(b.user)}] || a.turn == 0 && b.turn > 0 ||
					shown[int(b.user)] >= x.algorithm.Exposure {
					continue
				}
				gain := price * (shown[int(a.user)] - shown[int(b.user)] - 1)
				if (a.turn > 0) == (b.turn > 0) {
					gain += b.score - a.score
				}
				if gain > best {
					best, give1, take = gain, a, b
				}
			}
		}
		if best == 0 {
			return
		}
		give(give1, -1)
		give(take, 1)
	}
}

// accepted returns whom each candidate keeps, beyond what they have already.
func accepted(x *Index, limit func(candidate int) int, already [][]ranked) [][]ranked {
	orders, held, sets := make([][]ranked, len(x.users)), make([][]ranked, len(x.users)), make([]int, len(x.users))
	for u := range x.users {
		if x.users[u].err == nil {
			orders[u] = allOf(x, u, x.algorithm.Terms)
		}
		if already == nil {
			orders[u] = slices.DeleteFunc(orders[u], func(r ranked) bool { return r.turn > 0 })
		}
	}
	for c, users := range already {
		for _, r := range users {
			sets[r.user]++
			orders[r.user] = slices.DeleteFunc(orders[r.user], func(o ranked) bool { return int(o.user) == c })
		}
	}
	for asked := true; asked; {
		asked = false
		for u := range x.users {
			if sets[u] == x.algorithm.PerDay || len(orders[u]) == 0 {
				continue
			}
			c := int(orders[u][0].user)
			orders[u], asked = orders[u][1:], true
			own := allOf(x, c, x.algorithm.Admits)
			held[c] = append(held[c], own[slices.IndexFunc(own, func(r ranked) bool { return int(r.user) == u })])
			sets[u]++
			slices.SortFunc(held[c], inOrder)
			if most := limit(c); len(held[c]) > most {
				sets[held[c][most].user]--
				held[c] = held[c][:most]
			}
		}
	}
	return held
}

func inOrder(a, b ranked) int {
	return cmp.Or(cmp.Compare(a.turn, b.turn), -cmp.Compare(a.score, b.score), cmp.Compare(a.lot, b.lot), cmp.Compare(a.user, b.user))
}

// turnOf is 0 unless c was offered to u less than 28 days ago.
func turnOf(x *Index, u, c int) (turn int) {
	for _, s := range x.users[u].seen {
		if int(s>>daysBits) == c && s&255 < 28 && x.algorithm.Recent > 0 {
			turn = 28 - int(s&255)
		}
	}
	return turn
}

func allOf(x *Index, from int, terms []Term) (all []ranked) {
	u := &x.users[from]
	for i := range x.users {
		c := &x.users[i]
		days := uint64(x.days)
		if c.err != nil || (u.hash%days+c.hash%days)%days != uint64(date)%days {
			continue
		}
		if p := between(u, c); x.algorithm.passes(p) {
			all = append(all, ranked{turnOf(x, from, i), score(terms, p), x.lot(p), int32(i)})
		}
	}
	slices.SortFunc(all, inOrder)
	return all
}

// worlds are the geographies and habits under which the search has to be exact.
var worlds = map[string]func(*world){
	"country": func(*world) {},
	"city":    func(w *world) { w.place = w.city },
	"one place": func(w *world) {
		w.place = func() string { return `{"lat":52.52,"lon":13.4}` }
	},
	"no place":   func(w *world) { w.place = func() string { return "" } },
	"some place": func(w *world) { w.place = func() string { return w.oneOf("", w.city()) } },
	"antimeridian": func(w *world) {
		w.place = func() string {
			return point(-170_000+w.IntN(degree), w.sign()*(180*degree-w.IntN(degree)))
		}
	},
	"poles": func(w *world) {
		w.place = func() string {
			return point(w.sign()*(90*degree-w.IntN(degree)), w.IntN(circle)-circle/2)
		}
	},
	"world": func(w *world) {
		w.place = func() string { return point(w.IntN(180*degree)-90*degree, w.IntN(circle)-circle/2) }
	},
	"all alike": func(w *world) {
		same := func(s string) func() string { return func() string { return s } }
		w.kind, w.born, w.place, w.interests = same(""), same("1985"), same(`{"lat":1,"lon":1}`), same(`["go"]`)
		w.languages, w.kinds, w.ages, w.reach = same(""), same(""), same(""), same("")
		w.wish, w.wanted, w.importance = same(""), same(""), same("")
	},
	"few interests": func(w *world) {
		w.interests = func() string { return w.some(1, 2) }
		w.wish, w.importance, w.ages = func() string { return "" }, func() string { return `{"distance":0,"activity":0}` },
			func() string { return "" }
	},
	"unreadable": func(w *world) { w.born = func() string { return w.oneOf("1985", `"1985"`) } },
}

func (w *world) sign() int { return 1 - 2*w.IntN(2) }

func small(perDay, part, exposure int) *Algorithm {
	a := versions[0]
	a.PerDay, a.Part, a.Exposure = perDay, part, exposure
	return &a
}

// filling is like small, for version 4.
func filling(perDay, part, exposure int) *Algorithm {
	a := versions[3]
	a.PerDay, a.Part, a.Exposure = perDay, part, exposure
	return &a
}

func TestSearchIsExhaustive(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for name, shape := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range testenv.Size(2, 40) {
				compareAll(t, &versions[i%2], seed+uint64(i), shape, 150+150*(i%2))
				compareAll(t, small(3, 20, 5), seed+uint64(i), shape, 300) // in 14 days
				compareAll(t, filling(6, 4000, 6), seed+uint64(i), shape, 150)
				compareAll(t, filling(3, 10, 4), seed+uint64(i), shape, 150) // in 14 days
				compareAll(t, filling(6, 4000, 6), seed+uint64(i), shape, 60)
			}
		})
	}
}

func compareAll(t *testing.T, a *Algorithm, seed uint64, shape func(*world), users int) {
	t.Helper()
	w := newWorld(seed)
	shape(w)
	r := w.roster(users)
	if a.Recent > 0 {
		w.remember(&r)
		r.Settings.SetSize, r.Settings.Exposure = a.PerDay, a.Exposure
	}
	x, err := prepare(a, r)
	must.OK(t, err)
	admitted := admittedOf(x)
	for _, i := range w.Perm(users)[:40] {
		got, err := x.Offers(x.users[i].id)
		if (err != nil) != (x.users[i].err != nil) {
			t.Fatalf("seed %d: error %v of a user with %v", seed, err, x.users[i].err)
		}
		if err != nil {
			continue
		}
		if got, want := encode(got), encode(append([]Offer{}, exhaustive(x, i, admitted)...)); got != want {
			t.Fatalf("seed %d: user %d of %d:\ngot  %s\nwant %s", seed, i, users, got, want)
		}
	}
}

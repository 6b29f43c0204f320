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
func exhaustive(x *Index, from int) (offers []Offer) {
	for _, c := range allOf(x, from, x.algorithm.Terms) {
		admitted := allOf(x, int(c.user), x.algorithm.Admits)
		admitted = admitted[:min(len(admitted), x.algorithm.Exposure)]
		if !slices.ContainsFunc(admitted, func(r ranked) bool { return int(r.user) == from }) {
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

func allOf(x *Index, from int, terms []Term) (all []ranked) {
	u := &x.users[from]
	for i := range x.users {
		c := &x.users[i]
		days := uint64(x.days)
		if c.err != nil || (u.hash%days+c.hash%days)%days != uint64(date)%days {
			continue
		}
		if p := between(u, c); x.algorithm.passes(p) {
			all = append(all, ranked{score(terms, p), lot(u.hash, c.hash, date), int32(i)})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.lot, b.lot), cmp.Compare(a.user, b.user))
	})
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

func TestSearchIsExhaustive(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for name, shape := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range testenv.Size(2, 40) {
				compareAll(t, &versions[i%2], seed+uint64(i), shape, 150+150*(i%2))
				compareAll(t, small(3, 20, 5), seed+uint64(i), shape, 300) // in 14 days
			}
		})
	}
}

func compareAll(t *testing.T, a *Algorithm, seed uint64, shape func(*world), users int) {
	t.Helper()
	w := newWorld(seed)
	shape(w)
	x, err := prepare(a, w.roster(users))
	must.OK(t, err)
	for _, i := range w.Perm(users)[:40] {
		got, err := x.Offers(x.users[i].id)
		if (err != nil) != (x.users[i].err != nil) {
			t.Fatalf("seed %d: error %v of a user with %v", seed, err, x.users[i].err)
		}
		if err != nil {
			continue
		}
		if got, want := encode(got), encode(append([]Offer{}, exhaustive(x, i)...)); got != want {
			t.Fatalf("seed %d: user %d of %d:\ngot  %s\nwant %s", seed, i, users, got, want)
		}
	}
}

package ranking

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

var export = flag.String("export", "", "write the measured worlds to this file, for testdata/optimum.py")

// populations are worlds of 2,000 users, with the Gini coefficient of how often candidates are
// shown on a date, at most.
var populations = map[string]struct {
	shape func(*world)
	gini  float64
}{
	"one city": {worlds["city"], 0.36},
	"five cities": {func(w *world) {
		w.place = func() string {
			north := w.IntN(5) * 15_000
			return point(480_000+north+w.IntN(1500)+w.IntN(1500), 100_000+w.IntN(2400)+w.IntN(2400))
		}
	}, 0.30},
}

// month is what 28 dates have given.
type month struct {
	World    string      `json:"world"`
	Pairs    [][4]int    `json:"pairs"`  // of the first week's dates: date, user, candidate, score
	Offers   [][4]int    `json:"offers"` // the same, of all dates
	PerDay   int         `json:"per_day"`
	Exposure int         `json:"exposure"`
	pools    map[int]int // by user, over the four weeks
	sets     map[int]int // offers by user
	distinct map[[2]int]bool
	short    int // sets with fewer offers than a full one, though there are as many candidates
	enough   int // sets with as many candidates
	ginis    []float64
	shown    []int
}

func measure(t *testing.T, name string) *month {
	t.Helper()
	w := newWorld(8)
	populations[name].shape(w)
	r := w.roster(testenv.Size(300, 2000))
	m := &month{World: name, pools: map[int]int{}, sets: map[int]int{}, distinct: map[[2]int]bool{}}
	r.Settings, r.Rows = new(roster.Usual()), sorted(r.Rows)
	history := map[[2]int][]int32{} // by date and user
	for d := range 28 {
		r.Date = date + day.Date(d)
		for i := range r.Rows {
			r.Rows[i].Shown = nil
			if d > 0 {
				r.Rows[i].Active++ // the scores stay
			}
			for _, ago := range []int{7, 14, 21} {
				r.Rows[i].Shown = append(r.Rows[i].Shown, roster.Shown{Ago: ago, Users: history[[2]int{d - ago, i}]})
			}
		}
		before := len(m.Offers)
		m.add(t, index(t, r), d)
		for _, o := range m.Offers[before:] {
			history[[2]int{d, o[1]}] = append(history[[2]int{d, o[1]}], int32(o[2]))
		}
	}
	return m
}

func (m *month) add(t *testing.T, x *Index, date int) {
	t.Helper()
	m.PerDay, m.Exposure = x.algorithm.PerDay, x.algorithm.Exposure
	shown, places := make([]int, len(x.users)), map[uuid.UUID]int{}
	for i := range x.users {
		places[x.users[i].id] = i
	}
	for i := range x.users {
		pool := 0
		for c := range x.descending(int32(i), x.algorithm.Terms) {
			pool++
			if date < 7 {
				m.Pairs = append(m.Pairs, [4]int{date, i, int(c.user), c.score})
			}
		}
		if date < 7 {
			m.pools[i] += pool
		}
		set := must.Get(x.Offers(x.users[i].id))(t)
		for _, o := range set {
			c := places[o.Candidate]
			shown[c]++
			m.Offers = append(m.Offers, [4]int{date, i, c, o.Score})
			m.distinct[[2]int{i, c}] = true
		}
		m.sets[i] += len(set)
		if pool >= m.PerDay {
			m.enough++
			if len(set) < m.PerDay {
				m.short++
			}
		}
	}
	if m.shown == nil {
		m.shown = make([]int, len(shown))
	}
	for i, n := range shown {
		m.shown[i] += n
	}
	m.ginis = append(m.ginis, Gini(shown))
}

// repeats is the share of offers that came again although others of the user's pool had not
// come.
func (m *month) repeats() float64 {
	avoidable, all := 0, 0
	for u, n := range m.sets {
		all += n
		avoidable += min(n, m.pools[u])
	}
	return float64(avoidable-len(m.distinct)) / float64(max(1, all))
}

func TestAMonthOfOffers(t *testing.T) {
	t.Parallel()
	var all []*month
	for name, want := range populations {
		m := measure(t, name)
		all = append(all, m)
		full, unequal := 1-float64(m.short)/float64(m.enough), mean(m.ginis)
		t.Logf("%s: %d offers, %.3f of the sets full, %.3f repeats, Gini %.3f, %.3f of the month", name, len(m.Offers), full, m.repeats(), unequal, Gini(m.shown))
		if full < 0.95 || m.repeats() > 0.1 || len(m.sets) == 2000 && unequal > want.gini {
			t.Errorf("%s: want at least 0.95 full, at most 0.1 repeats, Gini %.2f", name, want.gini)
		}
	}
	if *export != "" {
		must.OK(t, os.WriteFile(*export, must.Get(json.Marshal(all))(t), 0o600))
	}
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

package ranking

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/roster"
)

var geographies = map[string]func(*world){"country": worlds["country"], "city": worlds["city"]}

// A date looks into 4,000 to 8,000 users at most, and the trees leave most of them out
// where limits of distance are narrow.
func TestSearchesAFewThousand(t *testing.T) {
	t.Parallel()
	users := testenv.Size(10_000, 100_000)
	for name, most := range map[string]int64{"country": 2000, "city": 4000} {
		w := newWorld(1)
		geographies[name](w)
		x := index(t, w.roster(users))
		x.admission(0)
		searches := int64(len(x.markets[slot(x.users[0].hash, x.days)].members))
		if got := x.compared.Load() / searches; got > most {
			t.Errorf("%s: %d comparisons for each of %d users, want at most %d", name, got, searches, most)
		}
		t.Logf("%s: %d comparisons for each of %d users", name, x.compared.Load()/searches, searches)
	}
}

// BenchmarkSets computes the sets of a date, of up to 5,000 users, with all admissions
// that they need: p95 and max are of single sets.
func BenchmarkSets(b *testing.B) {
	for _, name := range []string{"country", "city"} {
		for _, users := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", name, users), func(b *testing.B) {
				w := newWorld(1)
				geographies[name](w)
				x := index(b, w.roster(users))
				order := w.Perm(users)[:min(users, 5_000)]
				b.ResetTimer()
				for range b.N {
					benchmarkSets(b, x, order)
				}
			})
		}
	}
}

func benchmarkSets(b *testing.B, x *Index, order []int) {
	for i := range x.admitted {
		x.admitted[i].Store(nil)
	}
	x.divide()
	x.compared.Store(0)
	times, full := make([]time.Duration, len(order)), 0
	for i, u := range order {
		start := time.Now()
		set := must.Get(x.Offers(x.users[u].id))(b)
		times[i] = time.Since(start)
		if len(set) == x.algorithm.PerDay {
			full++
		}
	}
	slices.Sort(times)
	micro := func(d time.Duration) float64 { return float64(d.Microseconds()) }
	b.ReportMetric(micro(times[len(times)/2]), "p50-us")
	b.ReportMetric(micro(times[len(times)*95/100]), "p95-us")
	b.ReportMetric(micro(times[len(times)-1]), "max-us")
	b.ReportMetric(float64(x.compared.Load())/float64(len(order)), "pairs/set")
	b.ReportMetric(100*float64(full)/float64(len(order)), "%full")
}

// BenchmarkLoad reads a stored roster of 100,000 users: the time of the first job of
// an instance, and the memory that stays.
func BenchmarkLoad(b *testing.B) {
	frozen := must.Get(newWorld(1).roster(100_000).Freeze())(b)
	var x *Index
	for b.Loop() {
		x = load(b, frozen)
	}
	heap := func() float64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return float64(stats.HeapAlloc) / (1 << 20)
	}
	with := heap()
	runtime.KeepAlive(x)
	b.ReportMetric(with-heap(), "MB")
}

func load(b *testing.B, frozen roster.Frozen) *Index {
	r := must.Get(frozen.Thaw())(b)
	return index(b, r)
}

// hostile returns a roster of one city with long names, of marks and wide letters, of all interests.
func hostile(users int) roster.Roster {
	w := newWorld(1)
	geographies["city"](w)
	r, name := w.roster(users), strings.Repeat("\u0308東", 12)
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Profile = bytes.ReplaceAll(row.Profile, []byte("interest "), []byte(name))
		row.Preferences = bytes.ReplaceAll(row.Preferences, []byte("interest "), []byte(name))
	}
	return r
}

// Refused candidates, of which a city has many, cost no search each.
func TestExplainComparesOnce(t *testing.T) {
	t.Parallel()
	x := index(t, hostile(5_000))
	for _, m := range x.markets {
		x.settle(m)
	}
	refused := 0
	for u := range x.users[:20] {
		before := x.compared.Load()
		for _, c := range must.Get(x.Explain(x.users[u].id))(t).Candidates {
			if c.Verdict == NotAdmitted {
				refused++
			}
		}
		if got := x.compared.Load() - before; got > 2*int64(len(x.users)) {
			t.Errorf("%d comparisons to explain a set of %d users", got, len(x.users))
		}
	}
	if refused < 1000 {
		t.Errorf("%d refused, so that the test shows little", refused)
	}
}

// BenchmarkExplain reads a roster of 5,000 users and explains a set of it, as a command does.
func BenchmarkExplain(b *testing.B) {
	b.ReportAllocs()
	r := hostile(5_000)
	for b.Loop() {
		x := index(b, r)
		must.Get(x.Explain(x.users[0].id))(b)
	}
}

// BenchmarkVersions compares the processor time of all sets of a market by versions 3 and 4, in
// turn: "v4/v3" is the median of the rounds.
func BenchmarkVersions(b *testing.B) {
	for _, name := range []string{"country", "city"} {
		for _, users := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", name, users), func(b *testing.B) {
				w := newWorld(1)
				geographies[name](w)
				r := w.roster(users)
				w.remember(&r)
				four := index(b, r)
				r.Algorithm, r.Settings = 3, nil
				three := index(b, r)
				var ratios []float64
				for b.Loop() {
					before, after := marketTime(b, three), marketTime(b, four)
					ratios = append(ratios, after/before)
					b.Logf("version 3 %.2f s, version 4 %.2f s, ratio %.2f", before, after, after/before)
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "v4/v3")
			})
		}
	}
}

// marketTime computes all sets of the first user's market, and returns the seconds of processors.
func marketTime(b *testing.B, x *Index) float64 {
	b.Helper()
	for i := range x.admitted {
		x.admitted[i].Store(nil)
	}
	x.divide()
	before := processors(b)
	for _, u := range x.markets[slot(x.users[0].hash, x.days)].members {
		must.Get(x.Offers(x.users[u].id))(b)
	}
	return processors(b) - before
}

func processors(b *testing.B) float64 {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

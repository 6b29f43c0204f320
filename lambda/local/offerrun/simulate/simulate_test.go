package simulate

import (
	"flag"
	"testing"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/offer/day"
)

var (
	users = flag.Int("users", 10_000, "users of the simulated year")
	days  = flag.Int("days", 365, "days of the simulated year")
)

func run(t *testing.T, from string, o Options) *Result {
	t.Helper()
	var err error
	if o.From, err = day.Parse(from); err != nil {
		t.Fatal(err)
	}
	o.Zones = day.Zones()
	t.Logf("seed %d", o.Seed)
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken > 0 {
		t.Errorf("%d promises broken: %q", r.Broken, r.Problems)
	}
	return r
}

func TestNoDateIsMissedOrDoubled(t *testing.T) {
	t.Parallel()
	r := run(t, "2026-03-20", Options{Users: 200, Days: 20, Seed: 1})
	t.Log(r.Text())
	for what, n := range map[string]int{"completed": r.Completed, "late": r.Late, "skipped": r.Skipped, "sent twice": r.Twice,
		"delayed": r.Delayed, "killed": r.Killed, "killed schedulers": r.DeadSchedulers, "faults": r.Faults, "stale writes": r.Stale,
		"repaired": r.Repaired, "reruns": r.Reruns, "moves": r.Moves, "computed again": r.Recomputed} {
		if n == 0 {
			t.Errorf("%s: 0, so that the test shows little", what)
		}
	}
}

func TestAYear(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "lets a year pass, which takes minutes")
	t.Log(run(t, "2026-01-01", Options{Users: *users, Days: *days, Seed: 16}).Text())
}

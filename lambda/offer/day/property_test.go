package day

import (
	"math/rand/v2"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
)

var nineOClock = 9 * 60 * 60

// shows reports whether the clocks show the date and nine or later.
func shows(t time.Time, d Date) bool {
	hour, minute, second := t.Clock()
	return Of(t) == d && hour*60*60+minute*60+second >= nineOClock
}

// Each date of seven years, with all changes of clocks in them, has one due instant
// in each zone: the clocks show nine or later then, and did not a nanosecond before.
func TestOneDueInstantPerZone(t *testing.T) {
	t.Parallel()
	first, last := date(t, "2024-01-01"), date(t, "2030-12-31")
	names := Zones()
	for i, step := 0, testenv.Size(6, 1); i < len(names); i += step { // every zone with -thorough
		name := names[i]
		location := zone(t, name)
		before, _ := Due(first-1, location)
		for d := first; d <= last; d++ {
			due, ok := Due(d, location)
			local := due.In(location)
			switch {
			case !ok:
				t.Fatalf("%s has no %s", name, d)
			case !shows(local, d):
				t.Fatalf("%s in %s: clocks show %s", d, name, local)
			case shows(local.Add(-1), d):
				t.Fatalf("%s in %s: nine was before %s", d, name, local)
			case due.Sub(before) < 22*time.Hour || due.Sub(before) > 26*time.Hour:
				t.Fatalf("%s in %s is due %s after the date before it", d, name, due.Sub(before))
			}
			if next, nextDue := (Rule{At: Nine}).Next(d-1, location); next != d || !nextDue.Equal(due) {
				t.Fatalf("%s: after %s comes %s", name, d-1, next)
			}
			before = due
		}
	}
}

// In any zone and at any time since zones began, the latest due date is the greatest
// one of the days around that is due.
func TestLatestAgreesWithDue(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	names := Zones()
	for range testenv.Size(3_000, 300_000) {
		name := names[random.IntN(len(names))]
		location := zone(t, name)
		now := time.Unix(-4_000_000_000+random.Int64N(8_000_000_000), random.Int64N(1e9)) // 1843 to 2096
		got, ok := (Rule{At: Nine}).Latest(now, location)
		want := Date(0)
		for d := Of(now.UTC()) - 4; d <= Of(now.UTC())+4; d++ {
			if due, ok := Due(d, location); ok && !due.After(now) {
				want = d
			}
		}
		if !ok || got != want {
			t.Fatalf("seed %d: at %s in %s the latest due date is %s, %v, want %s", seed, now.UTC(), name, got, ok, want)
		}
	}
}

func BenchmarkLatest(b *testing.B) {
	location, now := zone(b, "Europe/Berlin"), at(b, "2026-03-29T12:00Z")
	for b.Loop() {
		(Rule{At: Nine}).Latest(now, location)
	}
}

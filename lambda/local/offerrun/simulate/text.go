package simulate

import (
	"fmt"
	"strings"
)

// Text is the summary for people.
func (r *Result) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%d users, %d days from %s, %d time zones, seed %d", r.Users, r.Days, r.From, len(r.Zones), r.Seed)
	line("%d sets completed (%d more than an hour after nine), %d skipped, %d failed with a reason",
		r.Completed, r.Late, r.Skipped, r.Failed)
	line("%d offers; no candidate more often than %d times a date (limit %d)", r.Offers, r.Exposure.Most, r.Exposure.Limit)
	line("met: %d deliveries of %d messages, %d sent twice, %d delayed, %d dead letters", r.Deliveries, r.Sent, r.Twice,
		r.Delayed, r.Dead)
	line("     %d workers and %d schedulers killed, %d faults of the database, %d stale writes refused", r.Killed,
		r.DeadSchedulers, r.Faults, r.Stale)
	line("     %d jobs repaired by the sweep, %d published by hand, %d moves", r.Repaired, r.Reruns, r.Moves)
	line("kept: %d dates missed, %d too many, %d candidates repeated too early; %d sets computed again, byte for byte",
		r.Missed, r.Extra, r.Repeated, r.Recomputed)
	if r.Broken > 0 {
		line("%d promises broken, the first ones:", r.Broken)
		for _, p := range r.Problems {
			line("  %s", p)
		}
	}
	return b.String()
}

// Kept reports whether every promise was kept.
func (r *Result) Kept() bool { return r.Broken == 0 }

package simulate

import (
	"testing"
	"time"

	"matchbook/lambda/offer/day"
)

// A user joins at nine sharp. A scheduler with a slow clock still sees the date
// before as the latest one that is due.
func TestOracleAllowsForSlowClocks(t *testing.T) {
	t.Parallel()
	from, err := day.Parse("2026-01-01")
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]string{-time.Second: "0112", 0: "0112",
		mostSkew - time.Second: "0112", mostSkew: "0012"} {
		s, err := newSimulation(Options{Users: 1, Days: 3, Zones: []string{"Asia/Seoul"}, From: from})
		if err != nil {
			t.Fatal(err)
		}
		owed := s.owed(&person{life: []chapter{{from: s.start.Add(after), zone: "Asia/Seoul", active: true}}})
		got := ""
		for d := from - 2; d <= from+1; d++ {
			got += string('0' + rune(owed[d]))
		}
		if got != want {
			t.Errorf("%s after nine: verdicts %s, want %s", after, got, want)
		}
	}
}

package manifest_test

import (
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

func TestMatchIsPossible(t *testing.T) {
	t.Parallel()
	if err := manifest.Match.Validate(); err != nil {
		t.Error(err)
	}
	if got := manifest.Match.MaxReceiveCount(); got != 3 {
		t.Errorf("maxReceiveCount %d, want 3", got)
	}
}

func TestImpossibleCombinationsAreNamed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*manifest.Function){
		"retry beyond 12 h":     func(f *manifest.Function) { f.Retries = []time.Duration{12 * time.Hour} },
		"no retry":              func(f *manifest.Function) { f.Retries = nil },
		"batch of 11":           func(f *manifest.Function) { f.BatchSize = 11 },
		"back before the lease": func(f *manifest.Function) { f.Timeout = 10 * time.Second },
	} {
		f := manifest.Match
		spoil(&f)
		if f.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestScheduleHasOneEntryPerRetry(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{"5m,30m": true, "1s, 0s": true, "5m": false, "5m,30m,1h": false, "": false, "5m,x": false, "5m,13h": false, "-1s,5m": false} {
		if _, err := manifest.Match.ParseSchedule(in); (err == nil) != ok {
			t.Errorf("ParseSchedule(%q): error %v, want ok %v", in, err, ok)
		}
	}
}

package settings

import (
	"strings"
	"testing"
	"time"
)

func TestManifestFactsValid(t *testing.T) {
	t.Parallel()
	if err := ManifestFacts().Validate(Config{DatabaseConnections: 100}); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil  func(*Facts)
		budget int
		want   string
	}{
		"too few connections": {func(*Facts) {}, 84,
			"functions may open 85 connections (match 8 x 5, ingest 8 x 2, inbox 4 x 1, review 12 x 1, offer 4 x 2, sweep 2, migrate 2, schedule 1) but the database has 84 for them; lower MaxConcurrency or PoolSize in the manifest, or raise the budget"},
		"just enough": {func(*Facts) {}, 85, ""},
		"more functions at once": {func(f *Facts) { f.Functions[0].MaxConcurrency = 30 }, 100,
			"functions may open 195 connections"},
		"a sweep that lasts long": {func(f *Facts) { f.Sweep.Timeout = 16 * time.Minute }, 100,
			"sweep: invalid timeout 16m0s: expected whole seconds from 1 to the 15m0s of Lambda"},
		"no memory": {func(f *Facts) { f.Migrate.MemoryMB = 64 }, 100,
			"migrate: 64 MB of memory: must be between 128 and 10240"},
		"a batch of 101": {func(f *Facts) { f.Functions[0].BatchSize = 101 }, 100,
			"match: batch size 101: must be between 1 and 100"},
		"one at a time": {func(f *Facts) { f.Functions[0].MaxConcurrency = 1 }, 100,
			"match: maximum concurrency 1: must be between 2 and 1000"},
		"a retry after 12 h": {func(f *Facts) { f.Functions[0].Retries = []time.Duration{12 * time.Hour} }, 100,
			"match: retry after 12h0m0s plus an invocation of 3m0s must not exceed the 12h0m0s of SQS"},
		"no retry": {func(f *Facts) { f.Functions[0].Retries = nil }, 100,
			"match: missing retry: the first transient failure would be final"},
		"back before the lease": {func(f *Facts) { f.Functions[0].Timeout = 10 * time.Second }, 100,
			"match: visibility 1m0s: must be longer than a claim of 1m10s"},
		"dropped before it is done": {func(f *Facts) {
			f.Functions[0].Retries = []time.Duration{11 * time.Hour, 11 * time.Hour, 11 * time.Hour, 11 * time.Hour,
				11 * time.Hour, 11 * time.Hour, 11 * time.Hour, 11 * time.Hour, 11 * time.Hour}
		}, 100, "match: 10 deliveries may take 102h0m0s, but the queue drops a message after 96h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := ManifestFacts()
			tc.spoil(&f)
			err := f.Validate(Config{DatabaseConnections: tc.budget})
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	f := ManifestFacts()
	f.Functions[0].BatchSize, f.Sweep.PoolSize = 0, 0
	if err := f.Validate(Config{DatabaseConnections: 1}); strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not all three are reported: %v", err)
	}
}

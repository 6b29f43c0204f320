package manifest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
)

func TestMatchIsPossible(t *testing.T) {
	t.Parallel()
	must.OK(t, manifest.Match.Validate())
	if got := manifest.Match.MaxReceiveCount(); got != 3 {
		t.Errorf("maxReceiveCount %d, want 3", got)
	}
}

// A worker that hangs, or that died, keeps a chunk for five minutes at most.
func TestReviewIsPossible(t *testing.T) {
	t.Parallel()
	f := manifest.Review
	must.OK(t, f.Validate())
	if got := f.FormatBackoff(); got != "5m,5m" || f.MaxReceiveCount() != 3 {
		t.Errorf("schedule %s, maxReceiveCount %d", got, f.MaxReceiveCount())
	}
	if most := 5 * time.Minute; f.Lease > most || f.Timeout > most {
		t.Errorf("lease %s, timeout %s: want at most %s", f.Lease, f.Timeout, most)
	}
	if calls := f.MaxConcurrency * f.CallsInFlight; calls > 64 {
		t.Errorf("%d calls in flight, want at most 64", calls)
	}
}

func TestOfferIsPossible(t *testing.T) {
	t.Parallel()
	f := manifest.Offer
	must.OK(t, f.Validate())
	if got := f.FormatBackoff(); got != "30s,2m,5m" || f.MaxReceiveCount() != 4 {
		t.Errorf("schedule %s, maxReceiveCount %d", got, f.MaxReceiveCount())
	}
	if want := (manifest.Alarms{FailedPercent: 1, SlowWork: 5 * time.Minute, Waiting: 1000}); f.Alarms != want {
		t.Errorf("alarms above %+v, want %+v", f.Alarms, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*manifest.Function){
		"retry beyond 12 h":       func(f *manifest.Function) { f.Retries = []time.Duration{12 * time.Hour} },
		"retry in the past":       func(f *manifest.Function) { f.Retries = []time.Duration{-time.Second} },
		"retries beyond 4 days":   func(f *manifest.Function) { f.Retries = slices.Repeat([]time.Duration{11 * time.Hour}, 9) },
		"no retry":                func(f *manifest.Function) { f.Retries = nil },
		"batch of 101":            func(f *manifest.Function) { f.BatchSize = 101 },
		"one invocation at once":  func(f *manifest.Function) { f.MaxConcurrency = 1 },
		"back before the lease":   func(f *manifest.Function) { f.Timeout = 10 * time.Second },
		"longer than Lambda does": func(f *manifest.Function) { f.Timeout = 16 * time.Minute },
		"part of a second":        func(f *manifest.Function) { f.Timeout += time.Millisecond },
		"too little memory":       func(f *manifest.Function) { f.MemoryMB = 127 },
		"no connection":           func(f *manifest.Function) { f.PoolSize = 0 },
		"no name":                 func(f *manifest.Function) { f.Name = "" },
		"no package":              func(f *manifest.Function) { f.Package = "" },
		"an alarm never heard":    func(f *manifest.Function) { f.Alarms.SlowWork = f.Timeout },
	} {
		f := manifest.Match
		spoil(&f)
		if err := f.Validate(); err == nil || !strings.HasPrefix(err.Error(), f.Name+": ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTasksArePossible(t *testing.T) {
	t.Parallel()
	for _, task := range []manifest.Task{manifest.Sweep, manifest.Migrate, manifest.Schedule, manifest.Web, manifest.Console} {
		if err := task.Validate(); err != nil {
			t.Error(err)
		}
		if task.Timeout = time.Hour; task.Validate() == nil {
			t.Errorf("%s may run for an hour", task.Name)
		}
	}
	for period, ok := range map[time.Duration]bool{time.Minute: true, 50 * time.Second: false, 90 * time.Second: false} {
		task := manifest.Sweep
		if task.Every = period; (task.Validate() == nil) != ok {
			t.Errorf("a sweep every %s: got %v", period, task.Validate())
		}
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	functions := []manifest.Function{{Name: "a", MaxConcurrency: 3, PoolSize: 4},
		{Name: "b", MaxConcurrency: 2, PoolSize: 1}}
	tasks := []manifest.Task{{Name: "c", PoolSize: 5}, {Name: "d", PoolSize: 2, Instances: 3}}
	if got := manifest.Connections(functions, tasks); got != 25 {
		t.Errorf("got %d, want 25", got)
	}
	must.OK(t, manifest.CheckConnections(25, functions, tasks))
	if err := manifest.CheckConnections(24, functions, tasks); err == nil ||
		!strings.Contains(err.Error(), "25 connections (a 3 x 4, b 2 x 1, c 5, d 6) but the database has 24") {
		t.Errorf("got %v", err)
	}
}

func TestBackoffRoundTrip(t *testing.T) {
	t.Parallel()
	for want, retries := range map[string][]time.Duration{
		"5m,30m":           {5 * time.Minute, 30 * time.Minute},
		"1m30s,1h,2h5m,0s": {90 * time.Second, time.Hour, 125 * time.Minute, 0},
		"500ms,1h0m1s":     {500 * time.Millisecond, time.Hour + time.Second},
	} {
		f := manifest.Function{Retries: retries}
		got := f.FormatBackoff()
		if read, err := f.ParseBackoff(got); got != want || err != nil || !slices.Equal(read, retries) {
			t.Errorf("got %q, %v, %v, want %q", got, read, err, want)
		}
	}
}

func TestParseBackoffEntries(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{"5m,30m": true, "1s, 0s": true, "5m": false, "5m,30m,1h": false, "": false,
		"5m,x": false, "5m,13h": false, "-1s,5m": false} {
		if _, err := manifest.Match.ParseBackoff(in); (err == nil) != ok {
			t.Errorf("ParseBackoff(%q): error %v, want ok %v", in, err, ok)
		}
	}
}

func TestListsArePossible(t *testing.T) {
	t.Parallel()
	must.OK(t, manifest.Validate(manifest.Functions(), manifest.Tasks()))
	further := manifest.Match
	further.Name, further.BatchSize = "sweep", 101
	err := manifest.Validate(append(manifest.Functions(), further), manifest.Tasks())
	for _, want := range []string{"sweep: batch size 101", "sweep: duplicate name"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestNewFunctionCounts(t *testing.T) {
	t.Parallel()
	further := manifest.Match
	further.Name, further.MaxConcurrency, further.PoolSize = "ingest", 4, 3
	functions := append(manifest.Functions(), further)
	if got, want := manifest.Connections(functions, manifest.Tasks()),
		manifest.Connections(manifest.Functions(), manifest.Tasks())+12; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if err := manifest.CheckConnections(44, functions, manifest.Tasks()); err == nil ||
		!strings.Contains(err.Error(), "ingest 4 x 3") {
		t.Errorf("got %v", err)
	}
}

func TestQueueEnv(t *testing.T) {
	t.Parallel()
	if got := manifest.Match.QueueEnv(); got != variable.MatchQueueURL {
		t.Errorf("got %s", got)
	}
	if got := (manifest.Function{Name: "ingest"}).QueueEnv(); got != "INGEST_QUEUE_URL" {
		t.Errorf("got %s", got)
	}
}

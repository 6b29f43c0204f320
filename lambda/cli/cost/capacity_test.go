package cost

import (
	"strings"
	"testing"
	"time"
)

// asking is a system in which each document asks, for a second: a batch of ten
// takes 10 + 9*5 + 10*4 trips of 1 ms, 10*5 ms of work and a second.
func asking(t *testing.T) System {
	t.Helper()
	second := Latency{Min: time.Second, Max: time.Second}
	return System{
		Work:        Work{Questions: 1, Latency: second, Tenants: 1, MemoryMB: wholeCore, Pool: 5, Measured: simple(t)},
		Concurrency: 2, BatchSize: 10, Timeout: 3 * time.Minute, Reserve: 15 * time.Second, CallTimeout: time.Minute,
		Connections: 100, OtherConnections: 4, Cores: 2,
	}
}

const askingBatch = 1.145 // seconds

func TestTightestLimitBinds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change    func(*System)
		binding   string
		documents float64
		enough    int
	}{
		"two invocations of ten":         {func(*System) {}, limitConcurrency, 2 * 10 / askingBatch * 3600, 2},
		"four are twice two":             {func(s *System) { s.Concurrency = 4 }, limitConcurrency, 4 * 10 / askingBatch * 3600, 4},
		"500 requests a minute":          {func(s *System) { s.RequestsAMinute = 500 }, limitRequests, 30_000, 1},
		"half as many questions":         {func(s *System) { s.RequestsAMinute, s.Questions, s.Concurrency = 500, 0.5, 40 }, limitRequests, 60_000, 2},
		"200,000 tokens a minute":        {func(s *System) { s.TokensAMinute = 200_000 }, limitTokens, 200_000 * 60 / 485.0, 1},
		"and a quarter of the questions": {func(s *System) { s.TokensAMinute, s.Questions, s.Concurrency = 200_000, 0.25, 40 }, limitTokens, 4 * 200_000 * 60 / 485.0, 3},
		"20 connections, 3 instances":    {func(s *System) { s.Connections, s.Concurrency = 20, 8 }, limitConnections, 3 * 10 / askingBatch * 3600, 3},
		"no connection left":             {func(s *System) { s.Connections = 8 }, limitConnections, 0, 1},
		"turns of 5+4 trips and 5 ms":    {func(s *System) { s.Concurrency, s.Connections = 90, 1000 }, limitTenants, 3600 / 0.014, 9},
		"a core 60 % busy, 3 ms each":    {func(s *System) { s.Concurrency, s.Connections, s.Tenants, s.Cores = 90, 1000, 50, 1 }, limitDatabase, 0.6 * 3600 / 0.003, 22},
		"no question, no limit on them":  {func(s *System) { s.Questions, s.RequestsAMinute = 0, 1 }, limitTenants, 3600 / 0.010, 2},
		"documents that ask again": {func(s *System) { s.Measured.RetriesPerDocument.Value, s.Questions, s.Tenants = 1, 0, 1000 },
			limitConcurrency, 2 * 10 / (0.010 + 0.009 + 0.050) * 3600 / 2, 2},
	} {
		s := asking(t)
		tc.change(&s)
		c := s.Capacity()
		near(t, name, c.Documents, tc.documents)
		if c.Binding != tc.binding || c.Limits[0].Name != tc.binding || c.Concurrency != tc.enough {
			t.Errorf("%s: got %s, enough %d, want %s, enough %d", name, c.Binding, c.Concurrency, tc.binding, tc.enough)
		}
		for i, l := range c.Limits[1:] {
			if l.Documents < c.Limits[i].Documents {
				t.Errorf("%s: %s is listed after %s", name, l.Name, c.Limits[i].Name)
			}
		}
	}
}

func TestWhatCannotWorkIsAProblem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*System)
		want   string
	}{
		"healthy":                       {func(*System) {}, ""},
		"an answer after its time":      {func(s *System) { s.Latency.Max = 61 * time.Second }, "an answer may take 1m1s, and calls end after 1m0s"},
		"that does not matter to rules": {func(s *System) { s.Latency.Max, s.Questions = time.Hour, 0 }, ""},
		"a batch after its time": {func(s *System) { s.Timeout = 16 * time.Second },
			"a batch takes 1.15s and has 1s"},
	} {
		s := asking(t)
		tc.change(&s)
		got := strings.Join(s.Capacity().Problems, "; ")
		if !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

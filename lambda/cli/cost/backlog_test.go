package cost

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/manifest"
)

// A further row of the manifest takes connections from what match can have.
func TestCapacityCountsTheConnectionsOfEveryFunction(t *testing.T) {
	t.Parallel()
	b := NewBacklog()
	b.Concurrency, b.Connections, b.Cores, b.Requests, b.Tokens = 8, 97, 1, 0, 0
	further := append(manifest.Functions(), manifest.Function{Name: "lamp", MaxConcurrency: 4, PoolSize: 3})
	for want, functions := range map[string][]manifest.Function{
		"97 connections, 45 for other functions, 5 for an instance: 10 instances": manifest.Functions(),
		"97 connections, 57 for other functions, 5 for an instance: 8 instances":  further,
	} {
		s, err := b.system(functions)
		if err != nil {
			t.Fatal(err)
		}
		limits := s.Capacity().Limits
		i := slices.IndexFunc(limits, func(l limit) bool { return l.Name == "connections" })
		if i < 0 || !strings.Contains(limits[i].Why, want) {
			t.Errorf("want %q in %+v", want, limits)
		}
	}
}

package local

import (
	"testing"

	"matchbook/lambda/manifest"
)

func TestSettingsByQueueName(t *testing.T) {
	t.Parallel()
	functions := []manifest.Function{{Name: "match", Purpose: "matches"}, {Name: "ingest", Purpose: "ingests"}}
	for name, want := range map[string]string{"match": "matches", "ingest": "ingests", "orders": manifest.Match.Purpose} {
		if got := QueueSettings(functions, name).Purpose; got != want {
			t.Errorf("%s: the settings of the function that %s, want %s", name, got, want)
		}
	}
}

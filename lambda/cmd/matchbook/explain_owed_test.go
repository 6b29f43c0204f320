package main

import (
	"strings"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

// What a failed model owes, and what a document lacks without its embedding, is
// visible.
func TestExplainOwed(t *testing.T) {
	t.Parallel()
	url := matchedLamps(t)
	conn := postgrestest.Conn(t, url)
	const owed, without = "A model must still answer.", "embedding missing, so similar texts were not looked up: embed: too short"
	for _, wanted := range []bool{false, true} {
		text := strings.Join(strings.Fields(printed(t, url, "explain", lampOrder)), " ")
		json := printed(t, url, "explain", lampOrder, "--json")
		if strings.Count(text, owed) != map[bool]int{true: 2}[wanted] || strings.Contains(text, without) != wanted ||
			strings.Contains(json, `"owed": true`) != wanted || strings.Contains(json, `"no_embedding": "embed: too short"`) != wanted {
			t.Errorf("marked: %v; explained:\n%s\n%s", wanted, text, json)
		}
		postgrestest.Exec(t, conn, `WITH p AS (UPDATE match_pair SET owed = true)
			UPDATE document SET embedding_error = 'embed: too short'`)
	}
}

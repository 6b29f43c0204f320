package main

import (
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"
)

func TestExport(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	want := map[string]int{"match": 53, "open_question": 11, "document_state": 63, "decision": 2}
	printed(t, url, "confirm", order130, invoice130, "--by", "anna", "--note", "two\nlines")
	printed(t, url, "undecide", order130, invoice130)
	for _, line := range strings.SplitAfter(printed(t, url, "export", "decision", "--format", "jsonl"), "\n")[:1] {
		if d := decode[map[string]any](t, line); d["verdict"] != "confirmed" || d["decided_by"] != "anna" || d["note"] != "two\nlines" || d["number_b"] != "WK-9051" {
			t.Errorf("the first decision: %s", line)
		}
	}
	conn := postgrestest.Conn(t, url)
	for view, sql := range map[string]string{
		"cluster": "SELECT count(*) FROM document WHERE cluster_id IS NOT NULL", "three_way": "SELECT count(*) FROM three_way_match",
	} {
		if want[view] = postgrestest.Value[int](t, conn, sql); want[view] == 0 {
			t.Fatalf("%s: none", sql)
		}
	}
	for _, view := range report.Views {
		code, out, errOut := matchbook(t, url, "export", view)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if code != 0 || err != nil || len(rows) != want[view]+1 || rows[0][0] != "tenant_id" {
			t.Errorf("%s: exit status %d, %v, %d rows, want %d and the header\n%s", view, code, err, len(rows), want[view], errOut)
		}
		_, out, _ = matchbook(t, url, "export", view, "--format", "jsonl")
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		keys := slices.Sorted(maps.Keys(decode[map[string]any](t, lines[0])))
		columns := slices.Sorted(slices.Values(rows[0]))
		if len(lines) != want[view] || !slices.Equal(keys, columns) {
			t.Errorf("%s: %d lines with %v, want %d with %v", view, len(lines), keys, want[view], columns)
		}
	}
	_, out, _ := matchbook(t, url, "export", "match", "--json", "--tenant", "20000000-0000-4000-8000-000000000001")
	for line := range strings.Lines(out) {
		m := decode[map[string]any](t, line)
		if score, ok := m["score"].(float64); m["tenant_id"] != "20000000-0000-4000-8000-000000000001" || !ok || score <= 0.5 {
			t.Errorf("of one tenant: %s", line)
		}
	}
	wantRefused(t, url, "export", clitest.Refusals{{[]string{"document"}, "match, open_question"}})
}

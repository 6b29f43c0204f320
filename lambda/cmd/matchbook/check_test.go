package main

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/document/format"
)

func TestCheckDepartures(t *testing.T) {
	t.Parallel()
	file := clitest.File(t, "orders.jsonl", `{"type":"purchase-order","structured_data":{"number":"1"}}
{"type":"purchase-order","structured_data":{"lines":[],"total":"1,50","qty":1}}
`)
	code, out, errOut := matchbook(t, "", "check", "--limit", "2", file)
	if want := file + ":2  $.structured_data.lines\n      found     an unknown field\n"; code != 1 || !strings.Contains(out, want) {
		t.Errorf("exit status %d, want 1\n%s\n%s", code, out, errOut)
	}
	wantIn(t, out, "did you mean line_items?", "... and 1 more", "1 document can be matched, 1 cannot; 3 departures from the schema")
	var r checked
	if _, out, _ := matchbook(t, "", "check", "--json", file); json.Unmarshal([]byte(out), &r) != nil || len(r.Departures) != 3 {
		t.Errorf("JSON: %s", out)
	}
	if code, _, _ := matchbook(t, "", "check", file+"x"); code != 2 {
		t.Errorf("exit status %d for a file that does not exist, want 2", code)
	}
}

// The samples of the repository have the form.
func TestSamplesConform(t *testing.T) {
	t.Parallel()
	if code, out, _ := matchbook(t, "", "check", samples); code != 0 {
		t.Errorf("exit status %d, want 0\n%s", code, out)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	if code, out, _ := matchbook(t, "", "schema"); code != 0 || out != string(format.Schema) {
		t.Errorf("exit status %d, %d bytes", code, len(out))
	}
}

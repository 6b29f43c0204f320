package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

// lamp is a further row of the manifest, which asks no model.
var lamp = manifest.Function{Name: "lamp", Timeout: 3 * time.Minute, BatchSize: 10, MaxConcurrency: 4, PoolSize: 3,
	Retries: []time.Duration{time.Minute, 2 * time.Minute}}

func TestFunctionHasTheRowThatItsNameEndsWith(t *testing.T) {
	t.Parallel()
	all := rows{manifest.Match, lamp, {Name: "ch"}}
	for name, want := range map[string]string{
		"MatchFunction": "match", "matchbook-dev-match": "match", "match": "match", "LampFunction": "lamp",
		"matchbook-dev-lamp": "lamp", "matchbook-lamp-Other": "match", "a function that is not named": "match", "": "match",
	} {
		if got := all.of(name).Name; got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

// twoRows is the template after an edit with a copy of all that belongs to
// match, for lamp.
func twoRows(t *testing.T, path string, to any) Report {
	t.Helper()
	var template struct{ Resources map[string]json.RawMessage }
	if err := json.Unmarshal(readFile(t, healthyTemplate), &template); err != nil {
		t.Fatal(err)
	}
	for id, raw := range template.Resources {
		if rest, ok := strings.CutPrefix(id, "Match"); ok {
			template.Resources["Lamp"+rest] = bytes.ReplaceAll(raw, []byte(`"Match`), []byte(`"Lamp`))
		}
	}
	raw, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	var edited m
	if err := json.Unmarshal(raw, &edited); err != nil {
		t.Fatal(err)
	}
	edit(t, edited, "SweepFunction"+env+"LAMP_QUEUE_URL", m{"Ref": "LampQueue"})
	edit(t, edited, "LampMapping.ScalingConfig", m{"MaximumConcurrency": 4})
	edit(t, edited, "LampFunction"+env+"OPENAI_API_KEY_SECRET_ARN", nil)
	if path != "" {
		edit(t, edited, path, to)
	}
	if raw, err = json.Marshal(edited); err != nil {
		t.Fatal(err)
	}
	look := &look{Options: Options{Template: raw, Connections: 57}, rows: rows{manifest.Match, lamp}}
	r, err := look.examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The same checks find the same edits, of the second function too.
func TestFurtherRowIsCheckedInATemplate(t *testing.T) {
	t.Parallel()
	if r := twoRows(t, "", nil); r.Errors+r.Warnings > 0 {
		t.Errorf("got\n%s", show(r))
	}
	for _, row := range []templateRow{
		{"", nil, provoked{"mapping", OK, "feeds LampFunction"}},
		{"", nil, provoked{"mapping", OK, "feeds MatchFunction"}},
		{"", nil, provoked{"connections", OK, "4 x 3 of LampFunction, 8 x 5 of MatchFunction: 57 in all"}},
		{"LampMapping", nil, provoked{"mapping", Error, "no event source mapping feeds LampFunction"}},
		{"LampMapping.ScalingConfig", m{"MaximumConcurrency": 5}, provoked{"connections", Error, "60 in all, and the database has 57"}},
		{"LampQueue.VisibilityTimeout", 30, provoked{"visibility", Error, "it hides a message for 30s"}},
		{"LampQueue.RedrivePolicy", nil, provoked{"dlq", Error, "it has no dead-letter queue"}},
		{"LampFunction" + env + "QUEUE_URL", m{"Ref": "MatchQueue"}, provoked{"queue-url", Error, "QUEUE_URL names MatchQueue, and the event source mapping reads LampQueue"}},
		{"LampFunction" + env + "RETRY_SCHEDULE", "5m", provoked{"schedule-entries", Error, "1 entry"}},
		{"LampFunction" + env + "RETRY_SCHEDULE", nil, provoked{"schedule-limit", OK, "the longest wait is 2m"}},
		{"SweepFunction" + env + "LAMP_QUEUE_URL", m{"Ref": "MatchQueue"}, provoked{"queue-url", Error, "SweepFunction publishes to MatchQueue"}},
		{"SweepFunction" + env + "LAMP_QUEUE_URL", nil, provoked{"configuration", Error, "LAMP_QUEUE_URL is not set"}},
	} {
		t.Run(row.path+" "+row.id, func(t *testing.T) {
			t.Parallel()
			row.check(t, twoRows(t, row.path, row.to))
		})
	}
}

func TestAdviceNamesTheRowsOwnFacts(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"LampMapping.ScalingConfig":              "to 4 for LampFunction.",
		"MatchMapping.ScalingConfig":             "to 8 for MatchFunction.",
		"SweepFunction" + env + "LAMP_QUEUE_URL": "Set LAMP_QUEUE_URL of SweepFunction to the URL of the queue that feeds the lamp function.",
	} {
		var to any
		if strings.HasPrefix(path, "Sweep") {
			to = m{"Ref": "MatchQueue"}
		}
		found := false
		for _, f := range twoRows(t, path, to).Findings {
			found = found || f.Severity == Error && strings.Contains(f.Do, want)
		}
		if !found {
			t.Errorf("%s: nothing advises %q", path, want)
		}
	}
}

package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

// lamp is a further row of the manifest, which asks no model.
var lamp = manifest.Function{Name: "lamp", Timeout: 3 * time.Minute, BatchSize: 10, MaxConcurrency: 4, PoolSize: 3,
	Retries: []time.Duration{time.Minute, 2 * time.Minute}}

func TestRowByNameSuffix(t *testing.T) {
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

// twoRows is a deployment of match and of lamp, with connections for both.
func twoRows() *deployment {
	d := deploy(manifest.Match, lamp)
	d.connections = 57
	delete(d.env["lamp"], "OPENAI_API_KEY_SECRET_ARN")
	return d
}

// The same checks find the same harms, of the second function too.
func TestNewRowChecked(t *testing.T) {
	t.Parallel()
	if r := twoRows().report(); r.Errors+r.Warnings > 0 {
		t.Errorf("got\n%s", show(r))
	}
	for _, h := range []harm{
		{"whole", func(*deployment) {}, provoked{"mapping", OK, "feeds lamp"}},
		{"match", func(*deployment) {}, provoked{"mapping", OK, "feeds match"}},
		{"all connections", func(*deployment) {}, provoked{"connections", OK, "4 x 3 of lamp, 8 x 5 of match: 57 in all"}},
		{"no mapping", func(d *deployment) { d.mappings["lamp"] = nil }, provoked{"mapping", Error, "missing event source mapping of lamp"}},
		{"more instances", func(d *deployment) { d.mappings["lamp"][0].most = known(5) }, provoked{"connections", Error, "60 in all, and the database has 57"}},
		{"visible soon", func(d *deployment) { d.queues["lamp"].visibility = known(30 * time.Second) }, provoked{"visibility", Error, "it hides a message for 30s"}},
		{"the other's DLQ", func(d *deployment) { d.queues["lamp"].dlq = known(account + "match-dlq") },
			provoked{"dlq-own", Error, "lamp and match share the dead-letter queue " + account + "match-dlq"}},
		{"the other's queue as DLQ", func(d *deployment) { d.queues["lamp"].dlq = known(account + "match") },
			provoked{"dlq-own", Error, "its dead-letter queue " + account + "match is the queue of match"}},
		{"no DLQ", func(d *deployment) { d.queues["lamp"].dlq = known("") }, provoked{"dlq", Error, "missing dead-letter queue"}},
		{"another queue", setting("lamp", "QUEUE_URL", queueURLs+"match"),
			provoked{"queue-url", Error, "QUEUE_URL is " + account + "match, but the event source mapping reads " + account + "lamp"}},
		{"one retry", setting("lamp", "RETRY_SCHEDULE", "5m"), provoked{"schedule-entries", Error, "1 entry"}},
		{"its own retries", setting("lamp", "RETRY_SCHEDULE", ""), provoked{"schedule-limit", OK, "the longest wait is 2m"}},
		{"published elsewhere", setting("sweep", "LAMP_QUEUE_URL", queueURLs+"match"), provoked{"queue-url", Error, "sweep publishes to " + account + "match"}},
		{"not published", setting("sweep", "LAMP_QUEUE_URL", ""), provoked{"queue-url", Error, "LAMP_QUEUE_URL is not set, so that lost messages of lamp stay lost"}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			d := twoRows()
			h.do(d)
			h.check(t, d.report())
		})
	}
}

func TestAdviceUsesRowFacts(t *testing.T) {
	t.Parallel()
	for want, do := range map[string]func(*deployment){
		"to 4 for lamp.":  func(d *deployment) { d.mappings["lamp"][0].most = known(0) },
		"to 8 for match.": func(d *deployment) { d.mappings["match"][0].most = known(0) },
		"Set LAMP_QUEUE_URL of sweep to the URL of the lamp function's queue.": setting("sweep", "LAMP_QUEUE_URL", queueURLs+"match"),
	} {
		d := twoRows()
		do(d)
		if !slices.ContainsFunc(d.report().Findings, func(f Finding) bool { return f.Severity == Error && strings.Contains(f.Do, want) }) {
			t.Errorf("nothing advises %q", want)
		}
	}
}

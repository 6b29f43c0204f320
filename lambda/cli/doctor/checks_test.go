package doctor

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/manifest"
)

// provoked is what a row of a table brings about: a finding, and words of it.
type provoked struct {
	id       string
	severity Severity
	what     string
}

// check fails unless the finding is there, says what it is to say, and is one
// that the check may have. It is complete: what, why and what to do.
func (p provoked) check(t *testing.T, r Report) {
	t.Helper()
	declared(t, r)
	for _, f := range r.Findings {
		if f.ID != p.id || f.Severity != p.severity || !strings.Contains(f.What, p.what) {
			continue
		}
		if p.severity >= Warning && (f.Why == "" || !strings.HasSuffix(f.Why, ".") || f.Do == "" || !strings.HasSuffix(f.Do, ".")) {
			t.Errorf("%+v does not say why it matters, or what to do", f)
		}
		return
	}
	t.Errorf("want a %s of %s with %q in\n%s", p.severity, p.id, p.what, show(r))
}

// declared fails when a finding is of a severity that its check does not raise.
func declared(t *testing.T, r Report) {
	t.Helper()
	for _, f := range r.Findings {
		i := slices.IndexFunc(checks, func(c check) bool { return c.id == f.ID })
		if i < 0 || f.Severity >= Warning && !slices.Contains(checks[i].raises, f.Severity) {
			t.Errorf("%+v is not declared", f)
		}
	}
}

// show has the report in short.
func show(r Report) string {
	var s strings.Builder
	for _, f := range r.Findings {
		s.WriteString("  " + f.Severity.String() + " " + f.ID + " " + f.Subject + ": " + f.What + "\n")
	}
	return s.String()
}

type m = map[string]any

// deployment is a healthy one, as the checks see it. Tests break one thing of it.
type deployment struct {
	rows        rows
	functions   map[string]*function // by row or task; nil: it is not there
	env         map[string]variables
	mappings    map[string][]mapping
	queues      map[string]*queue
	deadLetters map[string]*queue
	connections int
}

const (
	account   = "eu-central-1:000000000000:"
	queueURLs = "https://sqs.eu-central-1.amazonaws.com/000000000000/"
)

// deploy deploys the functions of these rows, and the sweep.
func deploy(all ...manifest.Function) *deployment {
	d := &deployment{rows: all, functions: map[string]*function{}, env: map[string]variables{}, mappings: map[string][]mapping{},
		queues: map[string]*queue{}, deadLetters: map[string]*queue{}}
	sweep := variables{"DATABASE_URL": "postgres://u@localhost/d"}
	for _, row := range all {
		d.functions[row.Name] = &function{timeout: known(row.Timeout), reserved: known(-1)}
		d.env[row.Name] = variables{"DATABASE_URL": "postgres://u@localhost/d", "QUEUE_URL": queueURLs + row.Name, "MATCH_MODE": "model",
			"OPENAI_API_KEY_SECRET_ARN": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:key", "RETRY_SCHEDULE": row.FormatBackoff()}
		d.mappings[row.Name] = []mapping{{name: row.Name + "-mapping", enabled: known(true), queue: known(account + row.Name), reports: known(true),
			batch: known(row.BatchSize), most: known(row.MaxConcurrency)}}
		d.queues[row.Name] = &queue{id: account + row.Name, name: row.Name, visibility: known(row.Visibility()), retention: known(manifest.QueueRetention),
			dlq: known(account + row.Name + "-dlq"), receives: known(row.MaxReceiveCount())}
		d.deadLetters[row.Name] = &queue{name: row.Name + "-dlq", retention: known(manifest.DeadLetterRetention)}
		sweep[row.QueueEnv()] = queueURLs + row.Name
	}
	d.functions["sweep"], d.env["sweep"] = &function{reserved: known(-1)}, sweep
	return d
}

// with adds a function that no queue feeds.
func (d *deployment) with(name string, instances int, env variables) *deployment {
	d.functions[name], d.env[name] = &function{reserved: known(instances)}, env
	return d
}

func (d *deployment) report() Report {
	f := facts{target: "it"}
	f.withoutDatabase("no database is asked", d.connections)
	for _, name := range slices.Sorted(maps.Keys(d.functions)) {
		fn := *d.functions[name]
		fn.name = name
		fn.read(d.env[name], d.queues[name] != nil, d.rows)
		if d.queues[name] == nil {
			f.functions = append(f.functions, fn)
			continue
		}
		l := line{function: fn, mapping: known(d.mappings[name]), queue: known(*d.queues[name]), answers: known(problem(""))}
		l.dlq, l.dlqAnswers = unknown[queue](noRedrive), unknown[problem](noRedrive)
		if l.queue.value.dlq.value != "" {
			l.dlq, l.dlqAnswers = known(*d.deadLetters[name]), known(problem(""))
		}
		f.lines = append(f.lines, l)
	}
	return examine(checks, f)
}

// harm breaks one thing of a deployment.
type harm struct {
	name string
	do   func(*deployment)
	provoked
}

// setting sets a variable of a function, or takes it away.
func setting(function, name, value string) func(*deployment) {
	return func(d *deployment) { d.env[function][name] = value }
}

func theMapping(change func(*mapping)) func(*deployment) {
	return func(d *deployment) { change(&d.mappings["match"][0]) }
}

func visible(d time.Duration) func(*deployment) {
	return func(p *deployment) { p.queues["match"].visibility = known(d) }
}

func keeps(d time.Duration) func(*deployment) {
	return func(p *deployment) { p.queues["match"].retention = known(d) }
}

func reserves(n int) func(*deployment) {
	return func(d *deployment) { d.functions["match"].reserved = known(n) }
}

func redrives(to string, receives fact[int]) func(*deployment) {
	return func(d *deployment) { d.queues["match"].dlq, d.queues["match"].receives = known(to), receives }
}

var harms = []harm{
	{"no mapping", func(d *deployment) { d.mappings["match"] = nil }, provoked{"mapping", Error, "missing event source mapping of match"}},
	{"disabled", theMapping(func(m *mapping) { m.enabled = known(false) }), provoked{"mapping", Error, "is disabled"}},
	{"enabled or not", theMapping(func(m *mapping) { m.enabled = unknown[bool]("for a reason") }), provoked{"mapping", Skipped, "for a reason"}},
	{"two mappings", func(d *deployment) { d.mappings["match"] = append(d.mappings["match"], d.mappings["match"][0]) },
		provoked{"mapping", Error, "2 event source mappings feed match"}},
	{"no reports", theMapping(func(m *mapping) { m.reports = known(false) }), provoked{"batch-failures", Error, "ReportBatchItemFailures is not on"}},
	{"reports or not", theMapping(func(m *mapping) { m.reports = unknown[bool]("for a reason") }), provoked{"batch-failures", Skipped, "for a reason"}},
	{"101 messages", theMapping(func(m *mapping) { m.batch = known(101) }), provoked{"batch-size", Error, "up to 101 messages"}},
	{"10,000 messages", theMapping(func(m *mapping) { m.batch = known(10000) }), provoked{"batch-size", Error, "up to 10000 messages"}},
	{"10 messages", func(*deployment) {}, provoked{"batch-size", OK, "batches of 10"}},
	{"a batch or none", theMapping(func(m *mapping) { m.batch = unknown[int]("for a reason") }), provoked{"batch-size", Skipped, "for a reason"}},
	{"no limit", theMapping(func(m *mapping) { m.most = known(0) }), provoked{"maximum-concurrency", Error, "is not set"}},
	{"no limit of connections", theMapping(func(m *mapping) { m.most = known(0) }), provoked{"connections", Skipped, "see maximum-concurrency"}},
	{"a limit or none", theMapping(func(m *mapping) { m.most = unknown[int]("for a reason") }), provoked{"maximum-concurrency", Skipped, "for a reason"}},
	{"none reserved", reserves(0), provoked{"reserved-concurrency", Error, "0 instances are reserved, but the mapping starts up to 8"}},
	{"7 reserved", reserves(7), provoked{"reserved-concurrency", Error, "7 instances are reserved, but the mapping starts up to 8"}},
	{"8 reserved", reserves(8), provoked{"reserved-concurrency", Warning, "8 instances are reserved"}},
	{"another queue", setting("match", "QUEUE_URL", queueURLs+"match-dlq"),
		provoked{"queue-url", Error, "QUEUE_URL is " + account + "match-dlq, but the event source mapping reads " + account + "match"}},
	{"no queue", setting("match", "QUEUE_URL", ""), provoked{"queue-url", Error, "QUEUE_URL is not set"}},
	{"published elsewhere", setting("sweep", "MATCH_QUEUE_URL", queueURLs+"match-dlq"),
		provoked{"queue-url", Error, "sweep publishes to " + account + "match-dlq, but no event source mapping here reads it"}},
	{"visible after 30 s", visible(30 * time.Second), provoked{"visibility", Error, "it hides a message for 30s, less than the function's timeout of 3m plus the lease margin of 1m"}},
	{"visible before the lease ends", visible(239 * time.Second), provoked{"visibility", Error, "3m59s"}},
	{"visible after the lease", visible(240 * time.Second), provoked{"visibility", Warning, "4m, less than 6 times"}},
	{"visible soon", visible(1079 * time.Second), provoked{"visibility", Warning, "17m59s, less than 6 times the function's timeout of 3m"}},
	{"a function of 3 s", func(d *deployment) { d.functions["match"].timeout = known(3 * time.Second) }, provoked{"visibility", OK, "function 3s"}},
	{"a function of 181 s", func(d *deployment) { d.functions["match"].timeout = known(181 * time.Second) },
		provoked{"visibility", Warning, "18m, less than 6 times the function's timeout of 3m1s"}},
	{"one retry", setting("match", "RETRY_SCHEDULE", "5m"), provoked{"schedule-entries", Error, "the retry schedule has 1 entry, but maxReceiveCount 3 allows 2"}},
	{"the manifest's retries", setting("match", "RETRY_SCHEDULE", ""), provoked{"schedule-entries", OK, "2 entries"}},
	{"no time", setting("match", "RETRY_SCHEDULE", "5m,soon"), provoked{"schedule-entries", Error, "invalid entry 2 of RETRY_SCHEDULE"}},
	{"no time, no limit", setting("match", "RETRY_SCHEDULE", "5m,soon"), provoked{"schedule-limit", Skipped, "invalid entry 2 of RETRY_SCHEDULE"}},
	{"no time, no retention", setting("match", "RETRY_SCHEDULE", "5m,soon"), provoked{"queue-retention", Skipped, "entry 2"}},
	{"no time, no start", setting("match", "RETRY_SCHEDULE", "5m,soon"), provoked{"configuration", Error, "RETRY_SCHEDULE: entry 2"}},
	{"4 receives", redrives(account+"match-dlq", known(4)), provoked{"schedule-entries", Error, "2 entries, but maxReceiveCount 4 allows 3"}},
	{"too long a wait", setting("match", "RETRY_SCHEDULE", "5m,11h58m"), provoked{"schedule-limit", Error, "a retry after 11h58m and an invocation of 3m exceed the 12h"}},
	{"the longest wait", setting("match", "RETRY_SCHEDULE", "5m,11h57m"), provoked{"schedule-limit", OK, "11h57m"}},
	{"forgotten", keeps(5340 * time.Second), provoked{"queue-retention", Error, "it keeps a message for 1h29m, but 3 deliveries may take 1h29m"}},
	{"just kept", keeps(5341 * time.Second), provoked{"queue-retention", OK, "at most 1h29m"}},
	{"no DLQ", redrives("", unknown[int](noRedrive)), provoked{"dlq", Error, "missing dead-letter queue"}},
	{"no DLQ that keeps", redrives("", unknown[int](noRedrive)), provoked{"dlq-retention", Skipped, "see dlq"}},
	{"DLQ forgets", func(d *deployment) { d.deadLetters["match"].retention = known(manifest.QueueRetention) },
		provoked{"dlq-retention", Error, "it keeps a message for 4 days, not longer than match (4 days)"}},
	{"DLQ of less than 14 days", func(d *deployment) { d.deadLetters["match"].retention = known(1209599 * time.Second) },
		provoked{"dlq-retention", Warning, "less than the maximum of 14 days"}},
	{"queue of 14 days", keeps(manifest.DeadLetterRetention), provoked{"dlq-retention", Error, "not longer than match (14 days)"}},
	{"a mode that is none", setting("match", "MATCH_MODE", "guess"), provoked{"configuration", Error, "MATCH_MODE: expected rules or model"}},
	{"no key", setting("match", "OPENAI_API_KEY_SECRET_ARN", ""), provoked{"configuration", Error, "OPENAI_API_KEY is not set"}},
	{"no database", setting("match", "DATABASE_URL", ""), provoked{"configuration", Error, "DATABASE_URL is not set"}},
	{"another database", setting("match", "DATABASE_URL", "mysql://x"), provoked{"configuration", Error, "invalid PostgreSQL URL"}},
	{"no URL of a queue", setting("match", "QUEUE_URL", "match"), provoked{"configuration", Error, "QUEUE_URL: invalid queue URL"}},
	{"no URL of a model", setting("match", "OPENAI_BASE_URL", "openai"), provoked{"configuration", Error, "invalid base URL: expected http or https"}},
	{"no URL of Slack", setting("match", "SLACK_WEBHOOK_URL", "slack"), provoked{"configuration", Error, "invalid webhook URL: expected https"}},
	{"half a mail", setting("sweep", "EMAIL_FROM", "a@example.com"), provoked{"configuration", Error, "EMAIL_FROM and EMAIL_TO must both be set"}},
	{"enough connections", func(*deployment) {}, provoked{"connections", OK, "8 x 5 of match: 45 in all, and the database has 45"}},
	{"a connection too few", func(d *deployment) { d.connections = 44 }, provoked{"connections", Error, "45 in all, and the database has 44 (--connections)"}},
	{"unknown connections", func(d *deployment) { d.connections = 0 }, provoked{"connections", Skipped, "--connections N"}},
}

func TestFindsMatchFaults(t *testing.T) {
	t.Parallel()
	healthy := deploy(manifest.Match)
	healthy.connections = 45
	if r := healthy.report(); r.Errors+r.Warnings > 0 {
		t.Errorf("of nothing: %s", show(r))
	}
	for _, h := range harms {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			d := deploy(manifest.Match)
			d.connections = 45
			h.do(d)
			h.check(t, d.report())
		})
	}
}

// Offers may be queued on the hour, for a database that pauses; a sweep can't be that slow.
func TestHourlySchedules(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]Severity{manifest.Schedule.Name: OK, manifest.Sweep.Name: Warning} {
		fn := function{name: task, task: manifest.Sweep}
		if task == manifest.Schedule.Name {
			fn.task = manifest.Schedule
		}
		if got := timely(fn, schedule{name: task, rate: "cron(0 * * * ? *)", target: functionOf + task + ":live"}); got.severity != want {
			t.Errorf("%s: got %+v", task, got)
		}
	}
}

package breaker_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/breaker"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/llm"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The services of a world. Documents and reviews need the model, files the OCR and the model. The
// documents of one of five tenants may have a model of another provider.
const theModel, theOCR, anotherModel = "gpt-simulated", "textract", "llama-simulated"

// outage is a simulation of hours with a service away: the real runtime, tables, queues, sweep,
// asker, vault and reviewer on one clock, with simulated services. Work takes no time.
type outage struct {
	documents, files, reviews int
	arriving, lasting         time.Duration // of the arrivals, and of the whole simulation
	every, tick               time.Duration // of the sweeps, and the longest step of the clocks
	workers                   int
	away                      func(service string, at time.Duration) bool
	control                   bool // without breakers
	twoProviders              bool
}

// result is what an outage did.
type result struct {
	failed, dead, unfinished, twice int
	told                            []string // the notifications
	wasted                          int      // calls of a service that was away
	done                            time.Duration
}

type world struct {
	outage
	t       testing.TB
	clock   *clock.Clock
	times   *simclock.Clock
	db      *postgres.DB
	conn    *pgx.Conn
	sqs     *sqs.Server
	start   time.Time
	sweep   *sweep.Sweeper
	ids     [2][]uuid.UUID     // of documents and files, not published yet
	another map[uuid.UUID]bool // documents that need anotherModel

	mu     sync.Mutex
	bought map[[sha256.Size]byte]int
	wasted int
}

var epoch = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

func (o outage) run(t testing.TB) (r result) {
	t.Helper()
	o.tick = cmp.Or(o.tick, o.every)
	w := &world{outage: o, t: t, clock: clock.NewFrozen(epoch), start: epoch, bought: map[[sha256.Size]byte]int{}, another: map[uuid.UUID]bool{}}
	var url string
	w.times, url = postgrestest.WithClock(t, postgrestest.URL(t), epoch)
	w.db, w.conn, w.sqs = postgrestest.Open(t, url), postgrestest.Conn(t, url), sqs.New(w.clock)
	w.sweep = &sweep.Sweeper{Log: slog.New(slog.DiscardHandler)}
	ctx, stop := context.WithCancel(t.Context())
	var mappings sync.WaitGroup
	targets := map[string]sweep.Target{}
	for name, work := range map[string]func(context.Context, job.Attempt) error{manifest.Match.Name: w.document, manifest.Ingest.Name: w.file, manifest.Review.Name: w.review} {
		target, m := w.function(name, work)
		targets[name] = target
		mappings.Go(func() { must.OK(t, m.Run(ctx)) })
	}
	defer mappings.Wait()
	defer stop()
	w.insert()
	w.startReviews(targets[manifest.Review.Name])
	for at := time.Duration(0); at <= o.lasting; {
		w.publish(at, targets)
		w.wait()
		at += w.step(at)
		if at%o.every == 0 {
			must.Get(w.sweep.Run(t.Context()))(t)
			must.OK(t, w.db.Breakers().EndOutages(t.Context()))
		}
		if w.wait(); r.done == 0 && at > o.arriving && w.open() == 0 {
			r.done = at
		}
	}
	return w.result(r)
}

// function returns a workload's target of the sweep, and the mapping of its queue.
func (w *world) function(name string, work func(context.Context, job.Attempt) error) (sweep.Target, *eventsource.Mapping) {
	w.t.Helper()
	row := manifest.Workloads()[slices.IndexFunc(manifest.Workloads(), func(f manifest.Function) bool { return f.Name == name })]
	client := w.sqs.Client()
	urls := must.Get(local.CreateQueueWith(w.t.Context(), client, name, row))(w.t)
	queue := must.Get(sqsjob.NewQueue(client, urls.Queue))(w.t)
	jobs := w.db.JobsOf(postgres.Tables[name])
	target := sweep.Target{Name: name, Store: jobs, Queue: queue, Visibility: row.Visibility()}
	w.sweep.Targets = append(w.sweep.Targets, target)
	log := slog.New(slog.DiscardHandler)
	h := &sqsjob.Handler{Queue: queue, Log: log, Runner: func(log *slog.Logger) sqsjob.Runner {
		return &job.Runtime{Store: jobs, Work: job.Each(work), Backoff: row.Retries, Log: log}
	}}
	return target, eventsource.New(eventsource.Config{QueueURL: urls.Queue, QueueARN: queue.ARN, Region: sqs.Region,
		BatchSize: row.BatchSize, MaxConcurrency: w.workers, Client: client, Now: w.clock.Now,
		Invoke: func(ctx context.Context, payload []byte) ([]byte, error) {
			var event events.SQSEvent
			if err := json.Unmarshal(payload, &event); err != nil {
				return nil, err
			}
			ctx, cancel := context.WithTimeout(ctx, row.Timeout)
			defer cancel()
			response, err := h.Handle(ctx, event)
			if err != nil {
				return nil, err
			}
			return json.Marshal(response)
		}})
}

func tenant(i int) uuid.UUID { return uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "tenant %d", i%5)) }

// insert stores the documents and files, as other programs would.
func (w *world) insert() {
	w.t.Helper()
	for i := range 5 {
		postgrestest.Exec(w.t, w.conn, `INSERT INTO tenant VALUES ($1, 'Testers')`, tenant(i))
	}
	for kind, n := range [2]int{w.documents, w.files} {
		var tenants []uuid.UUID
		for i := range n {
			w.ids[kind] = append(w.ids[kind], uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "row %d %d", kind, i)))
			tenants = append(tenants, tenant(i))
			w.another[w.ids[kind][i]] = w.twoProviders && kind == 0 && i%5 == 0
		}
		postgrestest.Exec(w.t, w.conn, `INSERT INTO document (id, tenant_id, type, structured_data, matching_due_at)
			SELECT id, tenant, CASE $3::integer WHEN 0 THEN 'invoice'::document_type END, CASE $3 WHEN 0 THEN '{}'::jsonb END, NULL
			FROM unnest($1::uuid[], $2::uuid[]) AS r (id, tenant)`, w.ids[kind], tenants, kind)
		if kind == 1 {
			postgrestest.Exec(w.t, w.conn, `INSERT INTO ingestion (id, tenant_id, document_id, file_path, due_at)
				SELECT id, tenant, id, 'x', NULL FROM unnest($1::uuid[], $2::uuid[]) AS r (id, tenant)`, w.ids[kind], tenants)
		}
	}
}

const clause = "1. Term\n\nEither party may terminate this agreement with a notice of three months. Contract number %d.\n"

func (w *world) startReviews(to sweep.Target) {
	w.t.Helper()
	starter := review.Starter{Store: reviews.New(w.db), Sender: to.Queue, Model: theModel, Log: slog.New(slog.DiscardHandler)}
	for i := range w.reviews {
		must.Get(starter.Start(w.t.Context(), review.Request{TenantID: tenant(i), Name: "contract", Text: fmt.Sprintf(clause, i)}))(w.t)
	}
}

// publish publishes the documents and files that arrived.
func (w *world) publish(at time.Duration, to map[string]sweep.Target) {
	w.t.Helper()
	for kind, name := range []string{manifest.Match.Name, manifest.Ingest.Name} {
		all := [2]int{w.documents, w.files}[kind]
		due := min(all, int(float64(all)*float64(at)/float64(w.arriving))) - (all - len(w.ids[kind]))
		for due > 0 {
			n := min(due, 1000)
			p := job.Publisher{Store: to[name].Store.(*postgres.Jobs), Sender: to[name].Queue}
			must.OK(w.t, p.Publish(w.t.Context(), w.ids[kind][:n]))
			w.ids[kind], due = w.ids[kind][n:], due-n
		}
	}
}

// step moves the clocks to the next message, or by a tick, and returns the time until then.
func (w *world) step(at time.Duration) time.Duration {
	w.t.Helper()
	d := w.tick - at%w.tick
	for _, s := range w.sqs.AllStats() {
		if !s.NextVisible.IsZero() {
			d = max(min(d, s.NextVisible.Sub(w.clock.Now())), time.Millisecond)
		}
	}
	must.OK(w.t, w.times.Advance(w.t.Context(), d))
	w.clock.Advance(d)
	return d
}

// wait waits until all messages are worked on.
func (w *world) wait() {
	w.t.Helper()
	idle := func() bool {
		for name, s := range w.sqs.AllStats() {
			if !strings.HasSuffix(name, "-dlq") && (s.Visible > 0 || s.Polls < w.workers) {
				return false
			}
		}
		return true
	}
	for tick := time.NewTicker(time.Millisecond); !idle(); {
		select {
		case <-w.t.Context().Done():
			w.t.Fatal("out of time")
		case <-tick.C:
		}
	}
}

// open counts the rows that haven't ended.
func (w *world) open() int {
	w.t.Helper()
	return postgrestest.Value[int](w.t, w.conn, `SELECT (SELECT count(*) FROM document WHERE matching_status IN ('pending', 'in-progress'))
		+ (SELECT count(*) FROM ingestion WHERE job_status IN ('pending', 'in-progress'))
		+ (SELECT count(*) FROM review_job WHERE status NOT IN ('completed', 'failed', 'cancelled'))`)
}

func (w *world) result(r result) result {
	w.t.Helper()
	r.unfinished, r.wasted = w.open(), w.wasted
	r.failed = postgrestest.Value[int](w.t, w.conn, `SELECT (SELECT count(*) FROM document WHERE matching_status = 'failed')
		+ (SELECT count(*) FROM ingestion WHERE job_status = 'failed') + (SELECT count(*) FROM review_job WHERE status <> 'completed')`)
	for name, s := range w.sqs.AllStats() {
		if strings.HasSuffix(name, "-dlq") {
			r.dead += s.Visible
		}
	}
	for _, n := range w.bought {
		if n > 1 {
			r.twice++
		}
	}
	rows, _ := w.conn.Query(w.t.Context(), `SELECT payload->>'service' || ': ' || kind FROM notification WHERE subject = 'service'
		ORDER BY created_at, 1`)
	r.told = must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(w.t)
	return r
}

// call makes a call of a service, as an adapter would.
func (w *world) call(service string) error {
	if !w.away(service, w.clock.Now().Sub(w.start)) {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wasted++
	return &failure.Error{Kind: failure.Transient, Sentence: service + " failed (HTTP 503)", Away: true}
}

func (w *world) guard(service string) *breaker.Breaker {
	return &breaker.Breaker{Service: service, Store: w.db.Breakers(), Log: slog.New(slog.DiscardHandler)}
}

// provider is a model of a world.
type provider struct {
	*world
	name string
}

// Name implements llm.Model.
func (p provider) Name() string { return p.name }

const emptyCard = `{"type": "", "parties": [], "effective_date": {"date": "", "quote": ""}, "end_date": {"date": "", "quote": ""},
	"term": {"number": 0, "unit": "day", "quote": ""}, "renewal": {"number": 0, "unit": "day", "quote": ""},
	"notice": {"number": 0, "unit": "day", "quote": ""}, "sums": [], "precedence": {"quote": ""}, "definitions": [], "absent": []}`

// Answer implements llm.Model.
func (p provider) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	if err := p.call(p.name); err != nil {
		return llm.Answer{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bought[sha256.Sum256([]byte(q.Name+q.User))]++
	text := `{"together": [], "same": [], "weights": [], "absent": []}`
	switch tasks, _, ok := analyst.Asked(q.Name, q.User); {
	case q.Name == card.SchemaName:
		text = emptyCard
	case ok:
		names, _ := json.Marshal(tasks)
		text = fmt.Sprintf(`{"tasks": %s, "clauses": [], "findings": []}`, names)
	}
	return llm.Answer{Text: text, Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 10}}, nil
}

func (w *world) asker(name string) *llm.Asker {
	var m llm.Model = provider{w, name}
	if !w.control {
		m = breaker.Model(m, w.guard(name))
	}
	return &llm.Asker{Model: m, Vault: w.db, Retry: llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }}}
}

func (w *world) ask(ctx context.Context, f job.Attempt) error {
	name := theModel
	if w.another[f.ID] {
		name = anotherModel
	}
	return w.asker(name).Ask(ctx, tenant(0), f.ID, llm.Question{Name: "q", User: f.ID.String()}, func(string) error { return nil })
}

func (w *world) document(ctx context.Context, f job.Attempt) error {
	if err := w.ask(ctx, f); err != nil {
		return err
	}
	return succeed(ctx, w.db.Jobs, f)
}

// file needs two services, one after the other.
func (w *world) file(ctx context.Context, f job.Attempt) error {
	read := func(context.Context) error { return w.call(theOCR) }
	var err error
	if w.control {
		err = read(ctx)
	} else {
		err = w.guard(theOCR).Do(ctx, read)
	}
	if err == nil {
		err = w.ask(ctx, f)
	}
	if err != nil {
		return err
	}
	return succeed(ctx, ingestions.New(w.db).Jobs, f)
}

func succeed(ctx context.Context, jobs *postgres.Jobs, f job.Attempt) error {
	held, err := jobs.SucceedAll(ctx, []job.Attempt{f})
	if err == nil && len(held) == 0 {
		err = job.ErrFenceLost
	}
	return err
}

func (w *world) review(ctx context.Context, f job.Attempt) error {
	r := review.Reviewer{Store: reviews.New(w.db), Model: w.asker(theModel), Slots: make(chan struct{}, 10), Log: slog.New(slog.DiscardHandler),
		Sender: w.sweep.Targets[slices.IndexFunc(w.sweep.Targets, func(t sweep.Target) bool { return t.Name == manifest.Review.Name })].Queue}
	return r.Review(ctx, f)
}

package acceptance_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// These tests run the whole line: the real bootstrap behind the Runtime API,
// the SDK over HTTP, and PostgreSQL. Only the clocks are ours.

var (
	testTenant = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	testStart  = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
)

// bootstraps build the functions, each once per test binary.
var bootstraps = map[string]func() (string, error){
	manifest.Match.Package:    built(manifest.Match.Package),
	manifest.Ingest.Package:   built(manifest.Ingest.Package),
	manifest.Inbox.Package:    built(manifest.Inbox.Package),
	manifest.Review.Package:   built(manifest.Review.Package),
	manifest.Offer.Package:    built(manifest.Offer.Package),
	manifest.Schedule.Package: built(manifest.Schedule.Package),
	manifest.Sweep.Package:    built(manifest.Sweep.Package),
	manifest.Migrate.Package:  built(manifest.Migrate.Package),
	manifest.Web.Package:      built(manifest.Web.Package),
	manifest.Console.Package:  built(manifest.Console.Package),
}

func built(pkg string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		return lambdahost.Bootstrap(context.Background(), builds, pkg, nil)
	})
}

// bootstrap returns the executable of a function.
func bootstrap(t *testing.T, pkg string) string {
	t.Helper()
	return must.Get(bootstraps[pkg]())(t)
}

// patience bounds what must happen: nearly all of the time that go test has left,
// however slow the machine is.
func patience(t *testing.T) time.Duration {
	t.Helper()
	end, limited := t.Deadline()
	if !limited {
		return time.Hour
	}
	return time.Until(end) - 30*time.Second
}

// line is a stack under test.
type line struct {
	*local.Stack
	t    *testing.T
	conn *pgx.Conn // real clock
	text logText   // that the functions log
	end  func()    // of the stack; the test's end calls it, too
	mu   sync.Mutex
	log  []sqs.Event
}

// newStage returns a line without its stack, which start starts.
func newStage(t *testing.T) *line {
	t.Helper()
	l := &line{t: t, conn: postgrestest.Conn(t, postgrestest.URL(t))}
	// The triggers of tests run in the functions' role, and write tables that the tests make.
	l.exec("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO " + schema.AppRole)
	return l
}

func newLine(t *testing.T, concurrency int, options ...func(*local.FunctionConfig)) *line {
	t.Helper()
	return newLineAt(t, testStart, concurrency, options...)
}

// newLineAt returns a line whose clocks are frozen at that time, or flow when it is zero.
func newLineAt(t *testing.T, start time.Time, concurrency int, options ...func(*local.FunctionConfig)) *line {
	t.Helper()
	l := newStage(t)
	match := local.FunctionConfig{Concurrency: concurrency, Logs: l.output()}
	for _, option := range options {
		option(&match)
	}
	if match.Bootstrap == "" {
		match.Bootstrap = bootstrap(t, cmp.Or(match.Row.Package, manifest.Match.Package))
	}
	l.start(local.StackConfig{FrozenAt: start, Functions: []local.FunctionConfig{match}, OnEvent: l.add})
	return l
}

// start starts the stack, which ends with the test.
func (l *line) start(c local.StackConfig) {
	l.t.Helper()
	c.DatabaseURL = l.url()
	var err error
	if l.Stack, err = local.StartStack(l.t.Context(), c); err != nil {
		l.t.Fatal(err)
	}
	if !strings.Contains(strings.Join(l.Env(), "\n"), "role="+schema.AppRole) {
		l.t.Error("the functions have more rights than they need")
	}
	t := l.t
	l.end = sync.OnceFunc(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(l.end)
}

// function returns a function that no queue invokes, with the stack's variables and more.
func (l *line) function(task manifest.Task, env ...string) *lambdahost.Function {
	l.t.Helper()
	f := lambdahost.New(lambdahost.Config{Name: task.Name, Bootstrap: bootstrap(l.t, task.Package), Timeout: task.Timeout,
		Logs: l.output(), Env: append(l.Env(), env...)})
	l.t.Cleanup(func() { _ = f.Close() })
	return f
}

// add notes an event of the queues.
func (l *line) add(e sqs.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, e)
}

// output keeps what a function logs, and shows it when the test fails.
func (l *line) output() io.Writer { return io.MultiWriter(&l.text, testLog{l.t}) }

// logText is the output of functions.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// testLog shows what the function logs when the test fails.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func (l *line) exec(sql string, args ...any) {
	l.t.Helper()
	must.Get(l.conn.Exec(l.t.Context(), sql, args...))(l.t)
}

func query[T any](l *line, sql string, args ...any) T {
	l.t.Helper()
	var v T
	must.OK(l.t, l.conn.QueryRow(l.t.Context(), sql, args...).Scan(&v))
	return v
}

// scan calls row for each row of a query, when it has scanned it.
func (l *line) scan(row func(), into []any, sql string, args ...any) {
	l.t.Helper()
	rows, _ := l.conn.Query(l.t.Context(), sql, args...)
	must.Get(pgx.ForEachRow(rows, into, func() error { row(); return nil }))(l.t)
}

// store imports n documents without publishing them: pairs of an order and
// the invoice that cites it.
func (l *line) store(n int) []uuid.UUID {
	l.t.Helper()
	docs := make([]postgres.Imported, n)
	ids := make([]uuid.UUID, n)
	for i := range docs {
		kind, data := document.PurchaseOrder, fmt.Sprintf(`{"number":"PO%d","supplier":{"name":"S"}}`, i)
		if i%2 == 1 {
			kind, data = document.Invoice, fmt.Sprintf(`{"supplier":{"name":"S"},"references":[{"type":"purchase-order","number":"PO%d"}]}`, i-1)
		}
		ids[i] = uuid.New()
		docs[i] = postgres.Imported{ID: ids[i], TenantID: testTenant, Type: kind, Data: json.RawMessage(data)}
	}
	l.stored(docs)
	return ids
}

// stored imports documents and takes back that they were published: nothing
// finds them until a test publishes them.
func (l *line) stored(docs []postgres.Imported) {
	l.t.Helper()
	added := must.Get(l.DB.Add(l.t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}))(l.t)
	for _, a := range added {
		l.exec("UPDATE document SET matching_status = NULL, matching_published_at = NULL, matching_due_at = NULL WHERE id = $1", a.ID)
	}
}

func (l *line) publish(ids ...uuid.UUID) {
	l.t.Helper()
	must.OK(l.t, l.Publish().Publish(l.t.Context(), ids))
}

func (l *line) drain(ids []uuid.UUID) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience(l.t))
	defer cancel()
	must.OK(l.t, l.Drain(ctx, func(ctx context.Context) (int, error) {
		p, err := report.From(l.DB).Progress(ctx, ids)
		return p["pending"] + p["in-progress"], err
	}))
}

// finish lets everything happen, in all tables.
func (l *line) finish() {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience(l.t))
	defer cancel()
	must.OK(l.t, l.Drain(ctx, l.Unfinished))
}

// events returns what happened to the messages of a document, with the
// seconds since the start.
func (l *line) events(id uuid.UUID, kinds ...sqs.EventKind) (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.log {
		if e.Body == id.String() && slices.Contains(kinds, e.Kind) {
			list = append(list, fmt.Sprintf("%s at %g", e.Kind, e.At.Sub(testStart).Seconds()))
		}
	}
	return list
}

func (l *line) status(id uuid.UUID) string {
	l.t.Helper()
	return query[string](l, `SELECT coalesce(matching_status, 'NULL') || ', ' || matching_attempts || ' attempts, '
		|| (SELECT count(*) FROM notification WHERE document_id = $1 AND attempt > 0) || ' notifications, ' || coalesce(matching_error, 'no error')
		FROM document WHERE id = $1`, id)
}

// atOnce is the status of a document that succeeded on its first delivery.
const atOnce = "succeeded, 1 attempts, 0 notifications, no error"

// wantAtOnce checks that documents succeeded on their first delivery.
func (l *line) wantAtOnce(ids ...uuid.UUID) {
	l.t.Helper()
	for _, id := range ids {
		check(l.t, "document", l.status(id), atOnce)
	}
}

// testdata reads a file of the folder of that name.
func testdata(t *testing.T, name string) string {
	t.Helper()
	return string(must.Get(os.ReadFile("../../testdata/" + name))(t))
}

func check[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// waitFor waits until the condition holds, looking again and again.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := patience(t)
	deadline := time.After(limit)
	for again := time.NewTicker(2 * time.Millisecond); !holds(); {
		select {
		case <-deadline:
			t.Fatalf("waited %s: %s", limit.Round(time.Second), what)
		case <-again.C:
		}
	}
}

func (l *line) url() string { return l.conn.Config().ConnString() }

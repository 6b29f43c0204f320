package acceptance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// These tests run the whole line: the real bootstrap behind the Runtime API,
// the SDK over HTTP, and PostgreSQL. Only the clocks are ours.

var (
	testTenant = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	testStart  = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
)

// bootstrap builds the match function once per test binary.
var bootstrap = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bootstrap")
	if err != nil {
		return "", err
	}
	return lambdahost.Bootstrap(context.Background(), dir, manifest.Match.Package, nil)
})

// stuck bounds what must happen: no machine is so slow.
const stuck = 9 * time.Minute

// line is a stack under test.
type line struct {
	*local.Stack
	t    *testing.T
	conn *pgx.Conn // real clock
	mu   sync.Mutex
	log  []sqs.Event
}

func newLine(t *testing.T, concurrency int, options ...func(*local.StackConfig)) *line {
	t.Helper()
	executable, err := bootstrap()
	if err != nil {
		t.Fatal(err)
	}
	url := postgrestest.URL(t)
	l := &line{t: t, conn: postgrestest.Conn(t, url)}
	config := local.StackConfig{
		DatabaseURL: url, Bootstrap: executable, FrozenAt: testStart, Concurrency: concurrency,
		Logs: testLog{t}, OnEvent: func(e sqs.Event) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.log = append(l.log, e)
		}}
	for _, option := range options {
		option(&config)
	}
	l.Stack, err = local.StartStack(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// testLog shows what the function logs when the test fails.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func (l *line) exec(sql string, args ...any) {
	l.t.Helper()
	if _, err := l.conn.Exec(l.t.Context(), sql, args...); err != nil {
		l.t.Fatal(err)
	}
}

func query[T any](l *line, sql string, args ...any) T {
	l.t.Helper()
	var v T
	if err := l.conn.QueryRow(l.t.Context(), sql, args...).Scan(&v); err != nil {
		l.t.Fatal(err)
	}
	return v
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
	stamped, err := l.DB.Import(l.t.Context(), docs)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, s := range stamped {
		l.exec("UPDATE document SET matching_status = NULL, matching_published_at = NULL, matching_due_at = NULL WHERE id = $1", s.ID)
	}
}

func (l *line) publish(ids ...uuid.UUID) {
	l.t.Helper()
	if err := l.Publish().Publish(l.t.Context(), ids); err != nil {
		l.t.Fatal(err)
	}
}

func (l *line) drain(ids []uuid.UUID) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), stuck)
	defer cancel()
	err := l.Drain(ctx, func(ctx context.Context) (int, error) {
		p, err := l.DB.Progress(ctx, ids)
		return p["pending"] + p["in-progress"], err
	})
	if err != nil {
		l.t.Fatal(err)
	}
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
		|| (SELECT count(*) FROM notification WHERE document_id = $1) || ' notifications, ' || coalesce(matching_error, 'no error')
		FROM document WHERE id = $1`, id)
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
	deadline := time.After(stuck)
	for again := time.NewTicker(2 * time.Millisecond); !holds(); {
		select {
		case <-deadline:
			t.Fatalf("waited %s: %s", stuck, what)
		case <-again.C:
		}
	}
}

func TestTransientFailureIsRetriedAfterFiveAndThirtyMinutesThenDeadLettered(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(2)
	broken, mate := ids[0], ids[1]
	l.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'the text of a driver' USING ERRCODE = '57014'; END $$`)
	l.exec(`CREATE TRIGGER refuse BEFORE UPDATE OF match_keys ON document FOR EACH ROW
		WHEN (NEW.id = '` + broken.String() + `') EXECUTE FUNCTION refuse()`)
	l.publish(ids...)
	l.drain(ids)

	got := strings.Join(l.events(broken, sqs.Received, sqs.MovedToDLQ), ", ")
	check(t, "received", got, "received at 0, received at 300, received at 2100, moved to DLQ at 2100")
	check(t, "document", l.status(broken), "failed, 3 attempts, 1 notifications, read candidates: database error (SQLSTATE 57014)")
	check(t, "its batch-mate", l.status(mate), "succeeded, 1 attempts, 0 notifications, no error")
	_, dlq := l.Stats()
	check(t, "messages in the DLQ", dlq.Visible, 1)
}

func TestPermanentFailureIsAcknowledgedOnTheFirstDelivery(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(10)
	l.exec(`UPDATE document SET structured_data = '{"total": {"secret": 1}}' WHERE id = $1`, ids[3])
	l.publish(ids...)
	l.drain(ids)

	check(t, "message", strings.Join(l.events(ids[3], sqs.Received, sqs.Deleted, sqs.MovedToDLQ), ", "), "received at 0, deleted at 0")
	check(t, "document", l.status(ids[3]),
		"failed, 1 attempts, 1 notifications, structured data: an amount is not a plain decimal number of at most 18 digits")
	for i, id := range ids {
		if i != 3 {
			check(t, "batch-mate", l.status(id), "succeeded, 1 attempts, 0 notifications, no error")
		}
	}
}

func TestMessageLostBetweenCommitAndSendIsPublishedAgain(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(2)
	lost := job.Publisher{Store: l.DB, Sender: noSender{}}
	if err := lost.Publish(t.Context(), ids); err == nil {
		t.Fatal("nothing was sent, and no error")
	}
	l.drain(ids)
	for _, id := range ids {
		check(t, "message", strings.Join(l.events(id, sqs.Sent, sqs.Deleted), ", "), "sent at 1081, deleted at 1081")
		check(t, "document", l.status(id), "succeeded, 1 attempts, 0 notifications, no error")
	}
}

// The sweep function, in its own bootstrap.
func TestSweepFunctionRepairsThroughItsBootstrap(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	ids := l.store(2)
	if err := (&job.Publisher{Store: l.DB, Sender: noSender{}}).Publish(t.Context(), ids); err == nil {
		t.Fatal("nothing was sent, and no error")
	}
	if err := l.Advance(t.Context(), manifest.Match.Visibility()+time.Second); err != nil {
		t.Fatal(err)
	}
	executable, err := lambdahost.Bootstrap(t.Context(), t.TempDir(), "matchbook/lambda/cmd/sweep", nil)
	if err != nil {
		t.Fatal(err)
	}
	sweeper := lambdahost.New(lambdahost.Config{Name: "sweep", Bootstrap: executable, Timeout: time.Minute, Logs: testLog{t}, Env: l.Env()})
	defer sweeper.Close()
	for _, want := range []string{
		`{"overdue":2,"backlog":0,"inserted":0,"recovered":0,"republished":2,"lost":0,"crashed":0}`,
		`{"overdue":0,"backlog":2,"inserted":0,"recovered":0,"republished":0,"lost":0,"crashed":0}`,
	} {
		got, err := sweeper.Invoke(t.Context(), []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		check(t, "report", string(got), want)
	}
	l.drain(ids)
	check(t, "document", l.status(ids[0]), "succeeded, 1 attempts, 0 notifications, no error")
}

// noSender dies before it sends.
type noSender struct{}

func (noSender) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	for _, m := range messages {
		unsent = append(unsent, m.ID)
	}
	return unsent, context.Canceled
}

// gate makes the work on chosen documents wait inside the transaction that
// would finish it, so that a kill hits a worker in the middle of a write.
type gate struct {
	*line
	holder *pgx.Conn // holds the lock that the workers wait for
}

const gateLock = 4711

func newGate(l *line, url string) *gate {
	l.exec(`CREATE TABLE gated (id uuid PRIMARY KEY)`)
	l.exec(`CREATE TABLE terminal_write (id uuid)`)
	l.exec(`CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF EXISTS (SELECT FROM gated WHERE id = NEW.id) THEN
			PERFORM pg_advisory_xact_lock_shared(` + fmt.Sprint(gateLock) + `);
		END IF;
		INSERT INTO terminal_write VALUES (NEW.id);
		RETURN NULL; END $$`)
	l.exec(`CREATE TRIGGER gate AFTER UPDATE OF matching_status ON document FOR EACH ROW
		WHEN (NEW.matching_status IN ('succeeded', 'failed') AND OLD.matching_status = 'in-progress') EXECUTE FUNCTION gate()`)
	g := &gate{l, postgrestest.Conn(l.t, url)}
	g.close()
	return g
}

func (g *gate) close() { g.hold("SELECT pg_advisory_lock($1)") }
func (g *gate) open()  { g.hold("SELECT pg_advisory_unlock($1)") }

func (g *gate) hold(sql string) {
	g.t.Helper()
	if _, err := g.holder.Exec(g.t.Context(), sql, gateLock); err != nil {
		g.t.Fatal(err)
	}
}

// waiting is how many workers stand at the gate. Other tests have gates in
// other databases of the same server.
func (g *gate) waiting() int {
	return query[int](g.line, `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
		WHERE datname = current_database() AND locktype = 'advisory' AND objid = $1 AND NOT granted`, gateLock)
}

// killWaiting kills the process whose work waits at the gate, and lets its
// backend notice that nobody is there any more. The gate must be the only
// thing under way.
func (g *gate) killWaiting(choose func(int) int) {
	g.t.Helper()
	if n := query[int](g.line, "SELECT count(*) FROM document WHERE matching_status = 'in-progress'"); n == 0 {
		g.t.Fatal("no document is in progress")
	}
	if !g.Function.Kill(choose) {
		g.t.Fatal("no process to kill")
	}
	// No gated document may pass while the gate is open for the dead: a
	// backend whose client is gone ends at its next read, before a commit.
	g.open()
	waitFor(g.t, "the backend of the killed process has gone", func() bool { return g.waiting() == 0 })
	g.close()
}

func (l *line) url() string { return l.conn.Config().ConnString() }

func TestTwentyKillsLoseNothingAndDoNothingTwice(t *testing.T) {
	t.Parallel()
	const kills, documents = 20, 400
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	l := newLine(t, 1)
	g := newGate(l, l.url())
	ids := l.store(documents)
	for _, i := range random.Perm(documents)[:documents/10] {
		l.exec("INSERT INTO gated VALUES ($1)", ids[i])
	}
	l.publish(ids...)
	done := 0
	for done < kills {
		waitFor(t, "a worker at the gate, or nothing to do", func() bool { return g.waiting() > 0 || l.Idle() })
		if g.waiting() == 0 { // the messages of the killed come back
			if jumped, err := l.Jump(t.Context()); err != nil || !jumped {
				t.Fatalf("only %d kills, and no message is left (%v)", done, err)
			}
			continue
		}
		g.killWaiting(nil)
		done++
		// A message has three deliveries: each of its documents may be hit twice.
		l.exec(`DELETE FROM gated USING document d WHERE d.id = gated.id AND d.matching_status = 'in-progress' AND d.matching_attempts > 1
			OR (SELECT max(matching_attempts) FROM document) > 2`)
	}
	l.exec("DELETE FROM gated")
	g.open()
	l.drain(ids)

	check(t, "succeeded", query[int](l, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), documents)
	check(t, "documents with other than one terminal write", query[int](l,
		"SELECT count(*) FROM (SELECT id FROM document LEFT JOIN terminal_write USING (id) GROUP BY id HAVING count(terminal_write) <> 1) AS d"), 0)
	check(t, "matches", query[int](l, "SELECT count(*) FROM document_match"), documents/2)
	queue, dlq := l.Stats()
	check(t, "messages left", queue.Visible+queue.InFlight+dlq.Visible, 0)
}

func TestDocumentThatKillsItsWorkerOnEveryDeliveryFailsAloneByTheSweep(t *testing.T) {
	t.Parallel()
	l := newLine(t, 1)
	g := newGate(l, l.url())
	ids := l.store(10)
	killer := ids[4]
	l.exec("INSERT INTO gated VALUES ($1)", killer)
	l.publish(ids...)
	for range manifest.Match.MaxReceiveCount() {
		waitFor(t, "the worker is at the gate", func() bool { return g.waiting() > 0 })
		g.killWaiting(nil)
		waitFor(t, "the mapping has noticed", l.Idle)
		if _, err := l.Jump(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.exec("DELETE FROM gated") // or the sweep would stand at the gate as well
	l.drain(ids)
	check(t, "the killer", l.status(killer), "failed, 3 attempts, 1 notifications, crashed: 3 attempts in a row, the last one number 3, ended without a result")
	check(t, "its message", strings.Join(l.events(killer, sqs.Received, sqs.Deleted, sqs.MovedToDLQ), ", "),
		"received at 0, received at 1080, received at 2160, moved to DLQ at 3240")
	for _, id := range ids {
		if id == killer {
			continue
		}
		if got := l.status(id); !strings.HasPrefix(got, "succeeded") {
			t.Errorf("batch-mate: %s", got)
		}
		if moved := l.events(id, sqs.MovedToDLQ); len(moved) > 0 {
			t.Errorf("the message of a batch-mate was %v", moved)
		}
	}
	_, dlq := l.Stats()
	check(t, "messages in the DLQ", dlq.Visible, 1)
}

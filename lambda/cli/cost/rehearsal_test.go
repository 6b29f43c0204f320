package cost

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// bootstrap builds the match function once per test binary.
var bootstrap = sync.OnceValues(func() (string, error) {
	return lambdahost.Bootstrap(context.Background(), builds, manifest.Match.Package, nil)
})

// countedRun is a run of the line that is counted.
type countedRun struct {
	*local.Stack
	t    testing.TB
	conn *pgx.Conn

	closing  sync.Once
	mu       sync.Mutex
	logBytes int
	events   map[sqs.EventKind]int // messages
	batches  []eventsource.Invocation
	began    time.Time // of the first batch
	ended    time.Time // of the last one
}

// withoutMapping is no variable: nothing takes messages from the queue.
const withoutMapping = ""

func rehearse(t testing.TB, url string, concurrency int, env ...string) *countedRun {
	t.Helper()
	executable, err := bootstrap()
	if err != nil {
		t.Fatal(err)
	}
	r := &countedRun{t: t, conn: postgrestest.Conn(t, url), events: make(map[sqs.EventKind]int)}
	r.Stack, err = local.StartStack(t.Context(), local.StackConfig{DatabaseURL: url, OnEvent: r.event,
		Functions: []local.FunctionConfig{{Bootstrap: executable,
			Env:         slices.DeleteFunc(slices.Clone(env), func(s string) bool { return s == withoutMapping }),
			Concurrency: concurrency, NoMapping: slices.Contains(env, withoutMapping), Logs: r, OnInvocation: r.batch}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

func (r *countedRun) close() {
	r.closing.Do(func() {
		if err := r.Close(); err != nil {
			r.t.Error(err)
		}
	})
}

// Write counts what the function logs, and shows what did not succeed when the
// test fails.
func (r *countedRun) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"level":"WARN"`)) || bytes.Contains(p, []byte(`"level":"ERROR"`)) {
		r.t.Log(string(bytes.TrimSpace(p)))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logBytes += len(p)
	return len(p), nil
}

func (r *countedRun) event(e sqs.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events[e.Kind]++
}

func (r *countedRun) batch(i eventsource.Invocation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = time.Now()
	if r.began.IsZero() {
		r.began = r.ended.Add(-i.Took)
	}
	r.batches = append(r.batches, i)
	if i.Err != nil {
		r.t.Log(i.Err)
	}
}

func (r *countedRun) number(sql string, args ...any) (n float64) {
	r.t.Helper()
	if err := r.conn.QueryRow(r.t.Context(), sql, args...).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// drain waits until all documents have an end.
func (r *countedRun) drain(ids []uuid.UUID) {
	r.t.Helper()
	err := r.Drain(r.t.Context(), func(ctx context.Context) (int, error) {
		states, err := report.From(r.DB).Progress(ctx, ids)
		return states["pending"] + states["in-progress"], err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

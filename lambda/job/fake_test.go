package job_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// rig is a Runtime with a store in memory, a queue that records its settlements,
// and a log that can be read. It is used inside synctest bubbles: every duration
// is exact, and none of them passes in real time.
type rig struct {
	t     *testing.T
	store *memory
	queue *queue
	log   *logs
	work  map[uuid.UUID]rowWork // any other row's work succeeds
	all   job.Work              // of the batch; nil: work of each row

	notify func(context.Context)
	lease  time.Duration // of the Runtime

	observed []job.Observation // of the last run
}

// rowWork is the work on a row.
type rowWork = func(context.Context, job.Attempt) error

// newRig puts the rows 1, 2 ... into the store, except where a row is nil.
func newRig(t *testing.T, rows ...*row) *rig {
	j := &journal{}
	r := &rig{t: t, log: &logs{}, work: map[uuid.UUID]rowWork{}, queue: &queue{journal: j},
		store: &memory{journal: j, rows: map[uuid.UUID]*row{}}}
	for i, row := range rows {
		if row != nil {
			r.store.rows[id(i+1)] = row
		}
	}
	return r
}

func (r *rig) run(deliveries ...job.Delivery) []job.Settlement {
	return r.runFor(length, deliveries...)
}

func (r *rig) runFor(length time.Duration, deliveries ...job.Delivery) []job.Settlement {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	return r.runContext(ctx, deliveries...)
}

func (r *rig) runContext(ctx context.Context, deliveries ...job.Delivery) []job.Settlement {
	var mu sync.Mutex
	r.observed = nil
	if r.all == nil {
		r.all = job.Each(r.dispatch)
	}
	runtime := &job.Runtime{Store: r.store, Work: r.all, Backoff: schedule,
		Log: slog.New(slog.NewJSONHandler(r.log, nil)), Notify: r.notify, Lease: r.lease,
		Observe: func(o job.Observation) {
			mu.Lock()
			defer mu.Unlock()
			r.observed = append(r.observed, o)
		}}
	ends := runtime.Run(ctx, deliveries, r.queue)
	if len(r.observed) != len(deliveries) { // in every test
		r.t.Errorf("%d ends were observed, of %d deliveries", len(r.observed), len(deliveries))
	}
	return ends
}

// bubble runs a subtest beside the others, in a bubble of its own.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

func wantEnds(t *testing.T, got []job.Settlement, want ...job.Settlement) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func (r *rig) dispatch(ctx context.Context, f job.Attempt) error {
	r.store.note("work %d", number(f.ID))
	if work := r.work[f.ID]; work != nil {
		return work(ctx, f)
	}
	return r.store.succeed(f)
}

func (r *rig) wantStatus(n int, want job.Status) {
	r.t.Helper()
	if got := r.store.row(n).status; got != want {
		r.t.Errorf("row %d: status %q, want %q", n, got, want)
	}
}

// Rows are numbers, so that a journal can be read.
func id(n int) uuid.UUID      { return uuid.UUID{15: byte(n)} }
func number(id uuid.UUID) int { return int(id[15]) }

// tenant has all the rows.
var tenant = uuid.UUID{0: 7}

// delivery returns a delivery of a message without a stamp, sent a minute ago.
func delivery(n, count int) job.Delivery {
	return job.Delivery{ID: id(n), Count: count, SentAt: time.Now().Add(-time.Minute)}
}

func first(n int) job.Delivery { return delivery(n, 1) }

func fails(err error) rowWork  { return func(context.Context, job.Attempt) error { return err } }
func panics(value any) rowWork { return func(context.Context, job.Attempt) error { panic(value) } }

func pending(attempt int) *row { return &row{status: job.StatusPending, attempt: attempt} }
func expired(attempt int) *row { return inProgress(attempt, 0) }
func inProgress(attempt int, leaseLeft time.Duration) *row {
	return &row{status: job.StatusInProgress, attempt: attempt, lease: time.Now().Add(leaseLeft)}
}

// row has the faults of its claims and writes.
type row struct {
	status     job.Status
	attempt    int
	lease      time.Time // until
	published  time.Time
	due        time.Time // of a retry
	failedAt   time.Time
	locked     int    // by another transaction, for that many claims
	unworkable string // why it cannot be matched
	release    job.Release
	notified   int // notification rows

	claimErr, releaseErr, findErr error
	commits                       bool // releaseErr comes after the commit
}

func (r *row) holds(f job.Attempt) bool {
	return r != nil && r.attempt == f.Number && r.status == job.StatusInProgress
}

// find finds the same as postgres, in the same order.
func (r *row) find(d job.Delivery, turn int, suspects bool) (found job.Result, suspect bool) {
	running := r != nil && r.status == job.StatusInProgress
	switch {
	case r == nil:
		return job.Missing, false
	case r.locked > 0:
		r.locked--
		return job.Busy, false
	case !d.PublishedAt.IsZero() && d.PublishedAt.Before(r.published):
		return job.Superseded, false
	case r.status == job.StatusSucceeded, r.status == job.StatusCancelled,
		r.status == job.StatusFailed && !d.SentAt.After(r.failedAt):
		return job.Done, false
	case running && time.Until(r.lease) > 0, turn > 1:
		return job.Held, false
	case r.unworkable != "":
		return job.Unworkable, false
	case r.status == job.StatusPending && time.Until(r.due) > time.Minute && !d.Last:
		return job.Early, false
	}
	return 0, running && !suspects
}

// memory is a Store with the clock of the bubble. Like a database, it returns an
// error when the context of a call is over.
type memory struct {
	*journal
	mu     sync.Mutex
	rows   map[uuid.UUID]*row
	down   time.Time       // until when every call fails
	slow   time.Duration   // that a claim takes
	leases []time.Duration // asked for, claim by claim
	limits []time.Duration // time that each Settle was given
}

func (m *memory) row(n int) row {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.rows[id(n)]; r != nil {
		return *r
	}
	return row{}
}

// change is a transaction of another program.
func (m *memory) change(n int, f func(*row)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.rows[id(n)])
}

func (m *memory) publish(n int) {
	m.change(n, func(r *row) { r.status, r.lease, r.published = job.StatusPending, time.Time{}, time.Now() })
}

func (m *memory) remove(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rows, id(n))
}

// succeed commits finished work.
func (m *memory) succeed(f job.Attempt) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[f.ID]
	if !r.holds(f) {
		return job.ErrFenceLost
	}
	r.status = job.StatusSucceeded
	return nil
}

// fails returns the error of every call while the database is away.
func (m *memory) fails(ctx context.Context) error {
	if ctx.Err() == nil && time.Until(m.down) > 0 {
		return errDown
	}
	return ctx.Err()
}

func (m *memory) Claim(ctx context.Context, deliveries []job.Delivery, lease time.Duration, suspects bool) ([]job.Claim,
	error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(m.slow):
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases = append(m.leases, lease)
	var named []int
	for _, d := range deliveries {
		named = append(named, number(d.ID))
	}
	m.note("claim %v", named)
	if err := m.fails(ctx); err != nil {
		return nil, err
	}
	for _, d := range deliveries {
		if r := m.rows[d.ID]; r != nil && r.claimErr != nil {
			return nil, r.claimErr
		}
	}
	turns := map[uuid.UUID]int{}
	var claims []job.Claim
	for _, d := range deliveries {
		turns[d.ID]++
		claims = append(claims, m.claim(d, turns[d.ID], lease, suspects))
	}
	return claims, nil
}

func (m *memory) claim(d job.Delivery, turn int, lease time.Duration, suspects bool) job.Claim {
	r := m.rows[d.ID]
	found, suspect := r.find(d, turn, suspects)
	c := job.Claim{Found: found, Suspect: suspect, Attempt: job.Attempt{ID: d.ID}}
	switch {
	case found == job.Held && turn > 1:
		c.Wait = lease
	case found == job.Held:
		c.Wait = time.Until(r.lease)
	case found == job.Early:
		c.Wait = time.Until(r.due)
	case found == job.Unworkable:
		c.Reason, r.status = r.unworkable, job.StatusNone
	case found == 0 && !suspect:
		r.status, r.lease = job.StatusInProgress, time.Now().Add(lease)
		r.attempt++
	}
	if r != nil {
		c.Attempt.Number, c.Tenant = r.attempt, tenant
	}
	return c
}

func (m *memory) Release(ctx context.Context, f job.Attempt, v job.Release) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	limit, _ := ctx.Deadline()
	m.limits = append(m.limits, time.Until(limit))
	r := m.rows[f.ID]
	switch {
	case m.fails(ctx) != nil:
		return false, m.fails(ctx)
	case r != nil && r.releaseErr != nil && !r.commits:
		return false, r.releaseErr
	case !r.holds(f):
		return false, nil
	}
	m.note("%s %d", v.Status, number(f.ID))
	r.status, r.release = v.Status, v
	if v.Status == job.StatusFailed {
		r.failedAt = time.Now()
		r.notified++
	}
	return r.releaseErr == nil, r.releaseErr
}

func (m *memory) Extend(ctx context.Context, fences []job.Attempt, lease time.Duration) (ours []job.Attempt, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fails(ctx); err != nil {
		return nil, err
	}
	for _, f := range fences {
		if r := m.rows[f.ID]; r.holds(f) {
			r.lease = time.Now().Add(lease)
			ours = append(ours, f)
		}
	}
	m.note("extend %d of %d", len(ours), len(fences))
	return ours, nil
}

func (m *memory) Find(ctx context.Context, id uuid.UUID) (job.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[id]
	switch {
	case m.fails(ctx) != nil:
		return job.Row{}, m.fails(ctx)
	case r == nil:
		return job.Row{}, job.ErrNotFound
	case r.findErr != nil:
		return job.Row{}, r.findErr
	}
	return job.Row{Status: r.status, Attempt: r.attempt, LeaseLeft: time.Until(r.lease)}, nil
}

// queue is a job.Messages that records the settlements.
type queue struct {
	*journal
	sent [][]job.Settled
	slow func() // what each call takes
}

func (q *queue) Settle(_ context.Context, settled []job.Settled) {
	sorted := slices.SortedFunc(slices.Values(settled), func(x, y job.Settled) int { return x.Index - y.Index })
	var words []string
	for _, s := range sorted {
		words = append(words, fmt.Sprintf("%d %s", s.Index, s.Action))
	}
	q.note("sent %s", strings.Join(words, ", "))
	q.sent = append(q.sent, sorted)
	if q.slow != nil {
		q.slow()
	}
}

func (q *queue) Extend(_ context.Context, indexes []int, visibility time.Duration) {
	q.note("hide %v for %s", indexes, visibility)
	if q.slow != nil {
		q.slow()
	}
}

// journal lists the events in their order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// logs are JSON lines.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// line is one line of the log.
type line struct {
	Level, Msg, ID, Result, Action, Reason, Stack string
	Delivery, Attempt                             int
}

// of returns the lines with that message about a row.
func (l *logs) of(t *testing.T, msg string, id uuid.UUID) (lines []line) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var got line
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("log line %q: %v", text, err)
		}
		named := id.String()
		if got.Result == job.Missing.String() { // it may have been erased
			named = named[:8]
		}
		if got.Msg == msg && got.ID == named {
			lines = append(lines, got)
		}
	}
	return lines
}

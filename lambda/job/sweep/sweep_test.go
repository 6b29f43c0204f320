package sweep_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	visibility = 30 * time.Minute
	tick       = time.Microsecond
)

// queue takes messages, but for the first ones that it shall not.
type queue struct {
	backlog            int
	backlogErr, err    error
	unsent             int // how many messages are refused, with err
	sent               []job.Stamped
	lookedAt, sendings int
}

func (q *queue) Backlog(context.Context) (int, error) {
	q.lookedAt++
	return q.backlog, q.backlogErr
}

func (q *queue) Send(_ context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	q.sendings++
	for i, m := range messages {
		if i < q.unsent {
			unsent = append(unsent, m.ID)
		} else {
			q.sent = append(q.sent, m)
		}
	}
	return unsent, q.err
}

// fixture is a store on a database whose clock stands still until the test
// moves it, and a sweeper of it.
type fixture struct {
	*postgres.DB
	conn  *pgx.Conn
	clock *simclock.Clock
	queue *queue
	t     *testing.T
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	url := postgrestest.URL(t)
	clock, simURL := postgrestest.WithClock(t, url, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	f := &fixture{postgrestest.Open(t, simURL), postgrestest.Conn(t, simURL), clock, &queue{}, t}
	f.exec("INSERT INTO tenant VALUES ($1, 'Testers')", uuid.Nil)
	return f
}

func (f *fixture) exec(sql string, args ...any) {
	f.t.Helper()
	must.Get(f.conn.Exec(f.t.Context(), sql, args...))(f.t)
}

func (f *fixture) advance(d time.Duration) {
	f.t.Helper()
	must.OK(f.t, f.clock.Advance(f.t.Context(), d))
}

func (f *fixture) document(assignments string) uuid.UUID {
	f.t.Helper()
	id := uuid.New()
	f.exec("INSERT INTO document (id, tenant_id, type, structured_data, matching_due_at) VALUES ($1, $2, 'invoice', '{}', now())", id, uuid.Nil)
	f.exec("UPDATE document SET " + assignments + " WHERE id = '" + id.String() + "'")
	return id
}

// workload is a list of one.
func workload(store sweep.Store, queue sweep.Queue) []sweep.Target {
	return []sweep.Target{{Name: "match", Store: store, Queue: queue, Visibility: visibility}}
}

// run sweeps once and checks the report.
func (f *fixture) run(want sweep.Report, wantErr error) {
	f.t.Helper()
	s := &sweep.Sweeper{Targets: workload(f.DB, f.queue), Log: slog.New(slog.DiscardHandler)}
	got, err := s.Run(f.t.Context())
	if got != want || !errors.Is(err, wantErr) {
		f.t.Errorf("got %+v, %v; want %+v, %v", got, err, want, wantErr)
	}
}

// state counts the rows of each state, and the notifications.
func (f *fixture) state() (s string) {
	f.t.Helper()
	must.OK(f.t, f.conn.QueryRow(f.t.Context(),
		`SELECT coalesce(string_agg(matching_status || ' ' || n, ', ' ORDER BY matching_status), '') ||
		', notifications ' || (SELECT count(*) FROM notification)
		FROM (SELECT matching_status, count(*) AS n FROM document GROUP BY 1) AS counts`).Scan(&s))
	return s
}

const (
	waits   = "matching_status='pending', matching_published_at=now()"
	gone    = "matching_status='pending', matching_published_at=now(), matching_due_at=now() - interval '1 day', matching_republished=3"
	works   = "matching_status='in-progress', matching_attempts=1, matching_lease_until=now()"
	crashed = "matching_status='in-progress', matching_attempts=1, matching_lapses=2, matching_lease_until=now() - interval '1 day'"
)

func TestHealthySystem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, columns := range []string{waits, works, "matching_status='succeeded'",
		"matching_status='failed', matching_failed_at=now()", "matching_error='no type'"} {
		f.document(columns)
	}
	f.advance(visibility)
	before := f.state()
	f.run(sweep.Report{}, nil)
	if len(f.queue.sent) > 0 {
		t.Errorf("sent %d messages", len(f.queue.sent))
	}
	if after := f.state(); after != before {
		t.Errorf("changed from %s to %s", before, after)
	}
}

// Messages that are waiting explain documents that are overdue, unless there
// are next to none of them. What has lost its worker is published all the same.
func TestBacklogExplains(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_published_at, matching_due_at)
		SELECT gen_random_uuid(), $1, 'invoice', '{}', 'pending', now(), now() FROM generate_series(1, 199)`, uuid.Nil)
	f.document(works)
	f.advance(visibility + tick)
	f.queue.backlog = 2
	f.run(sweep.Report{Overdue: 199, Backlog: 2, Recovered: 1}, nil)
	f.queue.backlog = 1
	f.run(sweep.Report{Overdue: 199, Backlog: 1, Republished: 199}, nil)
}

func TestNotLostWhileQueued(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.document(gone)
	f.advance(10 * 24 * time.Hour)
	f.queue.backlog = 1
	for range 3 {
		f.run(sweep.Report{Overdue: 1, Backlog: 1}, nil)
	}
	f.queue.backlog = 0
	f.run(sweep.Report{Overdue: 1, Lost: 1}, nil)
}

func TestInsertedIsPublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.document("matching_status='pending'")
	f.document("matching_status=NULL")
	f.queue.backlog = 1_000_000
	f.advance(time.Minute)
	f.run(sweep.Report{Backlog: 1_000_000}, nil)
	f.advance(tick)
	f.run(sweep.Report{Backlog: 1_000_000, Inserted: 2}, nil)
	f.run(sweep.Report{Backlog: 1_000_000}, nil)
	if len(f.queue.sent) != 2 {
		t.Errorf("sent %d messages, want 2", len(f.queue.sent))
	}
}

// The publisher died between its commit and its send.
func TestUnsentIsRepublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("matching_status=NULL")
	first, err := f.Publish(t.Context(), []uuid.UUID{id})
	must.OK(t, err)
	f.advance(visibility + tick)
	f.run(sweep.Report{Overdue: 1, Republished: 1}, nil)
	if len(f.queue.sent) != 1 || f.queue.sent[0].ID != id || !f.queue.sent[0].PublishedAt.After(first[0].PublishedAt) {
		t.Fatalf("sent %+v, want a stamp after %v", f.queue.sent, first[0].PublishedAt)
	}
	// The new message reaches the document, and an old one is superseded.
	for i, want := range []job.Result{job.Superseded, 0} {
		stamp := []time.Time{first[0].PublishedAt, f.queue.sent[0].PublishedAt}[i]
		claims, err := f.Claim(t.Context(), []job.Delivery{{ID: id, PublishedAt: stamp}}, time.Minute, false)
		if err != nil || claims[0].Found != want {
			t.Errorf("a message of %v found %v, %v; want %v", stamp, claims[0].Found, err, want)
		}
	}
}

func TestLostRowsFail(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.document(waits)
	total := sweep.Report{}
	for i := range 4 {
		f.advance(visibility<<i + tick)
		want := sweep.Report{Overdue: 1, Republished: 1}
		if i == 3 {
			want = sweep.Report{Overdue: 1, Lost: 1}
		}
		f.run(want, nil)
		total.Republished += want.Republished
	}
	if got, want := f.state(), "failed 1, notifications 1"; got != want || len(f.queue.sent) != total.Republished {
		t.Errorf("got %s after %d messages, want %s after %d", got, len(f.queue.sent), want, total.Republished)
	}
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 3 {
		f.document(waits)
	}
	f.advance(visibility + tick)
	refused := errors.New("refused")
	f.queue.unsent, f.queue.err = 2, refused
	f.run(sweep.Report{Overdue: 3, Republished: 1}, refused)
	if len(f.queue.sent) != 1 {
		t.Errorf("sent %d messages, want 1", len(f.queue.sent))
	}
	// What was not sent is overdue again, after twice the time.
	f.queue.unsent, f.queue.err = 0, nil
	f.advance(2 * visibility)
	f.run(sweep.Report{}, nil)
	f.advance(tick)
	f.run(sweep.Report{Overdue: 3, Republished: 3}, nil)
}

func TestUnknownBacklog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.document(waits)
	f.document(crashed)
	f.advance(visibility + tick)
	before := f.state()
	f.queue.backlogErr = errors.New("no answer")
	f.run(sweep.Report{Overdue: 1}, f.queue.backlogErr)
	if after := f.state(); after != before || f.queue.sendings > 0 {
		t.Errorf("changed from %s to %s, sent %d times", before, after, f.queue.sendings)
	}
}

// failing is a store that fails in one of its methods.
type failing struct {
	sweep.Store
	overdue, republish, giveUp error
}

func (s failing) Overdue(ctx context.Context, w sweep.Waits, most int) (int, error) {
	n, err := s.Store.Overdue(ctx, w, most)
	return n, errors.Join(err, s.overdue)
}

func (s failing) Republish(ctx context.Context, w sweep.Waits, limit int) ([]sweep.Republished, error) {
	if s.republish != nil {
		return nil, s.republish
	}
	return s.Store.Republish(ctx, w, limit)
}

func (s failing) GiveUp(ctx context.Context, w sweep.Waits, limit int) (lost, crashed int, err error) {
	if s.giveUp != nil {
		return 0, 0, s.giveUp
	}
	return s.Store.GiveUp(ctx, w, limit)
}

func TestStoreErrorEndsSweep(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, store := range map[string]failing{
		"overdue":   {overdue: broken},
		"give up":   {giveUp: broken},
		"republish": {republish: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.document(waits)
			f.advance(visibility + tick)
			store.Store = f.DB
			s := &sweep.Sweeper{Targets: workload(store, f.queue), Log: slog.New(slog.DiscardHandler)}
			if got, err := s.Run(t.Context()); !errors.Is(err, broken) || got.Republished != 0 || f.queue.sendings > 0 {
				t.Errorf("got %+v, %v, sent %d times", got, err, f.queue.sendings)
			}
		})
	}
}

func TestOneRunIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_published_at, matching_due_at)
		SELECT gen_random_uuid(), $1, 'invoice', '{}', 'pending', now(), now() FROM generate_series(1, 5001)`, uuid.Nil)
	f.advance(visibility + tick)
	f.run(sweep.Report{Overdue: 5001, Republished: 5000}, nil)
	f.run(sweep.Report{Overdue: 1, Republished: 1}, nil)
	var ids []string
	for _, m := range f.queue.sent {
		ids = append(ids, m.ID.String())
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != 5001 {
		t.Errorf("%d documents were published, want 5001", n)
	}
}

// unreachable is a store that cannot be read.
type unreachable struct{ sweep.Store }

func (unreachable) Overdue(context.Context, sweep.Waits, int) (int, error) { return 0, errors.New("x") }

// The sweep sends the notifications of all failures, its own too, and also when
// it could not repair.
func TestSweepNotifies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.document("matching_status = 'in-progress', matching_lapses = 2, matching_lease_until = now() - interval '1 day'")
	sent := -1
	notify := func(ctx context.Context) {
		if err := f.conn.QueryRow(ctx, "SELECT count(*) FROM notification").Scan(&sent); err != nil {
			t.Error(err)
		}
	}
	s := sweep.Sweeper{Targets: workload(f.DB, f.queue), Log: slog.New(slog.DiscardHandler), Notify: notify}
	if _, err := s.Run(t.Context()); err != nil || sent != 1 {
		t.Errorf("notified when there were %d notifications (%v)", sent, err)
	}
	sent = -1
	s.Targets[0].Store = unreachable{}
	if _, err := s.Run(t.Context()); err == nil || sent != 1 {
		t.Errorf("a sweep that could not repair notified when there were %d notifications (%v)", sent, err)
	}
}

// It is measured last, whatever happened, and there is time left for it even
// if everything before took all there was.
func TestMeasuringHasTime(t *testing.T) {
	t.Parallel()
	down := errors.New("the queue is down")
	f := newFixture(t)
	f.document("matching_status = 'pending', matching_due_at = now()")
	f.advance(visibility + tick)
	f.queue.backlogErr = down
	var steps []string
	end := time.Now().Add(10 * time.Minute)
	s := &sweep.Sweeper{Targets: workload(f.DB, f.queue), Log: slog.New(slog.DiscardHandler),
		Notify: func(ctx context.Context) {
			steps = append(steps, "tell")
			if got, _ := ctx.Deadline(); !got.Equal(end.Add(-13 * time.Second)) {
				t.Errorf("notifications have %v less than the run, want 13 s", end.Sub(got))
			}
		},
		Measure: func(ctx context.Context, r sweep.Report, failed error) bool {
			steps = append(steps, "measure")
			if got, _ := ctx.Deadline(); !got.Equal(end) || r.Overdue != 1 || !errors.Is(failed, down) {
				t.Errorf("got %+v, %v, and %v less than the run", r, failed, end.Sub(got))
			}
			return true
		}}
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	if _, err := s.Run(ctx); !errors.Is(err, down) {
		t.Errorf("got %v", err)
	}
	if want := []string{"tell", "measure"}; !slices.Equal(steps, want) {
		t.Errorf("got %v, want %v", steps, want)
	}
}

// refused is a dead-letter queue that drops some letters, and refuses the next.
type refused struct{}

func (refused) Settle(context.Context) (int, error) { return 2, errors.New("access denied") }

// Dead letters are settled even if the rows can't be repaired, and never fail a sweep.
func TestSettlesLetters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, down := range map[string]error{"repaired": nil, "unrepaired": errors.New("the queue is down")} {
		list := workload(f.DB, &queue{backlogErr: down})
		list[0].Letters = refused{}
		s := &sweep.Sweeper{Targets: list, Log: slog.New(slog.DiscardHandler)}
		if got, err := s.Run(t.Context()); got.Settled != 2 || !errors.Is(err, down) {
			t.Errorf("%s: got %+v, %v; want 2 settled and %v", name, got, err, down)
		}
	}
}

// A workload that cannot be swept does not keep the others from it, wherever it
// stands, and the run fails all the same.
func TestBadWorkload(t *testing.T) {
	t.Parallel()
	down := errors.New("the queue is down")
	for name, place := range map[string]int{"first": 0, "last": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.document("matching_status = 'pending', matching_published_at = now(), matching_due_at = now()")
			f.advance(visibility + tick)
			list := workload(f.DB, &queue{backlogErr: down})
			list[0].Name = "bad"
			list = append(list, workload(f.DB, f.queue)...)
			list[0], list[place] = list[place], list[0]
			s := &sweep.Sweeper{Targets: list, Log: slog.New(slog.DiscardHandler)}
			got, err := s.Run(t.Context())
			if got.Republished != 1 || !errors.Is(err, down) {
				t.Errorf("got %+v, %v; want one republished and %v", got, err, down)
			}
			if len(f.queue.sent) != 1 {
				t.Errorf("%d messages were sent, want 1", len(f.queue.sent))
			}
		})
	}
}

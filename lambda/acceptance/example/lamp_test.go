package main

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// rig is a database with lamps.
type rig struct {
	*testing.T
	conn *pgx.Conn
}

func newRig(t *testing.T, url string) *rig {
	t.Helper()
	r := &rig{t, postgrestest.Conn(t, url)}
	r.exec(schemaSQL)
	r.exec("INSERT INTO tenant VALUES ($1, 'Testers')", uuid.Nil)
	return r
}

func (r *rig) exec(sql string, args ...any) {
	r.Helper()
	must.Get(r.conn.Exec(r.Context(), sql, args...))(r)
}

// scan reads one row of one lamp.
func (r *rig) scan(sql string, id any, into ...any) {
	r.Helper()
	must.OK(r, r.conn.QueryRow(r.Context(), sql, id).Scan(into...))
}

func (r *rig) insert(volts int) uuid.UUID {
	r.Helper()
	id := uuid.New()
	r.exec("INSERT INTO lamp (id, tenant_id, volts) VALUES ($1, $2, $3)", id, uuid.Nil, volts)
	return id
}

// The example keeps what package job promises, without SQL of its own but for
// its write.
func TestLampsConform(t *testing.T) {
	testenv.OnlyThorough(t, "is the suite of stores once more, on another table")
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		url := postgrestest.URL(t)
		clock, simURL := postgrestest.WithClock(t, url, start)
		r := newRig(t, simURL)
		jobs := postgrestest.Open(t, simURL).JobsOf(lamps.Table)
		return jobtest.Fixture{
			Store: jobs,
			Work:  lamp{store{jobs}}.Light,
			New:   func() uuid.UUID { return r.insert(12) },
			Lock:  r.lock,
			Spoil: func(id uuid.UUID) { r.exec("UPDATE lamp SET volts = NULL WHERE id = $1", id) },
			Cancel: func(id uuid.UUID) {
				r.exec("UPDATE lamp SET status = 'cancelled', lease_until = NULL, due_at = NULL WHERE id = $1", id)
			},
			Row:  r.row,
			Dump: r.dump,
			Now: func() (now time.Time) {
				r.scan("SELECT now() WHERE $1", true, &now)
				return now
			},
			Advance: func(d time.Duration) {
				must.OK(t, clock.Advance(t.Context(), d))
			},
		}
	})
}

func (r *rig) lock(id uuid.UUID) (unlock func()) {
	tx := must.Get(r.conn.Begin(r.Context()))(r)
	must.Get(tx.Exec(r.Context(), "SELECT FROM lamp WHERE id = $1 FOR UPDATE", id))(r)
	return func() {
		if err := tx.Rollback(r.Context()); err != nil {
			r.Error(err)
		}
	}
}

func (r *rig) row(id uuid.UUID) (row jobtest.Row) {
	var due, failed *time.Time
	r.scan(`SELECT coalesce(status, ''), attempts, coalesce(error, ''), due_at, failed_at, coalesce(
		(SELECT string_agg(kind || ' ' || attempt, ', ' ORDER BY attempt, kind) FROM notification WHERE subject_id = $1), '')
		FROM lamp WHERE id = $1`, id, &row.Status, &row.Attempt, &row.Error, &due, &failed, &row.Notifications)
	if due != nil {
		row.Due = *due
	}
	if failed != nil {
		row.FailedAt = *failed
	}
	return row
}

func (r *rig) dump() (all string) {
	r.scan(`SELECT coalesce((SELECT string_agg(l.xmin || l::text, E'\n' ORDER BY id) FROM lamp AS l), '')
		|| coalesce((SELECT string_agg(n.xmin || n::text, E'\n' ORDER BY id) FROM notification AS n), '') WHERE $1`,
		true, &all)
	return all
}

func build(t *testing.T, pkg string) string {
	t.Helper()
	return must.Get(lambdahost.Bootstrap(t.Context(), t.TempDir(), pkg, nil))(t)
}

// stack starts a stack that is closed with the test.
func (r *rig) stack(url string, functions ...local.FunctionConfig) *local.Stack {
	r.Helper()
	s := must.Get(local.StartStack(r.Context(), local.StackConfig{DatabaseURL: url, FrozenAt: start, Functions: functions}))(r)
	r.Cleanup(func() {
		if err := s.Close(); err != nil {
			r.Error(err)
		}
	})
	return s
}

// Through the real bootstrap: what is published is done, what was never
// published and what lost its message is swept, and a failure reaches Slack.
func TestLampsBurnInTheStack(t *testing.T) {
	t.Parallel()
	bootstrap := build(t, lamps.Package)
	slack := &webhook.Receiver{}
	server := httptest.NewServer(slack)
	defer server.Close()
	url := postgrestest.URL(t)
	r := newRig(t, url)
	s := r.stack(url, local.FunctionConfig{Row: lamps.Function, Table: lamps.Table, Bootstrap: bootstrap,
		Env: []string{"SLACK_WEBHOOK_URL=" + server.URL + webhook.Path}})
	good, lost, bad, inserted := r.insert(12), r.insert(6), r.insert(230), r.insert(24)
	r.exec("UPDATE lamp SET arrived_at = $1, due_at = $1", start)
	must.Get(s.Jobs.Publish(t.Context(), []uuid.UUID{lost}))(t) // and its message is never sent
	must.OK(t, s.Publish().Publish(t.Context(), []uuid.UUID{good, bad}))
	must.OK(t, s.Drain(t.Context(), func(ctx context.Context) (n int, err error) {
		err = r.conn.QueryRow(ctx, "SELECT count(*) FROM lamp WHERE status NOT IN ('succeeded', 'failed') OR status IS NULL").Scan(&n)
		return n, err
	}))
	for name, id := range map[string]uuid.UUID{"published": good, "without a message": lost, "inserted": inserted} {
		var lit bool
		r.scan("SELECT lit FROM lamp WHERE id = $1", id, &lit)
		if row := r.row(id); !lit || row.Status != job.StatusSucceeded {
			t.Errorf("the lamp that was %s: %+v, lit %t", name, row, lit)
		}
	}
	if row := r.row(bad); row.Status != job.StatusFailed || row.Notifications != "permanent 1" ||
		!strings.HasSuffix(row.Error, "230 volts are too many") {
		t.Errorf("the lamp of 230 volts: %+v", row)
	}
	taken := slack.Taken()
	if len(taken) != 1 || !strings.Contains(taken[0].Text, "Lamp failed: permanent") ||
		!strings.Contains(string(taken[0].Payload), bad.String()) {
		t.Errorf("Slack has %+v", taken)
	}
}

package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const (
	visibility = 10 * time.Minute
	limit      = 100
	tick       = time.Microsecond // the database's smallest step
)

// empty is what a sweep of an empty queue goes by.
var empty = sweep.Waits{Visibility: visibility, Grace: time.Minute, Lapses: 3, Times: 3, Drained: true, Idle: true}

// repairs are the counts of one sweep.
type repairs struct{ overdue, lost, crashed, published int }

func (f *fixture) sweep() (r repairs) {
	f.T.Helper()
	var err error
	r.overdue = must.Get(f.Overdue(f.T.Context(), empty, limit))(f.T)
	if r.lost, r.crashed, err = f.GiveUp(f.T.Context(), empty, limit); err != nil {
		f.T.Fatal(err)
	}
	again := must.Get(f.Republish(f.T.Context(), empty, limit))(f.T)
	r.published = len(again)
	return r
}

func (f *fixture) sweepFinds(want repairs) {
	f.T.Helper()
	postgrestest.Equal(f.T, "repairs", f.sweep(), want)
}

func TestRepairWaits(t *testing.T) {
	t.Parallel()
	all := newFixture(t)
	for name, tc := range map[string]struct {
		columns string
		after   time.Duration // repaired after this; 0 is never
		want    repairs
	}{
		"pending":                      {"matching_status='pending', matching_published_at=now()", visibility, repairs{1, 0, 0, 1}},
		"pending, a retry":             {"matching_status='pending', matching_attempts=1, matching_due_at=now() + interval '5 minutes'", 15 * time.Minute, repairs{1, 0, 0, 1}},
		"pending, published twice":     {"matching_status='pending', matching_published_at=now(), matching_republished=1", 2 * visibility, repairs{1, 0, 0, 1}},
		"pending, published thrice":    {"matching_status='pending', matching_published_at=now(), matching_republished=2", 4 * visibility, repairs{1, 0, 0, 1}},
		"pending, often enough":        {"matching_status='pending', matching_published_at=now(), matching_republished=3", 8 * visibility, repairs{1, 1, 0, 0}},
		"in progress":                  {"matching_status='in-progress', matching_attempts=1, matching_lease_until=now() + interval '1 minute'", 11 * time.Minute, repairs{0, 0, 0, 1}},
		"in progress, the third lapse": {"matching_status='in-progress', matching_attempts=1, matching_lease_until=now(), matching_lapses=2", visibility, repairs{0, 0, 1, 0}},
		"inserted":                     {"matching_due_at=now()", time.Minute, repairs{0, 0, 0, 1}},
		"inserted as pending":          {"matching_status='pending'", time.Minute, repairs{0, 0, 0, 1}},
		"older than the feature":       {"matching_due_at=NULL", 0, repairs{}},
		"not matchable":                {"matching_error='no type'", 0, repairs{}},
		"without a type":               {"type=NULL", 0, repairs{}},
		"without data":                 {"structured_data=NULL", 0, repairs{}},
		"published, then not queued":   {"matching_published_at=now()", 0, repairs{}},
		"succeeded":                    {"matching_status='succeeded', matching_lease_until=now()", 0, repairs{}},
		"failed":                       {"matching_status='failed', matching_failed_at=now(), matching_lease_until=now()", 0, repairs{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := *all
			f.T = t
			defer f.Exec("TRUNCATE document CASCADE")
			f.document(tc.columns)
			if tc.after == 0 {
				f.Advance(1000 * time.Hour)
				f.sweepFinds(repairs{})
				return
			}
			f.Advance(tc.after)
			f.sweepFinds(repairs{})
			f.Advance(tick)
			f.sweepFinds(tc.want)
			f.sweepFinds(repairs{})
		})
	}
}

// A row is enough, whatever program wrote it and whatever it left empty.
func TestForeignRowsAreFound(t *testing.T) {
	t.Parallel()
	for name, insert := range map[string]string{
		"pending, nothing else": "INSERT INTO document (id, tenant_id, type, structured_data, matching_status) VALUES ($1, $2, 'invoice', '{}', 'pending')",
		"pending, no due time": `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_due_at, received_at)
			VALUES ($1, $2, 'invoice', '{}', 'pending', NULL, now())`,
		"pending again, no due time": `INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_due_at, received_at, matching_attempts, matching_published_at)
			VALUES ($1, $2, 'invoice', '{}', 'pending', NULL, now(), 2, now())`,
		"no state": "INSERT INTO document (id, tenant_id, type, structured_data) VALUES ($1, $2, 'invoice', '{}')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			id := uuid.New()
			f.Exec(insert, id, tenant)
			f.Advance(10 * 365 * 24 * time.Hour) // defaults know the real time only
			if got := f.sweep(); got.published != 1 || f.State(id).Status != "pending" {
				t.Errorf("the sweep found %+v and left %+v, want it published", got, f.State(id))
			}
		})
	}
}

// What no reader could make sense of cannot be written.
func TestImpossibleRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("")
	for _, set := range []string{
		"matching_status = 'in-progress'", "matching_status = 'failed'", "matching_status = 'in progress'",
		"matching_attempts = -1", "matching_lapses = -1", "matching_republished = -1", "matching_attempts = NULL",
	} {
		if _, err := f.Conn.Exec(t.Context(), "UPDATE document SET "+set+" WHERE id = $1", id); err == nil {
			t.Errorf("%s was stored", set)
		}
	}
}

func TestGiveUpNotifiesOnce(t *testing.T) {
	t.Parallel()
	for kind, tc := range map[string]struct {
		columns string
		want    postgrestest.State
	}{
		"lost": {"matching_status='pending', matching_republished=3, matching_attempts=1, matching_error='busy'",
			postgrestest.State{Status: "failed", Error: "lost: published 4 times, the queue is empty, and no attempt began; before that: busy", Attempts: 2, Failed: true, Notifications: 1}},
		"crashed": {"matching_status='in-progress', matching_lease_until=now(), matching_attempts=2, matching_lapses=2",
			postgrestest.State{Status: "failed", Error: "crashed: 3 attempts in a row ended without a result", Attempts: 2, Failed: true, Notifications: 1}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			id := f.document(tc.columns)
			f.Advance(100 * visibility)
			f.sweep()
			f.sweepFinds(repairs{})
			postgrestest.Equal(t, "state", f.State(id), tc.want)
			payload := postgrestest.Value[string](t, f.Conn, "SELECT kind || attempt || payload::text FROM notification")
			want := kind + `2{"kind": "` + kind + `", "error": "` + tc.want.Error + `", "tenant": "Testers", "attempts": 2, "tenant_id": "` +
				tenant.String() + `", "document_id": "` + id.String() + `"}`
			postgrestest.Equal(t, "payload", payload, want)
		})
	}
}

func TestGiveUpCutsLongError(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.document("matching_status='in-progress', matching_lease_until=now(), matching_lapses=2, matching_error=repeat('ü', 1000)")
	f.Advance(visibility + tick)
	f.sweepFinds(repairs{crashed: 1})
	postgrestest.Equal(t, "characters of the error", len([]rune(f.State(id).Error)), 1000)
}

const (
	missed  = "matching_status='pending', matching_published_at=now(), matching_due_at=now() - interval '1 day'"
	gone    = missed + ", matching_republished=3"
	crashed = "matching_status='in-progress', matching_lapses=2, matching_lease_until=now() - interval '1 day'"
)

// What another sweep, or a worker, has in its hands is left to it.
func TestRepairsSkipLocked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var locked []uuid.UUID
	for _, columns := range []string{missed, gone, crashed} {
		locked = append(locked, f.document(columns))
		f.document(columns)
		f.document(columns)
	}
	tx := must.Get(f.Conn.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), "SELECT FROM document WHERE id = ANY ($1) FOR UPDATE", locked))(t)
	f.sweepFinds(repairs{overdue: 6, lost: 2, crashed: 2, published: 2})
	must.OK(t, tx.Rollback(t.Context()))
	f.sweepFinds(repairs{overdue: 2, lost: 1, crashed: 1, published: 1})
}

// No tenant's backlog hides what another tenant waits for.
func TestRepairsOldestFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Exec("INSERT INTO tenant VALUES ($1, 'Others')", otherTenant)
	for minute := range 6 {
		of := []uuid.UUID{tenant, otherTenant}[minute%2]
		f.Exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_published_at, matching_due_at)
			VALUES ($1, $2, 'invoice', '{}', 'pending', now(), now() - interval '1 day' + $3 * interval '1 minute')`, num(6-minute), of, minute)
	}
	for _, want := range []string{"[5 6]", "[3 4]", "[1 2]"} {
		again, err := f.Republish(t.Context(), empty, 2)
		if err != nil || len(again) != 2 {
			t.Fatalf("published %v, error %v", again, err)
		}
		got := fmt.Sprintf("[%d %d]", min(again[0].ID[15], again[1].ID[15]), max(again[0].ID[15], again[1].ID[15]))
		postgrestest.Equal(t, "published", got, want)
	}
}

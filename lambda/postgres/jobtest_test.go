package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/job/sweep"

	"github.com/google/uuid"
)

// What jobtest tests as the repairs is what the sweep calls.
var _ sweep.Store = jobtest.Store(nil)

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture { return newFixture(t).conformance() })
}

func (f *fixture) conformance() jobtest.Fixture {
	return jobtest.Fixture{
		Store:   f.DB,
		Work:    job.Work(f.matcher().Match).One,
		New:     func() uuid.UUID { return f.document("") },
		Lock:    func(id uuid.UUID) func() { return f.lock("document", id) },
		Spoil:   func(id uuid.UUID) { f.exec("UPDATE document SET structured_data = NULL WHERE id = $1", id) },
		Row:     f.row,
		Dump:    func() string { return f.dump(allTables...) },
		Now:     f.now,
		Advance: f.advance,
	}
}

// lock locks a row of a table until unlock.
func (f *fixture) lock(table string, id uuid.UUID) (unlock func()) {
	f.t.Helper()
	return f.blocks("SELECT FROM "+table+" WHERE id = $1 FOR UPDATE", id)
}

func (f *fixture) row(id uuid.UUID) jobtest.Row {
	f.t.Helper()
	return f.rowOf(id, "matching_status, matching_attempts, matching_error, matching_due_at, matching_failed_at", "document")
}

// rowOf reads a row of any table of work; columns are its status, attempts, error, due
// time and time of failure.
func (f *fixture) rowOf(id uuid.UUID, columns, table string) (r jobtest.Row) {
	f.t.Helper()
	var status, reason, notifications *string
	var due, failed *time.Time
	must.OK(f.t, f.conn.QueryRow(f.t.Context(), "SELECT "+columns+`,
		(SELECT string_agg(kind || ' ' || attempt, ', ' ORDER BY attempt, kind) FROM notification WHERE $1 IN (document_id, subject_id))
		FROM `+table+" WHERE id = $1", id).Scan(&status, &r.Attempt, &reason, &due, &failed, &notifications))
	r.Status, r.Error, r.Notifications = job.Status(orZero(status)), orZero(reason), orZero(notifications)
	r.Due, r.FailedAt = orZero(due), orZero(failed)
	return r
}

// claimOf claims a row of any table of work.
func (f *fixture) claimOf(store job.Store, id uuid.UUID) job.Attempt {
	f.t.Helper()
	claims, err := store.Claim(f.t.Context(), []job.Delivery{{ID: id, Count: 1, Last: true}}, time.Minute, true)
	if err != nil || claims[0].Found != job.Claimed {
		f.t.Fatalf("claim found %+v, %v", claims, err)
	}
	return claims[0].Attempt
}

func (f *fixture) now() time.Time {
	f.t.Helper()
	return queryOne[time.Time](f.t, f.conn, "SELECT now()")
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

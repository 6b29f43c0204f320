package postgres_test

import (
	"errors"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

func TestWithdrawTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.Reviews()
	for _, id := range []uuid.UUID{tenant, otherTenant} { // the other is unknown
		if since := must.Get(r.TokensSince(t.Context(), id))(t); !since.IsZero() {
			t.Errorf("%s: since %s", id, since)
		}
	}
	must.OK(t, r.WithdrawTokens(t.Context(), tenant))
	if since := must.Get(r.TokensSince(t.Context(), tenant))(t); !since.Equal(start) {
		t.Errorf("since %s", since)
	}
	if err := r.WithdrawTokens(t.Context(), otherTenant); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// A token from before the erasure doesn't bring the tenant back; one from after it does.
func TestErasedTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must.Get(f.Erase(t.Context(), postgres.Erasure{Tenant: tenant}, func(postgres.TableRows) {}))(t)
	for id, want := range map[uuid.UUID]time.Time{tenant: start, otherTenant: {}} {
		if since := must.Get(f.Reviews().TokensSince(t.Context(), id))(t); !since.Equal(want) {
			t.Errorf("%s: since %s, want %s", id, since, want)
		}
	}
}

func TestOpenReviews(t *testing.T) {
	t.Parallel()
	db, conn := twoTenants(t)
	for range 2 {
		if n := must.Get(db.Reviews().OpenReviews(t.Context(), tenantOf('a')))(t); n != 1 {
			t.Errorf("%d open reviews", n)
		}
		must.Get(conn.Exec(t.Context(), "UPDATE review_job SET status = 'completed', ended_at = now() WHERE tenant_id <> $1", tenantOf('a')))(t)
	}
	if n := must.Get(db.Reviews().OpenReviews(t.Context(), tenantOf('b')))(t); n != 0 {
		t.Errorf("%d open reviews", n)
	}
}

func TestEndSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for id, person := range map[byte]string{1: `{"ID": "p1", "Name": "anna"}`, 2: `{"ID": "p1", "Name": "anna"}`, 3: `{"ID": "p2", "Name": "ben"}`} {
		must.OK(t, f.BeginSession(t.Context(), [32]byte{id}, []byte(person), time.Hour))
	}
	for _, c := range []struct {
		person string
		want   int64
	}{{"carl", 0}, {"p1", 2}, {"anna", 0}, {"", 1}} {
		if n := must.Get(f.EndSessions(t.Context(), c.person))(t); n != c.want {
			t.Errorf("%q: ended %d, want %d", c.person, n, c.want)
		}
	}
}

package reviews_test

import (
	"errors"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"

	"github.com/google/uuid"
)

func TestWithdrawTokens(t *testing.T) {
	t.Parallel()
	f := postgrestest.NewFixture(t)
	r := reviews.New(f.DB)
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
	f := postgrestest.NewFixture(t)
	must.Get(f.Erase(t.Context(), postgres.Erasure{Tenant: tenant}, nil, func(postgres.TableRows) {}))(t)
	for id, want := range map[uuid.UUID]time.Time{tenant: start, otherTenant: {}} {
		if since := must.Get(reviews.New(f.DB).TokensSince(t.Context(), id))(t); !since.Equal(want) {
			t.Errorf("%s: since %s, want %s", id, since, want)
		}
	}
}

package postgres_test

import (
	"context"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"

	"github.com/google/uuid"
)

// The queue is fair to tenants, so every message has to name its own.
func TestPublishNamesTenant(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ours, theirs := f.put(num(1), tenant, document.Invoice, "{}"), f.put(num(2), otherTenant, document.Invoice, "{}")
	wantTenants := func(stamped []job.Stamped, err error) {
		t.Helper()
		if err != nil || len(stamped) != 2 {
			t.Fatalf("got %+v, %v", stamped, err)
		}
		for _, s := range stamped {
			if want := map[uuid.UUID]uuid.UUID{ours: tenant, theirs: otherTenant}[s.ID]; s.Tenant != want {
				t.Errorf("%s is published for %s, want %s", s.ID, s.Tenant, want)
			}
		}
	}
	wantTenants(f.publish(ours, theirs), nil)
	f.advance(time.Hour)
	again, err := f.Republish(t.Context(), empty, 10)
	var stamped []job.Stamped
	for _, a := range again {
		stamped = append(stamped, a.Stamped)
	}
	wantTenants(stamped, err)
}

func TestWriteNamesTenant(t *testing.T) {
	t.Parallel()
	f, fence, block, pairs, stale := staleFixture(t)
	w, err := f.Write(t.Context(), fence, key("k"), document.Types, block, pairs, func(context.Context, rules.Competition) (rules.Result, error) {
		return rules.Result{Stale: stale}, nil
	})
	if err != nil || len(w.Published) == 0 {
		t.Fatalf("got %+v, %v", w, err)
	}
	for _, s := range w.Published {
		if s.Tenant != tenant {
			t.Errorf("%s is published for %s, want %s", s.ID, s.Tenant, tenant)
		}
	}
}

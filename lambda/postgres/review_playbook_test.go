package postgres_test

import (
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/playbook"

	"github.com/google/uuid"
)

func TestPlaybookPerTenant(t *testing.T) {
	t.Parallel()
	r := newReviews(t)
	other := uuid.New()
	read := func(id uuid.UUID) string {
		t.Helper()
		raw := must.Get(r.store.Playbook(t.Context(), id))(t)
		if raw == nil {
			return ""
		}
		p := must.Get(playbook.Parse(raw))(t)
		return p.Version()
	}
	put := func(id uuid.UUID, side string) {
		t.Helper()
		text := `{"name": "", "version": "1", "side": "` + side + `", "positions": {}}`
		must.OK(t, r.store.PutPlaybook(t.Context(), id, []byte(text)))
	}
	put(tenant, "customer")
	customer := read(tenant)
	if customer == "" || read(other) != "" {
		t.Errorf("got %q, and %q for another tenant", customer, read(other))
	}
	put(other, "supplier")
	if supplier := read(other); supplier == "" || supplier == customer || read(tenant) != customer {
		t.Errorf("got %q and %q, was %q", supplier, read(tenant), customer)
	}
	put(tenant, "supplier")
	equal(t, "the version of a new playbook", read(tenant), read(other))
}

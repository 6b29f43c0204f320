package postgres_test

import (
	"testing"

	"matchbook/lambda/review/playbook"

	"github.com/google/uuid"
)

func TestATenantHasItsOwnPlaybook(t *testing.T) {
	t.Parallel()
	r := newReviews(t)
	other := uuid.New()
	read := func(id uuid.UUID) string {
		t.Helper()
		raw, err := r.store.Playbook(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if raw == nil {
			return ""
		}
		p, err := playbook.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return p.Version()
	}
	put := func(id uuid.UUID, side string) {
		t.Helper()
		text := `{"name": "", "version": "1", "side": "` + side + `", "positions": {}}`
		if err := r.store.PutPlaybook(t.Context(), id, []byte(text)); err != nil {
			t.Fatal(err)
		}
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
	if got, want := read(tenant), read(other); got != want {
		t.Errorf("a new playbook has the version %q, want %q", got, want)
	}
}

package postgres_test

import (
	"encoding/json"
	"slices"
	"testing"

	"matchbook/lambda/offer"

	"github.com/google/uuid"
)

// A user who is the same is left alone: the version, which rosters carry, stays.
func TestImportUsersUpserts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	seen := start
	users := []offer.User{
		{ID: num(2), Tenant: otherTenant, Zone: "Asia/Kathmandu", Active: true, ActiveAt: &seen, Profile: json.RawMessage(`{"born": 1990}`)},
		{ID: num(1), Tenant: tenant, Zone: "Europe/Berlin"},
	}
	step := func(changed int, others ...uuid.UUID) {
		t.Helper()
		n, left, err := f.ImportUsers(t.Context(), users)
		if err != nil || n != changed || !slices.Equal(left, others) {
			t.Errorf("got %d changed and %v of others, %v; want %d, %v", n, left, err, changed, others)
		}
	}
	step(2)
	users[0].Profile = json.RawMessage(`{ "born":1990 }`)
	step(0)
	users[1].Active = true
	step(1)
	users[1].Tenant, users[1].Zone = otherTenant, "Europe/Rome"
	step(0, num(1))
	rows := queryOne[string](t, f.conn, `SELECT string_agg(concat_ws(' ', tenant_id = $1, timezone, active, profile, preferences, version),
		', ' ORDER BY id) FROM offer_user`, tenant)
	equal(t, "rows", rows, `t Europe/Berlin t {} {} 2, f Asia/Kathmandu t {"born": 1990} {} 1`)
}

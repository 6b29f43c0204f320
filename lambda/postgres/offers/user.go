package offers

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// importUserSQL leaves an equal user alone, so that importing one twice changes nothing. It
// never moves a user to another tenant.
const importUserSQL = `
INSERT INTO offer_user AS old (id, tenant_id, timezone, active, active_at, profile, preferences, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, now())
ON CONFLICT (id) DO UPDATE SET timezone = excluded.timezone, active = excluded.active, active_at = excluded.active_at,
	profile = excluded.profile, preferences = excluded.preferences
WHERE old.tenant_id = excluded.tenant_id
	AND (old.timezone, old.active, old.active_at, old.profile, old.preferences) IS DISTINCT FROM
		(excluded.timezone, excluded.active, excluded.active_at, excluded.profile, excluded.preferences)`

const usersOfOthersSQL = `
SELECT u.id FROM offer_user AS u JOIN unnest($1::uuid[], $2::uuid[]) AS given (id, tenant) USING (id)
WHERE u.tenant_id <> given.tenant ORDER BY u.id`

// ImportUsers stores or updates users, all or none, and returns the number changed. It leaves
// a user of another tenant alone, and returns the id in others.
func (o *Store) ImportUsers(ctx context.Context, users []offer.User) (changed int, others []uuid.UUID, err error) {
	users = slices.Clone(users) // to lock rows in id order like all transactions
	slices.SortStableFunc(users, func(a, b offer.User) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	ids, tenants := make([]uuid.UUID, len(users)), make([]uuid.UUID, len(users))
	for i, u := range users {
		ids[i], tenants[i] = u.ID, u.Tenant
	}
	others, err = postgres.Within(ctx, o.db, func(tx pgx.Tx) ([]uuid.UUID, error) {
		changed = 0
		batch := &pgx.Batch{}
		batch.Queue(postgres.AddTenantsSQL, tenants)
		for _, u := range users {
			batch.Queue(importUserSQL, u.ID, u.Tenant, u.Zone, u.Active, u.ActiveAt, orEmpty(u.Profile), orEmpty(u.Preferences)).
				Exec(func(tag pgconn.CommandTag) error {
					changed += int(tag.RowsAffected())
					return nil
				})
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return nil, err
		}
		return postgres.IDs(ctx, tx, usersOfOthersSQL, ids, tenants)
	})
	return changed, others, err
}

func orEmpty(object json.RawMessage) json.RawMessage {
	if len(object) == 0 {
		return json.RawMessage("{}")
	}
	return object
}

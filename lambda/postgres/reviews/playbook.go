package reviews

import (
	"context"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

const playbookSQL = `SELECT (SELECT playbook::text FROM review_playbook WHERE tenant_id = $1)`

// Playbook reads a tenant's playbook, or nil. You must check it with package playbook, because
// any program may have stored it.
func (r *Store) Playbook(ctx context.Context, tenantID uuid.UUID) ([]byte, error) {
	return postgres.Value[[]byte](ctx, r.db.Steady(), playbookSQL, tenantID)
}

const putPlaybookSQL = `
INSERT INTO review_playbook (tenant_id, playbook) VALUES ($1, $2::text::jsonb)
ON CONFLICT (tenant_id) DO UPDATE SET playbook = excluded.playbook, updated_at = now()`

// PutPlaybook stores a tenant's playbook for reviews that begin from now on. Check it with
// package playbook first.
func (r *Store) PutPlaybook(ctx context.Context, tenantID uuid.UUID, playbook []byte) error {
	return r.db.Steady().Exec(ctx, putPlaybookSQL, tenantID, string(playbook))
}

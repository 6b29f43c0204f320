package reviews

import (
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

const tokensSinceSQL = `
SELECT coalesce(greatest(
	(SELECT tokens_since FROM tenant WHERE id = $1),
	(SELECT erased_at FROM erased_tenant WHERE digest = ` + postgres.TenantDigestSQL + `)), '0001-01-01Z')`

// TokensSince implements web.Tokens.Since. The tokens of an erased tenant are withdrawn, so that
// none brings it back.
func (r *Store) TokensSince(ctx context.Context, tenant uuid.UUID) (time.Time, error) {
	return postgres.Value[time.Time](ctx, r.db.Steady(), tokensSinceSQL, tenant)
}

const withdrawTokensSQL = `UPDATE tenant SET tokens_since = now() WHERE id = $1`

// WithdrawTokens makes all tokens of a tenant invalid that were issued until now. It returns
// job.ErrNotFound for an unknown tenant.
func (r *Store) WithdrawTokens(ctx context.Context, tenant uuid.UUID) error {
	known, err := r.db.Steady().Changes(ctx, withdrawTokensSQL, tenant)
	if err == nil && !known {
		err = job.ErrNotFound
	}
	return err
}

const openReviewsSQL = `SELECT count(*) FROM review_job WHERE tenant_id = $1 AND ended_at IS NULL`

// OpenReviews implements web.Quota.
func (r *Store) OpenReviews(ctx context.Context, tenant uuid.UUID) (int, error) {
	return postgres.Value[int](ctx, r.db.Steady(), openReviewsSQL, tenant)
}

package postgres

import (
	"context"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// digestOfTenant names an erased tenant without its id, the parameter $1.
const digestOfTenant = `sha256(convert_to($1::uuid::text, 'UTF8'))`

const tokensSinceSQL = `
SELECT coalesce(greatest(
	(SELECT tokens_since FROM tenant WHERE id = $1),
	(SELECT erased_at FROM erased_tenant WHERE digest = ` + digestOfTenant + `)), '0001-01-01Z')`

// TokensSince implements web.Tokens.Since. The tokens of an erased tenant are withdrawn, so that
// none brings it back.
func (r *Reviews) TokensSince(ctx context.Context, tenant uuid.UUID) (since time.Time, err error) {
	err = steadily(ctx, func() error { return r.db.pool.QueryRow(ctx, tokensSinceSQL, tenant).Scan(&since) })
	return since, err
}

const withdrawTokensSQL = `UPDATE tenant SET tokens_since = now() WHERE id = $1`

// WithdrawTokens makes all tokens of a tenant invalid that were issued until now. It returns
// job.ErrNotFound for an unknown tenant.
func (r *Reviews) WithdrawTokens(ctx context.Context, tenant uuid.UUID) error {
	tag, err := r.db.pool.Exec(ctx, withdrawTokensSQL, tenant)
	if err == nil && tag.RowsAffected() == 0 {
		err = job.ErrNotFound
	}
	return err
}

const openReviewsSQL = `SELECT count(*) FROM review_job WHERE tenant_id = $1 AND ended_at IS NULL`

// OpenReviews implements web.Quota.
func (r *Reviews) OpenReviews(ctx context.Context, tenant uuid.UUID) (n int, err error) {
	err = steadily(ctx, func() error { return r.db.pool.QueryRow(ctx, openReviewsSQL, tenant).Scan(&n) })
	return n, err
}

const endSessionsSQL = `DELETE FROM console_session WHERE $1 = '' OR $1 IN (person ->> 'ID', person ->> 'Name')`

// EndSessions logs a person out everywhere, by id or name, or everybody if person is empty. It
// returns the number of sessions.
func (db *DB) EndSessions(ctx context.Context, person string) (n int64, err error) {
	err = repeat(ctx, func() error {
		tag, err := db.pool.Exec(ctx, endSessionsSQL, person)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

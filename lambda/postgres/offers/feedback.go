package offers

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// addFeedbackSQL returns the indexes of answers by or about users unknown to the tenant.
const addFeedbackSQL = `
WITH given AS (
	SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) WITH ORDINALITY AS g (user_id, candidate_id, answer, at, n)
), known AS (
	SELECT g.* FROM given AS g
	JOIN offer_user AS a ON a.tenant_id = $1 AND a.id = g.user_id
	JOIN offer_user AS b ON b.tenant_id = $1 AND b.id = g.candidate_id
	WHERE g.user_id <> g.candidate_id
), stored AS (
	INSERT INTO offer_feedback AS old (tenant_id, user_id, candidate_id, answer, at)
	SELECT $1, user_id, candidate_id, answer, least(max(coalesce(at, now())), now()) FROM known
	GROUP BY user_id, candidate_id, answer ORDER BY user_id, candidate_id, answer
	ON CONFLICT (tenant_id, user_id, candidate_id, answer) DO UPDATE SET at = excluded.at WHERE old.at < excluded.at
)
SELECT (n - 1)::integer FROM given WHERE n NOT IN (SELECT n FROM known) ORDER BY n`

// AddFeedback stores answers. An answer given again counts from the later time on. It leaves out
// answers by or about users unknown to the tenant, or to themselves, and returns their indexes.
func (o *Store) AddFeedback(ctx context.Context, tenant uuid.UUID, list []offer.Feedback) (unknown []int, err error) {
	var users, candidates []uuid.UUID
	var answers []string
	var times []*time.Time
	for _, f := range list {
		users, candidates = append(users, f.User), append(candidates, f.Candidate)
		answers, times = append(answers, string(f.Answer)), append(times, postgres.OrNull(f.At))
	}
	return postgres.RowsBy(ctx, o.db, pgx.RowTo[int], addFeedbackSQL, tenant, users, candidates, answers, times)
}

const putSettingsSQL = `
INSERT INTO offer_setting AS old
SELECT (jsonb_populate_record(NULL::offer_setting, $2::jsonb || jsonb_build_object('tenant_id', $1::uuid))).*
ON CONFLICT (tenant_id) DO UPDATE SET minimum_age = excluded.minimum_age, exposure = excluded.exposure,
	set_size = excluded.set_size, rest_days = excluded.rest_days, stale_days = excluded.stale_days,
	delivery_hour = excluded.delivery_hour, skip_weekends = excluded.skip_weekends, holidays = excluded.holidays`

// SettingsOf reads a tenant's settings.
func (o *Store) SettingsOf(ctx context.Context, tenant uuid.UUID) (roster.Settings, error) {
	all, err := o.Settings(ctx)
	if s, ok := all[tenant]; ok {
		return s, err
	}
	return roster.Usual(), err
}

// SetSettings changes a tenant's settings, from the next roster on.
func (o *Store) SetSettings(
	ctx context.Context, tenant uuid.UUID, change func(*roster.Settings) error,
) (s roster.Settings, err error) {
	s, err = postgres.Within(ctx, o.db, func(tx pgx.Tx) (s roster.Settings, err error) {
		stored, err := postgres.Value[*roster.Settings](ctx, tx, settingsForUpdateSQL, tenant)
		if err != nil {
			return s, err
		}
		if s = roster.Usual(); stored != nil {
			s = *stored
		}
		if err := change(&s); err != nil {
			return s, err
		}
		if err := s.Check(); err != nil {
			return s, err
		}
		_, err = tx.Exec(ctx, putSettingsSQL, tenant, s)
		return s, err
	})
	return s, failure.At("set the settings of offers", err)
}

// settingsForUpdateSQL locks the tenant, so that two changes don't undo each other.
const settingsForUpdateSQL = `
WITH locked AS (SELECT id FROM tenant WHERE id = $1 FOR NO KEY UPDATE)
SELECT (SELECT to_jsonb(s) - 'tenant_id' FROM offer_setting AS s WHERE tenant_id = locked.id) FROM locked`

package offers

import (
	"bytes"
	"context"
	"time"

	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// eligibleSQL clamps the time a user was last seen to 1970 through today.
const eligibleSQL = `
SELECT id, version, profile, preferences,
	(least(greatest(coalesce(active_at, created_at), 'epoch'), now()) AT TIME ZONE 'UTC')::date - date 'epoch'
FROM offer_user
WHERE tenant_id = $1 AND active AND ($2 = 0 OR coalesce(active_at, created_at) > now() - make_interval(days => $2))`

// newcomersSQL also finds users who came while a scheduler that had read the roster stalled, or in a
// long transaction. The caller leaves out the members of the roster.
const newcomersSQL = eligibleSQL + `
	AND timezone = $3 AND created_at < $4
	AND created_at > (SELECT frozen_at FROM offer_roster WHERE tenant_id = $1 AND date = $5) - interval '1 hour'`

const oneEligibleSQL = eligibleSQL + ` AND id = $3`

// pastSQL reads the answers that still count.
const pastSQL = `
SELECT user_id, candidate_id, answer, (at AT TIME ZONE 'UTC')::date - date 'epoch'
FROM offer_feedback
WHERE tenant_id = $1 AND (answer IN ('blocked', 'reported') OR at > now() - make_interval(days => $2))
	AND ($3::uuid[] IS NULL OR user_id = ANY ($3))
ORDER BY user_id, candidate_id, answer`

// Eligible implements offer.ScheduleStore.
func (o *Store) Eligible(ctx context.Context, tenant uuid.UUID, s roster.Settings) ([]roster.Row, error) {
	return o.eligible(ctx, tenant, s, eligibleSQL, false)
}

// Newcomers implements offer.ScheduleStore.
func (o *Store) Newcomers(
	ctx context.Context, of roster.Key, zone string, before time.Time, s roster.Settings,
) ([]roster.Row, error) {
	return o.eligible(ctx, of.Tenant, s, newcomersSQL, true, zone, before, of.Date.Time())
}

// eligible reads users. With few, it reads the answers of these users only.
func (o *Store) eligible(
	ctx context.Context, tenant uuid.UUID, s roster.Settings, sql string, few bool, args ...any,
) ([]roster.Row, error) {
	users, err := postgres.RowsBy(ctx, o.db, func(row pgx.CollectableRow) (r roster.Row, err error) {
		return r, row.Scan(&r.ID, &r.Version, (*[]byte)(&r.Profile), (*[]byte)(&r.Preferences), &r.Active)
	}, sql+" ORDER BY id", append([]any{tenant, s.StaleDays}, args...)...)
	if err != nil || few && len(users) == 0 {
		return nil, err
	}
	var ids []uuid.UUID
	for _, u := range users {
		if few {
			ids = append(ids, u.ID)
		}
	}
	type answer struct {
		User uuid.UUID
		roster.Past
	}
	answers, err := postgres.Rows[answer](ctx, o.db, pastSQL, tenant, max(s.RestDays, roster.Remembered), ids)
	for i, u := range users {
		for len(answers) > 0 && bytes.Compare(answers[0].User[:], u.ID[:]) <= 0 {
			if a := answers[0]; a.User == u.ID {
				users[i].Past = append(users[i].Past, a.Past)
			}
			answers = answers[1:]
		}
	}
	return users, err
}

const shownSQL = `
SELECT user_id, date - date 'epoch', array_agg(candidate_id) FROM offer
WHERE tenant_id = $1 AND date = ANY ($2) GROUP BY user_id, date`

// Shown implements offer.ScheduleStore.
func (o *Store) Shown(ctx context.Context, tenant uuid.UUID, dates []day.Date) ([]offer.Shown, error) {
	times := make([]time.Time, len(dates))
	for i, d := range dates {
		times[i] = d.Time()
	}
	return postgres.Rows[offer.Shown](ctx, o.db, shownSQL, tenant, times)
}

const settingsSQL = `
SELECT tenant_id, to_jsonb(s) - 'tenant_id' FROM offer_setting AS s`

// Settings implements offer.ScheduleStore.
func (o *Store) Settings(ctx context.Context) (map[uuid.UUID]roster.Settings, error) {
	return postgres.Map[map[uuid.UUID]roster.Settings](ctx, o.db, settingsSQL)
}

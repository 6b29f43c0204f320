package offers

import (
	"context"
	"errors"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"
)

// addChangeSQL adds nothing if the zone has a change, or if another process added the same one.
const addChangeSQL = `
INSERT INTO offer_roster_change (tenant_id, date, digest, timezone, content) VALUES ($1, $2, $3, nullif($4, ''), $5)
ON CONFLICT DO NOTHING`

// Change implements offer.ScheduleStore.
func (o *Store) Change(ctx context.Context, c roster.Change) (roster.Change, error) {
	content, err := roster.EncodeRows(c.Rows)
	if err != nil {
		return c, err
	}
	if err := o.db.Steady().Exec(ctx, addChangeSQL, c.Tenant, c.Date.Time(), c.Digest[:], c.Zone, content); err != nil {
		return c, err
	}
	return o.change(ctx, c, `timezone = $3`, c.Zone)
}

// change reads the change of a roster, or returns job.ErrNotFound.
func (o *Store) change(ctx context.Context, c roster.Change, where string, arg any) (roster.Change, error) {
	var digest, content []byte
	err := postgres.Scan(ctx, o.db.Steady(), []any{&digest, &c.Zone, &content}, `
SELECT digest, coalesce(timezone, ''), content FROM offer_roster_change WHERE tenant_id = $1 AND date = $2 AND `+where,
		c.Tenant, c.Date.Time(), arg)
	if err != nil {
		return c, err
	}
	copy(c.Digest[:], digest)
	c.Rows, err = roster.DecodeRows(content)
	return c, err
}

// RosterOf implements offer.Store.
func (o *Store) RosterOf(ctx context.Context, j offer.Job) (roster.Frozen, error) {
	f, err := o.Roster(ctx, j.Tenant, j.Date)
	if err != nil || f.Digest == j.Digest {
		return f, err
	}
	c, err := o.change(ctx, roster.Change{Key: f.Key}, `digest = $3`, j.Digest[:])
	if errors.Is(err, job.ErrNotFound) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	return f.With(c.Rows)
}

package postgres

import (
	"context"
	"time"

	"matchbook/lambda/failure"
)

// Gauges measures the waiting work at one moment.
type Gauges struct {
	OldestDue  time.Duration // since the longest waiting row was due; 0 without one
	Pending    int           // rows
	InProgress int           // rows
	Parked     int           // pending rows that wait for a service
	Unsent     int           // pending deliveries of notifications
	// See offers.Store.Undelivered.
	Undelivered       int
	OldestUndelivered time.Duration
	Events            EventGauges
}

// EventGauges measures the outbox of events at one moment.
type EventGauges struct {
	Waiting int           // not accepted, and not given up
	Oldest  time.Duration // age of the oldest waiting one; 0 without one
	Dead    int           // given up
}

// Open reports whether anything waits or is at work.
func (g Gauges) Open() bool {
	return g.Pending+g.InProgress+g.Parked+g.Unsent+g.Undelivered+g.Events.Waiting > 0
}

// gaugesSQL reads rows under way by the index on their status, because most rows have
// succeeded. A row in progress is due again when its lease ends. A channel's deliveries are
// found as by pendingSQL.
const gaugesSQL = `
SELECT
	coalesce(greatest(interval '0', now() - min(` + waitsSince + `)), interval '0'),
	count(*) FILTER (WHERE {status} = 'pending'),
	count(*) FILTER (WHERE {status} = 'in-progress'),
	count(*) FILTER (WHERE ` + parked + `),
	(SELECT count(*) FROM notification_delivery
	WHERE channel = ANY ($1) AND status = 'pending' AND created_at > now() - interval '14 days')
FROM {table}
WHERE {status} IN ('pending', 'in-progress')`

// Gauges measures the waiting work. channels must list the configured channels.
func (j *Jobs) Gauges(ctx context.Context, channels []string) (g Gauges, err error) {
	columns := []any{&g.OldestDue, &g.Pending, &g.InProgress, &g.Parked, &g.Unsent}
	err = Scan(ctx, j.db, columns, j.sql(gaugesSQL), channels)
	return g, failure.At("measure waiting work", err)
}

const inProgressSQL = `SELECT count(*) FROM {table} WHERE {status} = 'in-progress'`

// InProgress counts the rows being worked on.
func (j *Jobs) InProgress(ctx context.Context) (int, error) {
	return Value[int](ctx, j.db, j.sql(inProgressSQL))
}

package offer

import (
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Group is the active users of a tenant for whom the same dates are due.
type Group struct {
	Tenant    uuid.UUID
	Zone      string    // as a program wrote it
	Through   *day.Date // the last date that is queued, skipped or not owed; nil: none since the users are active
	FlownFrom day.Date  // the dates from it to before FlownTo were in no calendar of the users
	FlownTo   day.Date  // the same as FlownFrom without such dates
	Users     int
}

// Shard is a step in queueing or skipping a date for a group: the next users of it.
type Shard struct {
	Group
	Date      day.Date
	Limit     int // users of one step
	Digest    [32]byte
	Algorithm int       // version
	OfferedAt time.Time // when the date is due
	ExpiresAt time.Time
	Member    func(user uuid.UUID) bool // a user who is none gets no job; nil: every user does
}

// ScheduleStore keeps track of the dates that users have had. Steps of one group
// may run at once and again, and after a crash at any moment.
type ScheduleStore interface {
	// Now is the time of the store's clock.
	Now(ctx context.Context) (time.Time, error)
	// Waiting lists the groups, in the order of tenants and zones.
	Waiting(ctx context.Context) ([]Group, error)
	// Eligible reads the active users of a tenant, in the order of their ids.
	Eligible(ctx context.Context, tenant uuid.UUID) ([]roster.Row, error)
	// Freeze stores a roster unless its tenant and date have one, and returns the
	// stored one.
	Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error)
	// Roster reads the roster of a date; job.ErrNotFound without one.
	Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error)
	// Queue publishes the jobs of the next users of the group, and moves these users
	// out of the group: their Through is the date then, and the flown dates are
	// forgotten unless there are some after it. It returns the stamps of the new jobs,
	// and how many users were moved: 0 when none is left. A user who has a job of the
	// date keeps it. All of a step is one transaction.
	Queue(ctx context.Context, s Shard) (stamped []job.Stamped, users int, err error)
	// Skip is Queue for a date that is recorded as skipped, with the reason. It
	// returns how many users were moved.
	Skip(ctx context.Context, s Shard, reason string) (users int, err error)
}

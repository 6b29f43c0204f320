package offer

import (
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Group is the active users of a tenant with the same due dates.
type Group struct {
	Tenant    uuid.UUID
	Zone      string    // as a program wrote it
	Through   *day.Date // the last date queued, skipped or not owed; nil: none since the users are active
	FlownFrom day.Date  // the dates from it to before FlownTo were in no calendar of the users
	FlownTo   day.Date  // equal to FlownFrom without such dates
	Users     int
}

// Shard is a step in queueing or skipping a date: the next users of a group.
type Shard struct {
	Group
	Date      day.Date
	Limit     int // users of one step
	Digest    [32]byte
	Algorithm int       // version
	OfferedAt time.Time // when the date is due
	ExpiresAt time.Time
	Member    func(user uuid.UUID) bool // only members get a job; nil: everyone is one
	Users     []uuid.UUID               // take only these of the group; nil: all
}

// Shown are the candidates offered to a user on a date.
type Shown struct {
	User       uuid.UUID
	Date       day.Date
	Candidates []uuid.UUID
}

// ScheduleStore keeps track of the dates users have had. Steps of one group must be safe to
// run concurrently, repeatedly, and after a crash at any moment.
type ScheduleStore interface {
	// Now returns the time of the store's clock.
	Now(ctx context.Context) (time.Time, error)
	// Waiting lists the groups, by tenant and zone.
	Waiting(ctx context.Context) ([]Group, error)
	// Settings returns the settings of the tenants that have some.
	Settings(ctx context.Context) (map[uuid.UUID]roster.Settings, error)
	// Eligible returns the active users of a tenant, by id, with the answers that count.
	Eligible(ctx context.Context, tenant uuid.UUID, s roster.Settings) ([]roster.Row, error)
	// Shown returns the offers of these dates.
	Shown(ctx context.Context, tenant uuid.UUID, dates []day.Date) ([]Shown, error)
	// Freeze stores a roster unless its tenant and date have one. Use the returned one, which
	// is the stored one.
	Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error)
	// Roster returns the roster of a date, or job.ErrNotFound.
	Roster(ctx context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error)
	// Newcomers returns the eligible users of a zone who came after the roster of the date was
	// frozen, or shortly before, and before the time.
	Newcomers(ctx context.Context, f roster.Key, zone string, before time.Time, s roster.Settings) ([]roster.Row, error)
	// Change stores a change of a roster unless the zone has one for its date. Use the returned
	// one, which is the stored one.
	Change(ctx context.Context, c roster.Change) (roster.Change, error)
	// Queue publishes the jobs of the next users of the group, and moves these users out of
	// the group: their Through becomes the date, and flown dates are forgotten unless some are
	// after it. It returns the stamps of the new jobs and the number of moved users, 0 when
	// all are done. A user with a job for the date keeps it. The step is one transaction.
	Queue(ctx context.Context, s Shard) (stamped []job.Stamped, users int, err error)
	// Skip is like Queue, but records the date as skipped, with the reason. It returns the
	// number of moved users.
	Skip(ctx context.Context, s Shard, reason string) (users int, err error)
}

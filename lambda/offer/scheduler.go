package offer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

const (
	// CatchUp is the default of Scheduler.CatchUp: an outage of a day, and time to end it.
	CatchUp = 36 * time.Hour
	// shardSize bounds the users of a transaction, and the messages sent after it.
	shardSize = 10_000
	// reserve is the time to keep for a roster or a shard. With less, leave it to the next
	// run.
	reserve = 30 * time.Second
	// punctual is the time after the due instant from which a job counts as late.
	punctual = 30 * time.Minute
)

// Scheduler queues the due dates, and freezes a roster for each. You can run it twice or
// concurrently, and stop it at any moment, because the next run goes on. The sweep sends what
// it couldn't send.
type Scheduler struct {
	Store   ScheduleStore
	Sender  job.Sender
	CatchUp time.Duration // after the due instant; a date due before is skipped; 0: the default
	Log     *slog.Logger
	// Algorithm is the version for new rosters, and Shard the users of a transaction; 0 means
	// the default.
	Algorithm, Shard int

	mu   sync.Mutex
	read []membership // the rosters used last, the latest at the end
}

type membership struct {
	digest [32]byte
	ids    []uuid.UUID
}

// keptMemberships is enough for a tenant, because time zones work on two dates at once.
const keptMemberships = 2

// ScheduleReport counts the work of a run.
type ScheduleReport struct {
	Rosters     int  `json:"rosters"`      // frozen
	Queued      int  `json:"queued"`       // jobs
	Late        int  `json:"late"`         // more than half an hour after the due instant
	TooLate     int  `json:"too_late"`     // users with a date skipped because it was due too long ago
	UnknownZone int  `json:"unknown_zone"` // users with a date skipped because their zone is unknown
	Unsent      int  `json:"unsent"`       // messages left to the sweep
	Unfinished  bool `json:"unfinished"`   // out of time; the next run goes on
}

// Run queues all due dates. A failed tenant doesn't stop the others: Run returns the first
// error, and logs the rest.
func (s *Scheduler) Run(ctx context.Context) (r ScheduleReport, first error) {
	now, err := s.Store.Now(ctx)
	if err != nil {
		return r, failure.At("read the time", err)
	}
	groups, err := s.Store.Waiting(ctx)
	if err != nil {
		return r, failure.At("read the users who wait", err)
	}
	chosen, err := s.Store.Settings(ctx)
	if err != nil {
		return r, failure.At("read the settings", err)
	}
	calendar := calendar{now: now, catchUp: cmp.Or(s.CatchUp, CatchUp), zones: map[string]*time.Location{}, chosen: chosen}
	for _, t := range byTenant(groups) {
		run := run{Scheduler: s, now: now, report: &r, settings: chosen}
		err := run.tenant(ctx, t[0].Tenant, calendar.owed(t))
		switch {
		case errors.Is(err, errShort):
			r.Unfinished = true
			return r, first
		case err == nil:
		case first == nil:
			first = failure.At("queue the jobs of tenant "+t[0].Tenant.String(), err)
		default:
			s.Log.Error("queueing failed; next run will retry", "tenant", t[0].Tenant, "reason", failure.Of(err).Text)
		}
		if ctx.Err() != nil || errors.Is(err, errSilent) {
			return r, first
		}
	}
	return r, first
}

func byTenant(groups []Group) (tenants [][]Group) {
	slices.SortStableFunc(groups, func(a, b Group) int { return slices.Compare(a.Tenant[:], b.Tenant[:]) })
	for start, g := range groups {
		if last := len(tenants) - 1; last >= 0 && tenants[last][0].Tenant == g.Tenant {
			tenants[last] = append(tenants[last], g)
		} else {
			tenants = append(tenants, groups[start:start+1:start+1])
		}
	}
	return tenants
}

var (
	errShort = errors.New("out of time")
	// errSilent ends a run because the queue took nothing: further jobs would only be more
	// work for the sweep.
	errSilent = errors.New("queue took no messages")
)

type run struct {
	*Scheduler
	now    time.Time
	report *ScheduleReport
	settings
	date   day.Date // of the roster
	frozen *roster.Frozen
	ids    []uuid.UUID // of its members
}

// tenant queues or skips the dates, which must be in order.
func (r *run) tenant(ctx context.Context, id uuid.UUID, dates []owed) error {
	for _, o := range dates {
		var err error
		if o.skip != nil {
			err = r.pass(ctx, o)
		} else if err = r.roster(ctx, id, o.date); err == nil {
			if err = r.join(ctx, o); err == nil {
				err = r.queue(ctx, r.shard(o))
			}
		}
		if err != nil {
			return failure.At(o.date.String()+" in "+o.group.Zone, err)
		}
	}
	return nil
}

func (r *run) pass(ctx context.Context, o owed) error {
	for {
		if short(ctx) {
			return errShort
		}
		users, err := r.Store.Skip(ctx, o.shard(cmp.Or(r.Shard, shardSize)), o.skip.reason)
		if err != nil || users == 0 {
			return failure.At("skip", err)
		}
		*o.skip.count(r.report) += users
		r.Log.Warn("skipped", "tenant", o.group.Tenant, "zone", o.group.Zone, "date", o.date, "users", users,
			"reason", o.skip.reason)
	}
}

func (r *run) shard(o owed) Shard {
	shard := o.shard(cmp.Or(r.Shard, shardSize))
	shard.Digest, shard.Algorithm, shard.Member = r.frozen.Digest, r.frozen.Algorithm, r.member
	return shard
}

func (r *run) member(user uuid.UUID) bool {
	_, found := slices.BinarySearchFunc(r.ids, user, compareIDs)
	return found
}

// queue queues a date shard by shard. It sends the messages of a shard after its commit.
func (r *run) queue(ctx context.Context, shard Shard) error {
	for {
		if short(ctx) {
			return errShort
		}
		stamped, users, err := r.Store.Queue(ctx, shard)
		if err != nil || users == 0 {
			return failure.At("queue", err)
		}
		r.report.Queued += len(stamped)
		if r.now.Sub(shard.OfferedAt) > punctual {
			r.report.Late += len(stamped)
		}
		r.Log.Info("queued", "tenant", shard.Tenant, "zone", shard.Zone, "date", shard.Date, "users", users,
			"jobs", len(stamped))
		if err := r.send(ctx, stamped); err != nil {
			return err
		}
	}
}

func (r *run) send(ctx context.Context, stamped []job.Stamped) error {
	if len(stamped) == 0 {
		return nil
	}
	unsent, err := r.Sender.Send(ctx, stamped)
	if len(unsent) == 0 {
		return nil
	}
	r.report.Unsent += len(unsent)
	r.Log.Warn("enqueue failed; sweep will retry", "messages", len(unsent), "reason", text(err))
	if len(unsent) == len(stamped) {
		return errSilent
	}
	return nil
}

func (r *run) roster(ctx context.Context, tenant uuid.UUID, date day.Date) error {
	if r.frozen != nil && r.date == date {
		return nil
	}
	if short(ctx) {
		return errShort
	}
	f, err := r.Store.Roster(ctx, tenant, date)
	if errors.Is(err, job.ErrNotFound) {
		f, err = r.freeze(ctx, roster.Key{Tenant: tenant, Date: date, Algorithm: cmp.Or(r.Algorithm, ranking.Current)})
	}
	if err != nil {
		return failure.At("read the roster", err)
	}
	ids, err := r.members(f)
	if err != nil {
		return failure.At("read the roster", err)
	}
	r.date, r.frozen, r.ids = date, &f, ids
	return nil
}

func short(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < reserve
}

func text(err error) string {
	if err == nil {
		return "none given"
	}
	return failure.Of(err).Text
}

func compareIDs(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Now implements offer.ScheduleStore.
func (s *Store) Now(context.Context) (time.Time, error) { return s.now(), nil }

// Waiting implements offer.ScheduleStore. The groups are in a fixed order.
func (s *Store) Waiting(context.Context) (list []offer.Group, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range slices.SortedFunc(maps.Keys(s.groups), group.compare) {
		o := offer.Group{Tenant: g.tenant, Zone: g.zone, FlownFrom: g.flownFrom, FlownTo: g.flownTo,
			Users: len(s.groups[g])}
		if g.queued {
			o.Through = &g.through
		}
		list = append(list, o)
	}
	return list, nil
}

// Eligible implements offer.ScheduleStore.
func (s *Store) Eligible(_ context.Context, tenant uuid.UUID) (rows []roster.Row, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.users {
		if u.Active && u.Tenant == tenant {
			rows = append(rows, roster.Row{ID: u.ID, Version: u.version, Profile: u.Profile,
				Preferences: u.Preferences, Active: day.Of(u.ActiveAt.UTC())})
		}
	}
	slices.SortFunc(rows, func(a, b roster.Row) int { return compare(a.ID, b.ID) })
	return rows, nil
}

// Freeze implements offer.ScheduleStore.
func (s *Store) Freeze(_ context.Context, f roster.Frozen) (roster.Frozen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := dateOf{f.Tenant, f.Date}
	if stored, ok := s.rosters[of]; ok {
		return stored, nil
	}
	s.rosters[of] = f
	return f, nil
}

// Queue implements offer.ScheduleStore.
func (s *Store) Queue(_ context.Context, sh offer.Shard) (stamped []job.Stamped, users int, err error) {
	users = s.move(sh, func(j *Job) {
		j.Status, j.Published, j.Due = job.StatusPending, j.CreatedAt, j.CreatedAt
		if s.insert(j) {
			stamped = append(stamped, job.Stamped{ID: j.ID, PublishedAt: j.Published, Tenant: j.Tenant})
		}
	})
	return stamped, users, nil
}

// Skip implements offer.ScheduleStore.
func (s *Store) Skip(_ context.Context, sh offer.Shard, reason string) (users int, err error) {
	return s.move(sh, func(j *Job) {
		j.Status, j.Error = job.StatusCancelled, reason
		s.insert(j)
	}), nil
}

// move moves the next users of a group to the date, and calls write with a new job
// of each member.
func (s *Store) move(sh offer.Shard, write func(*Job)) (users int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.next(sh) {
		if sh.Member == nil || sh.Member(u.ID) {
			write(&Job{CreatedAt: s.now(), Set: offer.Set{Job: offer.Job{ID: offer.JobID(u.Tenant, sh.Date, u.Zone, u.ID),
				Tenant: u.Tenant, User: u.ID, Date: sh.Date, Zone: u.Zone, Digest: sh.Digest, Algorithm: sh.Algorithm,
				OfferedAt: sh.OfferedAt, ExpiresAt: sh.ExpiresAt}}})
		}
		s.leave(u)
		u.queued, u.through = true, sh.Date
		u.landed(sh.Date)
		if u.flownTo <= sh.Date+1 {
			u.flownFrom, u.flownTo = 0, 0
		}
		s.enter(u)
		users++
	}
	return users
}

// next returns the first users of a shard's group, by their ids.
func (s *Store) next(sh offer.Shard) []*user {
	list := slices.Collect(maps.Values(s.groups[groupOf(sh.Group)]))
	slices.SortFunc(list, func(a, b *user) int { return compare(a.ID, b.ID) })
	return list[:min(sh.Limit, len(list))]
}

var (
	_ offer.Store         = (*Store)(nil)
	_ offer.ScheduleStore = (*Store)(nil)
	_ job.Store           = (*Store)(nil)
	_ job.PublishStore    = (*Store)(nil)
	_ sweep.Store         = (*Store)(nil)
)

package offer_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// fakeStore keeps users, rosters, jobs and sets in memory, by the rules of migration
// 00018, so that a test may let a year pass. postgres/offers has the real store.
type fakeStore struct {
	now     func() time.Time // the database's
	users   []*fakeUser      // by id
	rosters map[roster.Key]roster.Frozen
	frozen  map[roster.Key]time.Time
	changes map[roster.Key][]roster.Change
	jobs    map[uuid.UUID]*fakeJob
	// What rosters remember.
	settings map[uuid.UUID]roster.Settings
	past     map[uuid.UUID][]roster.Past
	shown    map[shownKey][]uuid.UUID
}

type shownKey struct {
	Tenant, User uuid.UUID
	Date         day.Date
}

// fakeUser is a user with what a trigger and the scheduler keep.
type fakeUser struct {
	offer.User
	fakeGroup
	created time.Time
	lived   day.Date          // the last date due where the user was, before the latest move
	dates   map[day.Date]bool // with a job: a user has one a date
}

// fakeGroup is an offer.Group in a form that can be compared.
type fakeGroup struct {
	tenant                      uuid.UUID
	zone                        string
	through, flownFrom, flownTo day.Date
}

const notYet = day.Date(math.MinInt32) // the through of a user without a queued date

// fakeJob is a row of matchmaking_job.
type fakeJob struct {
	offer.Record
	attempt          int
	published, lease time.Time
}

// The states of a job, as they are stored.
const pending, running, completed, failed, skipped = "pending", "running", "completed", "failed", "skipped"

func newFakeStore(now func() time.Time) *fakeStore {
	return &fakeStore{now: now, rosters: map[roster.Key]roster.Frozen{}, frozen: map[roster.Key]time.Time{},
		changes: map[roster.Key][]roster.Change{}, jobs: map[uuid.UUID]*fakeJob{},
		past: map[uuid.UUID][]roster.Past{}, shown: map[shownKey][]uuid.UUID{}}
}

// JobsOf returns the jobs of a date, by user.
func (s *fakeStore) JobsOf(_ context.Context, tenant uuid.UUID, date day.Date) (list []offer.Record, err error) {
	for _, j := range s.jobs {
		if j.Tenant == tenant && j.Date == date {
			list = append(list, j.Record)
		}
	}
	slices.SortFunc(list, func(a, b offer.Record) int { return compareIDs(a.User, b.User) })
	return list, nil
}

// Forget deletes what a date has, so that a year fits into memory.
func (s *fakeStore) Forget(date day.Date) {
	maps.DeleteFunc(s.shown, func(k shownKey, _ []uuid.UUID) bool { return k.Date < date-28 })
	maps.DeleteFunc(s.jobs, func(_ uuid.UUID, j *fakeJob) bool { return j.Date == date })
	maps.DeleteFunc(s.rosters, func(k roster.Key, _ roster.Frozen) bool { return k.Date == date })
	maps.DeleteFunc(s.changes, func(k roster.Key, _ []roster.Change) bool { return k.Date == date })
}

// Put writes a user as another program does.
func (s *fakeStore) Put(u offer.User) {
	i, found := slices.BinarySearchFunc(s.users, u.ID, func(f *fakeUser, id uuid.UUID) int { return compareIDs(f.ID, id) })
	if !found {
		row := &fakeUser{fakeGroup: fakeGroup{tenant: u.Tenant, zone: u.Zone, through: notYet}, created: s.now(), dates: map[day.Date]bool{}}
		s.users = slices.Insert(s.users, i, row)
	}
	row := s.users[i]
	if !row.Active {
		row.through, row.lived = notYet, 0
	}
	row.User = u
	if row.zone != u.Zone {
		left := s.now().In(zone(row.zone))
		if row.lived = max(row.lived, day.Of(left)-1); left.Hour() >= 9 {
			row.lived = max(row.lived, day.Of(left))
		}
		row.fly(day.Of(left), day.Of(s.now().In(zone(u.Zone))), row.lived)
		row.zone = u.Zone
	}
}

// Answer writes a user's answer.
func (s *fakeStore) Answer(f offer.Feedback) {
	s.past[f.User] = append(s.past[f.User], roster.Past{With: f.Candidate, Answer: f.Answer, On: day.Of(f.At.UTC())})
}

// fly notes the dates between the date before a move and the one after it: they are
// in no calendar of the user, unless the user flies back into them, or one was due
// where the user lived before.
func (g *fakeGroup) fly(before, after, lived day.Date) {
	if after > before+1 {
		g.flownFrom, g.flownTo = max(before, lived)+1, after
	} else {
		g.flownTo = min(g.flownTo, after)
	}
	g.landed(g.flownFrom - 1)
	g.through = min(g.through, after-1)
}

// landed forgets the dates that were flown over when all of them are behind.
func (g *fakeGroup) landed(through day.Date) {
	if g.flownTo <= g.flownFrom || g.flownTo-1 <= through {
		g.flownFrom, g.flownTo = 0, 0
	}
}

func compareIDs(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

// The store of the scheduler.

func (s *fakeStore) Now(context.Context) (time.Time, error) { return s.now(), nil }

func (s *fakeStore) Waiting(context.Context) (list []offer.Group, err error) {
	places := map[fakeGroup]int{}
	for _, u := range s.users {
		i, found := places[u.fakeGroup]
		switch {
		case !u.Active:
		case found:
			list[i].Users++
		default:
			places[u.fakeGroup] = len(list)
			g := offer.Group{Tenant: u.tenant, Zone: u.zone, FlownFrom: u.flownFrom, FlownTo: u.flownTo, Users: 1}
			if through := u.through; through != notYet {
				g.Through = &through
			}
			list = append(list, g)
		}
	}
	return list, nil
}

func (s *fakeStore) Settings(context.Context) (map[uuid.UUID]roster.Settings, error) {
	return s.settings, nil
}

// Shown returns the candidates of the jobs that aren't forgotten.
func (s *fakeStore) Shown(_ context.Context, tenant uuid.UUID, dates []day.Date) (list []offer.Shown, err error) {
	for key, candidates := range s.shown {
		if key.Tenant == tenant && slices.Contains(dates, key.Date) {
			list = append(list, offer.Shown{User: key.User, Date: key.Date, Candidates: candidates})
		}
	}
	return list, nil
}

func (s *fakeStore) Eligible(_ context.Context, tenant uuid.UUID, _ roster.Settings) ([]roster.Row, error) {
	return s.eligible(tenant, func(*fakeUser) bool { return true }), nil
}

func (s *fakeStore) Newcomers(
	_ context.Context, of roster.Key, zone string, before time.Time, _ roster.Settings,
) ([]roster.Row, error) {
	after := s.frozen[roster.Key{Tenant: of.Tenant, Date: of.Date}]
	return s.eligible(of.Tenant, func(u *fakeUser) bool {
		return u.zone == zone && u.created.Before(before) && !u.created.Before(after)
	}), nil
}

func (s *fakeStore) eligible(tenant uuid.UUID, chosen func(*fakeUser) bool) (rows []roster.Row) {
	for _, u := range s.users {
		if u.Active && u.tenant == tenant && chosen(u) {
			r := roster.Row{ID: u.ID, Profile: u.Profile, Preferences: u.Preferences, Past: s.past[u.ID]}
			if u.ActiveAt != nil {
				r.Active = day.Of(u.ActiveAt.UTC())
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func (s *fakeStore) Change(_ context.Context, c roster.Change) (roster.Change, error) {
	key := roster.Key{Tenant: c.Tenant, Date: c.Date}
	if i := slices.IndexFunc(s.changes[key], func(o roster.Change) bool { return o.Zone == c.Zone }); i >= 0 {
		return s.changes[key][i], nil
	}
	s.changes[key] = append(s.changes[key], c)
	return c, nil
}

func (s *fakeStore) Freeze(ctx context.Context, f roster.Frozen) (roster.Frozen, error) {
	if stored, err := s.Roster(ctx, f.Tenant, f.Date); err == nil {
		return stored, nil
	}
	key := roster.Key{Tenant: f.Tenant, Date: f.Date}
	s.rosters[key], s.frozen[key] = f, s.now()
	return f, nil
}

func (s *fakeStore) Queue(_ context.Context, sh offer.Shard) (stamped []job.Stamped, users int, err error) {
	users = s.move(sh, func(j *fakeJob) { stamped = append(stamped, s.publish(j)) })
	return stamped, users, nil
}

func (s *fakeStore) Skip(_ context.Context, sh offer.Shard, reason string) (users int, err error) {
	return s.move(sh, func(j *fakeJob) { s.end(j, skipped, reason) }), nil
}

// move moves the next users of a group to the date, and calls insert for each new job.
func (s *fakeStore) move(sh offer.Shard, insert func(*fakeJob)) (users int) {
	g := fakeGroup{sh.Tenant, sh.Zone, notYet, sh.FlownFrom, sh.FlownTo}
	if sh.Through != nil {
		g.through = *sh.Through
	}
	for _, u := range s.users {
		if users == sh.Limit {
			break
		}
		if !u.Active || u.fakeGroup != g || sh.Users != nil && !slices.Contains(sh.Users, u.ID) {
			continue
		}
		if !u.dates[sh.Date] && (sh.Member == nil || sh.Member(u.ID)) {
			j := &fakeJob{}
			j.Job = offer.Job{ID: offer.JobID(u.tenant, sh.Date, u.zone, u.ID), Tenant: u.tenant, User: u.ID, Date: sh.Date, Zone: u.zone,
				Digest: sh.Digest, Algorithm: sh.Algorithm, OfferedAt: sh.OfferedAt, ExpiresAt: sh.ExpiresAt}
			s.jobs[j.ID], u.dates[sh.Date] = j, true
			insert(j)
		}
		users++
		u.through = sh.Date
		u.landed(sh.Date)
	}
	return users
}

// The store of the runtime and of the sweep, as far as a simulation needs them.

// Claim claims the job of one delivery.
func (s *fakeStore) Claim(_ context.Context, ds []job.Delivery, lease time.Duration, _ bool) ([]job.Claim, error) {
	c, j := job.Claim{Found: job.Done}, s.jobs[ds[0].ID]
	switch {
	case j == nil || ds[0].PublishedAt.Before(j.published) || !j.open():
	case j.Status == running && j.lease.After(s.now()):
		c = job.Claim{Found: job.Held, Wait: j.lease.Sub(s.now())}
	default:
		j.Status, j.lease, j.attempt = running, s.now().Add(lease), j.attempt+1
		c = job.Claim{Found: job.Claimed, Attempt: job.Attempt{ID: j.ID, Number: j.attempt}}
	}
	return []job.Claim{c}, nil
}

// open reports whether a job waits or is at work.
func (j *fakeJob) open() bool { return j.Status == pending || j.Status == running }

// held returns the job of a fence that holds.
func (s *fakeStore) held(f job.Attempt) (*fakeJob, error) {
	j := s.jobs[f.ID]
	if j == nil || j.attempt != f.Number || j.Status != running {
		return &fakeJob{}, job.ErrFenceLost
	}
	return j, nil
}

func (s *fakeStore) end(j *fakeJob, status, reason string) {
	j.Status, j.Error, j.CompletedAt = status, reason, s.now()
}

// Release fails a job: in a simulation the other ones wait for the sweep.
func (s *fakeStore) Release(_ context.Context, f job.Attempt, r job.Release) (bool, error) {
	j, err := s.held(f)
	if err == nil {
		s.end(j, failed, r.Reason)
	}
	return err == nil, nil
}

func (s *fakeStore) publish(j *fakeJob) job.Stamped {
	j.Status, j.published = pending, s.now()
	return job.Stamped{ID: j.ID, PublishedAt: j.published, Tenant: j.Tenant}
}

// Republish leaves it to the fence that a late message does no harm.
func (s *fakeStore) Republish(_ context.Context, w sweep.Waits, limit int) (again []sweep.Republished, err error) {
	var late []uuid.UUID
	for id, j := range s.jobs {
		if j.open() && later(j.published, j.lease).Add(w.Visibility).Before(s.now()) {
			late = append(late, id)
		}
	}
	slices.SortFunc(late, compareIDs)
	for _, id := range late[:min(limit, len(late))] {
		again = append(again, sweep.Republished{Stamped: s.publish(s.jobs[id])})
	}
	return again, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// The store of the work.

func (s *fakeStore) Job(_ context.Context, f job.Attempt) (offer.Job, error) {
	j, err := s.held(f)
	return j.Job, err
}

func (s *fakeStore) Roster(_ context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	f, ok := s.rosters[roster.Key{Tenant: tenant, Date: date}]
	if !ok {
		return f, job.ErrNotFound
	}
	return f, nil
}

func (s *fakeStore) RosterOf(ctx context.Context, j offer.Job) (roster.Frozen, error) {
	f, err := s.Roster(ctx, j.Tenant, j.Date)
	for _, c := range s.changes[roster.Key{Tenant: j.Tenant, Date: j.Date}] {
		if err == nil && c.Digest == j.Digest {
			return f.With(c.Rows)
		}
	}
	return f, err
}

func (s *fakeStore) Complete(_ context.Context, sets []offer.Completed, _ bool) (held []job.Attempt, _ error) {
	for _, set := range sets {
		j, err := s.held(set.Fence)
		if err != nil {
			continue
		}
		held = append(held, set.Fence)
		j.Offers = set.Offers
		for _, o := range set.Offers {
			key := shownKey{j.Tenant, j.User, j.Date}
			s.shown[key] = append(s.shown[key], o.Candidate)
		}
		s.end(j, completed, "")
	}
	return held, nil
}

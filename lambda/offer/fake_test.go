package offer_test

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// fakeStore keeps users, rosters, jobs and sets in memory, by the rules of migration
// 00018, so that a test may let a year pass. postgres.Offers is the real store.
type fakeStore struct {
	clock func() time.Time // the database's

	mu      sync.Mutex
	users   map[uuid.UUID]*fakeUser
	groups  map[fakeGroup]map[uuid.UUID]*fakeUser // active users
	rosters map[dateOf]roster.Frozen
	jobs    map[uuid.UUID]*fakeJob
	dates   map[dateOf]map[uuid.UUID]*fakeJob // by user: a user has one job a date
	open    map[uuid.UUID]*fakeJob            // pending or in progress
}

// dateOf is the date of a tenant.
type dateOf struct {
	tenant uuid.UUID
	date   day.Date
}

// fakeUser is a user with what a trigger and the scheduler keep.
type fakeUser struct {
	offer.User
	version                     int64
	through, flownFrom, flownTo day.Date
}

const notYet = day.Date(math.MinInt32) // the through of a user without a queued date

// fakeGroup is an offer.Group in a form that can be compared.
type fakeGroup struct {
	tenant                      uuid.UUID
	zone                        string
	through, flownFrom, flownTo day.Date
}

// fakeJob is a row of matchmaking_job, with the offers of its set.
type fakeJob struct {
	offer.Set
	Status    job.Status
	Error     string
	CreatedAt time.Time
	EndedAt   time.Time // completed, failed or skipped

	attempt               int
	published, due, lease time.Time
}

func newFakeStore(clock func() time.Time) *fakeStore {
	return &fakeStore{clock: clock, users: map[uuid.UUID]*fakeUser{}, groups: map[fakeGroup]map[uuid.UUID]*fakeUser{},
		rosters: map[dateOf]roster.Frozen{}, jobs: map[uuid.UUID]*fakeJob{}, dates: map[dateOf]map[uuid.UUID]*fakeJob{},
		open: map[uuid.UUID]*fakeJob{}}
}

// now returns the time with the precision of the database.
func (s *fakeStore) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Jobs returns the jobs of a date, by user.
func (s *fakeStore) Jobs(tenant uuid.UUID, date day.Date) []*fakeJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.dates[dateOf{tenant, date}]),
		func(a, b *fakeJob) int { return compareIDs(a.User, b.User) })
}

// Forget deletes the jobs and the roster of a date, so that a year fits into memory.
func (s *fakeStore) Forget(tenant uuid.UUID, date day.Date) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.dates[dateOf{tenant, date}] {
		delete(s.jobs, j.ID)
		delete(s.open, j.ID)
	}
	delete(s.dates, dateOf{tenant, date})
	delete(s.rosters, dateOf{tenant, date})
}

// Open returns the number of jobs that wait or are at work.
func (s *fakeStore) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Put writes a user as another program does.
func (s *fakeStore) Put(u offer.User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.users[u.ID]
	if row == nil {
		row = &fakeUser{User: offer.User{Zone: u.Zone}, through: notYet}
		s.users[u.ID] = row
	}
	s.regroup(row, func() {
		before := row.User
		row.User = u
		row.version++
		if !before.Active {
			row.through = notYet
		}
		if before.Zone != u.Zone {
			row.fly(dateIn(before.Zone, s.now()), dateIn(u.Zone, s.now()))
		}
	})
}

// fly notes the dates between the date before a move and the one after it: they are
// in no calendar of the user, unless the user flies back into them.
func (u *fakeUser) fly(before, after day.Date) {
	if after > before+1 {
		u.flownFrom, u.flownTo = before+1, after
	} else {
		u.flownTo = min(u.flownTo, after)
	}
	u.landed(u.flownFrom - 1)
	u.through = min(u.through, after-1)
}

// landed forgets the dates that were flown over when all of them are behind.
func (u *fakeUser) landed(through day.Date) {
	if u.flownTo <= u.flownFrom || u.flownTo-1 <= through {
		u.flownFrom, u.flownTo = 0, 0
	}
}

// dateIn returns the date that the clocks of a zone show.
func dateIn(name string, now time.Time) day.Date {
	zone, err := day.Zone(name)
	if err != nil {
		panic(err) // a test moves users to known zones only
	}
	return day.Of(now.In(zone))
}

// regroup changes a user, who may be of another group afterwards.
func (s *fakeStore) regroup(u *fakeUser, change func()) {
	before := u.group()
	if delete(s.groups[before], u.ID); len(s.groups[before]) == 0 {
		delete(s.groups, before)
	}
	if change(); !u.Active {
		return
	}
	g := u.group()
	if s.groups[g] == nil {
		s.groups[g] = map[uuid.UUID]*fakeUser{}
	}
	s.groups[g][u.ID] = u
}

func (u *fakeUser) group() fakeGroup {
	return fakeGroup{u.Tenant, u.Zone, u.through, u.flownFrom, u.flownTo}
}

func (g fakeGroup) compare(o fakeGroup) int {
	return cmp.Or(compareIDs(g.tenant, o.tenant), cmp.Compare(g.zone, o.zone), cmp.Compare(g.through, o.through),
		cmp.Compare(g.flownFrom, o.flownFrom), cmp.Compare(g.flownTo, o.flownTo))
}

func compareIDs(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

// The store of the scheduler.

func (s *fakeStore) Now(context.Context) (time.Time, error) { return s.now(), nil }

func (s *fakeStore) Waiting(context.Context) (list []offer.Group, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range slices.SortedFunc(maps.Keys(s.groups), fakeGroup.compare) {
		o := offer.Group{Tenant: g.tenant, Zone: g.zone, FlownFrom: g.flownFrom, FlownTo: g.flownTo, Users: len(s.groups[g])}
		if g.through != notYet {
			o.Through = &g.through
		}
		list = append(list, o)
	}
	return list, nil
}

func (s *fakeStore) Eligible(_ context.Context, tenant uuid.UUID) (rows []roster.Row, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.users {
		if u.Active && u.Tenant == tenant {
			r := roster.Row{ID: u.ID, Version: u.version, Profile: u.Profile, Preferences: u.Preferences}
			if u.ActiveAt != nil {
				r.Active = day.Of(u.ActiveAt.UTC())
			}
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b roster.Row) int { return compareIDs(a.ID, b.ID) })
	return rows, nil
}

func (s *fakeStore) Freeze(_ context.Context, f roster.Frozen) (roster.Frozen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := dateOf{f.Tenant, f.Date}
	if stored, ok := s.rosters[of]; ok {
		return stored, nil
	}
	s.rosters[of] = f
	return f, nil
}

func (s *fakeStore) Queue(_ context.Context, sh offer.Shard) (stamped []job.Stamped, users int, err error) {
	users = s.move(sh, func(j *fakeJob) {
		j.Status, j.published, j.due = job.StatusPending, j.CreatedAt, j.CreatedAt
		s.open[j.ID] = j
		stamped = append(stamped, job.Stamped{ID: j.ID, PublishedAt: j.published, Tenant: j.Tenant})
	})
	return stamped, users, nil
}

func (s *fakeStore) Skip(_ context.Context, sh offer.Shard, reason string) (users int, err error) {
	return s.move(sh, func(j *fakeJob) { j.Status, j.Error, j.EndedAt = job.StatusCancelled, reason, j.CreatedAt }), nil
}

// move moves the next users of a group to the date, and calls insert for each new job.
func (s *fakeStore) move(sh offer.Shard, insert func(*fakeJob)) (users int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := fakeGroup{sh.Tenant, sh.Zone, notYet, sh.FlownFrom, sh.FlownTo}
	if sh.Through != nil {
		g.through = *sh.Through
	}
	list := slices.SortedFunc(maps.Values(s.groups[g]), func(a, b *fakeUser) int { return compareIDs(a.ID, b.ID) })
	list = list[:min(sh.Limit, len(list))]
	of := dateOf{sh.Tenant, sh.Date}
	if s.dates[of] == nil {
		s.dates[of] = map[uuid.UUID]*fakeJob{}
	}
	for _, u := range list {
		if s.dates[of][u.ID] == nil && (sh.Member == nil || sh.Member(u.ID)) {
			j := &fakeJob{CreatedAt: s.now(), Set: offer.Set{Job: offer.Job{ID: offer.JobID(u.Tenant, sh.Date, u.Zone, u.ID),
				Tenant: u.Tenant, User: u.ID, Date: sh.Date, Zone: u.Zone, Digest: sh.Digest, Algorithm: sh.Algorithm,
				OfferedAt: sh.OfferedAt, ExpiresAt: sh.ExpiresAt}}}
			s.jobs[j.ID], s.dates[of][u.ID] = j, j
			insert(j)
		}
		s.regroup(u, func() {
			u.through = sh.Date
			u.landed(sh.Date)
		})
	}
	return len(list)
}

// The store of the runtime.

func (s *fakeStore) Claim(_ context.Context, ds []job.Delivery, lease time.Duration, suspects bool) ([]job.Claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	claims := make([]job.Claim, len(ds))
	for i, d := range ds {
		claims[i] = s.claim(d, lease, suspects)
	}
	return claims, nil
}

func (s *fakeStore) claim(d job.Delivery, lease time.Duration, suspects bool) job.Claim {
	j := s.jobs[d.ID]
	if j == nil {
		return job.Claim{Found: job.Missing}
	}
	now := s.now()
	c := job.Claim{Attempt: job.Attempt{ID: d.ID, Number: j.attempt}, Tenant: j.Tenant}
	switch held, early := j.lease.Sub(now), j.due.Sub(now); {
	case d.PublishedAt.Before(j.published):
		c.Found = job.Superseded
	case j.final(), j.Status == job.StatusFailed && !d.SentAt.After(j.EndedAt):
		c.Found = job.Done
	case j.Status == job.StatusInProgress && held > 0:
		c.Found, c.Wait = job.Held, held
	case j.Status == job.StatusInProgress && !suspects:
		c.Suspect = true
	case j.Status == job.StatusPending && early > time.Minute && !d.Last:
		c.Found, c.Wait = job.Early, early
	default:
		j.Status, j.lease = job.StatusInProgress, now.Add(lease)
		j.attempt++
		s.open[j.ID] = j
		c.Attempt.Number = j.attempt
	}
	return c
}

// final reports whether a job is completed or skipped, and stays as it is.
func (j *fakeJob) final() bool {
	return j.Status == job.StatusSucceeded || j.Status == job.StatusCancelled
}

// held returns the job of a fence that holds.
func (s *fakeStore) held(f job.Attempt) (*fakeJob, error) {
	j := s.jobs[f.ID]
	if j == nil || j.attempt != f.Number || j.Status != job.StatusInProgress {
		return nil, job.ErrFenceLost
	}
	return j, nil
}

func (s *fakeStore) end(j *fakeJob, status job.Status, reason string) {
	j.Status, j.Error, j.EndedAt = status, reason, s.now()
	delete(s.open, j.ID)
}

func (s *fakeStore) Release(_ context.Context, f job.Attempt, r job.Release) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.held(f)
	switch {
	case err != nil:
		return false, nil // the fence does not hold
	case r.Status == job.StatusFailed:
		s.end(j, r.Status, r.Reason)
	default:
		j.Status, j.Error, j.due = r.Status, r.Reason, s.now().Add(r.Due)
	}
	return true, nil
}

func (s *fakeStore) Extend(_ context.Context, fences []job.Attempt, lease time.Duration) (ours []job.Attempt, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range fences {
		if j, err := s.held(f); err == nil {
			j.lease = s.now().Add(lease)
			ours = append(ours, f)
		}
	}
	return ours, nil
}

func (s *fakeStore) Find(_ context.Context, id uuid.UUID) (job.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil {
		return job.Row{}, job.ErrNotFound
	}
	return job.Row{Status: j.Status, Attempt: j.attempt, LeaseLeft: j.lease.Sub(s.now())}, nil
}

func (s *fakeStore) Publish(_ context.Context, ids []uuid.UUID) (stamped []job.Stamped, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if j := s.jobs[id]; j != nil {
			stamped = append(stamped, s.publish(j))
		}
	}
	return stamped, nil
}

// publish gives a job a stamp, which always rises.
func (s *fakeStore) publish(j *fakeJob) job.Stamped {
	now := s.now()
	if next := j.published.Add(time.Microsecond); next.After(now) {
		now = next
	}
	if j.published = now; !j.final() {
		j.Status, j.Error, j.due = job.StatusPending, "", now
		s.open[j.ID] = j
	}
	return job.Stamped{ID: j.ID, PublishedAt: now, Tenant: j.Tenant}
}

// The store of the sweep.

// late returns the jobs that wait in vain, by their ids.
func (s *fakeStore) late(w sweep.Waits) (list []*fakeJob) {
	for _, j := range s.open {
		lapsed := j.Status == job.StatusInProgress && j.lease.Add(w.Visibility).Before(s.now())
		if lapsed || j.Status == job.StatusPending && j.due.Add(w.Visibility).Before(s.now()) {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *fakeJob) int { return compareIDs(a.ID, b.ID) })
	return list
}

func (s *fakeStore) Overdue(_ context.Context, w sweep.Waits, most int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(len(s.late(w)), most), nil
}

// Republish leaves it to the fence that a late message does no harm.
func (s *fakeStore) Republish(_ context.Context, w sweep.Waits, limit int) (again []sweep.Republished, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.late(w)
	for _, j := range late[:min(limit, len(late))] {
		kind := sweep.Overdue
		if j.Status == job.StatusInProgress {
			kind = sweep.Lapsed
		}
		again = append(again, sweep.Republished{Stamped: s.publish(j), Repair: kind})
	}
	return again, nil
}

// GiveUp gives up nothing, so that every job has to end with a set or a reason.
func (s *fakeStore) GiveUp(context.Context, sweep.Waits, int) (lost, crashed int, err error) {
	return 0, 0, nil
}

// The store of the work.

func (s *fakeStore) Job(_ context.Context, f job.Attempt) (offer.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.held(f)
	if err != nil {
		return offer.Job{}, err
	}
	return j.Job, nil
}

func (s *fakeStore) Roster(_ context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.rosters[dateOf{tenant, date}]
	if !ok {
		return roster.Frozen{}, job.ErrNotFound
	}
	return f, nil
}

func (s *fakeStore) Complete(_ context.Context, f job.Attempt, set offer.Set, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.held(f)
	if err != nil {
		return err
	}
	j.Offers = set.Offers
	s.end(j, job.StatusSucceeded, "")
	return nil
}

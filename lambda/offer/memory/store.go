// Package memory keeps users, rosters, jobs and sets of match offers in memory,
// by the rules of migration 00018, for simulations of millions of jobs on a clock of
// their own. postgres.Offers is the real store.
package memory

import (
	"slices"
	"sync"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Store is an offer.Store, an offer.ScheduleStore, a job.Store, a job.PublishStore
// and a sweep.Store.
type Store struct {
	clock func() time.Time

	mu      sync.Mutex
	users   map[uuid.UUID]*user
	groups  map[group]map[uuid.UUID]*user // active users
	rosters map[dateOf]roster.Frozen
	jobs    map[uuid.UUID]*Job
	dates   map[dateOf]map[uuid.UUID]*Job // by user: a user has one job a date
	open    map[uuid.UUID]*Job            // neither completed, failed nor skipped
	locked  map[uuid.UUID]bool            // by another program
	notes   map[uuid.UUID][]note
	writes  int
}

// dateOf is the date of a tenant.
type dateOf struct {
	tenant uuid.UUID
	date   day.Date
}

// Job is a row of matchmaking_job, with the offers of its set.
type Job struct {
	offer.Set
	Status    job.Status
	Attempts  int
	Error     string
	Published time.Time
	Due       time.Time
	FailedAt  time.Time
	CreatedAt time.Time
	EndedAt   time.Time // completed, failed or skipped

	lease               time.Time
	lapses, republished int
	write               int // the number of its latest write
}

// note is a notification.
type note struct {
	kind    string
	attempt int
}

// New returns an empty store. The clock is the database's.
func New(clock func() time.Time) *Store {
	return &Store{clock: clock, users: map[uuid.UUID]*user{}, groups: map[group]map[uuid.UUID]*user{},
		rosters: map[dateOf]roster.Frozen{}, jobs: map[uuid.UUID]*Job{}, dates: map[dateOf]map[uuid.UUID]*Job{},
		open: map[uuid.UUID]*Job{}, locked: map[uuid.UUID]bool{}, notes: map[uuid.UUID][]note{}}
}

// now returns the time with the precision of the database.
func (s *Store) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Jobs returns the jobs of a date, by user.
func (s *Store) Jobs(tenant uuid.UUID, date day.Date) []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs := make([]Job, 0, len(s.dates[dateOf{tenant, date}]))
	for _, j := range s.dates[dateOf{tenant, date}] {
		jobs = append(jobs, *j)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return compare(a.User, b.User) })
	return jobs
}

// JobOf returns the job of a user for a date.
func (s *Store) JobOf(tenant uuid.UUID, date day.Date, user uuid.UUID) (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.dates[dateOf{tenant, date}][user]
	if j == nil {
		return Job{}, false
	}
	return *j, true
}

// Failed returns the failed jobs of a date, by user.
func (s *Store) Failed(tenant uuid.UUID, date day.Date) (list []Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.dates[dateOf{tenant, date}] {
		if j.Status == job.StatusFailed {
			list = append(list, *j)
		}
	}
	slices.SortFunc(list, func(a, b Job) int { return compare(a.User, b.User) })
	return list
}

// Forget deletes the jobs and the roster of a date, so that a simulation of years
// fits into memory.
func (s *Store) Forget(tenant uuid.UUID, date day.Date) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.dates[dateOf{tenant, date}] {
		delete(s.jobs, j.ID)
		delete(s.open, j.ID)
		delete(s.notes, j.ID)
	}
	delete(s.dates, dateOf{tenant, date})
	delete(s.rosters, dateOf{tenant, date})
}

// Open returns the number of jobs that wait or are at work.
func (s *Store) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// insert adds a job, unless the user has one for the date.
func (s *Store) insert(j *Job) bool {
	of := dateOf{j.Tenant, j.Date}
	if s.jobs[j.ID] != nil || s.dates[of][j.User] != nil {
		return false
	}
	if s.dates[of] == nil {
		s.dates[of] = map[uuid.UUID]*Job{}
	}
	s.jobs[j.ID], s.dates[of][j.User] = j, j
	s.wrote(j)
	return true
}

// change writes a job as matchmaking_job_state allows: a job that is completed or
// skipped keeps all but its stamp.
func (s *Store) change(j *Job, write func(*Job)) {
	if final(j.Status) {
		after := *j
		write(&after)
		j.Published = after.Published
	} else {
		write(j)
	}
	s.wrote(j)
}

func (s *Store) wrote(j *Job) {
	s.writes++
	j.write = s.writes
	switch j.Status {
	case job.StatusSucceeded, job.StatusCancelled, job.StatusFailed:
		if j.EndedAt.IsZero() || j.Status == job.StatusFailed {
			j.EndedAt = s.now()
		}
		delete(s.open, j.ID)
	default:
		j.EndedAt = time.Time{}
		s.open[j.ID] = j
	}
}

func final(s job.Status) bool { return s == job.StatusSucceeded || s == job.StatusCancelled }

func compare(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }

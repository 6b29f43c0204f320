package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
)

// since returns when a job's message or its worker was due.
func (j *Job) since() time.Time {
	switch {
	case !j.lease.IsZero():
		return j.lease
	case !j.Due.IsZero():
		return j.Due
	}
	return j.CreatedAt
}

// unpublished reports whether a job was inserted, and never published.
func (j *Job) unpublished() bool {
	inserted := j.Status == job.StatusNone && !j.Due.IsZero() && j.Error == "" && j.Digest != [32]byte{}
	return j.Published.IsZero() && j.Attempts == 0 && (j.Status == job.StatusPending || inserted)
}

func (s *Store) overdue(j *Job, w sweep.Waits) bool {
	return j.Status == job.StatusPending && j.since().Add(w.Visibility<<min(j.republished, 10)).Before(s.now())
}

func (s *Store) lapsed(j *Job, w sweep.Waits) bool {
	return j.Status == job.StatusInProgress && j.since().Add(w.Visibility).Before(s.now())
}

// Overdue implements sweep.Store.
func (s *Store) Overdue(_ context.Context, w sweep.Waits, most int) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.open {
		if n < most && s.overdue(j, w) {
			n++
		}
	}
	return n, nil
}

// waiting returns the open jobs for which the condition holds, the longest waiting
// first.
func (s *Store) waiting(limit int, condition func(*Job) bool) (list []*Job) {
	for _, j := range s.open {
		if !s.locked[j.ID] && condition(j) {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *Job) int {
		if c := a.since().Compare(b.since()); c != 0 {
			return c
		}
		return compare(a.ID, b.ID)
	})
	return list[:min(limit, len(list))]
}

// front returns the stamp of the oldest message at work: how far the queue has
// come. It reports whether any is at work.
func (s *Store) front() (oldest time.Time, working bool) {
	for _, j := range s.open {
		if j.Status == job.StatusInProgress && j.lease.After(s.now()) {
			if !working || j.Published.Before(oldest) {
				oldest = j.Published
			}
			working = true
		}
	}
	return oldest, working
}

// Republish implements sweep.Store. All jobs are of one tenant, or the front is that
// of all tenants.
func (s *Store) Republish(_ context.Context, w sweep.Waits, limit int) (again []sweep.Republished, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	front, working := s.front()
	if w.Drained {
		front, working = s.now(), true
	}
	lost := w.Idle && !s.working()
	chosen := map[sweep.Repair][]*Job{
		sweep.Inserted: s.waiting(limit, func(j *Job) bool {
			return j.unpublished() && j.since().Add(w.Grace).Before(s.now())
		}),
		sweep.Lapsed: s.waiting(limit, func(j *Job) bool { return s.lapsed(j, w) && j.lapses+1 < w.Lapses }),
		sweep.Overdue: s.waiting(limit, func(j *Job) bool {
			return s.overdue(j, w) && (!j.Published.IsZero() || j.Attempts > 0) && working &&
				j.since().Add(w.Visibility).Before(front) && (!lost || j.republished < w.Times)
		}),
	}
	for _, kind := range []sweep.Repair{sweep.Inserted, sweep.Lapsed, sweep.Overdue} {
		for _, j := range chosen[kind] {
			again = append(again, sweep.Republished{Stamped: s.repair(j, kind), Repair: kind})
		}
	}
	return again, nil
}

func (s *Store) working() bool {
	_, working := s.front()
	return working
}

func (s *Store) repair(j *Job, kind sweep.Repair) job.Stamped {
	switch kind {
	case sweep.Lapsed:
		j.Error = fmt.Sprintf("attempt %d ended without a result", j.Attempts)
		j.lapses++
	case sweep.Overdue:
		j.republished++
	}
	s.publish(j)
	s.wrote(j)
	return job.Stamped{ID: j.ID, PublishedAt: j.Published, Tenant: j.Tenant}
}

// GiveUp implements sweep.Store.
func (s *Store) GiveUp(_ context.Context, w sweep.Waits, limit int) (lost, crashed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.Idle && !s.working() {
		for _, j := range s.waiting(limit, func(j *Job) bool { return s.overdue(j, w) && j.republished >= w.Times }) {
			j.Attempts++
			s.giveUp(j, "lost")
			lost++
		}
	}
	for _, j := range s.waiting(limit, func(j *Job) bool { return s.lapsed(j, w) && j.lapses+1 >= w.Lapses }) {
		s.giveUp(j, "crashed")
		crashed++
	}
	return lost, crashed, nil
}

func (s *Store) giveUp(j *Job, kind string) {
	j.Status, j.FailedAt, j.lease, j.Due, j.lapses = job.StatusFailed, s.now(), time.Time{}, time.Time{}, 0
	j.Error = kind
	s.note(j, kind)
	s.wrote(j)
}

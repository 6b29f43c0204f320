package memory

import (
	"context"
	"slices"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Claim implements job.Store.
func (s *Store) Claim(_ context.Context, ds []job.Delivery, lease time.Duration, suspects bool) ([]job.Claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	claims, ours := make([]job.Claim, len(ds)), map[uuid.UUID]bool{}
	for _, i := range byStamp(ds) {
		claims[i] = s.claim(ds[i], lease, suspects)
		if ours[ds[i].ID] && claims[i].Found == job.Held {
			claims[i].Wait = lease
		}
		ours[ds[i].ID] = true
	}
	return claims, nil
}

// byStamp returns the order in which deliveries get their turn: of two of one job
// the one that was published later is first.
func byStamp(ds []job.Delivery) []int {
	order := make([]int, len(ds))
	for i := range ds {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return ds[b].PublishedAt.Compare(ds[a].PublishedAt) })
	return order
}

func (s *Store) claim(d job.Delivery, lease time.Duration, suspects bool) job.Claim {
	j := s.jobs[d.ID]
	c := job.Claim{Attempt: job.Attempt{ID: d.ID}}
	switch {
	case j == nil:
		c.Found = job.Missing
		return c
	case s.locked[d.ID]:
		c.Found = job.Busy
		return c
	}
	now := s.now()
	c.Attempt.Number, c.Tenant = j.Attempts, j.Tenant
	left, due, givenUp := j.lease.Sub(now), j.Due.Sub(now), s.givenUp(j)
	switch {
	case !d.PublishedAt.IsZero() && d.PublishedAt.Before(j.Published) && !givenUp:
		c.Found = job.Superseded
	case final(j.Status), j.Status == job.StatusFailed && !d.SentAt.After(j.FailedAt) && !givenUp:
		c.Found = job.Done
	case j.Status == job.StatusInProgress && left > 0:
		c.Found, c.Wait = job.Held, left
	case j.Digest == [32]byte{}:
		c.Found, c.Reason = job.Unworkable, "the job has no roster"
		s.spoil(j, c.Reason)
	case !suspects && (j.Status == job.StatusInProgress || j.Status == job.StatusPending && j.lapses > 0):
		c.Suspect = true
	case j.Status == job.StatusPending && due > time.Minute && !d.Last:
		c.Found, c.Wait = job.Early, due
	default:
		s.take(j, now.Add(lease))
		c.Attempt.Number = j.Attempts
	}
	return c
}

// spoil ends a job that has nothing to work on.
func (s *Store) spoil(j *Job, reason string) {
	var none Job
	j.Status, j.Error, j.lapses, j.lease, j.FailedAt, j.Due = job.StatusNone, reason, 0, none.lease, none.FailedAt, none.Due
	j.republished = 0
	s.wrote(j)
}

// take gives a job to an attempt.
func (s *Store) take(j *Job, until time.Time) {
	switch j.Status {
	case job.StatusInProgress:
		j.lapses++
	case job.StatusPending:
	default:
		j.lapses = 0
	}
	j.Status, j.lease, j.FailedAt, j.Due, j.republished = job.StatusInProgress, until, time.Time{}, time.Time{}, 0
	j.Attempts++
	s.wrote(j)
}

// givenUp reports whether the sweep failed the job.
func (s *Store) givenUp(j *Job) bool {
	return j.Status == job.StatusFailed && slices.ContainsFunc(s.notes[j.ID], func(n note) bool {
		return n.attempt == j.Attempts && (n.kind == "lost" || n.kind == "crashed")
	})
}

// held returns the job of a fence that holds.
func (s *Store) held(f job.Attempt) (*Job, bool) {
	j := s.jobs[f.ID]
	return j, j != nil && j.Attempts == f.Number && j.Status == job.StatusInProgress
}

// Release implements job.Store.
func (s *Store) Release(_ context.Context, f job.Attempt, r job.Release) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.held(f)
	if !ok {
		return false, nil
	}
	j.Status, j.Error, j.lease, j.lapses, j.Due = r.Status, r.Reason, time.Time{}, 0, s.now().Add(r.Due)
	if r.Status == job.StatusFailed {
		j.FailedAt, j.Due = s.now(), time.Time{}
		s.note(j, r.Kind)
	}
	s.wrote(j)
	return true, nil
}

func (s *Store) note(j *Job, kind string) {
	s.notes[j.ID] = append(s.notes[j.ID], note{kind, j.Attempts})
}

// Extend implements job.Store.
func (s *Store) Extend(_ context.Context, fences []job.Attempt, lease time.Duration) (ours []job.Attempt, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range fences {
		if j, ok := s.held(f); ok {
			j.lease = s.now().Add(lease)
			s.wrote(j)
			ours = append(ours, f)
		}
	}
	return ours, nil
}

// Find implements job.Store.
func (s *Store) Find(_ context.Context, id uuid.UUID) (job.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil {
		return job.Row{}, job.ErrNotFound
	}
	row := job.Row{Status: j.Status, Attempt: j.Attempts}
	if !j.lease.IsZero() {
		row.LeaseLeft = j.lease.Sub(s.now())
	}
	return row, nil
}

// Publish implements job.PublishStore.
func (s *Store) Publish(_ context.Context, ids []uuid.UUID) (stamped []job.Stamped, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids = slices.Clone(ids)
	slices.SortFunc(ids, compare)
	for _, id := range slices.Compact(ids) {
		j := s.jobs[id]
		if j == nil {
			continue
		}
		s.change(j, func(j *Job) {
			s.publish(j)
			j.Error, j.FailedAt, j.republished, j.lapses = "", time.Time{}, 0, 0
		})
		stamped = append(stamped, job.Stamped{ID: id, PublishedAt: j.Published, Tenant: j.Tenant})
	}
	return stamped, nil
}

// publish gives a job a stamp, which always rises.
func (s *Store) publish(j *Job) {
	now := s.now()
	if next := j.Published.Add(time.Microsecond); !j.Published.IsZero() && next.After(now) {
		j.Published = next
	} else {
		j.Published = now
	}
	j.Status, j.Due, j.lease = job.StatusPending, now, time.Time{}
}

package memory

import (
	"context"

	"matchbook/lambda/job"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Job implements offer.Store.
func (s *Store) Job(_ context.Context, f job.Attempt) (offer.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.held(f)
	if !ok {
		return offer.Job{}, job.ErrFenceLost
	}
	return j.Job, nil
}

// Roster implements offer.Store.
func (s *Store) Roster(_ context.Context, tenant uuid.UUID, date day.Date) (roster.Frozen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.rosters[dateOf{tenant, date}]
	if !ok {
		return roster.Frozen{}, job.ErrNotFound
	}
	return f, nil
}

// Complete implements offer.Store. The sets that are to be delivered are those of
// completed jobs.
func (s *Store) Complete(_ context.Context, f job.Attempt, set offer.Set, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.held(f)
	if !ok {
		return job.ErrFenceLost
	}
	s.change(j, func(j *Job) {
		j.Offers, j.Status, j.Error = set.Offers, job.StatusSucceeded, ""
		j.clear()
	})
	return nil
}

// clear resets what belongs to the attempt that ends.
func (j *Job) clear() {
	var none Job
	j.lease, j.Due, j.FailedAt, j.lapses = none.lease, none.Due, none.FailedAt, 0
}

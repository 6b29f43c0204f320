package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/offer"

	"github.com/google/uuid"
)

// The same table of cases is that of the real store, postgres.Offers.
func TestJobsConform(t *testing.T) {
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		s, now := fixture(t)
		return jobtest.Fixture{Store: s, Work: s.work, New: s.lone, Lock: s.lock, Row: s.row, Dump: s.dump, Final: true,
			Spoil: func(id uuid.UUID) { s.edit(id, func(j *Job) { j.Digest = [32]byte{} }) },
			Cancel: func(id uuid.UUID) {
				s.edit(id, func(j *Job) { j.Status, j.lease, j.Due = job.StatusCancelled, time.Time{}, time.Time{} })
			},
			Now:     func() time.Time { return *now },
			Advance: func(d time.Duration) { *now = now.Add(d) }}
	})
}

func (s *Store) work(ctx context.Context, f job.Attempt) error {
	j, err := s.Job(ctx, f)
	if err != nil {
		return err
	}
	return s.Complete(ctx, f, offer.Set{Job: j}, true)
}

// lone inserts a job as another program does.
func (s *Store) lone() uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := &Job{CreatedAt: s.now(), Due: s.now()}
	j.ID, j.Tenant, j.User, j.Digest[0] = uuid.New(), tenant, uuid.New(), 1
	s.insert(j)
	return j.ID
}

func (s *Store) edit(id uuid.UUID, change func(*Job)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(s.jobs[id], change)
}

func (s *Store) lock(id uuid.UUID) (unlock func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked[id] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.locked, id)
	}
}

func (s *Store) row(id uuid.UUID) jobtest.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	var notes []string
	for _, n := range s.notes[id] {
		notes = append(notes, fmt.Sprintf("%s %d", n.kind, n.attempt))
	}
	return jobtest.Row{Status: j.Status, Attempt: j.Attempts, Error: j.Error, Due: j.Due, FailedAt: j.FailedAt,
		Notifications: strings.Join(notes, ", ")}
}

// dump names the latest write of each job.
func (s *Store) dump() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, id := range slices.SortedFunc(maps.Keys(s.jobs), compare) {
		fmt.Fprintln(&b, id, s.jobs[id].write, s.notes[id])
	}
	return b.String()
}

package review_test

import (
	"cmp"
	"context"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// Claim implements job.Store.
func (s *memory) Claim(_ context.Context, deliveries []job.Delivery, lease time.Duration, suspects bool) ([]job.Claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	claims := make([]job.Claim, len(deliveries))
	for i, d := range deliveries {
		claims[i] = s.claim(d, lease, suspects)
	}
	return claims, nil
}

func (s *memory) claim(d job.Delivery, lease time.Duration, suspects bool) job.Claim {
	ch := s.chunks[d.ID]
	if ch == nil {
		return job.Claim{Found: job.Missing}
	}
	c := job.Claim{Attempt: job.Attempt{ID: d.ID, Number: ch.Attempt}, Tenant: s.jobs[ch.JobID].TenantID}
	left := time.Until(ch.lease)
	switch {
	case !d.PublishedAt.IsZero() && d.PublishedAt.Before(ch.published):
		c.Found = job.Superseded
	case ch.Status == job.StatusSucceeded, ch.Status == job.StatusCancelled,
		ch.Status == job.StatusFailed && !d.SentAt.After(ch.failedAt):
		c.Found = job.Done
	case ch.Status == job.StatusInProgress && left > 0:
		c.Found, c.Wait = job.Held, left
	case ch.Status == job.StatusInProgress && !suspects:
		c.Suspect = true
	default:
		ch.Status, ch.lease = job.StatusInProgress, time.Now().Add(lease)
		ch.Attempt++
		c.Attempt.Number = ch.Attempt
	}
	return c
}

// Release implements job.Store.
func (s *memory) Release(_ context.Context, f job.Attempt, r job.Release) (bool, error) {
	if err := s.fail("Release"); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, _, err := s.held(f)
	if err != nil {
		return false, nil // the fence does not hold
	}
	ch.Status, ch.Error = r.Status, r.Reason
	if r.Status == job.StatusFailed {
		ch.failedAt = time.Now()
		s.ended(ch) // the message of the whole contract is the sweep's: see Waiting
	}
	return true, nil
}

// Extend implements job.Store.
func (s *memory) Extend(_ context.Context, fences []job.Attempt, lease time.Duration) (ours []job.Attempt, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range fences {
		if ch, _, err := s.held(f); err == nil {
			ch.lease = time.Now().Add(lease)
			ours = append(ours, f)
		}
	}
	return ours, nil
}

// Find implements job.Store.
func (s *memory) Find(_ context.Context, id uuid.UUID) (job.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.chunks[id]
	if ch == nil {
		return job.Row{}, job.ErrNotFound
	}
	return job.Row{Status: ch.Status, Attempt: ch.Attempt, LeaseLeft: time.Until(ch.lease)}, nil
}

// Sweep publishes the chunks again that were published, or whose lease ended, that
// long ago, and returns their messages.
func (s *memory) Sweep(after time.Duration) (stamped []job.Stamped) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range s.chunks {
		lapsed := ch.Status == job.StatusInProgress && time.Since(ch.lease) > after
		if lapsed || ch.Status == job.StatusPending && time.Since(ch.published) > after {
			stamped = append(stamped, s.publish(ch))
		}
	}
	return stamped
}

// FindAnswer implements llm.Vault.
func (s *memory) FindAnswer(_ context.Context, k llm.Key) (int64, string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, found := s.answers[k]
	return 1, text, found, nil
}

// KeepAnswer implements llm.Vault.
func (s *memory) KeepAnswer(_ context.Context, k llm.Key, _ uuid.UUID, a llm.Answer, unusable string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Bought[k]++
	if unusable == "" {
		s.answers[k] = cmp.Or(s.answers[k], a.Text)
	}
	return 1, nil
}

// DiscardAnswer implements llm.Vault: no answer of a test is discarded.
func (s *memory) DiscardAnswer(context.Context, int64, string) error { return nil }

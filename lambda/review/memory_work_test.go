package review_test

import (
	"context"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Task implements review.Store.
func (s *memory) Task(_ context.Context, f job.Attempt) (t record.Task, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, c, err := s.held(f)
	if err != nil {
		return t, err
	}
	if c.Status == record.Queued {
		now := time.Now()
		c.Status, c.StartedAt = record.Running, &now
	}
	t = record.Task{Job: c.Job, Chunk: ch.Chunk, Text: c.text[ch.Start:ch.End], Playbook: c.playbook,
		Ended: map[record.Stage]record.Result{}}
	for stage, k := range ch.calls {
		if k.result.Outcome == record.Done {
			t.Ended[stage] = k.result
		}
	}
	first := s.of(c.ID)[0]
	if k := first.calls[record.CardStage]; k != nil {
		t.Card = k.result.Card
	}
	if _, done := t.Ended[record.CardStage]; ch == first && ch.Kind == record.Text && c.Model != "" && !done {
		t.Contract = c.text
	}
	if ch.Kind == record.Whole {
		for _, o := range s.of(c.ID) {
			if o.Kind == record.Text {
				k := o.calls[record.Categories]
				o.Searched = k != nil && k.result.Outcome == record.Done
				t.Chunks = append(t.Chunks, o.Chunk)
				if k != nil {
					t.Marks = append(t.Marks, k.result.Marks...)
				}
			}
		}
		t.Findings = slices.Clone(c.findings)
	}
	return t, nil
}

func (s *memory) standing(c *keptReview, model string) record.Standing {
	return record.Standing{Status: c.Status, Paused: max(time.Until(s.paused[model]), 0),
		Left: c.Budget - c.Cost - c.reserved, Unspent: c.Budget - c.Cost}
}

// Begin implements review.Store.
func (s *memory) Begin(_ context.Context, f job.Attempt, model string, calls []record.Call) (record.Standing, error) {
	if err := s.fail("Begin"); err != nil {
		return record.Standing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, c, err := s.held(f)
	if err != nil {
		return record.Standing{}, err
	}
	if c.Status != record.Running {
		return s.standing(c, model), nil
	}
	var more record.USD
	for _, k := range calls {
		more += k.Estimate - ch.reserved(k.Stage)
	}
	if c.Budget > 0 && c.Cost+c.reserved+more > c.Budget {
		return s.standing(c, model), record.ErrBudget
	}
	c.reserved += more
	for _, k := range calls {
		ch.calls[k.Stage] = &keptCall{estimate: k.Estimate}
	}
	return s.standing(c, model), nil
}

// reserved is the cost that a stage under way has reserved.
func (ch *keptChunk) reserved(stage record.Stage) record.USD {
	if k := ch.calls[stage]; k != nil && k.result.Outcome == "" {
		return k.estimate
	}
	return 0
}

// Record implements review.Store.
func (s *memory) Record(_ context.Context, f job.Attempt, results []record.Result) (record.Standing, error) {
	<-time.After(s.Slow)
	if err := s.fail("Record"); err != nil {
		return record.Standing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, c, err := s.held(f)
	if err != nil {
		return record.Standing{}, err
	}
	for _, r := range results {
		c.reserved -= ch.reserved(r.Stage)
		c.Calls, c.Cost = c.Calls+r.Calls, c.Cost+r.Cost
		if c.Status != record.Running {
			if r.Findings, r.Withdrawn = nil, nil; r.Outcome == record.Done {
				r.Outcome = record.CancelledAt
			}
		}
		for _, found := range r.Findings {
			c.Findings++
			found.Seq, found.ChunkID = c.Findings, ch.ID
			c.findings = append(c.findings, found)
		}
		for seq, first := range r.Same {
			c.findings[seq-1].Repeats = first
		}
		for _, w := range r.Weighed {
			c.findings[w.Seq-1].Severity, c.findings[w.Seq-1].Explanation = w.Severity, w.Explanation
		}
		for _, seq := range r.Withdrawn {
			c.findings[seq-1].Withdrawn = true
		}
		ch.calls[r.Stage] = &keptCall{result: r}
	}
	return s.standing(c, c.Model), nil
}

// Open implements review.Store.
func (s *memory) Open(_ context.Context, f job.Attempt) ([]job.Stamped, error) {
	if err := s.fail("Open"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, c, err := s.held(f)
	if err != nil || c.Status != record.Running {
		return nil, err
	}
	return s.open(ch.JobID), nil
}

// End implements review.Store.
func (s *memory) End(_ context.Context, f job.Attempt, status job.Status, stage, reason string) ([]job.Stamped, error) {
	if err := s.fail("End"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, _, err := s.held(f)
	if err != nil {
		return nil, err
	}
	ch.Status, ch.Stage, ch.Error, ch.failedAt = status, stage, reason, time.Now()
	return s.ended(ch), nil
}

// Standing implements review.Store.
func (s *memory) Standing(_ context.Context, review uuid.UUID, model string) (record.Standing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing(s.jobs[review], model), nil
}

// Pause implements review.Store.
func (s *memory) Pause(_ context.Context, model string, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until := time.Now().Add(d); until.After(s.paused[model]) {
		s.paused[model] = until
	}
	return nil
}

// Cancel cancels a review: its chunks that are not at work are cancelled at once.
func (s *memory) Cancel(review uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.jobs[review]
	if c.Status.Over() {
		return
	}
	c.Status = record.Cancelling
	for _, ch := range s.of(review) {
		if (ch.Status == job.StatusPending || ch.Status == job.StatusNone && ch.Kind == record.Text) && !c.Status.Over() {
			ch.Status = job.StatusCancelled
			s.ended(ch)
		}
	}
}

// Retry makes the failed and cancelled chunks of an ended review pending again, and
// returns their messages. The contract as a whole follows them.
func (s *memory) Retry(review uuid.UUID) (stamped []job.Stamped) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, all := s.jobs[review], s.of(review)
	if !c.Status.Over() || c.Status == record.Completed {
		return nil
	}
	c.Status, c.EndedAt = record.Running, nil
	whole := all[len(all)-1]
	whole.Status, whole.Stage, whole.calls = job.StatusNone, "", map[record.Stage]*keptCall{}
	again := all[0].Status == job.StatusFailed || all[0].Status == job.StatusCancelled
	for _, ch := range all[:len(all)-1] {
		if ch.Status == job.StatusFailed || ch.Status == job.StatusCancelled {
			ch.Stage, ch.Error = "", ""
			c.ChunksOpen++
			c.Gaps--
			if ch.waits && again {
				ch.Status = job.StatusNone
				continue
			}
			stamped = append(stamped, s.publish(ch))
		}
	}
	if len(stamped) == 0 {
		stamped = append(stamped, s.publish(whole))
	}
	return stamped
}

// Take lets another attempt claim a chunk.
func (s *memory) Take(chunk uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks[chunk].Attempt++
}

// Job returns a review.
func (s *memory) Job(review uuid.UUID) record.Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[review].Job
}

// Chunks returns the chunks of a review, that of the whole contract too.
func (s *memory) Chunks(review uuid.UUID) (list []record.Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range s.of(review) {
		list = append(list, ch.Chunk)
	}
	return list
}

// Findings returns the findings of a review.
func (s *memory) Findings(review uuid.UUID) []record.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.jobs[review].findings)
}

// Outcomes returns the outcome of each stage of a chunk.
func (s *memory) Outcomes(chunk uuid.UUID) map[record.Stage]record.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[record.Stage]record.Outcome{}
	for stage, k := range s.chunks[chunk].calls {
		all[stage] = k.result.Outcome
	}
	return all
}

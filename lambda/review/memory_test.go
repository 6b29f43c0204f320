package review_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// memory keeps reviews, chunks, calls, findings and answers, for tests of the work
// that run many reviews on a clock that stands still. It is a review.Store, a
// review.Creator, a job.Store and an llm.Vault. postgres/reviews has the real store;
// both follow the documentation of review.Store and job.Store.
type memory struct {
	mu      sync.Mutex
	jobs    map[uuid.UUID]*keptReview
	chunks  map[uuid.UUID]*keptChunk
	paused  map[string]time.Time
	answers map[llm.Key]string
	Bought  map[llm.Key]int // answers that were kept, by question
	// Playbooks are those of tenants.
	Playbooks map[uuid.UUID][]byte
	// Ends counts how often each review ended.
	Ends map[uuid.UUID]int
	// Fail is called before each write of the work, and its error returned; it may be nil.
	Fail func(method string) error
	// Slow is the time that Record takes.
	Slow time.Duration
}

type keptReview struct {
	record.Job
	text     string
	playbook []byte
	reserved record.USD
	findings []record.Finding
}

type keptChunk struct {
	record.Chunk
	lease     time.Time
	published time.Time
	failedAt  time.Time
	waits     bool // for the card
	calls     map[record.Stage]*keptCall
}

type keptCall struct {
	estimate record.USD
	result   record.Result
}

// newMemory returns an empty store.
func newMemory() *memory {
	return &memory{jobs: map[uuid.UUID]*keptReview{}, chunks: map[uuid.UUID]*keptChunk{}, paused: map[string]time.Time{},
		answers: map[llm.Key]string{}, Bought: map[llm.Key]int{}, Ends: map[uuid.UUID]int{}}
}

func (s *memory) fail(method string) error {
	if s.Fail == nil {
		return nil
	}
	return s.Fail(method)
}

// Playbook implements review.Creator.
func (s *memory) Playbook(_ context.Context, tenantID uuid.UUID) ([]byte, error) {
	return s.Playbooks[tenantID], nil
}

// Create implements review.Creator.
func (s *memory) Create(_ context.Context, n record.New) ([]job.Stamped, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs[n.ID] != nil {
		return nil, nil
	}
	c := &keptReview{text: n.Text, playbook: n.Playbook, Job: record.Job{ID: n.ID, TenantID: n.TenantID,
		DocumentID: n.DocumentID, Name: n.Name, Status: record.Queued, Chunks: len(n.Chunks), ChunksOpen: len(n.Chunks),
		Budget: n.Budget, Estimate: n.Estimate, Model: n.Model, Playbook: n.PlaybookVersion, CreatedAt: time.Now()}}
	s.jobs[n.ID] = c
	if len(n.Chunks) == 0 {
		c.Error = "missing contract text"
		s.over(c, record.Failed)
		return nil, nil
	}
	var stamped []job.Stamped
	for _, part := range append(n.Chunks, record.Chunk{Position: len(n.Chunks), Kind: record.Whole, End: len(n.Text)}) {
		part.ID, part.JobID = uuid.NewSHA1(n.ID, []byte(strconv.Itoa(part.Position))), n.ID
		ch := &keptChunk{Chunk: part, calls: map[record.Stage]*keptCall{}}
		s.chunks[part.ID] = ch
		ch.waits = n.CardFirst && part.Position > 0
		if part.Kind == record.Text && !ch.waits {
			stamped = append(stamped, s.publish(ch))
		}
	}
	return stamped, nil
}

func (s *memory) publish(ch *keptChunk) job.Stamped {
	ch.Status, ch.published = job.StatusPending, time.Now().Truncate(time.Microsecond)
	return job.Stamped{ID: ch.ID, PublishedAt: ch.published, Tenant: s.jobs[ch.JobID].TenantID}
}

// of returns the chunks of a review, by position.
func (s *memory) of(review uuid.UUID) (list []*keptChunk) {
	for _, ch := range s.chunks {
		if ch.JobID == review {
			list = append(list, ch)
		}
	}
	slices.SortFunc(list, func(a, b *keptChunk) int { return a.Position - b.Position })
	return list
}

func (s *memory) over(c *keptReview, status record.Status) {
	now := time.Now()
	c.Status, c.EndedAt = status, &now
	s.Ends[c.ID]++
}

// ended counts a chunk of a review that has its end, and returns the message of
// the whole contract when it was the last one.
func (s *memory) ended(ch *keptChunk) (stamped []job.Stamped) {
	c, all := s.jobs[ch.JobID], s.of(ch.JobID)
	if ch.Position == 0 {
		stamped = s.open(ch.JobID)
	}
	for _, k := range ch.calls {
		if k.result.Outcome == "" {
			c.reserved -= k.estimate
			k.result.Outcome = record.StageFailed
		}
	}
	if ch.Kind == record.Whole {
		status := record.Completed
		switch {
		case c.Status == record.Cancelling:
			status = record.Cancelled
		case c.Gaps > 0 || ch.Status == job.StatusFailed:
			status = record.CompletedWithGaps
		}
		s.over(c, status)
		return nil
	}
	c.ChunksOpen--
	if ch.Status != job.StatusSucceeded {
		c.Gaps++
	}
	switch {
	case c.ChunksOpen > 0:
		return stamped
	case c.Status == record.Cancelling:
		all[len(all)-1].Status = job.StatusCancelled
		s.over(c, record.Cancelled)
	case !slices.ContainsFunc(all, (*keptChunk).answered):
		s.over(c, record.Failed)
	default:
		return []job.Stamped{s.publish(all[len(all)-1])}
	}
	return nil
}

// open publishes the chunks that wait for the card.
func (s *memory) open(review uuid.UUID) (stamped []job.Stamped) {
	for _, ch := range s.of(review) {
		if ch.waits && ch.Kind == record.Text && ch.Status == job.StatusNone {
			ch.waits = false
			stamped = append(stamped, s.publish(ch))
		}
	}
	return stamped
}

// answered reports whether a question about the chunk has its answer.
func (ch *keptChunk) answered() bool {
	for _, k := range ch.calls {
		if k.result.Outcome == record.Done {
			return true
		}
	}
	return false
}

// held returns the chunk of a fence that holds.
func (s *memory) held(f job.Attempt) (*keptChunk, *keptReview, error) {
	ch := s.chunks[f.ID]
	if ch == nil || ch.Attempt != f.Number || ch.Status != job.StatusInProgress {
		return nil, nil, job.ErrFenceLost
	}
	return ch, s.jobs[ch.JobID], nil
}

package review_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// simQueue is a queue as SQS is: a message that was received comes back after its
// visibility timeout, and now and then at once.
type simQueue struct {
	visibility time.Duration
	receives   int                                  // of a message; then it is a dead letter
	twice      func(body uuid.UUID, count int) bool // whether a receive is repeated at once

	mu       sync.Mutex
	messages []*simMessage
	changed  chan struct{} // closed when a message may be visible earlier
	repeated int
	dead     int
}

type simMessage struct {
	job.Stamped
	sent    time.Time
	visible time.Time
	count   int
	deleted bool
}

func newSimQueue(visibility time.Duration, receives int, twice func(uuid.UUID, int) bool) *simQueue {
	return &simQueue{visibility: visibility, receives: receives, twice: twice, changed: make(chan struct{})}
}

// Send implements job.Sender.
func (q *simQueue) Send(_ context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range stamped {
		q.messages = append(q.messages, &simMessage{Stamped: s, sent: time.Now(), visible: time.Now()})
	}
	q.wake()
	return nil, nil
}

func (q *simQueue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// receive waits for messages and returns at most n of them; none when ctx has ended.
func (q *simQueue) receive(ctx context.Context, n int) []*simMessage {
	for {
		batch, next, changed := q.visible(n)
		if len(batch) > 0 || ctx.Err() != nil {
			return batch
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// visible takes messages that are visible, or returns how long until one is.
func (q *simQueue) visible(n int) (batch []*simMessage, next time.Duration, changed chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = slices.DeleteFunc(q.messages, func(m *simMessage) bool { return m.deleted })
	next = time.Hour
	for _, m := range q.messages {
		wait := time.Until(m.visible)
		if wait > 0 {
			next = min(next, wait)
			continue
		}
		if len(batch) == n {
			break
		}
		if m.count++; m.count > q.receives {
			m.deleted = true
			q.dead++
			continue
		}
		m.visible = time.Now().Add(q.visibility)
		if q.twice(m.ID, m.count) {
			q.repeated++
			m.visible = time.Now().Add(time.Second)
		}
		batch = append(batch, m)
	}
	return batch, next, q.changed
}

func (q *simQueue) delete(m *simMessage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m.deleted = true
}

func (q *simQueue) hide(m *simMessage, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m.visible = time.Now().Add(d)
	q.wake()
}

// empty reports whether no message is left.
func (q *simQueue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !slices.ContainsFunc(q.messages, func(m *simMessage) bool { return !m.deleted })
}

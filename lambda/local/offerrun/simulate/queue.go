package simulate

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// queue is a queue as SQS is at its worst: messages come late, out of order, and
// some of them twice. Its clock differs from that of the database.
type queue struct {
	*loop
	rand     *rand.Rand
	skew     time.Duration // of its clock
	messages messages
	waiting  int // messages that are not deleted
	wake     func()
	planned  time.Time // the next wake
	last     time.Time // when the last message was sent

	Sent, Twice, Delayed, Dead int
}

type message struct {
	job.Stamped
	sent     time.Time
	visible  time.Time
	received int
	deleted  bool
}

const (
	twice   = 0.01  // share of messages that are delivered twice, up to a day later
	overlap = 0.003 // share of receives that are repeated within seconds
	delayed = 0.002 // share of messages that come up to six hours late
)

// Send implements job.Sender.
func (q *queue) Send(_ context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	for _, s := range stamped {
		q.Sent++
		q.last = later(q.now, q.last.Add(time.Millisecond)) // a sender takes its time
		late := q.last.Sub(q.now) + q.draw(5*time.Second)
		if q.rand.Float64() < delayed {
			q.Delayed++
			late = q.draw(6 * time.Hour)
		}
		q.put(s, late)
		if q.rand.Float64() < twice {
			q.Twice++
			q.put(s, q.draw(24*time.Hour))
		}
	}
	return nil, nil
}

func (q *queue) draw(most time.Duration) time.Duration {
	return time.Duration(q.rand.Int64N(int64(most)))
}

func (q *queue) put(s job.Stamped, late time.Duration) {
	q.waiting++
	q.show(&message{Stamped: s, sent: q.now.Add(q.skew)}, late)
}

func (q *queue) show(m *message, after time.Duration) {
	m.visible = q.now.Add(after)
	heap.Push(&q.messages, entry{m, m.visible})
}

// receive returns up to n messages that are visible.
func (q *queue) receive(n int) (batch []receipt) {
	for len(batch) < n && len(q.messages) > 0 && !q.messages[0].at.After(q.now) {
		e := heap.Pop(&q.messages).(entry)
		m := e.message
		if m.deleted || !m.visible.Equal(e.at) { // its visibility was changed
			continue
		}
		if m.received == manifest.Offer.MaxReceiveCount() || q.now.Sub(m.sent) > manifest.QueueRetention {
			q.Dead++
			q.delete(m)
			continue
		}
		m.received++
		hidden := manifest.Offer.Visibility()
		if q.rand.Float64() < overlap {
			hidden = q.draw(5 * time.Second)
		}
		q.show(m, hidden)
		batch = append(batch, receipt{m, m.received})
	}
	return batch
}

// plan wakes the workers when the next message is visible.
func (q *queue) plan() {
	for len(q.messages) > 0 && q.messages[0].deleted {
		heap.Pop(&q.messages)
	}
	if len(q.messages) == 0 {
		return
	}
	if next := q.messages[0].at; !q.planned.After(q.now) || next.Before(q.planned) {
		q.planned = next
		q.at(next, q.wake)
	}
}

// receipt is one receive of a message.
type receipt struct {
	*message
	count int
}

func (q *queue) delete(m *message) {
	if !m.deleted {
		m.deleted = true
		q.waiting--
	}
}

// hide changes the visibility of a receive, unless the message was received again.
func (q *queue) hide(r receipt, d time.Duration) {
	if !r.deleted && r.received == r.count {
		q.show(r.message, d)
	}
}

// Backlog implements sweep.Queue.
func (q *queue) Backlog(context.Context) (int, error) { return q.waiting, nil }

// messages is a heap, by when they are visible.
type messages []entry

type entry struct {
	*message
	at time.Time
}

// Len implements heap.Interface.
func (h messages) Len() int { return len(h) }

// Less implements heap.Interface.
func (h messages) Less(i, j int) bool { return h[i].at.Before(h[j].at) }

// Swap implements heap.Interface.
func (h messages) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *messages) Push(e any) { *h = append(*h, e.(entry)) }

// Pop implements heap.Interface.
func (h *messages) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = entry{}
	*h = (*h)[:last]
	return e
}

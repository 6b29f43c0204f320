package offer_test

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// simLoop runs events in the order of their time. Its clock stands still while one runs.
type simLoop struct {
	now     time.Time
	events  simEvents
	planned int
	moved   func() // called when the clock has moved; may be nil
}

type simEvent struct {
	at    time.Time
	order int // of two events at one time, the one that was planned first runs first
	run   func()
}

// at plans an event; one of the past runs next.
func (l *simLoop) at(t time.Time, run func()) {
	l.planned++
	heap.Push(&l.events, simEvent{t, l.planned, run})
}

func (l *simLoop) after(d time.Duration, run func()) { l.at(l.now.Add(d), run) }

// every plans an event for all periods until end.
func (l *simLoop) every(first time.Time, period time.Duration, end time.Time, run func()) {
	if first.Before(end) {
		l.at(first, func() {
			l.every(first.Add(period), period, end, run)
			run()
		})
	}
}

// step runs the next event, and reports false when there is none before end.
func (l *simLoop) step(end time.Time) bool {
	if len(l.events) == 0 || !l.events[0].at.Before(end) {
		return false
	}
	e := heap.Pop(&l.events).(simEvent)
	if e.at.After(l.now) {
		if l.now = e.at; l.moved != nil {
			l.moved()
		}
	}
	e.run()
	return true
}

// simEvents is a heap.
type simEvents []simEvent

func (h simEvents) Len() int      { return len(h) }
func (h simEvents) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *simEvents) Push(e any)   { *h = append(*h, e.(simEvent)) }

func (h simEvents) Less(i, j int) bool {
	c := h[i].at.Compare(h[j].at)
	return c < 0 || c == 0 && h[i].order < h[j].order
}

func (h *simEvents) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = simEvent{}
	*h = (*h)[:last]
	return e
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Shares of messages.
const (
	twice   = 0.01  // are delivered twice, up to a day later
	overlap = 0.003 // of receives: are repeated within seconds
	delayed = 0.002 // come up to six hours late
)

const queueSkew = 2 * time.Minute // of the queue's clock

// simQueue is a queue as SQS is at its worst: messages come late, out of order, and
// some of them twice, and its clock differs from that of the database.
type simQueue struct {
	*simLoop
	rand    *rand.Rand
	count   func(what string, n int) int
	wake    func()       // called when a message is visible
	visible []simReceipt // in the order in which they became so
	waiting int          // messages that are not deleted
	last    time.Time    // when the last message was sent
}

type simMessage struct {
	job.Stamped
	sent     time.Time
	received int
	shown    int // how often its visibility was set
	deleted  bool
}

// simReceipt is one receive of a message. It is void when the message is shown again.
type simReceipt struct {
	*simMessage
	count, shown int
}

func (q *simQueue) Send(_ context.Context, stamped []job.Stamped) ([]uuid.UUID, error) {
	for _, s := range stamped {
		q.count("messages", 1)
		q.last = later(q.now, q.last.Add(time.Millisecond)) // a sender takes its time
		late := q.last.Sub(q.now) + q.draw(5*time.Second)
		if q.rand.Float64() < delayed {
			q.count("delayed", 1)
			late = q.draw(6 * time.Hour)
		}
		q.put(s, late)
		if q.rand.Float64() < twice {
			q.count("sent twice", 1)
			q.put(s, q.draw(24*time.Hour))
		}
	}
	return nil, nil
}

func (q *simQueue) Backlog(context.Context) (int, error) { return q.waiting, nil }

func (q *simQueue) draw(most time.Duration) time.Duration {
	return time.Duration(q.rand.Int64N(int64(most)))
}

func (q *simQueue) put(s job.Stamped, late time.Duration) {
	q.waiting++
	q.show(&simMessage{Stamped: s, sent: q.now.Add(queueSkew)}, late)
}

// show makes a message visible after a while, unless that is changed meanwhile.
func (q *simQueue) show(m *simMessage, after time.Duration) {
	m.shown++
	r := simReceipt{m, 0, m.shown}
	q.after(after, func() {
		if r.valid() {
			q.visible = append(q.visible, r)
			q.wake()
		}
	})
}

func (r simReceipt) valid() bool { return !r.deleted && r.shown == r.simMessage.shown }

// receive returns up to n messages that are visible.
func (q *simQueue) receive(n int) (batch []simReceipt) {
	for len(batch) < n && len(q.visible) > 0 {
		r := q.visible[0]
		if q.visible = q.visible[1:]; !r.valid() {
			continue
		}
		m := r.simMessage
		if m.received == manifest.Offer.MaxReceiveCount() || q.now.Sub(m.sent) > manifest.QueueRetention {
			q.count("dead letters", 1)
			q.delete(r)
			continue
		}
		m.received++
		hidden := manifest.Offer.Visibility()
		if q.rand.Float64() < overlap {
			hidden = q.draw(5 * time.Second)
		}
		q.show(m, hidden)
		batch = append(batch, simReceipt{m, m.received, m.shown})
	}
	return batch
}

func (q *simQueue) delete(r simReceipt) {
	if !r.deleted {
		r.deleted = true
		q.waiting--
	}
}

// hide changes the visibility of a receive, unless the message was received again.
func (q *simQueue) hide(r simReceipt, d time.Duration) {
	if r.valid() {
		q.show(r.simMessage, d)
	}
}

package local

import (
	"container/heap"
	"time"
)

// sqsMessage is a message in one queue. It is in exactly one of the queue's
// heaps visible and hidden, and always in aging.
type sqsMessage struct {
	id, body      string
	attrs, system map[string]sqsMessageAttribute
	group, dedup  string
	sourceArn     string // the queue it came from, in a dead-letter queue
	arrival       int64
	sent          time.Time // SentTimestamp
	enqueued      time.Time // retention counts from here
	firstReceived time.Time
	received      time.Time // last; the 12 hours count from here
	visibleAt     time.Time // while hidden
	delayed       bool      // hidden since it was sent, so not in flight
	receives      int       // in all queues: ApproximateReceiveCount
	receivesHere  int       // in this queue: compared with maxReceiveCount
	turn          int64     // place among the visible
	place, age    int       // indexes in visible or hidden, and in aging
}

// sqsQueue is one queue. Its methods want the lock of the SQS.
type sqsQueue struct {
	polls             int // long polls that wait
	name, arn         string
	secret            string // in every receipt handle: those of another queue are refused
	fifo              bool
	settings          map[string]string // defaults included; "" is not set
	redrive           *sqsRedrive
	created, modified time.Time
	purged            time.Time

	messages  map[string]*sqsMessage
	visible   sqsHeap        // by turn
	hidden    sqsHeap        // by visibleAt
	aging     sqsHeap        // by enqueued
	delayed   int            // of the hidden
	busy      map[string]int // FIFO: messages in flight by group
	turns     int64
	handedOut int64
	sends     sqsDedup
	changed   chan struct{} // closed when a long poll should look again
}

func newSQSQueue(name string, fifo bool, now time.Time) *sqsQueue {
	place := func(m *sqsMessage) *int { return &m.place }
	age := func(m *sqsMessage) *int { return &m.age }
	return &sqsQueue{
		name: name, arn: sqsArnPrefix + name, fifo: fifo, created: now, modified: now,
		messages: map[string]*sqsMessage{},
		visible:  sqsHeap{index: place, less: func(a, b *sqsMessage) bool { return a.turn < b.turn }},
		hidden:   sqsHeap{index: place, less: func(a, b *sqsMessage) bool { return a.visibleAt.Before(b.visibleAt) }},
		aging:    sqsHeap{index: age, less: func(a, b *sqsMessage) bool { return a.enqueued.Before(b.enqueued) }},
		busy:     map[string]int{},
		sends:    sqsDedup{recent: map[string]*sqsMessage{}},
		changed:  make(chan struct{}),
	}
}

func (q *sqsQueue) inFlight() int { return q.hidden.Len() - q.delayed }

// wake lets every long poll of the queue look again.
func (q *sqsQueue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// add takes in a message that is hidden until visibleAt, or visible at once.
func (q *sqsQueue) add(m *sqsMessage, now, visibleAt time.Time) {
	q.messages[m.id] = m
	heap.Push(&q.aging, m)
	m.receivesHere = 0
	m.delayed = visibleAt.After(now)
	if m.delayed {
		q.hide(m, visibleAt)
	} else {
		q.show(m)
	}
	q.wake()
}

// show puts a message that is in no place among the visible ones.
func (q *sqsQueue) show(m *sqsMessage) {
	q.turns++
	m.turn = q.turns
	if q.fifo {
		m.turn = m.arrival // a message that comes back keeps its place
	}
	m.delayed = false
	heap.Push(&q.visible, m)
}

// hide puts a message that is in no place among the hidden ones.
func (q *sqsQueue) hide(m *sqsMessage, until time.Time) {
	m.visibleAt = until
	heap.Push(&q.hidden, m)
	if m.delayed {
		q.delayed++
	} else {
		q.busy[m.group]++
	}
}

// lift takes a message out of its place. It has to be put into another one.
func (q *sqsQueue) lift(m *sqsMessage) {
	if !q.isHidden(m) {
		heap.Remove(&q.visible, m.place)
		return
	}
	heap.Remove(&q.hidden, m.place)
	if m.delayed {
		q.delayed--
		return
	}
	if q.busy[m.group]--; q.busy[m.group] == 0 {
		delete(q.busy, m.group)
	}
}

func (q *sqsQueue) isHidden(m *sqsMessage) bool {
	return m.place < q.hidden.Len() && q.hidden.items[m.place] == m
}

// remove takes a message out of the queue.
func (q *sqsQueue) remove(m *sqsMessage) {
	q.lift(m)
	q.forget(m)
}

// forget takes a message that is in no place out of the queue.
func (q *sqsQueue) forget(m *sqsMessage) {
	heap.Remove(&q.aging, m.age)
	delete(q.messages, m.id)
	if q.fifo {
		q.wake() // its group may be free now
	}
}

// settle brings the queue up to the time of the operation.
func (s *SQS) settle(q *sqsQueue) {
	retention := q.duration("MessageRetentionPeriod")
	for q.aging.Len() > 0 && !s.at.Before(q.aging.items[0].enqueued.Add(retention)) {
		m := q.aging.items[0]
		q.remove(m)
		s.tell(Expired, q, m, 0)
	}
	for q.hidden.Len() > 0 && !s.at.Before(q.hidden.items[0].visibleAt) {
		m := q.hidden.items[0]
		q.lift(m)
		q.show(m)
	}
}

// sqsHeap is a heap of messages that know their index in it.
type sqsHeap struct {
	items []*sqsMessage
	index func(*sqsMessage) *int
	less  func(a, b *sqsMessage) bool
}

func (h *sqsHeap) Len() int           { return len(h.items) }
func (h *sqsHeap) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }

func (h *sqsHeap) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.index(h.items[i]), *h.index(h.items[j]) = i, j
}

func (h *sqsHeap) Push(x any) {
	m := x.(*sqsMessage)
	*h.index(m) = len(h.items)
	h.items = append(h.items, m)
}

func (h *sqsHeap) Pop() any {
	last := len(h.items) - 1
	m := h.items[last]
	h.items[last] = nil // let go of it
	h.items = h.items[:last]
	return m
}

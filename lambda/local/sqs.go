package local

import (
	"sync"
	"time"
)

// SQS is an Amazon SQS that lives in memory and on a Clock: standard and FIFO
// queues, visibility, dead-letter queues, redrive and long polling, behind the
// AWS JSON 1.0 protocol that the SDKs speak. It is strict: what Amazon SQS
// refuses, it refuses with the same error. Signatures are not checked, tags
// and permissions are not kept, nothing survives the process.
//
// Visibility, delay and retention pass on the Clock; the WaitTimeSeconds of a
// long poll pass in real time, so that a client never hangs on a frozen clock.
//
// A message is in one of two places: among the visible ones of its queue, in
// the order in which they became visible (FIFO queues: in which they were
// sent), or among the hidden ones, by the time at which they come back. The
// places are brought up to the clock's time whenever a queue is looked at.
type SQS struct {
	clock *Clock

	mu            sync.Mutex
	at            time.Time // the time of the operation that holds mu
	queues        map[string]*sqsQueue
	deleted       map[string]time.Time // when a queue of this name was deleted
	tasks         []*sqsMoveTask       // oldest first
	arrivals      int64                // numbers the messages in the order of their arrival
	inFlightLimit int
	onEvent       func(Event)
}

// sqsInFlightLimit is how many messages of one queue can be in flight: Amazon
// SQS developer guide, message quotas.
const sqsInFlightLimit = 120_000

// NewSQS returns an SQS without queues. It never closes: long polls end with
// their requests.
func NewSQS(clock *Clock) *SQS {
	return &SQS{
		clock:         clock,
		queues:        map[string]*sqsQueue{},
		deleted:       map[string]time.Time{},
		inFlightLimit: sqsInFlightLimit,
		onEvent:       func(Event) {},
	}
}

// EventKind says what happened to a message.
type EventKind string

// What can happen to a message. The Queue of a MovedToDLQ is the one that the
// message leaves; its id stays. A move task gives two events: Deleted with the
// old id in the dead-letter queue, Redriven with the new id in the queue that
// the message goes to. Expired is told when the queue is next looked at.
const (
	Sent              EventKind = "sent"
	Received          EventKind = "received"
	VisibilityChanged EventKind = "visibility changed"
	Deleted           EventKind = "deleted"
	MovedToDLQ        EventKind = "moved to DLQ"
	Redriven          EventKind = "redriven"
	Expired           EventKind = "expired"
)

// Event is one thing that happened to a message.
type Event struct {
	At           time.Time // the clock's time
	Queue        string    // name
	MessageID    string
	Body         string
	Kind         EventKind
	ReceiveCount int           // ApproximateReceiveCount after the event
	Visibility   time.Duration // Received, VisibilityChanged: hidden for so long from At; Sent: the delay
}

// OnEvent has f called for every event, one at a time and in the order in
// which they happen. f runs inside the operation that causes the event, before
// its response leaves: it must be quick and must not call back into the SQS.
// Set it before the first request.
func (s *SQS) OnEvent(f func(Event)) { s.onEvent = f }

func (s *SQS) tell(kind EventKind, q *sqsQueue, m *sqsMessage, visibility time.Duration) {
	s.onEvent(Event{At: s.at, Queue: q.name, MessageID: m.id, Body: m.body, Kind: kind,
		ReceiveCount: m.receives, Visibility: visibility})
}

// Stats are one queue's exact counts at the clock's time.
type Stats struct {
	Visible, InFlight, Delayed int
	// HandedOut counts the messages that ReceiveMessage has handed out since
	// the start, every receive of a message. It rises in the moment in which
	// the message is hidden, before the response leaves.
	HandedOut int64
	// Polls are the long polls that wait for a message at this moment.
	Polls int
	// NextVisible is when the next message in flight or delayed becomes
	// visible; zero if there is none.
	NextVisible time.Time
}

// Stats returns the counts of the queue of that name; false if there is none.
func (s *SQS) Stats(queueName string) (Stats, bool) {
	s.lock()
	defer s.mu.Unlock()
	q, ok := s.queues[queueName]
	if !ok {
		return Stats{}, false
	}
	s.settle(q)
	stats := Stats{Polls: q.polls, Visible: q.visible.Len(), InFlight: q.inFlight(), Delayed: q.delayed, HandedOut: q.handedOut}
	if q.hidden.Len() > 0 {
		stats.NextVisible = q.hidden.items[0].visibleAt
	}
	return stats, true
}

// lock begins an operation: all of it happens at one time.
func (s *SQS) lock() {
	s.mu.Lock()
	s.at = s.clock.Now()
}

// Package sqs is an Amazon SQS in memory: a Server over HTTP, as strict as the
// real one, on a clock that jumps, and with its rare faults on order.
package sqs

import (
	"net/http"
	"sync"
	"time"

	"matchbook/lambda/local/clock"
)

// Server is an Amazon SQS that lives in memory and on a Clock: queues, visibility,
// dead-letter queues, redrive and long polling, behind the AWS JSON 1.0 protocol
// that the SDKs speak. It is strict: it refuses what Amazon SQS refuses, with
// the same error. FIFO queues have order, group locks and deduplication, standard
// queues are fair to their message groups (fair.go).
// Signatures are not checked; tags, permissions, encryption, the limit of
// messages in flight and the pauses after a purge or the delete of a queue do
// not exist; nothing survives the process.
//
// A message is hidden until its visibleAt: by its delay, or by the visibility
// timeout of its latest receive. That is its whole state, and nothing has to
// happen when the time comes; only retention is enforced, when a queue is next
// looked at. The messages of a queue stand in line: one that is received goes
// to its end, or in a FIFO queue keeps its place. Where one group has most of what
// is in flight, the other ones step forward.
//
// An operation runs under one lock and at one time of the Clock. Visibility,
// delay and retention pass on the Clock; the WaitTimeSeconds of a long poll
// pass in real time, so that a client never hangs on a frozen clock.
//
// By default it delivers every message once per visibility timeout. Order adds
// the rare faults of Amazon SQS: it delivers twice, fails, loses an answer.
type Server struct {
	clock   *clock.Clock
	onEvent func(Event)

	mu      sync.Mutex
	request *http.Request   // that holds mu; nil for a call in the process
	at      time.Time       // its time
	jumped  <-chan struct{} // closed when the clock has jumped since

	queues   map[string]*queue
	moves    []moveTask // oldest first
	faults   []*orderedFault
	injected map[FaultKind]int
}

// New returns a server without queues. It never closes: long polls end with
// their requests.
func New(clock *clock.Clock) *Server {
	return &Server{clock: clock, onEvent: func(Event) {}, queues: map[string]*queue{}, injected: map[FaultKind]int{}}
}

// EventKind is a kind of change of a message.
type EventKind string

// The changes of a message. The Queue of a MovedToDLQ is the one that the
// message leaves; its id stays. A move task gives two events: Deleted with the
// old id in the dead-letter queue, Redriven with the new id in the queue that
// the message goes to. Expired is reported when the queue is next looked at.
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
	Visibility   time.Duration // Received, VisibilityChanged: the time hidden from At on; Sent: the delay
}

// OnEvent makes the server call f for every event, one at a time and in the order in
// which they happen. f runs inside the operation that causes the event, before
// its response leaves: it must be quick and must not call back into the SQS.
// Set it before the first request.
func (s *Server) OnEvent(f func(Event)) { s.onEvent = f }

// report passes an event on and makes the queue's long polls look again.
func (s *Server) report(kind EventKind, q *queue, m *message, visibility time.Duration) {
	s.onEvent(Event{At: s.at, Queue: q.name, MessageID: m.id, Body: m.body, Kind: kind,
		ReceiveCount: m.receives, Visibility: visibility})
	q.wake()
}

// Stats are one queue's exact counts at the clock's time.
type Stats struct {
	Visible, InFlight, Delayed int
	// HandedOut counts the messages that ReceiveMessage has handed out since
	// the start, every receive of a message. It rises in the moment in which
	// the message is hidden, before the response leaves.
	HandedOut int64
	// Polls counts the long polls that wait for a message at this moment.
	Polls int
	// NextVisible is the time at which the next message in flight or delayed
	// becomes visible; zero without one.
	NextVisible time.Time
}

// Stats returns the counts of the queue of that name; false if it does not exist.
func (s *Server) Stats(queueName string) (Stats, bool) {
	s.lock(nil)
	defer s.mu.Unlock()
	q, ok := s.queues[queueName]
	if !ok {
		return Stats{}, false
	}
	return s.stats(q), true
}

// AllStats returns the counts of every queue, by name, at one moment: a message
// on its way from one queue to the next is in one of them.
func (s *Server) AllStats() map[string]Stats {
	s.lock(nil)
	defer s.mu.Unlock()
	all := make(map[string]Stats, len(s.queues))
	for name, q := range s.queues {
		all[name] = s.stats(q)
	}
	return all
}

func (s *Server) stats(q *queue) Stats {
	s.expire(q)
	return q.count(s.at)
}

// lock begins an operation: all of it happens at one time.
func (s *Server) lock(request *http.Request) {
	s.mu.Lock()
	s.request = request
	s.jumped = s.clock.Jumped() // before the time is taken, so that no jump is missed
	s.at = s.clock.Now()
}

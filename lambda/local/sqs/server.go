// Package sqs is an in-memory Amazon SQS: a Server over HTTP, as strict as the real one, on a
// clock you can advance and with faults you can order.
package sqs

import (
	"net/http"
	"sync"
	"time"

	"matchbook/lambda/local/clock"
)

// Server is an in-memory Amazon SQS on a Clock: queues, visibility, dead-letter queues,
// redrive and long polling behind the AWS JSON 1.0 protocol used by the SDKs. It is strict: it
// refuses the same requests as Amazon SQS, with the same errors. FIFO queues have order, group
// locks and deduplication; standard queues are fair to their message groups (see fair.go). Not
// implemented: signature checks, tags, permissions, encryption, the limit on messages in
// flight, and the waiting times after a purge or the delete of a queue. Nothing survives the
// process.
//
// A message is hidden until its visibleAt, either by its delay or by the visibility timeout of
// its latest receive. That's its whole state, so nothing has to happen at that time; only
// retention is enforced, on the next access to the queue. The messages of a queue form a line:
// a received message goes to the end, or keeps its place in a FIFO queue. While one group has
// most messages in flight, the others go first.
//
// An operation runs under one lock and at a single time of the Clock. Visibility, delay and
// retention follow the Clock. The WaitTimeSeconds of a long poll pass in real time, so that a
// client never hangs on a frozen clock.
//
// By default every message is delivered once per visibility timeout. Use Order to add the rare
// faults of Amazon SQS, such as duplicate deliveries, failed calls and lost responses.
type Server struct {
	clock   *clock.Clock
	onEvent func(Event)

	mu      sync.Mutex
	request *http.Request   // holder of mu; nil for a call within the process
	at      time.Time       // time of the current operation
	jumped  <-chan struct{} // closed by the next jump of the clock

	queues   map[string]*queue
	moves    []moveTask // oldest first
	faults   []*orderedFault
	injected map[FaultKind]int
}

// New returns a server without queues. It needs no Close, because long polls end with their
// requests.
func New(clock *clock.Clock) *Server {
	return &Server{clock: clock, onEvent: func(Event) {}, queues: map[string]*queue{}, injected: map[FaultKind]int{}}
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events. The Queue of MovedToDLQ is the message's old queue; the message id
// doesn't change. A move task reports two events: Deleted with the old id in the dead-letter
// queue, Redriven with the new id in the destination. Expired is reported on the next access
// to the queue.
const (
	Sent              EventKind = "sent"
	Received          EventKind = "received"
	VisibilityChanged EventKind = "visibility changed"
	Deleted           EventKind = "deleted"
	MovedToDLQ        EventKind = "moved to DLQ"
	Redriven          EventKind = "redriven"
	Expired           EventKind = "expired"
)

// Event is a change of a message.
type Event struct {
	At           time.Time // on the server's clock
	Queue        string    // queue name
	MessageID    string
	Body         string
	Kind         EventKind
	ReceiveCount int           // ApproximateReceiveCount after the event
	Visibility   time.Duration // Received, VisibilityChanged: time hidden from At; Sent: delay
}

// OnEvent registers f for every event. Calls are serial and in order. f runs inside the
// causing operation, before its response, so it must be quick and must not call the server.
// Use OnEvent before the first request.
func (s *Server) OnEvent(f func(Event)) { s.onEvent = f }

// report passes an event on and wakes the queue's long polls.
func (s *Server) report(kind EventKind, q *queue, m *message, visibility time.Duration) {
	s.onEvent(Event{At: s.at, Queue: q.name, MessageID: m.id, Body: m.body, Kind: kind,
		ReceiveCount: m.receives, Visibility: visibility})
	q.wake()
}

// Stats are the exact counts of a queue at the clock's time.
type Stats struct {
	Visible, InFlight, Delayed int
	// HandedOut counts all receives since the start. It rises when a message is hidden, before
	// the response is written.
	HandedOut int64
	// Polls counts the waiting long polls.
	Polls int
	// NextVisible is the time when the next message in flight or delayed becomes visible; zero
	// if nothing is hidden.
	NextVisible time.Time
}

// Stats returns the counts of a queue, or false if it doesn't exist.
func (s *Server) Stats(queueName string) (Stats, bool) {
	s.lock(nil)
	defer s.mu.Unlock()
	q, ok := s.queues[queueName]
	if !ok {
		return Stats{}, false
	}
	return s.stats(q), true
}

// AllStats returns the counts of all queues at the same moment, so a message moving between
// queues is counted exactly once.
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

// lock begins an operation and fixes its time.
func (s *Server) lock(request *http.Request) {
	s.mu.Lock()
	s.request = request
	s.jumped = s.clock.Jumped() // before Now, so that no jump is missed
	s.at = s.clock.Now()
}

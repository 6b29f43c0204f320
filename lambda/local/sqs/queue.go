package sqs

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// message is a message in a queue.
type message struct {
	id, body      string
	attributes    map[string]messageAttribute
	group, dedup  string
	sourceArn     string    // in a dead-letter queue: the original queue
	sent          time.Time // SentTimestamp; start of the retention period
	firstReceived time.Time
	received      time.Time // last receive; start of the 12-hour limit
	visibleAt     time.Time
	receives      int       // over all queues: ApproximateReceiveCount
	handle        string    // of the latest receive
	fault         FaultKind // the reason for its next, repeated delivery
}

// newMessage returns a copy of a message, sent now and never received.
func (s *Server) newMessage(like message) *message {
	return &message{id: uuid.NewString(), body: like.body, attributes: like.attributes,
		group: like.group, dedup: like.dedup, sent: s.at}
}

func (m *message) hidden(at time.Time) bool { return m.visibleAt.After(at) }

// queue is a queue. You must hold the server's lock to use it.
type queue struct {
	name, arn         string
	fifo              bool
	created, modified time.Time
	settings          map[string]string // as given
	dlqArn            string            // from the RedrivePolicy, or ""
	maxReceives       int

	line      []*message // next to deliver first
	messages  map[string]*message
	out       map[*message]bool   // received once; includes all messages in flight
	accepted  map[string]*message // FIFO: latest message by deduplication id, even if deleted
	oldest    time.Time           // lower bound of the sent times
	handedOut int64
	polls     int           // waiting long polls
	changed   chan struct{} // closed to make them look again
}

func newQueue(name string, now time.Time) *queue {
	return &queue{name: name, arn: arnPrefix + name, fifo: strings.HasSuffix(name, ".fifo"),
		created: now, modified: now, oldest: now,
		settings: map[string]string{}, messages: map[string]*message{}, out: map[*message]bool{},
		accepted: map[string]*message{}, changed: make(chan struct{})}
}

func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// add appends a message to the line.
func (q *queue) add(m *message) {
	q.line = append(q.line, m)
	q.messages[m.id] = m
	if m.sent.Before(q.oldest) {
		q.oldest = m.sent
	}
}

func (q *queue) remove(m *message) {
	i := slices.Index(q.line, m)
	q.line = slices.Delete(q.line, i, i+1)
	delete(q.messages, m.id)
	delete(q.out, m)
}

func (q *queue) count(at time.Time) Stats {
	stats := Stats{HandedOut: q.handedOut, Polls: q.polls}
	for _, m := range q.line {
		switch {
		case !m.hidden(at):
			stats.Visible++
			continue
		case m.receives == 0:
			stats.Delayed++
		default:
			stats.InFlight++
		}
		if stats.NextVisible.IsZero() || m.visibleAt.Before(stats.NextVisible) {
			stats.NextVisible = m.visibleAt
		}
	}
	return stats
}

// expire removes messages past their retention period.
func (s *Server) expire(q *queue) {
	retention := time.Duration(q.number("MessageRetentionPeriod")) * time.Second
	if s.at.Before(q.oldest.Add(retention)) {
		return // common case: skips the loop
	}
	q.oldest = s.at
	for _, m := range slices.Clone(q.line) {
		if !s.at.Before(m.sent.Add(retention)) {
			q.remove(m)
			s.report(Expired, q, m, 0)
		} else if m.sent.Before(q.oldest) {
			q.oldest = m.sent
		}
	}
}

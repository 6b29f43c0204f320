package sqs

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// message is a message in one queue.
type message struct {
	id, body      string
	attributes    map[string]messageAttribute
	group, dedup  string
	sourceArn     string    // the queue it came from, in a dead-letter queue
	sent          time.Time // SentTimestamp; retention counts from here
	firstReceived time.Time
	received      time.Time // last; the 12 hours count from here
	visibleAt     time.Time
	receives      int       // in all queues: ApproximateReceiveCount
	handle        string    // of the latest receive
	fault         FaultKind // because of which it will be delivered once more
}

// newMessage has the content of another one, is sent now and was never received.
func (s *Server) newMessage(like message) *message {
	return &message{id: uuid.NewString(), body: like.body, attributes: like.attributes,
		group: like.group, dedup: like.dedup, sent: s.at}
}

func (m *message) hidden(at time.Time) bool { return m.visibleAt.After(at) }

// queue is one queue. Its methods want the lock of the SQS.
type queue struct {
	name, arn         string
	fifo              bool
	created, modified time.Time
	settings          map[string]string // as they were set
	dlqArn            string            // of the RedrivePolicy; "" without one
	maxReceives       int

	line      []*message // the next one to hand out first
	messages  map[string]*message
	out       map[*message]bool   // were handed out; includes all messages in flight
	accepted  map[string]*message // FIFO: the latest by deduplication id, also after it was deleted
	oldest    time.Time           // no message was sent before
	handedOut int64
	polls     int           // long polls that wait
	changed   chan struct{} // closed when they should look again
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

// add puts a message at the end of the line.
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

// expire removes the messages whose retention period has ended.
func (s *Server) expire(q *queue) {
	retention := time.Duration(q.number("MessageRetentionPeriod")) * time.Second
	if s.at.Before(q.oldest.Add(retention)) {
		return // spares most operations a walk along the line
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

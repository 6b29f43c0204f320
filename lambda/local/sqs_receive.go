package local

import (
	"container/heap"
	"context"
	"net/http"
	"time"
)

type receiveMessageInput struct {
	sqsTarget
	AttributeNames              []string // the older name of the next one
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
	MaxNumberOfMessages         *int
	VisibilityTimeout           *int
	WaitTimeSeconds             *int
}

func (in receiveMessageInput) check() error {
	if err := sqsRange("MaxNumberOfMessages", in.MaxNumberOfMessages, 1, sqsBatchLimit); err != nil {
		return err
	}
	if err := sqsRange("VisibilityTimeout", in.VisibilityTimeout, 0, 43200); err != nil {
		return err
	}
	return sqsRange("WaitTimeSeconds", in.WaitTimeSeconds, 0, 20)
}

type receiveMessageOutput struct {
	Messages []sqsReceived `json:",omitempty"`
}

// receiveMessage is the one operation that waits, so it takes the lock itself.
func receiveMessage(s *SQS, r *http.Request, body []byte) (any, error) {
	in, err := sqsDecode[receiveMessageInput](body)
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return nil, err
	}
	return s.receive(r.Context(), in)
}

// receive looks until there is a message, the wait is over or ctx ends.
func (s *SQS) receive(ctx context.Context, in receiveMessageInput) (receiveMessageOutput, error) {
	var over <-chan time.Time          // once the first look has found nothing
	var poll *sqsQueue                 // counts this poll while it waits
	defer func() { s.endPoll(poll) }() // its value then, not now
	for last := false; ; {
		jumped := s.clock.Jumped()
		got, err := s.look(in, &poll)
		if err != nil || len(got.messages) > 0 || last || got.wait == 0 {
			return receiveMessageOutput{got.messages}, err
		}
		if over == nil {
			timer := time.NewTimer(got.wait)
			defer timer.Stop()
			over = timer.C
		}
		back := time.NewTimer(got.back)
		select {
		case <-got.changed:
		case <-jumped:
		case <-back.C:
		case <-over:
			last = true
		case <-ctx.Done():
			back.Stop()
			return receiveMessageOutput{}, nil // nothing was taken for a client that left
		}
		back.Stop()
	}
}

// sqsLook is what one look into a queue has found.
type sqsLook struct {
	messages []sqsReceived
	wait     time.Duration   // how long the client is willing to wait, real time
	changed  <-chan struct{} // closed when it is worth looking again
	back     time.Duration   // until the next hidden message comes back
}

func (s *SQS) look(in receiveMessageInput, poll **sqsQueue) (sqsLook, error) {
	s.lock()
	defer s.mu.Unlock()
	q, err := s.queueAt(in.QueueUrl)
	if err != nil {
		return sqsLook{}, err
	}
	s.settle(q)
	look := sqsLook{wait: q.duration("ReceiveMessageWaitTimeSeconds"), changed: q.changed, back: time.Hour}
	if in.WaitTimeSeconds != nil {
		look.wait = time.Duration(*in.WaitTimeSeconds) * time.Second
	}
	room := s.inFlightLimit - q.inFlight()
	if room <= 0 && look.wait == 0 && !q.fifo {
		return sqsLook{}, errSQSOverLimit // a long poll and a FIFO queue just give nothing
	}
	want := 1
	if in.MaxNumberOfMessages != nil {
		want = *in.MaxNumberOfMessages
	}
	look.messages = s.handOut(q, in, min(want, room))
	if waits := len(look.messages) == 0 && look.wait > 0; waits != (*poll != nil) {
		s.countPoll(q, poll)
	}
	if q.hidden.Len() > 0 {
		// On a frozen clock this time does not come; do not spin until the wait is over.
		look.back = max(q.hidden.items[0].visibleAt.Sub(s.at), time.Millisecond)
	}
	return look, nil
}

// countPoll notes that a poll begins to wait in q, or has stopped to. It is
// counted out in the same moment in which it takes messages.
func (s *SQS) countPoll(q *sqsQueue, poll **sqsQueue) {
	if *poll == nil {
		q.polls++
		*poll = q
	} else {
		(*poll).polls--
		*poll = nil
	}
}

func (s *SQS) endPoll(poll *sqsQueue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if poll != nil {
		poll.polls--
	}
}

// handOut hides up to limit messages and returns them as the client sees them.
func (s *SQS) handOut(q *sqsQueue, in receiveMessageInput, limit int) []sqsReceived {
	visibility := q.duration("VisibilityTimeout")
	if in.VisibilityTimeout != nil {
		visibility = time.Duration(*in.VisibilityTimeout) * time.Second
	}
	taken := s.take(q, limit)
	received := make([]sqsReceived, 0, len(taken))
	for _, m := range taken {
		if m.receives == 0 {
			m.firstReceived = s.at
		}
		m.received = s.at
		m.receives++
		m.receivesHere++
		if visibility > 0 {
			q.hide(m, s.at.Add(visibility))
		} else {
			q.show(m)
		}
		q.handedOut++
		s.tell(Received, q, m, visibility)
		received = append(received, m.seenBy(q, in))
	}
	if len(taken) > 0 {
		q.wake() // other polls have to know when these come back
	}
	return received
}

// take lifts up to limit messages that may be received. One that has been
// received often enough goes to the dead-letter queue here and not before:
// SQS finds out when somebody asks for the message again.
func (s *SQS) take(q *sqsQueue, limit int) []*sqsMessage {
	var taken, held []*sqsMessage
	for len(taken) < limit && q.visible.Len() > 0 {
		m := heap.Pop(&q.visible).(*sqsMessage)
		dlq := s.deadLetterQueue(q, m)
		switch {
		case q.fifo && q.busy[m.group] > 0:
			held = append(held, m)
		case dlq != nil:
			s.moveToDLQ(q, dlq, m)
		default:
			taken = append(taken, m)
		}
	}
	for _, m := range held {
		heap.Push(&q.visible, m)
	}
	return taken
}

// deadLetterQueue is where the message has to go instead of being received,
// or nil.
func (s *SQS) deadLetterQueue(q *sqsQueue, m *sqsMessage) *sqsQueue {
	if q.redrive == nil || m.receivesHere < q.redrive.limit {
		return nil
	}
	return s.queueOf(q.redrive.DeadLetterTargetArn) // nil if it was deleted
}

// moveToDLQ moves a message that is in no place. It stays the same message;
// its retention goes on in a standard queue and begins anew in a FIFO queue.
func (s *SQS) moveToDLQ(q, dlq *sqsQueue, m *sqsMessage) {
	q.forget(m)
	s.tell(MovedToDLQ, q, m, 0)
	s.settle(dlq)
	m.sourceArn = q.arn
	if q.fifo {
		m.enqueued = s.at
	}
	dlq.add(m, s.at, s.at)
}

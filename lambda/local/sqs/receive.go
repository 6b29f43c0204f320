package sqs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// visibilityLimit is the longest time in flight, in seconds since the receive: Amazon SQS
// developer guide, visibility timeout.
const visibilityLimit = 12 * 3600

// receivedMessage is a message in a ReceiveMessage response.
type receivedMessage struct {
	MessageId              string
	ReceiptHandle          string
	Body                   string
	MD5OfBody              string
	Attributes             map[string]string           `json:",omitempty"`
	MessageAttributes      map[string]messageAttribute `json:",omitempty"`
	MD5OfMessageAttributes string                      `json:",omitempty"`
}

// receive polls until it has a message or the wait is over.
func (s *Server) receive(q *queue, in input) (any, error) {
	if err := cmp.Or(
		checkRange("MaxNumberOfMessages", in.MaxNumberOfMessages, 1, batchLimit),
		checkRange("VisibilityTimeout", in.VisibilityTimeout, 0, visibilityLimit),
		checkRange("WaitTimeSeconds", in.WaitTimeSeconds, 0, 20)); err != nil {
		return nil, err
	}
	wait := valueOr(in.WaitTimeSeconds, q.number("ReceiveMessageWaitTimeSeconds"))
	over := time.After(time.Duration(wait) * time.Second)
	for last := wait == 0; ; {
		if messages := s.handOut(q, in); len(messages) > 0 || last {
			return map[string]any{"Messages": messages}, nil
		}
		var err error
		if last, err = s.pause(q, over); err != nil {
			return nil, err
		}
	}
}

// pause releases the lock until q may have a message, and reports whether the wait is over.
// Nothing is delivered to a client gone meanwhile.
func (s *Server) pause(q *queue, over <-chan time.Time) (last bool, err error) {
	var back <-chan time.Time // fires when the next hidden message becomes visible
	if next := q.count(s.at).NextVisible; !next.IsZero() {
		// A frozen clock never reaches that time, so wait at least a millisecond instead of
		// spinning.
		back = time.After(max(next.Sub(s.at), time.Millisecond))
	}
	request, jumped, changed := s.request, s.jumped, q.changed
	q.polls++
	s.mu.Unlock()
	select {
	case <-changed:
	case <-jumped:
	case <-back:
	case <-over:
		last = true
	case <-request.Context().Done():
		err = request.Context().Err()
	}
	s.lock(request)
	q.polls--
	if s.queues[q.name] != q {
		return last, errNoQueue
	}
	s.expire(q)
	return last, err
}

// handOut hides messages and returns them in the client's form.
func (s *Server) handOut(q *queue, in input) (received []receivedMessage) {
	visibility := time.Duration(valueOr(in.VisibilityTimeout, q.number("VisibilityTimeout"))) * time.Second
	for _, m := range s.take(q, valueOr(in.MaxNumberOfMessages, 1)) {
		if m.receives == 0 {
			m.firstReceived = s.at
		}
		m.receives++
		m.received = s.at
		m.handle = fmt.Sprintf("%s/%s/%d", q.name, m.id, m.receives)
		m.visibleAt = s.at.Add(s.misdeliver(m, visibility))
		if !q.fifo {
			q.remove(m)
			q.add(m)
			q.out[m] = true
		}
		q.handedOut++
		s.report(Received, q, m, visibility)
		received = append(received, m.seenBy(q, in))
	}
	return received
}

// take returns up to want receivable messages. It also moves messages past maxReceiveCount to
// the dead-letter queue; like Amazon SQS, it does so only on a receive.
func (s *Server) take(q *queue, want int) (taken []*message) {
	busy := map[string]bool{} // FIFO: groups with a message in flight
	if q.fifo {
		for _, m := range q.line {
			busy[m.group] = busy[m.group] || m.hidden(s.at)
		}
	}
	var dead []*message
	for m := range q.inTurn(s.at) {
		if len(taken) == want {
			break
		}
		hidden := m.hidden(s.at)
		switch {
		case hidden && m.fault != DuplicateDelivery || busy[m.group]:
		case s.deadLetterQueue(q, m) == nil:
			taken = append(taken, m)
		case !hidden:
			dead = append(dead, m)
		}
	}
	for _, m := range dead {
		s.moveToDLQ(q, m)
	}
	return taken
}

func (m *message) seenBy(q *queue, in input) receivedMessage {
	attributes := chosen(m.attributes, in.MessageAttributeNames)
	return receivedMessage{
		MessageId: m.id, ReceiptHandle: m.handle, Body: m.body, MD5OfBody: md5Hex([]byte(m.body)),
		Attributes:        chosen(m.system(q), slices.Concat(in.MessageSystemAttributeNames, in.AttributeNames)),
		MessageAttributes: attributes, MD5OfMessageAttributes: attributesMD5(attributes),
	}
}

// system returns the system attributes of a received message.
func (m *message) system(q *queue) map[string]string {
	all := map[string]string{
		"SenderId":                         account,
		"SentTimestamp":                    strconv.FormatInt(m.sent.UnixMilli(), 10),
		"ApproximateFirstReceiveTimestamp": strconv.FormatInt(m.firstReceived.UnixMilli(), 10),
		"ApproximateReceiveCount":          strconv.Itoa(m.receives),
	}
	if m.sourceArn != "" {
		all["DeadLetterQueueSourceArn"] = m.sourceArn
	}
	if m.group != "" {
		all["MessageGroupId"] = m.group
	}
	if q.fifo {
		all["MessageDeduplicationId"] = m.dedup
	}
	return all
}

// chosen returns the attributes named in the request, or all of them.
func chosen[V any](all map[string]V, wanted []string) map[string]V {
	chosen := map[string]V{}
	for name, value := range all {
		if slices.Contains(wanted, name) || slices.Contains(wanted, "All") {
			chosen[name] = value
		}
	}
	return chosen
}

// open resolves a receipt handle. It returns the message, or nil if it is gone, and whether
// the handle comes from the latest receive.
func (q *queue) open(handle string) (m *message, latest bool, err error) {
	parts := strings.Split(handle, "/")
	if err := cmp.Or(
		refuse(handle == "", codeMissing, "The request must contain the parameter ReceiptHandle."),
		refuse(len(parts) != 3 || parts[0] != q.name, "ReceiptHandleIsInvalid",
			"The input receipt handle %q is not a valid receipt handle.", handle)); err != nil {
		return nil, false, err
	}
	m = q.messages[parts[1]]
	return m, m != nil && m.handle == handle, nil
}

// changeVisibility hides a message in flight for the given time from now. It applies once: the
// next receive uses the queue's setting again.
func (s *Server) changeVisibility(q *queue, in entry) (entryResult, error) {
	m, latest, err := q.open(in.ReceiptHandle)
	until := s.at.Add(time.Duration(valueOr(in.VisibilityTimeout, 0)) * time.Second)
	if err := cmp.Or(
		refuse(in.VisibilityTimeout == nil, codeMissing, "The request must contain the parameter VisibilityTimeout."),
		checkRange("VisibilityTimeout", in.VisibilityTimeout, 0, visibilityLimit),
		err,
		refuse(!latest, codeInvalid, "Message does not exist or is not available for visibility timeout change."),
		refuse(latest && !m.hidden(s.at), codePrefix+"MessageNotInflight", "The specified message isn't in flight."),
		refuse(latest && until.After(m.received.Add(visibilityLimit*time.Second)), codeInvalid,
			"Total VisibilityTimeout for the message is beyond the limit [%d seconds]", visibilityLimit)); err != nil {
		return entryResult{}, err
	}
	m.visibleAt = until
	s.report(VisibilityChanged, q, m, until.Sub(s.at))
	return entryResult{Id: in.Id}, nil
}

// delete removes a message. In a standard queue, the handle of an earlier receive is accepted
// without effect, and the latest one works even after the message became visible again. In a
// FIFO queue the message must be in flight.
func (s *Server) delete(q *queue, in entry) (entryResult, error) {
	m, latest, err := q.open(in.ReceiptHandle)
	if err := cmp.Or(err, refuse(q.fifo && m != nil && !(latest && m.hidden(s.at)), codeInvalid,
		"The receipt handle has expired.")); err != nil {
		return entryResult{}, err
	}
	if latest {
		if !s.outlives(q, m) {
			q.remove(m)
		}
		s.report(Deleted, q, m, 0)
	}
	return entryResult{Id: in.Id}, nil
}

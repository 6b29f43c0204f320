package local

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// sqsOutgoing is a message to send, alone or in a batch.
type sqsOutgoing struct {
	MessageBody             *string
	DelaySeconds            *int
	MessageAttributes       map[string]sqsMessageAttribute
	MessageSystemAttributes map[string]sqsMessageAttribute
	MessageGroupId          string
	MessageDeduplicationId  string
}

func (o sqsOutgoing) size() int {
	if o.MessageBody == nil {
		return 0
	}
	return sqsSize(*o.MessageBody, o.MessageAttributes)
}

// sqsSent is the answer for one message; Id only in a batch.
type sqsSent struct {
	Id                           string `json:",omitempty"`
	MessageId                    string
	MD5OfMessageBody             string
	MD5OfMessageAttributes       string `json:",omitempty"`
	MD5OfMessageSystemAttributes string `json:",omitempty"`
	SequenceNumber               string `json:",omitempty"`
}

type sendMessageInput struct {
	sqsTarget
	sqsOutgoing
}

func (s *SQS) sendMessage(q *sqsQueue, in sendMessageInput) (any, error) {
	return s.send(q, "", in.sqsOutgoing)
}

type sendMessageBatchInput struct {
	sqsTarget
	Entries []sendMessageEntry
}

type sendMessageEntry struct {
	sqsEntry
	sqsOutgoing
}

func (s *SQS) sendMessageBatch(q *sqsQueue, in sendMessageBatchInput) (any, error) {
	if err := sqsCheckBatch(in.Entries); err != nil {
		return nil, err
	}
	sum := 0
	for _, e := range in.Entries {
		sum += e.size()
	}
	if sum > sqsSizeLimit {
		return nil, sqsError{"BatchRequestTooLong", "AWS.SimpleQueueService.BatchRequestTooLong", 400,
			fmt.Sprintf("Batch requests cannot be longer than %d bytes. You have sent %d bytes.", sqsSizeLimit, sum)}
	}
	return sqsEach(in.Entries, func(e sendMessageEntry) (any, error) { return s.send(q, e.Id, e.sqsOutgoing) })
}

func (s *SQS) send(q *sqsQueue, id string, out sqsOutgoing) (any, error) {
	if err := out.check(q); err != nil {
		return nil, err
	}
	m := &sqsMessage{id: uuid.NewString(), body: *out.MessageBody, attrs: out.MessageAttributes, system: out.MessageSystemAttributes,
		group: out.MessageGroupId, dedup: out.MessageDeduplicationId, arrival: s.arrivals + 1, sent: s.at, enqueued: s.at}
	accepted := m
	if q.fifo {
		accepted = q.sends.first(q, m)
	}
	if accepted == m {
		s.arrivals++
		delay := q.duration("DelaySeconds")
		if out.DelaySeconds != nil {
			delay = time.Duration(*out.DelaySeconds) * time.Second
		}
		q.add(m, s.at, s.at.Add(delay))
		s.tell(Sent, q, m, delay)
	}
	answer := sqsSent{Id: id, MessageId: accepted.id, MD5OfMessageBody: sqsMD5([]byte(m.body)),
		MD5OfMessageAttributes: sqsAttributesMD5(m.attrs), MD5OfMessageSystemAttributes: sqsAttributesMD5(m.system)}
	if q.fifo {
		answer.SequenceNumber = sqsSequence(accepted.arrival)
	}
	return answer, nil
}

// check checks a message that is to go into q.
func (o sqsOutgoing) check(q *sqsQueue) error {
	if o.MessageBody == nil || *o.MessageBody == "" {
		return errSQSMissing("MessageBody")
	}
	if limit := q.number("MaximumMessageSize"); o.size() > limit {
		return errSQSParameter("One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", limit)
	}
	if !sqsValidText(*o.MessageBody) {
		return errSQSContents
	}
	if err := sqsRange("DelaySeconds", o.DelaySeconds, 0, 900); err != nil {
		return err
	}
	if err := sqsCheckAttributes(o.MessageAttributes); err != nil {
		return err
	}
	if err := sqsCheckSystem(o.MessageSystemAttributes); err != nil {
		return err
	}
	return o.checkFIFO(q)
}

func (o sqsOutgoing) checkFIFO(q *sqsQueue) error {
	const wrongType = "The request include parameter that is not valid for this queue type."
	switch {
	case !q.fifo && o.MessageDeduplicationId != "":
		return errSQSValue(o.MessageDeduplicationId, "MessageDeduplicationId", wrongType)
	case !q.fifo:
		return nil // a MessageGroupId makes a standard queue fair
	case o.MessageGroupId == "":
		return errSQSMissing("MessageGroupId")
	case o.MessageDeduplicationId == "" && q.settings["ContentBasedDeduplication"] != "true":
		return errSQSParameter("The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly")
	case o.DelaySeconds != nil && *o.DelaySeconds != 0:
		return errSQSValue(*o.DelaySeconds, "DelaySeconds", wrongType)
	}
	return nil
}

// sqsDedup remembers what was sent to a FIFO queue in the last five minutes,
// also after the message has been deleted.
type sqsDedup struct {
	recent map[string]*sqsMessage
	order  []string // keys of recent, oldest first
}

const sqsDedupInterval = 5 * time.Minute

// first returns the message that m repeats, or m.
func (d *sqsDedup) first(q *sqsQueue, m *sqsMessage) *sqsMessage {
	if m.dedup == "" {
		sum := sha256.Sum256([]byte(m.body))
		m.dedup = hex.EncodeToString(sum[:])
	}
	for len(d.order) > 0 && !m.sent.Before(d.recent[d.order[0]].sent.Add(sqsDedupInterval)) {
		delete(d.recent, d.order[0])
		d.order = d.order[1:]
	}
	key := m.dedup
	if q.settings["DeduplicationScope"] == "messageGroup" {
		key = m.group + "\x00" + key
	}
	if earlier, ok := d.recent[key]; ok {
		return earlier
	}
	d.recent[key], d.order = m, append(d.order, key)
	return m
}

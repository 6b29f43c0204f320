package local

import "time"

// sqsVisibilityLimit is how long a message can stay in flight, from its
// receive on: Amazon SQS developer guide, visibility timeout.
const sqsVisibilityLimit = 12 * time.Hour

type sqsVisibility struct {
	ReceiptHandle     string
	VisibilityTimeout *int // seconds
}

type changeVisibilityInput struct {
	sqsTarget
	sqsVisibility
}

func (s *SQS) changeMessageVisibility(q *sqsQueue, in changeVisibilityInput) (any, error) {
	return struct{}{}, s.changeVisibility(q, in.sqsVisibility)
}

type changeVisibilityBatchInput struct {
	sqsTarget
	Entries []changeVisibilityEntry
}

type changeVisibilityEntry struct {
	sqsEntry
	sqsVisibility
}

func (s *SQS) changeMessageVisibilityBatch(q *sqsQueue, in changeVisibilityBatchInput) (any, error) {
	if err := sqsCheckBatch(in.Entries); err != nil {
		return nil, err
	}
	return sqsEach(in.Entries, func(e changeVisibilityEntry) (any, error) {
		return e.sqsEntry, s.changeVisibility(q, e.sqsVisibility)
	})
}

// changeVisibility hides a message in flight for so long from now on. The
// value is used once: the next receive hides it by the queue's setting again.
func (s *SQS) changeVisibility(q *sqsQueue, in sqsVisibility) error {
	if in.VisibilityTimeout == nil {
		return errSQSMissing("VisibilityTimeout")
	}
	if err := sqsRange("VisibilityTimeout", in.VisibilityTimeout, 0, 43200); err != nil {
		return err
	}
	m, latest, err := q.open(in.ReceiptHandle)
	if err != nil {
		return err
	}
	if !latest {
		return errSQSValue(in.ReceiptHandle, "ReceiptHandle", "Message does not exist or is not available for visibility timeout change.")
	}
	if !q.isHidden(m) {
		return errSQSNotInFlight
	}
	timeout := time.Duration(*in.VisibilityTimeout) * time.Second
	if s.at.Add(timeout).After(m.received.Add(sqsVisibilityLimit)) {
		return errSQSValue(*in.VisibilityTimeout, "VisibilityTimeout", "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]")
	}
	q.lift(m)
	if timeout > 0 {
		q.hide(m, s.at.Add(timeout))
	} else {
		q.show(m)
	}
	q.wake()
	s.tell(VisibilityChanged, q, m, timeout)
	return nil
}

type sqsReceipt struct{ ReceiptHandle string }

type deleteMessageInput struct {
	sqsTarget
	sqsReceipt
}

func (s *SQS) deleteMessage(q *sqsQueue, in deleteMessageInput) (any, error) {
	return struct{}{}, s.delete(q, in.sqsReceipt)
}

type deleteMessageBatchInput struct {
	sqsTarget
	Entries []deleteMessageEntry
}

type deleteMessageEntry struct {
	sqsEntry
	sqsReceipt
}

func (s *SQS) deleteMessageBatch(q *sqsQueue, in deleteMessageBatchInput) (any, error) {
	if err := sqsCheckBatch(in.Entries); err != nil {
		return nil, err
	}
	return sqsEach(in.Entries, func(e deleteMessageEntry) (any, error) {
		return e.sqsEntry, s.delete(q, e.sqsReceipt)
	})
}

// delete takes a message away for good. In a standard queue the handle of an
// earlier receive is accepted and does nothing; the latest one works even
// after the message has become visible again. A FIFO queue wants it in flight.
func (s *SQS) delete(q *sqsQueue, in sqsReceipt) error {
	m, latest, err := q.open(in.ReceiptHandle)
	if err != nil {
		return err
	}
	if m == nil {
		return nil // deleted before
	}
	if q.fifo && !(latest && q.isHidden(m)) {
		return errSQSValue(in.ReceiptHandle, "ReceiptHandle", "The receipt handle has expired.")
	}
	if !latest {
		return nil
	}
	q.remove(m)
	s.tell(Deleted, q, m, 0)
	return nil
}

package local

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// sqsMoveTask is a finished redrive. Amazon SQS takes its time over one; here
// it is over when StartMessageMoveTask answers, so none can be cancelled, and
// MaxNumberOfMessagesPerSecond is checked and not needed.
type sqsMoveTask struct {
	SourceArn                         string
	DestinationArn                    string `json:",omitempty"`
	Status                            string
	FailureReason                     string `json:",omitempty"`
	StartedTimestamp                  int64  // milliseconds
	ApproximateNumberOfMessagesMoved  int64
	ApproximateNumberOfMessagesToMove int64
	MaxNumberOfMessagesPerSecond      *int `json:",omitempty"`
}

type startMoveInput struct {
	SourceArn                    string
	DestinationArn               string
	MaxNumberOfMessagesPerSecond *int
}

func (s *SQS) startMessageMoveTask(_ string, in startMoveInput) (any, error) {
	source, err := s.moveSource(in)
	if err != nil {
		return nil, err
	}
	s.settle(source)
	task := &sqsMoveTask{SourceArn: in.SourceArn, DestinationArn: in.DestinationArn, Status: "COMPLETED",
		StartedTimestamp: s.at.UnixMilli(), ApproximateNumberOfMessagesToMove: int64(source.visible.Len()),
		MaxNumberOfMessagesPerSecond: in.MaxNumberOfMessagesPerSecond}
	for _, m := range source.inTurn() {
		destination := s.queueOf(cmp.Or(in.DestinationArn, m.sourceArn))
		if destination == nil {
			task.Status, task.FailureReason = "FAILED", "CouldNotDetermineMessageSource"
			if m.sourceArn != "" {
				task.FailureReason = errSQSNoQueue.code
			}
			break
		}
		s.move(source, destination, m)
		task.ApproximateNumberOfMessagesMoved++
	}
	s.tasks = append(s.tasks, task)
	return map[string]string{"TaskHandle": uuid.NewString()}, nil
}

func (s *SQS) moveSource(in startMoveInput) (*sqsQueue, error) {
	if err := sqsRange("MaxNumberOfMessagesPerSecond", in.MaxNumberOfMessagesPerSecond, 1, 500); err != nil {
		return nil, err
	}
	source := s.queueOf(in.SourceArn)
	if source == nil {
		return nil, errSQSNoResource("SourceArn")
	}
	if in.DestinationArn == in.SourceArn {
		return nil, errSQSParameter("Source queue arn and destination queue arn cannot be the same.")
	}
	if in.DestinationArn != "" && s.queueOf(in.DestinationArn) == nil {
		return nil, errSQSNoResource("DestinationArn")
	}
	for _, q := range s.queues {
		if q.feeds(source) {
			return source, nil
		}
	}
	return nil, errSQSParameter("Source queue must be configured as a Dead Letter Queue.")
}

// inTurn are the visible messages in the order of their receipt.
func (q *sqsQueue) inTurn() []*sqsMessage {
	return slices.SortedFunc(slices.Values(q.visible.items), func(a, b *sqsMessage) int { return cmp.Compare(a.turn, b.turn) })
}

// move makes a new message of an old one: a new id, sent now, never received.
func (s *SQS) move(source, destination *sqsQueue, old *sqsMessage) {
	source.remove(old)
	s.tell(Deleted, source, old, 0)
	s.arrivals++
	m := &sqsMessage{id: uuid.NewString(), body: old.body, attrs: old.attrs, system: old.system, group: old.group, dedup: old.dedup,
		arrival: s.arrivals, sent: s.at, enqueued: s.at}
	destination.add(m, s.at, s.at)
	s.tell(Redriven, destination, m, 0)
}

type listMovesInput struct {
	SourceArn  string
	MaxResults *int
}

func (s *SQS) listMessageMoveTasks(_ string, in listMovesInput) (any, error) {
	if err := sqsRange("MaxResults", in.MaxResults, 1, 10); err != nil {
		return nil, err
	}
	if s.queueOf(in.SourceArn) == nil {
		return nil, errSQSNoResource("SourceArn")
	}
	limit := 1
	if in.MaxResults != nil {
		limit = *in.MaxResults
	}
	latest := []*sqsMoveTask{}
	for _, task := range slices.Backward(s.tasks) {
		if task.SourceArn == in.SourceArn && len(latest) < limit {
			latest = append(latest, task)
		}
	}
	return map[string]any{"Results": latest}, nil
}

func (s *SQS) cancelMessageMoveTask(string, struct{ TaskHandle string }) (any, error) {
	return nil, sqsError{"ResourceNotFoundException", "ResourceNotFoundException", 404, "Task does not exist."}
}

package sqs

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// deadLetterQueue is where a message has to go instead of being received, or nil.
func (s *Server) deadLetterQueue(q *sqsQueue, m *sqsMessage) *sqsQueue {
	if q.dlqArn == "" || m.receives < q.maxReceives {
		return nil
	}
	return s.queueOf(q.dlqArn) // nil if it was deleted
}

// moveToDLQ moves a message. It stays the same, its retention goes on.
func (s *Server) moveToDLQ(q *sqsQueue, m *sqsMessage) {
	dlq := s.deadLetterQueue(q, m)
	q.remove(m)
	s.tell(MovedToDLQ, q, m, 0)
	m.sourceArn = q.arn
	dlq.add(m)
	dlq.wake()
}

func (q *sqsQueue) isDLQOf(source *sqsQueue) bool { return source.dlqArn == q.arn }

func (s *Server) listDeadLetterSources(dlq *sqsQueue, _ sqsInput) (any, error) {
	return map[string]any{"queueUrls": s.urls(dlq.isDLQOf)}, nil // written like that in the API
}

// sqsMove is a finished redrive. Amazon SQS takes its time over one; here it
// is over when StartMessageMoveTask answers.
type sqsMove struct {
	SourceArn, DestinationArn        string
	Status                           string
	StartedTimestamp                 int64 // milliseconds
	ApproximateNumberOfMessagesMoved int
}

// startMove sends what is visible in a dead-letter queue on to DestinationArn,
// or to where it came from; a message that came from nowhere ends the move.
func (s *Server) startMove(in sqsInput) (any, error) {
	source := s.queueOf(in.SourceArn)
	if err := cmp.Or(
		sqsRefuse(source == nil, "ResourceNotFoundException", "The SourceArn does not exist."),
		sqsRefuse(in.DestinationArn != "" && s.queueOf(in.DestinationArn) == nil, "ResourceNotFoundException", "The DestinationArn does not exist."),
		sqsRefuse(in.DestinationArn == in.SourceArn, sqsInvalid, "Source queue arn and destination queue arn cannot be the same."),
		sqsRefuse(source != nil && len(s.urls(source.isDLQOf)) == 0, sqsInvalid, "Source queue must be configured as a Dead Letter Queue.")); err != nil {
		return nil, err
	}
	s.expire(source)
	move := sqsMove{in.SourceArn, in.DestinationArn, "COMPLETED", s.at.UnixMilli(), 0}
	for _, m := range slices.Clone(source.line) {
		if m.hidden(s.at) {
			continue
		}
		destination := s.queueOf(cmp.Or(in.DestinationArn, m.sourceArn))
		if destination == nil {
			move.Status = "FAILED"
			break
		}
		source.remove(m)
		s.tell(Deleted, source, m, 0)
		again := s.newMessage(*m)
		destination.add(again)
		s.tell(Redriven, destination, again, 0)
		move.ApproximateNumberOfMessagesMoved++
	}
	s.moves = append(s.moves, move)
	return map[string]string{"TaskHandle": uuid.NewString()}, nil
}

// listMoves gives the latest move, as SQS does without MaxResults.
func (s *Server) listMoves(in sqsInput) (any, error) {
	latest := []sqsMove{}
	for _, move := range s.moves {
		if move.SourceArn == in.SourceArn {
			latest = []sqsMove{move}
		}
	}
	return map[string]any{"Results": latest}, nil
}

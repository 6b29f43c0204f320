package sqs

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// deadLetterQueue returns the dead-letter queue of a message due there, else nil.
func (s *Server) deadLetterQueue(q *queue, m *message) *queue {
	if q.dlqArn == "" || m.receives < q.maxReceives {
		return nil
	}
	return s.queueOf(q.dlqArn) // nil if deleted
}

// moveToDLQ moves a message with its id, and its retention continues.
func (s *Server) moveToDLQ(q *queue, m *message) {
	dlq := s.deadLetterQueue(q, m)
	q.remove(m)
	s.report(MovedToDLQ, q, m, 0)
	m.sourceArn = q.arn
	dlq.add(m)
	dlq.wake()
}

func (q *queue) isDLQOf(source *queue) bool { return source.dlqArn == q.arn }

func (s *Server) listDeadLetterSources(dlq *queue, _ input) (any, error) {
	return map[string]any{"queueUrls": s.urls(dlq.isDLQOf)}, nil // lower-case q, as in the API
}

// moveTask is a finished redrive. Amazon SQS runs it in the background; here it is finished
// when StartMessageMoveTask returns.
type moveTask struct {
	SourceArn, DestinationArn        string
	Status                           string
	StartedTimestamp                 int64 // milliseconds
	ApproximateNumberOfMessagesMoved int
}

// startMove moves the visible messages of a dead-letter queue to DestinationArn, or back to
// their sources; a message without a source ends the task.
func (s *Server) startMove(in input) (any, error) {
	source := s.queueOf(in.SourceArn)
	if err := cmp.Or(
		refuse(source == nil, "ResourceNotFoundException", "The SourceArn does not exist."),
		refuse(in.DestinationArn != "" && s.queueOf(in.DestinationArn) == nil, "ResourceNotFoundException",
			"The DestinationArn does not exist."),
		refuse(in.DestinationArn == in.SourceArn, codeInvalid,
			"Source queue arn and destination queue arn cannot be the same."),
		refuse(source != nil && len(s.urls(source.isDLQOf)) == 0, codeInvalid,
			"Source queue must be configured as a Dead Letter Queue.")); err != nil {
		return nil, err
	}
	s.expire(source)
	move := moveTask{in.SourceArn, in.DestinationArn, "COMPLETED", s.at.UnixMilli(), 0}
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
		s.report(Deleted, source, m, 0)
		again := s.newMessage(*m)
		destination.add(again)
		s.report(Redriven, destination, again, 0)
		move.ApproximateNumberOfMessagesMoved++
	}
	s.moves = append(s.moves, move)
	return map[string]string{"TaskHandle": uuid.NewString()}, nil
}

// listMoves returns the latest task, like SQS without MaxResults.
func (s *Server) listMoves(in input) (any, error) {
	latest := []moveTask{}
	for _, move := range s.moves {
		if move.SourceArn == in.SourceArn {
			latest = []moveTask{move}
		}
	}
	return map[string]any{"Results": latest}, nil
}

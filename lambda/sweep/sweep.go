// Package sweep repairs what crashed or got lost: it publishes pending
// documents again whose message never came, and fails, with a notification,
// those in progress that no message is left for. It runs every minute or so;
// it is bounded, and two at once do no harm. In a healthy system every count
// of its report is 0.
package sweep

import (
	"context"
	"log/slog"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

const (
	// republishTimes is how often a document is published again, the wait
	// doubling each time, before it is failed as lost.
	republishTimes = 3
	// limit is how many documents one run repairs of each kind. The next
	// run, a minute later, takes the next ones.
	limit = 500
	// backlogPatience is how many times longer everybody waits while the
	// queue's backlog explains what is overdue. A queue that is never empty
	// must not keep a document waiting for ever.
	backlogPatience = 8
)

// Store finds and repairs documents. The visibility is the queue's visibility
// timeout: how long a message may be away before it must have come back.
type Store interface {
	// Overdue counts the documents whose message should have come by now.
	Overdue(ctx context.Context, visibility time.Duration) (int, error)
	// Republish stamps overdue pending documents that were published again
	// fewer than times.
	Republish(ctx context.Context, visibility time.Duration, times, limit int) ([]job.Stamped, error)
	// GiveUp fails the other overdue ones, each with its notification row:
	// pending is lost, in progress has crashed.
	GiveUp(ctx context.Context, visibility time.Duration, times, limit int) (lost, crashed int, err error)
}

// Queue is the queue whose messages are missed.
type Queue interface {
	// Send sends messages, see job.Sender.
	Send(ctx context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error)
	// Backlog counts the messages that wait for a worker.
	Backlog(ctx context.Context) (int, error)
}

// Sweeper is configured by its fields.
type Sweeper struct {
	Store      Store
	Queue      Queue
	Visibility time.Duration
	Log        *slog.Logger
	// Tell tells of failures that nobody was told of yet; nil has no channel.
	Tell func(context.Context)
	// Measure is called at the end of every run, with what is known of it and
	// why it did not get further; nil measures nothing.
	Measure func(ctx context.Context, r Report, failed error)
}

// measureFor is kept free at the end of a run for measuring, also when the
// database or a channel is slow: that is when the figures count. Telling may
// take 5 s of it to note what it told.
const measureFor = 13 * time.Second

// Report counts repairs by kind.
type Report struct {
	Overdue     int `json:"overdue"`     // documents whose message should have come
	Backlog     int `json:"backlog"`     // messages that wait; looked up only when something is overdue
	Republished int `json:"republished"` // repair (a): published again
	Lost        int `json:"lost"`        // failed: published again too often
	Crashed     int `json:"crashed"`     // repair (b): failed in progress
}

// Run does one sweep. It tells at the end, of what it failed itself as well,
// and also when it could not repair.
func (s *Sweeper) Run(ctx context.Context) (r Report, err error) {
	if s.Measure != nil {
		defer func(ctx context.Context) { s.Measure(ctx, r, err) }(ctx)
		var cancel context.CancelFunc
		ctx, cancel = endEarlier(ctx, measureFor)
		defer cancel()
	}
	if s.Tell != nil {
		defer s.Tell(ctx)
	}
	return s.repair(ctx)
}

// endEarlier leaves that much of the time, or half of it if it is short.
func endEarlier(ctx context.Context, reserve time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(reserve, time.Until(deadline)/2)))
}

func (s *Sweeper) repair(ctx context.Context) (Report, error) {
	var r Report
	var err error
	if r.Overdue, err = s.Store.Overdue(ctx, s.Visibility); err != nil || r.Overdue == 0 {
		return r, failure.At("find overdue documents", err)
	}
	if r.Backlog, err = s.Queue.Backlog(ctx); err != nil {
		return r, err
	}
	visibility := s.Visibility
	if r.Backlog >= r.Overdue {
		// They may all be waiting in the queue: it is slow, nothing is lost.
		s.Log.Warn("documents are overdue behind a backlog", "overdue", r.Overdue, "backlog", r.Backlog)
		visibility *= backlogPatience
	}
	if r.Lost, r.Crashed, err = s.Store.GiveUp(ctx, visibility, republishTimes, limit); err != nil {
		return r, failure.At("give up overdue documents", err)
	}
	stamped, err := s.Store.Republish(ctx, visibility, republishTimes, limit)
	if err != nil {
		return r, failure.At("publish overdue documents again", err)
	}
	if len(stamped)+r.Lost+r.Crashed == 0 {
		return r, nil
	}
	unsent, err := s.Queue.Send(ctx, stamped)
	r.Republished = len(stamped) - len(unsent)
	s.Log.Warn("repaired", "republished", r.Republished, "unsent", len(unsent), "lost", r.Lost, "crashed", r.Crashed)
	return r, err
}

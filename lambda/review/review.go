// Package review is the work of the review function: it reads one chunk of a
// contract, or, as the last step, the contract as a whole.
//
// A chunk of text is read in stages, each of them one question to a model. The
// first finds its categories of clauses; they decide which analysts read it, all
// at the same time. A stage that has ended is recorded with its marks and
// findings, so that a redelivery goes on after it, and an answer that is paid
// for but not recorded comes from the vault. Between two questions the review
// may be cancelled, paused by the model's provider, or out of budget: the store
// knows, and is asked before every call. The contract as a whole is a chunk of
// its own, published when the last chunk of text has its end.
//
// Without a model, the categories are found by rules, and the playbook makes the
// findings of them.
package review

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Store keeps reviews: postgres/review_chunk.go, and review.go for Standing and Pause.
// Writes with a fence that does not hold return job.ErrFenceLost and change nothing.
type Store interface {
	// Task reads what the work on a chunk needs; a queued review is running then.
	Task(ctx context.Context, f job.Attempt) (record.Task, error)
	// Begin records that stages begin that ask the model of this name, and reserves
	// their largest cost, unless the review is not running. It returns
	// record.ErrBudget, and records nothing, when the budget does not allow that cost.
	Begin(ctx context.Context, f job.Attempt, model string, calls []record.Call) (record.Standing, error)
	// Record records stages that have ended, in one transaction. Their findings are
	// added only while the review is running. Its Standing has no pause.
	Record(ctx context.Context, f job.Attempt, results []record.Result) (record.Standing, error)
	// End ends the chunk as succeeded, failed or cancelled. If it was the last one
	// of the text, the contract as a whole is published: the caller sends its message.
	End(ctx context.Context, f job.Attempt, status job.Status, stage, reason string) ([]job.Stamped, error)
	// Standing reads what may stop a review that asks the model of this name.
	Standing(ctx context.Context, review uuid.UUID, model string) (record.Standing, error)
	// Pause keeps all workers from calling the model for that long from now.
	Pause(ctx context.Context, model string, d time.Duration) error
}

// Reviewer reviews chunks.
type Reviewer struct {
	Store  Store
	Model  *llm.Asker    // nil: by rules
	Price  llm.Price     // zero: costs are 0
	Slots  chan struct{} // its capacity is the number of calls in flight of this process
	Sender job.Sender    // to the queue of the function itself
	Log    *slog.Logger
	// Paused is called after a wait for the rate limit of the provider; it may be nil.
	Paused func(time.Duration)
}

// errCancelled stops the work on a review that a person has cancelled.
var errCancelled = errors.New("the review was cancelled")

// Review reads a chunk. It is a job.Work.
func (r *Reviewer) Review(ctx context.Context, f job.Attempt) error {
	task, err := r.Store.Task(ctx, f)
	if err != nil {
		return failure.At("read the chunk", err)
	}
	rules, err := playbook.Parse(task.Playbook)
	if err != nil {
		return failure.Permanently("the playbook of the review cannot be read: %s", err)
	}
	w := newWork(r, f, task, rules)
	return w.end(ctx, w.run(ctx))
}

// run reads the chunk, under a watch that stops its calls.
func (w *work) run(ctx context.Context) error {
	calls, ended := beforeEnd(ctx)
	defer ended()
	calls, stop := context.WithCancelCause(calls)
	w.stop = stop
	defer stop(nil)
	defer w.watch(calls)()
	var err error
	if w.task.Chunk.Kind == record.Whole {
		err = w.whole(calls)
	} else {
		err = w.text(calls)
	}
	return worst(err, w.unrecorded(), cause(calls))
}

// beforeEnd returns a context that ends so early that what was answered can be
// recorded.
func beforeEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(endFor, time.Until(deadline)/4)))
}

// cause returns the reason for which the watch, or a lost fence, has stopped the
// calls.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, errCancelled) || errors.Is(err, job.ErrFenceLost) {
		return err
	}
	return nil
}

// worst returns the error that decides the end of the chunk: one that has come
// first in this order. A chunk with a stage that may be tried again is tried
// again, whatever the others met.
func worst(errs ...error) (chosen error) {
	best := len(ranks)
	for _, err := range errs {
		if err == nil {
			continue
		}
		rank := 0
		for rank < len(ranks)-1 && !ranks[rank](err) {
			rank++
		}
		if rank < best {
			best, chosen = rank, err
		}
	}
	return chosen
}

var ranks = []func(error) bool{
	func(err error) bool { return errors.Is(err, job.ErrFenceLost) },
	func(err error) bool { return errors.Is(err, errCancelled) },
	func(err error) bool {
		return !errors.Is(err, record.ErrBudget) && failure.Of(err).Kind == failure.Transient
	},
	func(err error) bool { return errors.Is(err, record.ErrBudget) },
	func(error) bool { return true },
}

// end writes the end of the chunk. Failures are left to the runtime, which may
// try again.
func (w *work) end(ctx context.Context, err error) error {
	switch {
	case err == nil:
		err = w.close(ctx, job.StatusSucceeded, "", "")
	case errors.Is(err, errCancelled):
		err = w.close(ctx, job.StatusCancelled, string(cancelledAt(w.unfinished())), "")
	case errors.Is(err, record.ErrBudget):
		err = w.close(ctx, job.StatusFailed, string(stages[w.unfinished()-1]), err.Error())
	}
	return err
}

// endFor bounds the writes that go on although the work's time is up.
const endFor = 4 * time.Second

func (w *work) close(ctx context.Context, status job.Status, stage, reason string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endFor)
	defer cancel()
	whole, err := w.Store.End(ctx, w.fence, status, stage, reason)
	if err != nil {
		return failure.At("write the end of the chunk", err)
	}
	if _, err := w.Sender.Send(ctx, whole); err != nil {
		w.Log.Warn("the contract as a whole is published without a message: the sweep sends it",
			"id", w.fence.ID, "review", w.task.Job.ID, "reason", failure.Of(err).Text)
	}
	return nil
}

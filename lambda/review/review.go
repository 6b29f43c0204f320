// Package review is the work of the review function: it reads one chunk of a contract or, as
// the last step, the contract as a whole.
//
// A chunk of text is read in stages; each stage is one question to a model. The first chunk
// begins with the card of the contract, which the others wait for and all questions have. The
// next call asks for the chunk's categories of clauses and for the findings of each analyst called by
// rules' marks and words; what its answer leaves out is asked alone. A
// finished stage is recorded with its marks and findings, so a redelivery resumes after it. An
// answer already paid for but not recorded comes from the vault. Before every call the store
// is asked, because the review may have been cancelled, paused by the model's provider, or run
// out of budget. The contract as a whole is one more chunk, published when the last chunk of
// text finishes.
//
// Without a model, rules find the categories and the playbook derives the findings.
package review

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Store keeps reviews. See postgres/reviews/chunk.go, and postgres/reviews/reviews.go for Standing and
// Pause. A write under a lost fence must return job.ErrFenceLost and change nothing.
type Store interface {
	// Task returns everything the work on a chunk needs. It sets a queued review to running.
	Task(ctx context.Context, f job.Attempt) (record.Task, error)
	// Begin records the start of stages using the named model and reserves their largest cost,
	// if the review is running. Over budget it records nothing, and returns record.ErrBudget with
	// the Standing.
	Begin(ctx context.Context, f job.Attempt, model string, calls []record.Call) (record.Standing, error)
	// Record records finished stages in one transaction. It adds their findings only while the
	// review is running. The Standing it returns omits the pause.
	Record(ctx context.Context, f job.Attempt, results []record.Result) (record.Standing, error)
	// Open publishes the chunks of text that wait for the card, and returns their messages, which
	// the caller must send.
	Open(ctx context.Context, f job.Attempt) ([]job.Stamped, error)
	// End settles the chunk as succeeded, failed or cancelled. After the last chunk of text it
	// publishes the contract as a whole and returns its message, which the caller must send.
	End(ctx context.Context, f job.Attempt, status job.Status, stage, reason string) ([]job.Stamped, error)
	// Standing returns the review's status, its budget and the named model's pause.
	Standing(ctx context.Context, review uuid.UUID, model string) (record.Standing, error)
	// Pause keeps all workers from calling the model for d, starting now.
	Pause(ctx context.Context, model string, d time.Duration) error
}

// Reviewer reviews chunks.
type Reviewer struct {
	Store  Store
	Model  *llm.Asker    // nil: use rules
	Price  llm.Price     // zero: count costs as 0
	Slots  chan struct{} // capacity: this process's calls in flight
	Sender job.Sender    // to the function's own queue
	Log    *slog.Logger
	// Paused is called after each wait for the provider's rate limit; it may be nil.
	Paused func(time.Duration)
}

// errCancelled stops the work on a review cancelled by a person.
var errCancelled = errors.New("review cancelled")

// Review reads a chunk. Use it with job.Each.
func (r *Reviewer) Review(ctx context.Context, f job.Attempt) error {
	task, err := r.Store.Task(ctx, f)
	if err != nil {
		return failure.At("read the chunk", err)
	}
	rules, err := playbook.Parse(task.Playbook)
	if err != nil {
		return failure.Permanently("invalid playbook of the review: %s", err)
	}
	w := newWork(r, f, task, rules)
	return w.end(ctx, w.run(ctx))
}

// run reads the chunk, under a watch able to stop its calls.
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

// beforeEnd returns a context with an earlier deadline, so that answers can still be recorded.
func beforeEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(endFor, time.Until(deadline)/4)))
}

// cause returns why the watch or a lost fence stopped the calls, or nil if neither did.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, errCancelled) || errors.Is(err, job.ErrFenceLost) {
		return err
	}
	return nil
}

// worst returns the error that decides how the chunk ends: the first by the order of ranks.
// One retryable stage is enough to retry the chunk, whatever else happened.
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
	func(err error) bool { return failure.Of(err).Kind == failure.Parked },
	func(err error) bool {
		return !errors.Is(err, record.ErrBudget) && failure.Of(err).Kind == failure.Transient
	},
	func(err error) bool { return errors.Is(err, record.ErrBudget) },
	func(error) bool { return true },
}

// end settles the chunk. It returns failures, because the runtime may retry them.
func (w *work) end(ctx context.Context, err error) error {
	switch {
	case err == nil:
		err = w.close(ctx, job.StatusSucceeded, "", "")
	case errors.Is(err, errCancelled):
		err = w.close(ctx, job.StatusCancelled, string(cancelledAt(w.unfinished())), "")
	case errors.Is(err, record.ErrBudget):
		text := failure.Of(err).Text
		stage, _, _ := strings.Cut(strings.TrimPrefix(text, "stage "), ":")
		err = w.close(ctx, job.StatusFailed, stage, text)
	}
	return err
}

// endFor is the grace period for writes after the work's deadline.
const endFor = 4 * time.Second

func (w *work) close(ctx context.Context, status job.Status, stage, reason string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endFor)
	defer cancel()
	whole, err := w.Store.End(ctx, w.fence, status, stage, reason)
	if err != nil {
		return failure.At("write the end of the chunk", err)
	}
	w.send(ctx, whole)
	return nil
}

func (w *work) send(ctx context.Context, messages []job.Stamped) {
	if _, err := w.Sender.Send(ctx, messages); err != nil {
		w.Log.Warn("enqueue of further chunks failed; sweep will retry",
			"id", w.fence.ID, "review", w.task.Job.ID, "reason", failure.Of(err).Text)
	}
}

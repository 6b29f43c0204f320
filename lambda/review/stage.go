package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"matchbook/lambda/failure"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/record"
)

// stages lists all stages by number.
var stages = numbered()

func numbered() []record.Stage {
	all := []record.Stage{record.CardStage, record.Categories}
	for _, a := range analyst.All() {
		all = append(all, record.Stage(a.Name))
	}
	return append(all, record.Contract)
}

func number(s record.Stage) int {
	for i, stage := range stages {
		if stage == s {
			return i
		}
	}
	return len(stages) - 1
}

func cancelledAt(n int) record.Outcome {
	return record.CancelledAt + record.Outcome(strconv.Itoa(n))
}

// unfinished returns the number of the chunk's first unfinished stage.
func (w *work) unfinished() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range stages {
		if w.due[s] && !w.done[s] {
			return i
		}
	}
	return len(stages) - 1
}

// stages runs stages that share a call, as soon as the review and the model's provider allow, and
// records their results. It returns an error for each, one if the store failed, none if they are done. rs hold the part of
// the results known before, and run returns an error for each. Stages that may not begin are recorded
// as failed, so that each missing answer is a gap with a reason.
func (w *work) stages(
	ctx context.Context, rs []record.Result, most record.USD, run func(context.Context, []record.Result) []error,
) []error {
	if _, done := w.task.Ended[rs[0].Stage]; done {
		return nil
	}
	calls := make([]record.Call, len(rs))
	for i, r := range rs {
		calls[i].Stage = r.Stage
	}
	calls[0].Estimate = most // one reservation, because they share the call
	leave, err := w.enter(ctx, calls)
	errs := slices.Repeat([]error{err}, len(rs))
	if err != nil && !refused(err) {
		return []error{at(rs[0].Stage, err)}
	}
	if err == nil {
		errs = run(ctx, rs)
		leave()
	}
	for i := range rs {
		errs[i] = ended(ctx, &rs[i], errs[i])
	}
	w.record(ctx, rs...)
	return errs
}

// ended sets the outcome of a stage, and returns its error.
func ended(ctx context.Context, r *record.Result, err error) error {
	switch {
	case err == nil:
		r.Outcome = record.Done
	case cause(ctx) != nil:
		r.Outcome, err = cancelledAt(number(r.Stage)), cause(ctx)
	default:
		r.Outcome, r.Reason = record.StageFailed, failure.Of(err).Text
	}
	return at(r.Stage, err)
}

// refused reports whether a call didn't begin because of money, the provider or the time left,
// rather than the store.
func refused(err error) bool {
	return errors.Is(err, record.ErrBudget) || errors.Is(err, context.DeadlineExceeded) || failure.Of(err).RetryAfter > 0
}

func at(s record.Stage, err error) error { return failure.At(fmt.Sprintf("stage %s", s), err) }

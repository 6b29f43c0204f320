package review

import (
	"context"
	"errors"
	"fmt"
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

// stage runs one stage, unless it's already done, as soon as the review and the model's
// provider allow, and records its result. r holds the part of the result known before. A stage
// that may not begin is recorded as failed, so that each missing answer is a gap with a reason.
func (w *work) stage(
	ctx context.Context, r record.Result, most record.USD, run func(context.Context, *record.Result) error,
) error {
	s := r.Stage
	if _, done := w.task.Ended[s]; done {
		return nil
	}
	leave, err := w.enter(ctx, record.Call{Stage: s, Estimate: most})
	if err != nil && !refused(err) {
		return at(s, err)
	}
	if err == nil {
		err = run(ctx, &r)
		leave()
	}
	switch {
	case err == nil:
		r.Outcome = record.Done
	case cause(ctx) != nil:
		r.Outcome, err = cancelledAt(number(s)), cause(ctx)
	default:
		r.Outcome, r.Reason = record.StageFailed, failure.Of(err).Text
	}
	w.record(ctx, r)
	return at(s, err)
}

// refused reports whether a call didn't begin because of money, the provider or the time left,
// rather than the store.
func refused(err error) bool {
	return errors.Is(err, record.ErrBudget) || errors.Is(err, context.DeadlineExceeded) || failure.Of(err).RetryAfter > 0
}

func at(s record.Stage, err error) error { return failure.At(fmt.Sprintf("stage %s", s), err) }

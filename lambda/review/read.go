package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// text reads a chunk of text: the first asks for the contract's card, each for what rules' marks and
// words call for.
func (w *work) text(ctx context.Context) error {
	if w.Model == nil {
		return w.byRules(ctx)
	}
	stop, without := w.card(ctx)
	if stop {
		return without
	}
	return worst(without, w.tasks(ctx, analyst.Route(w.marksByRules(), w.passage)))
}

// card asks for the contract's card, if this is the first chunk, and publishes the chunks waiting
// for it. Without an answer the review goes on with the rules' card, and the error is a gap; stop
// is set if nothing else can be asked now.
func (w *work) card(ctx context.Context) (stop bool, err error) {
	if w.task.Chunk.Position > 0 {
		return false, nil
	}
	if w.task.Contract != "" {
		err = w.askCard(ctx)
	}
	if later := failure.Of(err); cause(ctx) != nil || w.unrecorded() != nil ||
		err != nil && (later.RetryAfter > 0 || later.Kind == failure.Parked) {
		return true, err
	}
	waiting, opened := w.Store.Open(ctx, w.fence)
	if opened != nil {
		return true, worst(err, failure.At("publish the chunks that wait for the card", opened))
	}
	w.send(ctx, waiting)
	return false, err
}

func (w *work) askCard(ctx context.Context) error {
	text := w.task.Contract
	byRules := whole.Facts(text, func(name string) bool { return w.playbook.SideOf(name) > 0 })
	c := byRules
	q := card.Question(text, byRules, w.playbook.Side())
	err := w.question(ctx, record.Result{Stage: record.CardStage, Card: &byRules}, q, func(answer string, r *record.Result) error {
		read, kept, dropped, err := card.Read(answer, text, byRules)
		if err = cmp.Or(err, lost(kept, dropped)); err == nil {
			c, r.Card = read, &read
		}
		r.Dropped = dropped
		return err
	})
	w.know(c)
	return err
}

func (w *work) marksByRules() []record.Mark {
	return category.ByRules(w.passage.Text, w.passage.Start, w.passage.Heading)
}

func (w *work) byRules(ctx context.Context) error {
	marks := w.marksByRules()
	return w.concluded(ctx, record.Result{Stage: record.Categories, Marks: marks, Findings: w.playbook.ByRules(marks)})
}

// concluded runs a stage by rules.
func (w *work) concluded(ctx context.Context, r record.Result) error {
	return worst(w.stages(ctx, []record.Result{r}, 0, func(context.Context, []record.Result) []error { return []error{nil} })...)
}

// tasks asks about the passage in one call. What has no answer in it for good is asked alone, all at
// once, so that one gap doesn't become twelve. One failure doesn't stop the others, because their
// answers are paid for and worth recording.
func (w *work) tasks(ctx context.Context, tasks []analyst.Analyst) error {
	tasks = slices.DeleteFunc(tasks, func(t analyst.Analyst) bool { _, done := w.task.Ended[t.Stage()]; return done })
	if len(tasks) == 0 {
		return nil
	}
	for _, t := range tasks {
		w.expect(t.Stage())
	}
	errs := w.together(ctx, tasks)
	if len(errs) < 2 || cause(ctx) != nil || w.unrecorded() != nil {
		return worst(errs...)
	}
	var running sync.WaitGroup
	for i, t := range tasks {
		if alone(errs[i]) {
			running.Go(func() { errs[i] = worst(w.together(ctx, []analyst.Analyst{t})...) })
		}
	}
	running.Wait()
	return worst(errs...)
}

// together asks tasks in one call, and returns the error of each.
func (w *work) together(ctx context.Context, tasks []analyst.Analyst) (errs []error) {
	defer func() {
		if v := recover(); v != nil {
			errs = []error{w.panicked(v)}
		}
	}()
	rs := make([]record.Result, len(tasks))
	for i, t := range tasks {
		rs[i].Stage = t.Stage()
	}
	var each []error
	errs = w.ask(ctx, rs, analyst.Question(tasks, w.passage, w.playbook), func(answer string, rs []record.Result) ([]error, error) {
		parts, err := analyst.Read(tasks, answer, w.passage)
		if err != nil {
			return nil, err
		}
		each = make([]error, len(parts))
		for i, p := range parts {
			rs[i].Marks, rs[i].Findings, rs[i].Dropped = p.Marks, p.Findings, p.Dropped
			each[i] = lost(len(p.Marks)+len(p.Findings), p.Dropped)
			if p.Missing {
				each[i] = failure.Permanently("the answer leaves it out")
			}
		}
		if slices.Contains(each, nil) {
			return each, nil
		}
		return each, worst(each...) // nothing to keep
	})
	if len(each) == len(errs) && !slices.Contains(each, nil) {
		return each
	}
	return errs
}

// errInvented is the error of an answer that quotes nothing but inventions.
var errInvented = errors.New("invented answer")

// alone reports whether a task without an answer in a shared call is asked alone: the call was
// refused, or its answer was cut off or leaves the task out.
func alone(err error) bool {
	return err != nil && failure.Of(err).Kind == failure.Permanent && !errors.Is(err, record.ErrBudget) && !errors.Is(err, errInvented)
}

// lost returns an error for an answer that quotes nothing but inventions: it doesn't show that
// the chunk was read. It's permanent, because the same question would get the same answer.
func lost(kept, dropped int) error {
	if kept > 0 || dropped == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", errInvented, failure.Permanently("the text has none of its %s", plural.Of(dropped, "quote")))
}

// panicked returns the error of a panic. It's needed because the runtime's recover covers only its
// own goroutine.
func (w *work) panicked(v any) error {
	p := &failure.Panic{Value: v, Stack: debug.Stack()}
	w.Log.Error("panic", "id", w.fence.ID, "review", w.task.Job.ID, "panic", p.Error(), "stack", string(p.Stack))
	return p
}

// whole reads the contract as a whole. What rules conclude from marks and findings is recorded
// first, whatever becomes of the question about all of them.
func (w *work) whole(ctx context.Context) error {
	concluded := whole.Conclude(w.task, w.playbook)
	if w.Model == nil {
		return w.concluded(ctx, concluded)
	}
	if _, done := w.task.Ended[record.Rules]; !done {
		concluded.Stage = record.Rules
		w.record(ctx, concluded)
		if err := worst(w.unrecorded(), cause(ctx)); err != nil {
			return err
		}
	}
	task, err := w.Store.Task(ctx, w.fence) // with the numbers of these findings
	if err != nil {
		return failure.At("read the findings", err)
	}
	q := whole.Question(task, w.playbook)
	return w.question(ctx, record.Result{Stage: record.Contract}, q, func(answer string, r *record.Result) error {
		kept, err := whole.Read(answer, task, r)
		return cmp.Or(err, lost(kept, r.Dropped))
	})
}

// question runs a stage asking the model q, beginning with what its result has already. read
// may be called with several answers; only the last result counts.
func (w *work) question(
	ctx context.Context, r record.Result, q llm.Question, read func(answer string, r *record.Result) error,
) error {
	return worst(w.ask(ctx, []record.Result{r}, q, func(answer string, rs []record.Result) ([]error, error) {
		return []error{nil}, read(answer, &rs[0])
	})...)
}

// ask runs stages asking the model q. read returns an error for each stage, and one for an answer
// without any use.
func (w *work) ask(
	ctx context.Context, rs []record.Result, q llm.Question, read func(answer string, rs []record.Result) ([]error, error),
) []error {
	return w.stages(ctx, rs, largest(w.Price, q), func(ctx context.Context, rs []record.Result) (errs []error) {
		m := &meter{Model: w.Model.Model, work: w}
		asker := llm.Asker{Model: m, Vault: w.Model.Vault, Retry: w.retry()}
		err := asker.Ask(ctx, w.task.Job.TenantID, w.task.Job.DocumentID, q, func(answer string) (err error) {
			errs, err = read(answer, rs)
			return err
		})
		m.share(rs)
		if err != nil {
			errs = slices.Repeat([]error{err}, len(rs))
		}
		return errs
	})
}

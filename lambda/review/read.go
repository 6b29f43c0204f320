package review

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
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

// text reads a chunk of text: the first asks for the contract's card, each for its categories,
// then the analysts called by them. If the answer about categories is unusable, the rules' marks
// call the analysts, so that one gap doesn't become twelve.
func (w *work) text(ctx context.Context) error {
	if w.Model == nil {
		return w.byRules(ctx)
	}
	stop, without := w.card(ctx)
	if stop {
		return without
	}
	marks, err := w.categories(ctx)
	if err != nil {
		if cause(ctx) != nil || errors.Is(err, record.ErrBudget) || failure.Of(err).Kind != failure.Permanent {
			return worst(without, err)
		}
		marks = w.marksByRules()
	}
	return worst(without, err, w.analysts(ctx, analyst.Route(marks, w.passage)))
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
	if cause(ctx) != nil || w.unrecorded() != nil || err != nil && (failure.Of(err).RetryAfter > 0 || failure.Of(err).Kind == failure.Parked) {
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
	return w.stage(ctx, record.Result{Stage: record.Categories}, 0, func(_ context.Context, r *record.Result) error {
		r.Marks = w.marksByRules()
		r.Findings = w.playbook.ByRules(r.Marks)
		return nil
	})
}

// categories returns the chunk's marks, from the record if the stage is done.
func (w *work) categories(ctx context.Context) (marks []record.Mark, err error) {
	if ended, ok := w.task.Ended[record.Categories]; ok {
		return ended.Marks, nil
	}
	q := analyst.CategoriesQuestion(w.passage)
	err = w.question(ctx, record.Result{Stage: record.Categories}, q, func(answer string, r *record.Result) (err error) {
		r.Marks, r.Dropped, err = analyst.ReadMarks(answer, w.passage)
		marks = r.Marks
		return cmp.Or(err, lost(len(r.Marks), r.Dropped))
	})
	return marks, err
}

// analysts runs the called analysts concurrently. One's failure doesn't stop the others,
// because their answers are paid for and worth recording.
func (w *work) analysts(ctx context.Context, called []analyst.Analyst) error {
	for _, a := range called {
		w.expect(record.Stage(a.Name))
	}
	errs := make([]error, len(called))
	var running sync.WaitGroup
	for i, a := range called {
		running.Go(func() {
			defer w.recovered(&errs[i])
			errs[i] = w.analyst(ctx, a)
		})
	}
	running.Wait()
	return worst(errs...)
}

func (w *work) analyst(ctx context.Context, a analyst.Analyst) error {
	q := a.Question(w.passage, w.playbook)
	return w.question(ctx, record.Result{Stage: a.Stage()}, q, func(answer string, r *record.Result) (err error) {
		r.Findings, r.Dropped, err = a.Read(answer, w.passage)
		return cmp.Or(err, lost(len(r.Findings), r.Dropped))
	})
}

// lost returns an error for an answer that quotes nothing but inventions: it doesn't show that
// the chunk was read. It's permanent, because the same question would get the same answer.
func lost(kept, dropped int) error {
	if kept > 0 || dropped == 0 {
		return nil
	}
	return failure.Permanently("the text has none of its %s", plural.Of(dropped, "quote"))
}

// recovered turns a panic into an error. It's needed here because the runtime's recover covers
// only its own goroutine.
func (w *work) recovered(err *error) {
	if v := recover(); v != nil {
		p := &failure.Panic{Value: v, Stack: debug.Stack()}
		w.Log.Error("panic", "id", w.fence.ID, "review", w.task.Job.ID, "panic", p.Error(), "stack", string(p.Stack))
		*err = p
	}
}

// whole reads the contract as a whole. What rules conclude from marks and findings is recorded
// first, whatever becomes of the question about all of them.
func (w *work) whole(ctx context.Context) error {
	concluded := whole.Conclude(w.task, w.playbook)
	if w.Model == nil {
		return w.stage(ctx, concluded, 0, func(context.Context, *record.Result) error { return nil })
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
	return w.stage(ctx, r, largest(w.Price, q), func(ctx context.Context, r *record.Result) error {
		m := &meter{Model: w.Model.Model, work: w}
		asker := llm.Asker{Model: m, Vault: w.Model.Vault, Retry: w.retry()}
		err := asker.Ask(ctx, w.task.Job.TenantID, w.task.Job.DocumentID, q, func(answer string) error {
			return read(answer, r)
		})
		r.Calls, r.Cost = m.paid, m.cost
		return err
	})
}

package review

import (
	"context"
	"errors"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/job"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// work is the state of the work on one chunk. Its methods run, end and close are in review.go,
// text and whole in read.go, enter and pause in call.go, stage in stage.go.
type work struct {
	*Reviewer
	fence    job.Attempt
	task     record.Task
	passage  analyst.Passage
	playbook playbook.Playbook
	stop     context.CancelCauseFunc // stops the calls

	mu          sync.Mutex
	due, done   map[record.Stage]bool
	pausedUntil time.Time
	waiting     []record.Result // finished but not yet recorded
	recording   bool            // a goroutine is recording and will take the waiting ones too
	failed      error           // error of recording
}

func newWork(r *Reviewer, f job.Attempt, t record.Task, rules playbook.Playbook) *work {
	w := &work{Reviewer: r, fence: f, task: t, playbook: rules, stop: func(error) {},
		passage: analyst.Passage{Text: t.Text, Start: t.Chunk.Start, Heading: t.Chunk.Heading},
		due:     map[record.Stage]bool{record.Categories: true}, done: map[record.Stage]bool{}}
	if t.Chunk.Kind == record.Whole {
		w.due = map[record.Stage]bool{record.Contract: true}
	}
	if t.Contract != "" {
		w.due[record.CardStage] = true
	}
	for s := range t.Ended {
		w.done[s] = true
	}
	if t.Card != nil {
		w.know(*t.Card)
	}
	return w
}

// know gives the questions about the chunk the card.
func (w *work) know(c record.Card) {
	w.passage.Known = card.Brief(c, w.playbook.Side(), w.passage.Text, w.task.Chunk.Start, w.task.Chunk.End)
}

// modelName is the name used to pause the model's provider, empty without a model. It may
// differ from the review's model name, which comes from the configuration.
func (w *work) modelName() string {
	if w.Model == nil {
		return ""
	}
	return w.Model.Model.Name()
}

func (w *work) expect(s record.Stage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.due[s] = true
}

// record records results. One goroutine writes at a time; results arriving meanwhile share
// its next write, so that a burst of results costs few transactions.
func (w *work) record(ctx context.Context, rs ...record.Result) {
	for _, r := range rs {
		for i := range r.Findings {
			r.Findings[i].Clause = clauseOf(w.task, r.Findings[i])
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, rs...)
	if w.recording {
		return
	}
	w.recording = true
	for len(w.waiting) > 0 && w.failed == nil {
		batch := w.waiting
		w.waiting = nil
		w.mu.Unlock()
		running, err := w.write(ctx, batch)
		w.mu.Lock()
		w.failed = err
		for _, r := range batch {
			w.done[r.Stage] = running && r.Outcome == record.Done
		}
	}
	w.recording = false
}

// write goes on after the calls were stopped, because finished stages are paid for. It reports
// whether the review is still running, so that the results count.
func (w *work) write(ctx context.Context, batch []record.Result) (running bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endFor)
	defer cancel()
	standing, err := w.Store.Record(ctx, w.fence, batch)
	switch {
	case errors.Is(err, job.ErrFenceLost):
		w.stop(err)
	case err == nil && standing.Status != record.Running:
		w.stop(errCancelled)
	}
	return err == nil && standing.Status == record.Running, failure.At("record what was read", err)
}

func (w *work) unrecorded() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// watchEvery bounds how late a running call notices a cancellation.
const watchEvery = time.Second

// watch polls the review's standing until stop is called. A cancellation stops the calls in
// flight; a pause holds back the next ones.
func (w *work) watch(ctx context.Context) (stop func()) {
	if w.Model == nil {
		return func() {}
	}
	return backoff.Every(ctx, watchEvery, w.look)
}

func (w *work) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, endFor)
	defer cancel()
	standing, err := w.Store.Standing(ctx, w.task.Job.ID, w.modelName())
	switch {
	case err != nil: // ignored: the next look or call tries again
	case standing.Status != record.Running:
		w.stop(errCancelled)
	default:
		w.learn(standing)
	}
}

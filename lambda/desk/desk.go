// Package desk walks a person through the open questions: two documents side by
// side, the evidence for and against, and one key for each decision. Each decision
// is committed at once. A pair that has changed since it was shown is shown again
// instead. Nothing is kept in between, so the walk may end at any question.
package desk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"matchbook/lambda/explain"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/rules"

	"github.com/google/uuid"
)

// columns is the width of a question.
const columns = 80

// Desk is a walk through the questions that a filter selects.
type Desk struct {
	Reader *explain.Reader
	Sender job.Sender // of messages of documents to be matched again; nil: the sweep sends them
	Filter report.WaitingFilter
	By     string // the person
	Keys   <-chan rune
	Out    io.Writer

	passed                     map[[2]uuid.UUID]bool // decided, left for later, or gone
	decided                    []question            // by this walk and not taken back
	confirmed, rejected, later int
}

type question struct {
	a, b    uuid.UUID
	verdict rules.Verdict
}

func (q question) key() [2]uuid.UUID { return [2]uuid.UUID{q.a, q.b} }

const help = `  c  confirm: the two belong together
  r  reject: they do not
  l  later: leave the question open, and go on
  u  undo the last decision, and show its question again
  q  quit
  ?  this help
`

// errQuit ends a walk.
var errQuit = errors.New("the person has quit")

// Walk asks until no question is left, the person quits, the keys end, or the context
// does. It prints a summary in any case.
func (d *Desk) Walk(ctx context.Context) error {
	d.passed = map[[2]uuid.UUID]bool{}
	err := d.walk(ctx)
	if errors.Is(err, errQuit) || ctx.Err() != nil {
		err = nil
	}
	fmt.Fprintf(d.Out, "\n%d confirmed, %d rejected, %d left for later.\n", d.confirmed, d.rejected, d.later)
	return err
}

func (d *Desk) walk(ctx context.Context) error {
	for {
		batch, left, err := d.next()
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			fmt.Fprintln(d.Out, "No question is left.")
			return nil
		}
		for i, q := range batch {
			if err := d.ask(ctx, q, left-i); err != nil {
				return err
			}
		}
	}
}

// batchSize bounds the questions that are read at once.
const batchSize = 50

// next reads the most valuable questions that the walk has not passed, and the number
// of all of them.
func (d *Desk) next() (batch []question, left int, err error) {
	d.Filter.Kinds = []string{report.WaitingQuestion}
	w, err := d.Reader.Waiting(d.Filter, len(d.passed)+batchSize)
	if err != nil {
		return nil, 0, err
	}
	left = w.Counts[report.WaitingQuestion]
	for _, i := range w.Items {
		if q := (question{a: i.Document.ID, b: i.Other.ID}); d.passed[q.key()] {
			left--
		} else if len(batch) < batchSize {
			batch = append(batch, q)
		}
	}
	return batch, left, nil
}

// ask shows a question until the person has passed it. A pair that no longer waits is
// passed without a word.
func (d *Desk) ask(ctx context.Context, q question, left int) error {
	for !d.passed[q.key()] {
		c, err := d.Reader.Pair(q.a, q.b)
		var ours explain.Error
		switch {
		case errors.As(err, &ours): // a document is gone
			fmt.Fprintf(d.Out, "\n%s\n", ours)
			d.passed[q.key()] = true
		case err != nil:
			return err
		case !c.Open():
			d.passed[q.key()] = true
		default:
			fmt.Fprintf(d.Out, "\n%d open\n\n%s\n", left, c.Question(columns))
			if err := d.answer(ctx, q, c.Version, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer reads keys until one answers the question, or shows another question.
func (d *Desk) answer(ctx context.Context, q question, version string, left int) error {
	for {
		fmt.Fprint(d.Out, "c r l u q ? > ")
		key, err := d.key(ctx)
		if err != nil {
			return err
		}
		switch key {
		case 'c':
			return d.decide(ctx, q, rules.Confirmed, version)
		case 'r':
			return d.decide(ctx, q, rules.Rejected, version)
		case 'l':
			fmt.Fprintln(d.Out, "later")
			d.passed[q.key()] = true
			d.later++
			return nil
		case 'u':
			if len(d.decided) == 0 {
				fmt.Fprintln(d.Out, "there is nothing to undo")
				continue
			}
			return d.undo(ctx, left)
		case 'q':
			fmt.Fprintln(d.Out, "quit")
			return errQuit
		default:
			fmt.Fprint(d.Out, "\n"+help)
		}
	}
}

func (d *Desk) key(ctx context.Context) (rune, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case key, ok := <-d.Keys:
		if !ok {
			return 0, errQuit
		}
		return key, nil
	}
}

// decide stores a decision about what was shown. One that is stale is not stored, and
// the question stays.
func (d *Desk) decide(ctx context.Context, q question, v rules.Verdict, version string) error {
	r, err := d.store(ctx, q, v, version)
	if errors.Is(err, postgres.ErrStale) {
		fmt.Fprintln(d.Out, "not stored: the pair has changed since it was shown")
		return nil
	}
	if err != nil {
		return err
	}
	d.passed[q.key()] = true
	if !r.Changed {
		fmt.Fprintf(d.Out, "another person has %s it already\n", v)
		return nil
	}
	fmt.Fprint(d.Out, r.InShort(columns))
	q.verdict = v
	d.decided = append(d.decided, q)
	d.count(v, 1)
	return nil
}

// store stores a decision about what was shown, and sends the messages of the documents
// that it publishes.
func (d *Desk) store(ctx context.Context, q question, v rules.Verdict, version string) (*explain.Change, error) {
	r, stamped, err := d.Reader.Decide([]string{q.a.String(), q.b.String()},
		postgres.Decision{Verdict: v, By: d.By, Origin: postgres.OriginCommand, Seen: version})
	if unsent := job.Send(ctx, d.Sender, stamped); unsent != nil {
		fmt.Fprintln(d.Out, unsent)
	}
	return r, err
}

func (d *Desk) count(v rules.Verdict, n int) {
	if v == rules.Confirmed {
		d.confirmed += n
	} else {
		d.rejected += n
	}
}

// undo withdraws the last decision of the walk, unless another one came after it, and
// asks its question again.
func (d *Desk) undo(ctx context.Context, left int) error {
	q := d.decided[len(d.decided)-1]
	d.decided = d.decided[:len(d.decided)-1]
	c, err := d.Reader.Pair(q.a, q.b)
	if err != nil {
		return err
	}
	if len(c.Decisions) == 0 || c.Decisions[0].By != d.By || c.Decisions[0].Verdict != string(q.verdict) {
		fmt.Fprintln(d.Out, "not undone: there is a later decision about the pair")
		return nil
	}
	r, err := d.store(ctx, q, rules.Withdrawn, c.Version)
	if errors.Is(err, postgres.ErrStale) {
		fmt.Fprintln(d.Out, "not undone: the pair has changed meanwhile")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprint(d.Out, r.InShort(columns))
	d.count(q.verdict, -1)
	delete(d.passed, q.key())
	return d.ask(ctx, q, left+1)
}

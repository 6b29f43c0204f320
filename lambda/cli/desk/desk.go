// Package desk walks a person through what waits for people: an open question is two
// documents side by side with the evidence for and against, a failed document its
// failure, and anything else is shown with the command that settles it. One key decides,
// and each decision is committed at once. What has changed since it was shown is shown
// again instead. Nothing is kept in between, so the walk may end anywhere.
package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// columns is the width of what is shown.
const columns = 80

// Desk is a walk through what a filter selects.
type Desk struct {
	DB     *postgres.DB
	Sender job.Sender // of messages of documents to be matched again; nil: the sweep sends them
	Filter report.WaitingFilter
	By     string // the person
	Keys   <-chan rune
	Out    io.Writer

	reader                                *explain.Reader
	passed                                map[explain.WaitingKey]bool // settled, left for later, or gone
	decided                               []decided                   // by this walk and not taken back
	confirmed, rejected, published, later int
}

// decided is a question with the decision about it.
type decided struct {
	question explain.WaitingItem
	verdict  rules.Verdict
}

// keys has those that answer each kind of thing.
var keys = map[string]string{
	report.WaitingQuestion: "crluq?",
	report.WaitingDocument: "pluq?",
	report.WaitingWarning:  "luq?",
	report.WaitingFile:     "luq?",
}

var help = map[rune]string{
	'c': "confirm: the two belong together",
	'r': "reject: they do not",
	'p': "publish again: the cause is gone, and the document is matched again",
	'l': "later: leave it, and go on",
	'u': "undo the last decision about two documents, and show their question again",
	'q': "quit",
	'?': "this help",
}

// errQuit ends a walk.
var errQuit = errors.New("the person has quit")

// Walk asks until nothing is left, the person quits, the keys end, or the context does.
// It prints a summary in any case.
func (d *Desk) Walk(ctx context.Context) error {
	d.reader, d.passed = explain.NewReader(ctx, d.DB), map[explain.WaitingKey]bool{}
	err := d.walk(ctx)
	if errors.Is(err, errQuit) || ctx.Err() != nil {
		err = nil
	}
	fmt.Fprintf(d.Out, "\n%d confirmed, %d rejected, %d published again, %d left for later.\n",
		d.confirmed, d.rejected, d.published, d.later)
	return err
}

func (d *Desk) walk(ctx context.Context) error {
	for {
		batch, left, err := d.next()
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			fmt.Fprintln(d.Out, "Nothing is left.")
			return nil
		}
		for n, i := range batch {
			if err := d.ask(ctx, i, left-n); err != nil {
				return err
			}
		}
	}
}

// batchSize bounds the things that are read at once.
const batchSize = 50

// next reads the most valuable things that the walk has not passed, and the number of
// all of them.
func (d *Desk) next() (batch []explain.WaitingItem, left int, err error) {
	w, err := d.reader.Waiting(d.Filter, len(d.passed)+batchSize)
	if err != nil {
		return nil, 0, err
	}
	for _, n := range w.Counts {
		left += n
	}
	for _, i := range w.Items {
		if d.passed[i.Key()] {
			left--
		} else if len(batch) < batchSize {
			batch = append(batch, i)
		}
	}
	return batch, left, nil
}

// ask shows a thing until the person has passed it. What no longer waits is passed
// without a word.
func (d *Desk) ask(ctx context.Context, i explain.WaitingItem, left int) error {
	for !d.passed[i.Key()] {
		s, err := d.look(ctx, i)
		var ours explain.Error
		switch {
		case errors.As(err, &ours): // a document is gone
			fmt.Fprintf(d.Out, "\n%s\n", ours)
			d.passed[i.Key()] = true
		case err != nil:
			return err
		case !s.waits:
			d.passed[i.Key()] = true
		default:
			fmt.Fprintf(d.Out, "\n%d open\n\n%s\n", left, s.text)
			if err := d.answer(ctx, i, s.version, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// seen is a thing as it is shown. A decision about it has its version.
type seen struct {
	text, version string
	waits         bool
}

func (d *Desk) look(ctx context.Context, i explain.WaitingItem) (s seen, err error) {
	if i.Kind == report.WaitingQuestion {
		c, err := d.reader.Pair(i.Document.ID, i.Other.ID)
		if err != nil {
			return s, err
		}
		return seen{c.Question(columns), c.Version, c.Open()}, nil
	}
	s.text = i.InShort(columns)
	if s.version, err = d.DB.DocumentVersion(ctx, i.Document.ID); errors.Is(err, job.ErrNotFound) {
		return s, nil
	}
	if err == nil {
		s.waits, err = d.reader.StillWaits(i)
	}
	return s, err
}

// answer reads keys until one answers, or shows another question.
func (d *Desk) answer(ctx context.Context, i explain.WaitingItem, version string, left int) error {
	keys := keys[i.Kind]
	for {
		fmt.Fprint(d.Out, strings.Join(strings.Split(keys, ""), " ")+" > ")
		key, err := d.key(ctx)
		if err != nil {
			return err
		}
		if !strings.ContainsRune(keys, key) {
			key = '?'
		}
		switch key {
		case 'c':
			return d.decide(ctx, i, rules.Confirmed, version)
		case 'r':
			return d.decide(ctx, i, rules.Rejected, version)
		case 'p':
			return d.publish(ctx, i, version)
		case 'l':
			fmt.Fprintln(d.Out, "later")
			d.passed[i.Key()] = true
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
			fmt.Fprintln(d.Out)
			for _, key := range keys {
				fmt.Fprintf(d.Out, "  %c  %s\n", key, help[key])
			}
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
func (d *Desk) decide(ctx context.Context, q explain.WaitingItem, v rules.Verdict, version string) error {
	r, err := d.store(ctx, q, v, version)
	if errors.Is(err, postgres.ErrStale) {
		fmt.Fprintln(d.Out, "not stored: the pair has changed since it was shown")
		return nil
	}
	if err != nil {
		return err
	}
	d.passed[q.Key()] = true
	if !r.Changed {
		fmt.Fprintf(d.Out, "another person has %s it already\n", v)
		return nil
	}
	fmt.Fprint(d.Out, r.InShort(columns))
	d.decided = append(d.decided, decided{q, v})
	d.count(v, 1)
	return nil
}

// store stores a decision about what was shown, and sends the messages of the documents
// that it publishes.
func (d *Desk) store(ctx context.Context, q explain.WaitingItem, v rules.Verdict, version string) (*explain.Change, error) {
	r, stamped, err := d.reader.Decide([]string{q.Document.ID.String(), q.Other.ID.String()},
		postgres.Decision{Verdict: v, By: d.By, Origin: postgres.OriginCommand, Seen: version})
	d.send(ctx, stamped)
	return r, err
}

// send sends messages. The sweep sends those that the queue refuses.
func (d *Desk) send(ctx context.Context, stamped []job.Stamped) {
	if err := job.Send(ctx, d.Sender, stamped); err != nil {
		p := term.Page{Width: columns}
		p.Hang("", errtext.Describe(err))
		fmt.Fprint(d.Out, p.String())
	}
}

// publish has a failed document matched again, unless its state is not the one that was
// shown.
func (d *Desk) publish(ctx context.Context, i explain.WaitingItem, version string) error {
	stamped, err := d.DB.PublishFor(ctx, i.Document.ID, postgres.Action{ID: uuid.New(), By: term.Clean(d.By, term.MaxValue),
		Reason: "matchbook decide", Seen: version})
	switch {
	case errors.Is(err, postgres.ErrStale), errors.Is(err, job.ErrNotFound):
		fmt.Fprintln(d.Out, "not published: the document has changed since it was shown")
		return nil
	case err != nil:
		return err
	}
	d.passed[i.Key()] = true
	d.published++
	fmt.Fprintln(d.Out, "published: it is matched again")
	d.send(ctx, stamped)
	return nil
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
	last := d.decided[len(d.decided)-1]
	d.decided = d.decided[:len(d.decided)-1]
	q := last.question
	c, err := d.reader.Pair(q.Document.ID, q.Other.ID)
	if err != nil {
		return err
	}
	if len(c.Decisions) == 0 || c.Decisions[0].By != d.By || c.Decisions[0].Verdict != string(last.verdict) {
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
	d.count(last.verdict, -1)
	delete(d.passed, q.Key())
	return d.ask(ctx, q, left+1)
}

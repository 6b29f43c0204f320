// Package republish publishes a workload's failed rows again. Use it once the cause of their
// failure is fixed. It skips rows that failed again or were published meanwhile, so that no
// newer state is lost. It also counts undelivered events and queues them for sending.
package republish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

const (
	// Batch is the number of rows committed as pending before their messages are sent. If the
	// program is killed, at most so many wait for the sweep.
	Batch = 500
	// Shown is the number of rows listed of each kind.
	Shown = 3

	batchFor = 30 * time.Second
)

// Report counts the failed rows and the results of publishing them.
type Report struct {
	DryRun    bool           `json:"dry_run"`
	Selected  int            `json:"selected"`
	Kinds     map[string]int `json:"kinds"`
	Examples  []Example      `json:"examples,omitempty"` // of List
	Published int            `json:"published"`
	Unsent    int            `json:"unsent"`                         // pending without a message; the sweep sends it
	Skipped   int            `json:"skipped"`                        // changed since they were selected
	Left      int            `json:"left"`                           // not reached
	Settled   int            `json:"dead_letters_dropped,omitempty"` // by the command
	Refused   error          `json:"-"`                              // the queue's error, which ended the run
	subject   string         // the word for a row
}

// Example is one failed row.
type Example struct {
	Kind     string    `json:"kind"`
	ID       uuid.UUID `json:"id"`
	TenantID uuid.UUID `json:"tenant_id"`
	Error    string    `json:"error"`
}

func newReport(failed *postgres.Failed, t postgres.Table) *Report {
	r := &Report{Selected: len(failed.Rows), Left: len(failed.Rows), Kinds: map[string]int{}, subject: t.Subject}
	for _, d := range failed.Rows {
		r.Kinds[kindOf(d)]++
	}
	return r
}

func kindOf(d postgres.FailedRow) string { return cmp.Or(d.Kind, "unknown") }

// List reports the rows that Publish would publish, with the first few of each kind.
func List(ctx context.Context, db *postgres.DB, t postgres.Table, filter postgres.FailedFilter) (*Report, error) {
	failed, err := db.JobsOf(t).Failed(ctx, filter)
	if err != nil {
		return nil, err
	}
	r := newReport(failed, t)
	r.DryRun = true
	r.Examples, err = examples(ctx, db, t, failed)
	return r, err
}

func examples(ctx context.Context, db *postgres.DB, t postgres.Table, failed *postgres.Failed) ([]Example, error) {
	kinds, taken := map[uuid.UUID]string{}, map[string]int{}
	for _, d := range failed.Rows {
		if taken[d.Kind]++; taken[d.Kind] <= Shown {
			kinds[d.ID] = kindOf(d)
		}
	}
	found, err := report.From(db).LetterRows(ctx, t, slices.Collect(maps.Keys(kinds)))
	list := make([]Example, len(found))
	for i, s := range found {
		list[i] = Example{kinds[s.ID], s.ID, s.TenantID, s.Error}
	}
	return list, err
}

// Publish publishes a table's failed rows in batches. It ends early when ctx ends, on a
// database error, or when the queue refuses messages, so that no more rows lose their state to
// an absent queue. Note that the report isn't nil once rows are selected, even with an error.
func Publish(
	ctx context.Context, db *postgres.DB, t postgres.Table, queue job.Sender, filter postgres.FailedFilter, m *term.Meter,
) (*Report, error) {
	failed, err := db.JobsOf(t).Failed(ctx, filter)
	if err != nil {
		return nil, err
	}
	r := newReport(failed, t)
	publisher := &job.Publisher{Store: failed, Sender: queue}
	for batch := range slices.Chunk(failed.Rows, Batch) {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err := r.publish(ctx, publisher, batch); err != nil || r.Refused != nil {
			return r, err
		}
		published := r.Published
		m.Watch(func() string { return fmt.Sprintf("%d of %d published", published, r.Selected) })
	}
	return r, nil
}

// publish finishes its batch even if ctx ends.
func (r *Report) publish(ctx context.Context, publisher *job.Publisher, batch []postgres.FailedRow) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchFor)
	defer cancel()
	ids := make([]uuid.UUID, len(batch))
	for i, d := range batch {
		ids[i] = d.ID
	}
	var partly *job.PublishError
	if err := publisher.Publish(ctx, ids); err != nil && !errors.As(err, &partly) {
		return err
	}
	r.Left -= len(batch)
	r.Published += len(batch)
	if partly != nil {
		r.Published -= len(partly.Missing) + len(partly.Unsent)
		r.Skipped += len(partly.Missing)
		r.Unsent += len(partly.Unsent)
		r.Refused = partly.Err
	}
	return nil
}

// Text returns the report for people.
func (r *Report) Text() string {
	p := &term.Page{}
	switch {
	case r.Selected == 0:
		p.Line("no failed %s found", r.subject)
	case r.DryRun:
		r.printList(p)
	default:
		p.Line("%s: published %d, unsent %d, skipped %d, left %d",
			plural.Of(r.Selected, "failed "+r.subject), r.Published, r.Unsent, r.Skipped, r.Left)
	}
	if r.Settled > 0 {
		p.Line("dropped %s with nothing left to do", plural.Of(r.Settled, "dead letter"))
	}
	return p.String()
}

func (r *Report) printList(p *term.Page) {
	p.Line("%s would be published:", plural.Of(r.Selected, "failed "+r.subject))
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		p.Line("%7d  %s", r.Kinds[kind], kind)
		for _, e := range r.Examples {
			if e.Kind == kind {
				p.Line("         %s  %s", e.ID, term.Clean(e.Error, term.MaxValue))
			}
		}
	}
}

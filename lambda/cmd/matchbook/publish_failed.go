package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/errtext"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/setup"
	"matchbook/lambda/term"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

const (
	// failedBatch is how many documents are made pending before their messages
	// are sent: so many at most wait for the sweep if this program is killed.
	failedBatch = 500
	// failedBatchFor is how long a batch may take that was begun.
	failedBatchFor = 30 * time.Second
	// failedShown is how many documents of a kind a dry run shows.
	failedShown = 3
)

// failedOptions are the flags of publish --failed.
type failedOptions struct {
	on, dryRun, json    bool
	kind, since, tenant string
}

func (o *failedOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "failed", false, "publish again what failed, instead of documents by their ids")
	flags.StringVar(&o.kind, "kind", "", "with --failed: only what failed so: "+strings.Join(failedKinds, ", "))
	flags.StringVar(&o.since, "since", "", "with --failed: only what failed since a time such as 2026-03-02T09:00:00Z, or within the last 2h")
	flags.StringVar(&o.tenant, "tenant", "", "with --failed: only documents of the tenant with this id")
	flags.BoolVar(&o.dryRun, "dry-run", false, "with --failed: list what would be published, and change nothing")
	flags.BoolVar(&o.json, "json", false, "with --failed: print as JSON")
}

// args checks that documents are named by ids or by --failed.
func (o *failedOptions) args(cmd *cobra.Command, args []string) error {
	if o.on {
		if len(args) > 0 {
			return errors.New("--failed chooses the documents: leave the ids out")
		}
		return nil
	}
	for _, flag := range []string{"kind", "since", "tenant", "dry-run", "json"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for --failed", flag)
		}
	}
	return cobra.MinimumNArgs(1)(cmd, args)
}

var failedKinds = []string{"transient", "permanent", "lost", "crashed"}

// filter reads the flags.
func (o *failedOptions) filter() (f postgres.FailedFilter, err error) {
	if f.Kind = o.kind; f.Kind != "" && !slices.Contains(failedKinds, f.Kind) {
		return f, fmt.Errorf("--kind %.50q is not one of %s", o.kind, strings.Join(failedKinds, ", "))
	}
	if o.tenant != "" {
		if f.Tenant, err = document.ParseID(o.tenant); err != nil {
			return f, fmt.Errorf("--tenant %.50q is %w", o.tenant, err)
		}
	}
	if o.since == "" {
		return f, nil
	}
	if f.Within, err = time.ParseDuration(o.since); err == nil && f.Within > 0 {
		return f, nil
	}
	f.Within = 0
	if f.Since, err = time.Parse(time.RFC3339, o.since); err != nil {
		return f, fmt.Errorf("--since %.50q is no duration such as 2h and no time such as 2026-03-02T09:00:00Z", o.since)
	}
	return f, nil
}

// failedReport is what publish --failed prints.
type failedReport struct {
	DryRun    bool            `json:"dry_run"`
	Selected  int             `json:"selected"`
	Kinds     map[string]int  `json:"kinds"`
	Examples  []failedExample `json:"examples,omitempty"` // of a dry run
	Published int             `json:"published"`
	Unsent    int             `json:"unsent"`  // pending, without a message: the sweep sends it
	Skipped   int             `json:"skipped"` // not as it was selected any more
	Left      int             `json:"left"`    // not tried
}

type failedExample struct {
	Kind     string    `json:"kind"`
	ID       uuid.UUID `json:"id"`
	TenantID uuid.UUID `json:"tenant_id"`
	Error    string    `json:"error"`
}

func newFailedReport(failed *postgres.Failed) failedReport {
	r := failedReport{Selected: len(failed.Documents), Left: len(failed.Documents), Kinds: map[string]int{}}
	for _, d := range failed.Documents {
		r.Kinds[cmp.Or(d.Kind, "unknown")]++
	}
	return r
}

func (w *invocation) publishFailed(ctx context.Context, o failedOptions) error {
	filter, err := o.filter()
	if err != nil {
		return err
	}
	if o.dryRun {
		return w.inSession(ctx, sessionOptions{json: o.json}, func(d *session) error { return d.listFailed(filter) })
	}
	config, err := setup.LoadPublisher(w.env)
	if err != nil {
		return err
	}
	db, queue, close, err := setup.Republisher(ctx, config)
	if err != nil {
		return err
	}
	defer close()
	failed, err := db.Failed(ctx, filter)
	if err != nil {
		return errors.New(errtext.Describe(err))
	}
	r := newFailedReport(failed)
	p := term.NewMeter(w.errOut)
	err = r.publish(ctx, failed, queue, p)
	p.Close()
	return errors.Join(w.writeFailed(r, o.json), err)
}

// publish publishes batch by batch. It ends early when it is interrupted, when
// the database fails, and when the queue does not take messages: more documents
// must not lose their state to a queue that is not there.
func (r *failedReport) publish(ctx context.Context, failed *postgres.Failed, queue job.Sender, p *term.Meter) error {
	publisher := &job.Publisher{Store: failed, Sender: queue}
	for batch := range slices.Chunk(failed.Documents, failedBatch) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var partly *job.PublishError
		err := publishBatch(ctx, publisher, batch)
		if err != nil && !errors.As(err, &partly) {
			return errors.New(errtext.Describe(err))
		}
		r.Left -= len(batch)
		r.Published += len(batch)
		if partly != nil {
			r.Published -= len(partly.Missing) + len(partly.Unsent)
			r.Skipped += len(partly.Missing)
			r.Unsent += len(partly.Unsent)
			if partly.Err != nil {
				p.Say("stopped: %s", failure.Of(partly.Err).Text)
				return errFindings
			}
		}
		published := r.Published
		p.Watch(func() string { return fmt.Sprintf("%d of %d published", published, r.Selected) })
	}
	return nil
}

// publishBatch finishes what it has begun, also when it is interrupted.
func publishBatch(ctx context.Context, publisher *job.Publisher, batch []postgres.FailedDocument) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), failedBatchFor)
	defer cancel()
	ids := make([]uuid.UUID, len(batch))
	for i, d := range batch {
		ids[i] = d.ID
	}
	return publisher.Publish(ctx, ids)
}

// listFailed is the dry run.
func (d *session) listFailed(filter postgres.FailedFilter) error {
	failed, err := d.db.Failed(d.ctx, filter)
	if err != nil {
		return err
	}
	r := newFailedReport(failed)
	r.DryRun = true
	if r.Examples, err = d.examples(failed); err != nil {
		return err
	}
	return d.writeFailed(r, d.json)
}

// examples are the first few of each kind.
func (d *session) examples(failed *postgres.Failed) ([]failedExample, error) {
	kinds, taken := map[uuid.UUID]string{}, map[string]int{}
	for _, doc := range failed.Documents {
		if taken[doc.Kind]++; taken[doc.Kind] <= failedShown {
			kinds[doc.ID] = cmp.Or(doc.Kind, "unknown")
		}
	}
	found, err := report.From(d.db).Summaries(d.ctx, slices.Collect(maps.Keys(kinds)))
	list := make([]failedExample, len(found))
	for i, s := range found {
		list[i] = failedExample{kinds[s.ID], s.ID, s.TenantID, s.Error}
	}
	return list, err
}

func (w *invocation) writeFailed(r failedReport, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w.out).Encode(r)
	}
	if r.Selected == 0 {
		fmt.Fprintln(w.out, "no such document has failed")
		return nil
	}
	if !r.DryRun {
		fmt.Fprintf(w.out, "of %d failed documents: published %d, unsent %d, skipped %d, left %d\n", r.Selected, r.Published, r.Unsent, r.Skipped, r.Left)
		return nil
	}
	fmt.Fprintf(w.out, "%d failed documents would be published:\n", r.Selected)
	for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
		fmt.Fprintf(w.out, "%7d  %s\n", r.Kinds[kind], kind)
		for _, e := range r.Examples {
			if e.Kind == kind {
				fmt.Fprintf(w.out, "         %s  %s\n", e.ID, term.Clean(e.Error, term.MaxValue))
			}
		}
	}
	return nil
}

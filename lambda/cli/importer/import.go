// Package importer stores documents from files in the database and publishes them. Each
// document is stored once; run an interrupted or killed import again to continue it, since
// stored documents are skipped.
package importer

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// batchFor is the timeout of a batch. It outlives the import's context, so that a started
// batch finishes.
const batchFor = 30 * time.Second

// Import stores documents. It must not be used concurrently.
type Import struct {
	DB      *postgres.DB
	Queue   job.Sender // nil leaves publishing to the sweep
	Replace bool       // replace stored documents with other content
	Meter   *term.Meter
}

// Run stores the documents batch by batch: data, state and publish stamp in one transaction,
// then the messages. It returns early, after the current batch, when ctx ends, the database
// fails or the queue refuses messages. The report is never nil. You
// can run it again after any error, because stored documents are skipped.
func (i *Import) Run(ctx context.Context, in *corpus.Input) (r *Report, err error) {
	r = newReport(in, i.Queue != nil)
	if err := r.readEmpty(ctx, i.DB, in); err != nil {
		return r, err
	}
	pace := term.Pace{Total: len(in.Documents), Began: time.Now()}
	defer func() { r.finish(in, time.Since(pace.Began)) }()
	for batch := range batches(in.Documents) {
		if ctx.Err() != nil {
			r.Interrupted = true
			return r, nil
		}
		if err := i.batch(ctx, r, batch); err != nil || r.Refused != nil {
			return r, err
		}
		done := len(in.Documents) - r.Left
		i.Meter.Watch(func() string { return "stored " + pace.Of(done) })
	}
	return r, nil
}

// batch stores and sends one batch, even if ctx ends meanwhile.
func (i *Import) batch(ctx context.Context, r *Report, docs []corpus.Document) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchFor)
	defer cancel()
	added, refused, err := Store(ctx, i.DB, docs, postgres.AddOptions{Replace: i.Replace, Send: i.Queue != nil})
	if err != nil {
		return err
	}
	r.Problems = append(r.Problems, refused...)
	messages := r.count(docs, added)
	r.Left -= len(docs)
	if i.Queue == nil {
		return nil
	}
	unsent, err := i.Queue.Send(ctx, messages)
	r.Sent += len(messages) - len(unsent)
	r.Unsent += len(unsent)
	r.Refused = err
	return nil
}

// count adds the outcome of each document and returns the messages to send.
func (r *Report) count(docs []corpus.Document, added []postgres.Added) (messages []job.Stamped) {
	by := make(map[uuid.UUID]postgres.Added, len(added))
	for _, a := range added {
		by[a.ID] = a
	}
	for _, d := range docs {
		a, ok := by[d.ID]
		if !ok {
			continue // refused; its problem is reported
		}
		switch a.Addition {
		case postgres.Stored:
			r.Stored++
			r.noteNew(d.TenantID)
			messages = append(messages, a.Message)
		case postgres.Replaced:
			r.Replaced++
			messages = append(messages, a.Message)
		case postgres.Same:
			r.Same++
		case postgres.Changed:
			r.Changed = append(r.Changed, Changed{d.FilePath, d.Line, d.ID})
		case postgres.Foreign:
			r.Problems = append(r.Problems, ForeignProblem(d))
		}
	}
	return messages
}

// Progress returns a status for a meter while r reads files.
func Progress(r *corpus.Reader) func() string {
	began := time.Now()
	return func() string {
		n := r.Count()
		return fmt.Sprintf("read %s, %s", plural.Of(n, "document"), term.Rate(float64(n)/time.Since(began).Seconds()))
	}
}

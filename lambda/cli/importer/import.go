// Package importer stores the documents of files in a database and publishes
// them. Each document is stored once: what is there is skipped, so that an import
// that was interrupted or killed continues when it is run again.
package importer

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// batchFor bounds the time of a batch that has begun.
const batchFor = 30 * time.Second

// Import is an import of documents.
type Import struct {
	DB      *postgres.DB
	Queue   job.Sender // nil: the sweep publishes the documents
	Replace bool       // the content of documents that are there
	Meter   *term.Meter
}

// Run stores the documents of an input, batch by batch: the data, its state
// pending and its stamp are one transaction. Then it sends the messages of the
// batch. It ends early when ctx ends, after the batch that has begun, when the
// database fails, and when the queue refuses messages; the report is never nil.
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

// batch finishes a batch that it has begun, also when ctx ends.
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

// count adds the fates of documents, and returns the messages to send.
func (r *Report) count(docs []corpus.Document, added []postgres.Added) (messages []job.Stamped) {
	by := make(map[uuid.UUID]postgres.Added, len(added))
	for _, a := range added {
		by[a.ID] = a
	}
	for _, d := range docs {
		a, ok := by[d.ID]
		if !ok {
			continue // refused, with a problem
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

// Progress describes the reading of files.
func Progress(r *corpus.Reader) func() string {
	began := time.Now()
	return func() string {
		n := r.Count()
		return fmt.Sprintf("read %d documents, %s", n, term.Rate(float64(n)/time.Since(began).Seconds()))
	}
}

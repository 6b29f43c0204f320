package matchrun

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"matchbook/lambda/cli/importer"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Chunk is the number of documents imported or read per statement.
const Chunk = 250

// Store imports the documents, but doesn't send their messages; use Publish for that.
// Documents refused by the database are reported as malformed, and the others are still
// imported.
func (r *Run) Store(ctx context.Context) error {
	for docs := range slices.Chunk(r.In.Documents, Chunk) {
		added, refused, err := importer.Store(ctx, r.Stack.DB, docs, postgres.AddOptions{Replace: true, Send: true})
		if err != nil {
			return err
		}
		r.In.Problems = append(r.In.Problems, refused...)
		if err := r.take(ctx, docs, added); err != nil {
			return err
		}
	}
	return r.Model.Learn(ctx, r.Stack.DB, r.IDs)
}

// take records the stored documents. It publishes existing ones without an end, or all with
// Again. Their messages are sent once all are stored.
func (r *Run) take(ctx context.Context, docs []corpus.Document, added []postgres.Added) error {
	byID := make(map[uuid.UUID]corpus.Document, len(docs))
	for _, d := range docs {
		byID[d.ID] = d
	}
	var again []uuid.UUID
	for _, a := range added {
		switch {
		case a.Addition == postgres.Foreign:
			r.In.Problems = append(r.In.Problems, importer.ForeignProblem(byID[a.ID]))
			continue
		case a.Addition != postgres.Same:
			r.stored = append(r.stored, a.Message)
		case a.Status == "succeeded" && !r.Options.Again:
			r.resumed++
		default:
			again = append(again, a.ID)
		}
		r.IDs = append(r.IDs, a.ID)
	}
	stamped, err := r.Stack.DB.Publish(ctx, again)
	r.stored = append(r.stored, stamped...)
	return err
}

// Publish sends the messages of the stored documents, so Store must come first.
func (r *Run) Publish(ctx context.Context) error {
	var sent atomic.Int64
	r.Progress.Watch(func() string { return fmt.Sprintf("published %d of %d", sent.Load(), len(r.stored)) })
	defer r.Progress.Watch(nil)
	for messages := range slices.Chunk(r.stored, Chunk) {
		if unsent, err := r.Stack.Queue.Send(ctx, messages); err != nil {
			return &job.PublishError{Unsent: unsent, Err: err}
		}
		sent.Add(int64(len(messages)))
	}
	return nil
}

package importer

import (
	"context"
	"fmt"
	"iter"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"
)

// Bounds of one transaction.
const (
	batchDocuments = 1000
	batchBytes     = 8 << 20
)

// batches divides documents into one batch per transaction.
func batches(docs []corpus.Document) iter.Seq[[]corpus.Document] {
	return func(yield func([]corpus.Document) bool) {
		for len(docs) > 0 {
			n, size := 0, 0
			for n < min(len(docs), batchDocuments) && (n == 0 || size+len(docs[n].Data) <= batchBytes) {
				size += len(docs[n].Data)
				n++
			}
			if !yield(docs[:n]) {
				return
			}
			docs = docs[n:]
		}
	}
}

// Store adds documents in one transaction. If the database refuses the data, it adds each
// document alone, so that only the refused ones are left out; they are returned as problems.
func Store(ctx context.Context, db *postgres.DB, docs []corpus.Document, o postgres.AddOptions) (
	added []postgres.Added, refused []corpus.Problem, err error,
) {
	if added, err = db.Add(ctx, Rows(docs), o); err == nil || !isRefusal(err) {
		return added, nil, err
	}
	added = nil
	for _, d := range docs {
		one, err := db.Add(ctx, Rows([]corpus.Document{d}), o)
		switch {
		case err == nil:
			added = append(added, one...)
		case isRefusal(err):
			refused = append(refused, problem(d, failure.Of(err).Text))
		default:
			return added, refused, err
		}
	}
	return added, refused, nil
}

// isRefusal reports whether the database refused the data. Everything else is an outage.
func isRefusal(err error) bool { return failure.Of(err).Kind == failure.Permanent }

func problem(d corpus.Document, what string) corpus.Problem {
	return corpus.Problem{File: d.FilePath, Line: d.Line, What: fmt.Sprintf("document %s: %s", d.ID, what)}
}

// ForeignProblem reports a document with the id of another tenant's document.
func ForeignProblem(d corpus.Document) corpus.Problem {
	return problem(d, postgres.ErrOtherTenant.Error())
}

// Rows converts documents for postgres.
func Rows(docs []corpus.Document) []postgres.Imported {
	list := make([]postgres.Imported, len(docs))
	for i, d := range docs {
		list[i] = postgres.Imported{ID: d.ID, TenantID: d.TenantID, Type: d.Type, FilePath: d.FilePath, Received: d.Received, Data: d.Data}
	}
	return list
}

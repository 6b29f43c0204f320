package report

import (
	"context"
	"errors"

	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// Store reads reviews. See postgres/reviews/reviews.go.
type Store interface {
	Job(ctx context.Context, id uuid.UUID) (record.Job, error)
	Text(ctx context.Context, id uuid.UUID) (string, error)
	Chunks(ctx context.Context, id uuid.UUID) ([]record.Chunk, error)
	Marks(ctx context.Context, id uuid.UUID) ([]record.Mark, error)
	Questions(ctx context.Context, id uuid.UUID) ([]record.Question, error)
	Findings(ctx context.Context, id uuid.UUID, after, limit int) ([]record.Finding, error)
	Actions(ctx context.Context, id uuid.UUID) ([]record.Action, error)
	// Card returns nil if no card is recorded, and the playbook.
	Card(ctx context.Context, id uuid.UUID) (card *record.Card, playbook []byte, err error)
}

const page = 500

// Read reads a review as it is now, or returns job.ErrNotFound for an unknown id. The job is
// read first, so the rest may be newer, but never older.
func Read(ctx context.Context, s Store, id uuid.UUID) (r Review, err error) {
	if r.Job, err = s.Job(ctx, id); err != nil {
		return r, err
	}
	var errs [6]error
	r.Text, errs[0] = s.Text(ctx, id)
	r.Chunks, errs[1] = s.Chunks(ctx, id)
	r.Marks, errs[2] = s.Marks(ctx, id)
	r.Questions, errs[3] = s.Questions(ctx, id)
	r.Actions, errs[4] = s.Actions(ctx, id)
	r.Card, errs[5] = cardOf(ctx, s, id, r.Text)
	if err := errors.Join(errs[:]...); err != nil {
		return r, err
	}
	r.Findings, err = Findings(ctx, s, id)
	return r, err
}

// Findings reads all findings of a review, by Seq.
func Findings(ctx context.Context, s Store, id uuid.UUID) (all []record.Finding, err error) {
	for {
		some, err := s.Findings(ctx, id, len(all), page)
		all = append(all, some...)
		if err != nil || len(some) < page {
			return all, err
		}
	}
}

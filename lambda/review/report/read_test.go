package report

import (
	"context"
	"errors"
	"testing"

	"matchbook/lambda/job"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// shelf is a store with one review, and with an error for one method.
type shelf struct {
	Review
	fails string
	card  *record.Card
}

func (s shelf) fail(what string) error {
	if s.fails == what {
		return job.ErrNotFound
	}
	return nil
}

func (s shelf) Job(context.Context, uuid.UUID) (record.Job, error) {
	return s.Review.Job, s.fail("job")
}
func (s shelf) Text(context.Context, uuid.UUID) (string, error) { return s.Review.Text, s.fail("text") }
func (s shelf) Chunks(context.Context, uuid.UUID) ([]record.Chunk, error) {
	return s.Review.Chunks, s.fail("chunks")
}

func (s shelf) Marks(context.Context, uuid.UUID) ([]record.Mark, error) {
	return s.Review.Marks, s.fail("marks")
}

func (s shelf) Questions(context.Context, uuid.UUID) ([]record.Question, error) {
	return s.Review.Questions, s.fail("questions")
}

func (s shelf) Findings(_ context.Context, _ uuid.UUID, after, limit int) ([]record.Finding, error) {
	all := s.Review.Findings
	return all[min(after, len(all)):min(after+limit, len(all))], s.fail("findings")
}

func (s shelf) Actions(context.Context, uuid.UUID) ([]record.Action, error) {
	return s.Review.Actions, s.fail("actions")
}

func (s shelf) Card(context.Context, uuid.UUID) (*record.Card, []byte, error) {
	return s.card, playbook.Default(), s.fail("card")
}

func TestReadPages(t *testing.T) {
	t.Parallel()
	s := shelf{Review: complete(t)}
	for _, n := range []int{0, 1, page - 1, page, page + 1, 3 * page} {
		s.Review.Findings = make([]record.Finding, n)
		for i := range n {
			s.Review.Findings[i].Seq = i + 1
		}
		r, err := Read(t.Context(), s, uuid.Nil)
		if err != nil || len(r.Findings) != n || n > 0 && r.Findings[n-1].Seq != n ||
			r.Text != s.Review.Text || len(r.Chunks) != 4 || len(r.Marks) != 4 {
			t.Errorf("%d findings: got %d, %v", n, len(r.Findings), err)
		}
	}
	for _, what := range []string{"job", "text", "chunks", "marks", "questions", "findings", "actions", "card"} {
		s.fails = what
		if _, err := Read(t.Context(), s, uuid.Nil); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

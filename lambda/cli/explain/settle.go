package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Settled is the report of Settle.
type Settled struct {
	Document uuid.UUID    `json:"document"`
	Kind     warning.Kind `json:"kind"`
	Settled  int          `json:"settled"` // warnings; 0: they were settled before
}

// Settle stores a person's answer to the warnings of a kind about a document, or to the one that
// also names the other document, if it is given.
func (d *Reader) Settle(args []string, s postgres.Settlement) (*Settled, error) {
	if s.Kind.Sentence() == "" {
		return nil, Errorf("unknown warning %.50q: use one of %s", s.Kind, warning.Kinds())
	}
	if s.Verdict != "" && !slices.Contains(s.Kind.Verdicts(), s.Verdict) {
		return nil, Errorf("unknown verdict %.50q: use one of %s", s.Verdict, strings.Join(s.Kind.Verdicts(), ", "))
	}
	if s.Reason = text(s.Reason, maxNote); s.Reason == "" {
		return nil, Errorf("missing reason: it is kept with the name")
	}
	docs, err := d.resolve(args)
	if err != nil {
		return nil, err
	}
	s.Document, s.By = docs[0].ID, text(s.By, maxBy)
	if len(docs) > 1 {
		s.Other = docs[1].ID
	}
	n, err := d.db.Settle(d.ctx, s)
	switch {
	case errors.Is(err, postgres.ErrNoSuchWarning):
		return nil, Errorf("%w: %s of %s", postgres.ErrNoSuchWarning, s.Kind, docs[0].Called())
	case err != nil:
		return nil, refused(err)
	}
	return &Settled{s.Document, s.Kind, n}, nil
}

// Text describes the effect.
func (s *Settled) Text() string {
	if s.Settled == 0 {
		return "nothing changed: already settled\n"
	}
	return fmt.Sprintf("settled %s %s\n", plural.Of(s.Settled, "warning"), s.Kind)
}

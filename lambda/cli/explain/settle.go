package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

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
func (d *Reader) Settle(args []string, s matches.Settlement) (*Settled, error) {
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
	n, err := d.matches.Settle(d.ctx, s)
	switch {
	case errors.Is(err, matches.ErrNoSuchWarning):
		return nil, Errorf("%w: %s of %s", matches.ErrNoSuchWarning, s.Kind, docs[0].Called())
	case err != nil:
		return nil, refused(err)
	}
	return &Settled{s.Document, s.Kind, n}, nil
}

// SettledInvoice is the report of SettleInvoice.
type SettledInvoice struct {
	Document uuid.UUID      `json:"document"`
	State    threeway.State `json:"state"`
	Changed  bool           `json:"changed"`
	called   string
}

// SettleInvoice stores what a person does about an invoice with a three-way match.
func (d *Reader) SettleInvoice(arg string, a matches.InvoiceAction) (*SettledInvoice, error) {
	if a.Action.State() == "" {
		return nil, Errorf("unknown action %.50q: use one of %s", a.Action, threeway.Actions)
	}
	if a.Reason = text(a.Reason, maxNote); a.Reason == "" {
		return nil, Errorf("missing reason: it is kept with the name")
	}
	docs, err := d.resolve([]string{arg})
	if err != nil {
		return nil, err
	}
	a.By = text(a.By, maxBy)
	changed, err := d.matches.SettleInvoice(d.ctx, docs[0].ID, a)
	switch {
	case errors.Is(err, matches.ErrNoThreeWay):
		return nil, Errorf("%w: %s", matches.ErrNoThreeWay, docs[0].Called())
	case errors.Is(err, postgres.ErrStale):
		return nil, Errorf("invoice has changed since it was shown; look at it again")
	}
	return &SettledInvoice{docs[0].ID, a.Action.State(), changed, docs[0].Called()}, err
}

// Text describes the effect.
func (s *SettledInvoice) Text() string {
	if !s.Changed {
		return fmt.Sprintf("nothing changed: %s is %s already\n", s.called, s.State)
	}
	return fmt.Sprintf("%s is %s\n", s.called, s.State)
}

// Text describes the effect.
func (s *Settled) Text() string {
	if s.Settled == 0 {
		return "nothing changed: already settled\n"
	}
	return fmt.Sprintf("settled %s %s\n", plural.Of(s.Settled, "warning"), s.Kind)
}

package offerset

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Explained is a job recomputed from its date's roster, with the reason for each candidate.
type Explained struct {
	UserSet             // as stored
	Date       day.Date `json:"date"`
	Tenant     string   `json:"tenant_id"`
	Roster     string   `json:"roster"`            // digest
	Algorithm  int      `json:"algorithm"`         // version
	Same       *bool    `json:"same"`              // null if there is no set to compare with
	Problem    string   `json:"problem,omitempty"` // why it can't be computed
	Candidates []Reason `json:"candidates"`        // in the user's order; then all others, by id
	computed   []ranking.Offer
}

// Reason is a candidate with the reason for offering it or not.
type Reason struct {
	Candidate uuid.UUID        `json:"candidate_id"`
	Name      string           `json:"name,omitempty"`
	Verdict   ranking.Verdict  `json:"verdict"`
	Rank      int              `json:"rank,omitempty"`
	Score     int              `json:"score,omitempty"`
	Terms     []ranking.Points `json:"terms,omitempty"`
	Filter    string           `json:"filter,omitempty"` // the one that rules the candidate out
	Reason    string           `json:"reason"`
}

// Reproduced reports whether the computed set equals the stored one, or nothing is stored yet.
func (e *Explained) Reproduced() bool { return e.Same == nil || *e.Same }

// Explain recomputes a job. It returns an error, see NoJob, for an unknown id. With a
// candidate, it explains only that one.
func Explain(ctx context.Context, db *postgres.DB, id uuid.UUID, candidate *uuid.UUID) (*Explained, error) {
	reports := report.From(db)
	found, err := reports.OfferJobs(ctx, []uuid.UUID{id})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, NoJob(id)
	}
	e, err := explained(ctx, db, found[0])
	if err != nil {
		return nil, err
	}
	if candidate != nil {
		e.only(*candidate)
	}
	return e, e.name(ctx, reports)
}

func explained(ctx context.Context, db *postgres.DB, j report.OfferJob) (*Explained, error) {
	set, err := Of(j, nil)
	if err != nil {
		set.Offers = nil // the stored set is invalid, so keep only the computed one
	}
	e := &Explained{UserSet: set, Date: j.Date, Tenant: j.Tenant.String(), Roster: hex.EncodeToString(j.Digest),
		Algorithm: j.Algorithm, Candidates: []Reason{}}
	if j.Status == "skipped" {
		return e, nil
	}
	if err := e.compute(ctx, db, j); err != nil {
		return nil, err
	}
	if j.Status == "completed" {
		same := e.Problem == "" && sameSet(j.Offers, e.computed)
		e.Same = &same
	}
	return e, nil
}

// compute finds the set and the reasons. A permanent failure becomes a Problem.
func (e *Explained) compute(ctx context.Context, db *postgres.DB, j report.OfferJob) error {
	named := offer.Job{ID: j.ID, Tenant: j.Tenant, User: j.User, Date: j.Date, Zone: j.Zone, Algorithm: j.Algorithm}
	copy(named.Digest[:], j.Digest)
	index, err := (&offer.Cache{Rosters: offers.New(db)}).Index(ctx, named)
	var reasons ranking.Explanation
	if err == nil {
		reasons, err = index.Explain(j.User)
	}
	if f := failure.Of(err); err != nil && f.Kind == failure.Permanent {
		e.Problem = term.Clean(f.Text, term.MaxText)
		return nil
	}
	e.computed = reasons.Offers
	for _, c := range reasons.Candidates {
		e.Candidates = append(e.Candidates, Reason{Candidate: c.ID, Verdict: c.Verdict, Rank: c.Rank, Score: c.Score,
			Terms: c.Terms, Filter: c.Filter, Reason: term.Clean(c.Reason, term.MaxText)})
	}
	return err
}

// sameSet compares a stored set with a computed one, byte for byte. It converts both to the
// same form, because the database preserves JSON values but not white space.
func sameSet(stored []byte, computed []ranking.Offer) bool {
	a, err := canonical(stored)
	if err != nil {
		return false
	}
	written, err := json.Marshal(computed)
	if err != nil {
		return false
	}
	b, err := canonical(written)
	return err == nil && bytes.Equal(a, b)
}

func canonical(raw []byte) ([]byte, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// only keeps one candidate.
func (e *Explained) only(id uuid.UUID) {
	if e.Status == "skipped" || e.Problem != "" {
		return
	}
	i := slices.IndexFunc(e.Candidates, func(r Reason) bool { return r.Candidate == id })
	switch {
	case i >= 0:
		e.Candidates = e.Candidates[i : i+1]
	case id == e.User:
		e.Candidates = []Reason{{Candidate: id, Verdict: "itself", Reason: "users are never offered to themselves"}}
	default:
		e.Candidates = []Reason{{Candidate: id, Verdict: "unknown",
			Reason: "not in the roster of the date: it was inactive when the roster was frozen, or belongs to another tenant"}}
	}
}

// name fills in the names of the candidates.
func (e *Explained) name(ctx context.Context, reports report.Reader) error {
	ids := make([]uuid.UUID, 0, len(e.Candidates)+len(e.Offers))
	for _, c := range e.Candidates {
		ids = append(ids, c.Candidate)
	}
	for _, o := range e.Offers {
		ids = append(ids, o.Candidate)
	}
	names, err := reports.OfferNames(ctx, ids)
	for i, c := range e.Candidates {
		e.Candidates[i].Name = term.Clean(names[c.Candidate], term.MaxValue)
	}
	for i, o := range e.Offers {
		e.Offers[i].Name = term.Clean(names[o.Candidate], term.MaxValue)
	}
	return err
}

// ParseCandidate parses a candidate's id. It returns nil for "".
func ParseCandidate(s string) (*uuid.UUID, error) {
	if s == "" {
		return nil, nil
	}
	id, err := document.ParseID(s)
	if err != nil {
		return nil, fmt.Errorf("--candidate: invalid id %.50q: %w", s, err)
	}
	return &id, nil
}

package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"matchbook/lambda/cli/errtext"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/local/database"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"

	"github.com/google/uuid"
)

// taughtReport has the facts and thresholds that a tenant's answers changed.
type taughtReport struct {
	Tenant     uuid.UUID      `json:"tenant"`
	Facts      []taughtFact   `json:"facts"`
	Confirmed  int            `json:"confirmed"` // answers about points
	Rejected   int            `json:"rejected"`
	Needed     int            `json:"needed"` // answers for a threshold
	Thresholds []thresholdRow `json:"thresholds"`
}

type taughtFact struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Words    string `json:"words"`
	Supplier string `json:"supplier"`
	Source   string `json:"source"`
	Person   string `json:"person"`
	Day      string `json:"day"`
}

type thresholdRow struct {
	Name   string `json:"name"`
	ForAll share  `json:"for_all"`
	Taught *share `json:"taught"` // null: none
}

// share is the share of confirmed ones among the answers from a threshold on.
type share struct {
	Points    int      `json:"points"`
	Confirmed int      `json:"confirmed"`
	Rejected  int      `json:"rejected"`
	Precision *float64 `json:"precision"` // null without answers
}

// shareOf counts the answers of at least these points, and fewer than the others.
func shareOf(answers []rules.Said, points, below int) share {
	s := share{Points: points}
	for _, a := range answers {
		switch in := a.Points >= points && a.Points < below; {
		case in && a.Confirmed:
			s.Confirmed++
		case in:
			s.Rejected++
		}
	}
	if n := s.Confirmed + s.Rejected; n > 0 {
		p := math.Round(1000*float64(s.Confirmed)/float64(n)) / 1000
		s.Precision = &p
	}
	return s
}

func (s share) String() string {
	if s.Precision == nil {
		return fmt.Sprintf("%d: no answers", s.Points)
	}
	return fmt.Sprintf("%d: %d of %d right, P %.3f", s.Points, s.Confirmed, s.Confirmed+s.Rejected, *s.Precision)
}

// Text implements the report of term.Print.
func (r taughtReport) Text() string {
	var p strings.Builder
	fmt.Fprintf(&p, "facts taught: %d\n", len(r.Facts))
	for _, f := range r.Facts {
		fmt.Fprintf(&p, "  %s  %s  %s, for %s, by %s on %s, by %s\n", f.ID, f.Kind, f.Words, f.Supplier, f.Source, f.Day, f.Person)
	}
	fmt.Fprintf(&p, "answers: %d confirmed, %d rejected; thresholds need %d of both kinds\n", r.Confirmed, r.Rejected, r.Needed)
	for _, t := range r.Thresholds {
		fmt.Fprintf(&p, "%s from %s", t.Name, t.ForAll)
		if t.Taught != nil {
			fmt.Fprintf(&p, "; taught, from %s", t.Taught)
		}
		fmt.Fprintln(&p)
	}
	return p.String()
}

// trainTenant prints what a tenant's answers changed. It only reads.
func (w *invocation) trainTenant(ctx context.Context, id string, asJSON bool) error {
	tenant, err := document.ParseID(id)
	if err != nil {
		return fmt.Errorf("--tenant: %w", err)
	}
	url := w.Env(variable.DatabaseURL)
	if url == "" {
		return fmt.Errorf("missing %s: --tenant reads a database", variable.DatabaseURL)
	}
	if err := database.RefuseNewer(ctx, url); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, url, 1)
	if err != nil {
		return fmt.Errorf("%s: %w", variable.DatabaseURL, err)
	}
	defer db.Close()
	r, err := reportTaught(ctx, db, tenant)
	if err != nil {
		return fmt.Errorf("%s", errtext.Describe(err))
	}
	return term.Print(w.Out, r, asJSON)
}

func reportTaught(ctx context.Context, db *postgres.DB, tenant uuid.UUID) (r taughtReport, err error) {
	r = taughtReport{Tenant: tenant, Facts: []taughtFact{}, Needed: rules.MinAnswers}
	facts, err := matches.New(db).TaughtFacts(ctx, tenant)
	if err != nil {
		return r, err
	}
	for _, f := range facts {
		kind, words, source := score.Lesson(f.Fact)
		r.Facts = append(r.Facts, taughtFact{f.ID, kind, term.Clean(words, term.MaxText), term.Clean(f.Supplier, term.MaxValue),
			term.Clean(source, term.MaxText), term.Clean(f.Person, term.MaxValue), f.At.UTC().Format(time.DateOnly)})
	}
	answers, err := matches.New(db).Answers(ctx, tenant)
	if err != nil {
		return r, err
	}
	t, err := matches.New(db).Threshold(ctx, tenant)
	all := shareOf(answers, math.MinInt, math.MaxInt)
	r.Confirmed, r.Rejected = all.Confirmed, all.Rejected
	for _, of := range []struct {
		name                  string
		forAll, taught, below int
	}{
		{"high confidence", score.HighAt, t.HighAt, math.MaxInt},
		{"questions", score.SuggestAt, t.QuestionAt, score.MatchAt},
	} {
		row := thresholdRow{Name: of.name, ForAll: shareOf(answers, of.forAll, of.below)}
		if of.taught > 0 {
			taught := shareOf(answers, of.taught, of.below)
			row.Taught = &taught
		}
		r.Thresholds = append(r.Thresholds, row)
	}
	return r, err
}

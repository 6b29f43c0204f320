package matchrun

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/cli/explain"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Report is the outcome of a run, also for use as JSON.
type Report struct {
	Found
	Deliveries []delivery       `json:"deliveries"`
	Accounting accounting       `json:"accounting"`
	Model      scripted.Summary `json:"model"`
	Notified   notifiedReport   `json:"told"`
	Problems   []corpus.Problem `json:"problems"`
}

// Found is the result of matching documents.
type Found struct {
	Documents []documentReport  `json:"documents"`
	Matches   []matchReport     `json:"matches"`
	Open      []openReport      `json:"open"`
	Clusters  []clusterReport   `json:"clusters"`
	Warnings  []warningReport   `json:"warnings"`
	ThreeWay  []report.ThreeWay `json:"three_way"`

	Called map[uuid.UUID]string          `json:"-"` // names of documents without a number; otherwise their id
	byID   map[uuid.UUID]*documentReport // also of documents outside the run that are named
}

type documentReport struct {
	ID           uuid.UUID     `json:"id"`
	TenantID     uuid.UUID     `json:"tenant_id"`
	Type         document.Type `json:"type"`
	Number       string        `json:"number,omitempty"`
	Supplier     string        `json:"supplier,omitempty"`
	Status       string        `json:"status"`
	Error        string        `json:"error,omitempty"`
	Attempts     int           `json:"attempts"`
	ClusterID    *uuid.UUID    `json:"cluster_id"`
	AloneBecause string        `json:"alone_because,omitempty"` // set for a document without matches
}

type matchReport struct {
	A          uuid.UUID        `json:"a"`
	B          uuid.UUID        `json:"b"`
	Score      float64          `json:"score"`
	Confidence string           `json:"confidence"`
	DecidedBy  string           `json:"decided_by"`
	Evidence   []score.Evidence `json:"evidence"`
}

// openReport is a question for a person: an undecided pair, or an excluded pair with a
// citation.
type openReport struct {
	A     uuid.UUID `json:"a"`
	B     uuid.UUID `json:"b"`
	Score float64   `json:"score"`
	Why   string    `json:"why"`
}

type clusterReport struct {
	ID        uuid.UUID   `json:"id"`
	Documents []uuid.UUID `json:"documents"`
}

// accounting shows that nothing got lost: every published document ends exactly once, however
// often it was published again for a model. A document counts as in the DLQ only if its state
// is unfinished; if it failed on its last delivery, it counts as failed.
type accounting struct {
	Published int     `json:"published"`
	Succeeded int     `json:"succeeded"`
	Failed    int     `json:"failed"`
	Pending   int     `json:"pending"`
	InDLQ     int     `json:"in_dlq"`
	Malformed int     `json:"malformed"`
	Seconds   float64 `json:"seconds"`
	Kills     int     `json:"kills"`
	Seed      uint64  `json:"seed,omitempty"` // of the kills and the noise
	Resumed   int     `json:"resumed"`        // of the published, succeeded in an earlier run
	// Interrupted is true for a report in the middle of a run.
	Interrupted bool `json:"interrupted"`
}

// AllSucceeded reports whether every document in the folder succeeded.
func (a accounting) AllSucceeded() bool {
	return a.Succeeded == a.Published && a.Malformed == 0 && !a.Interrupted
}

// Report reads the outcome from the database. Use it after Do.
func (r *Run) Report(ctx context.Context) (*Report, error) {
	found, err1 := Find(ctx, r.Stack.DB, r.IDs)
	summary, err2 := r.Model.Report(ctx, r.Stack.DB, len(r.IDs))
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("read outcome: %w", err)
	}
	rep := &Report{Found: found, Deliveries: r.journal.all(), Problems: r.In.Problems, Model: summary,
		Accounting: accounting{Published: len(r.IDs), Malformed: len(r.In.Problems), Kills: r.kills,
			Seed: r.Options.Seed, Resumed: r.resumed, Seconds: math.Round(r.took.Seconds()*100) / 100}}
	if rep.Problems == nil {
		rep.Problems = []corpus.Problem{}
	}
	return rep, rep.count(r.journal)
}

// Find reads the result of matching for documents.
func Find(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (Found, error) {
	f := Found{Matches: []matchReport{}, Open: []openReport{}, Clusters: []clusterReport{}, byID: make(map[uuid.UUID]*documentReport)}
	summaries, err1 := report.From(db).Summaries(ctx, ids)
	edges, err2 := report.From(db).Matches(ctx, ids)
	suggestions, err3 := report.From(db).Suggestions(ctx, ids)
	if err := errors.Join(err1, err2, err3); err != nil {
		return f, err
	}
	f.addDocuments(summaries)
	if err := f.addMatches(edges); err != nil {
		return f, err
	}
	f.addOpen(suggestions)
	if err := errors.Join(f.addWarnings(ctx, db, ids), f.addThreeWays(ctx, db, ids)); err != nil {
		return f, err
	}
	elsewhere, err := report.From(db).Summaries(ctx, f.elsewhere())
	if err != nil {
		return f, err
	}
	f.addClusters(elsewhere)
	return f, f.explainAlone(ctx, db, edges)
}

func (f *Found) addDocuments(summaries []report.Summary) {
	f.Documents = make([]documentReport, len(summaries))
	for i, s := range summaries {
		f.Documents[i] = summarized(s)
		f.byID[s.ID] = &f.Documents[i]
	}
}

func summarized(s report.Summary) documentReport {
	return documentReport{ID: s.ID, TenantID: s.TenantID, Type: s.Type, Number: s.Number,
		Supplier: s.Supplier, Status: s.Status, Error: s.Error, Attempts: s.Attempts, ClusterID: s.Cluster}
}

func (f *Found) addMatches(edges []report.Match) error {
	for _, e := range edges {
		m := matchReport{A: e.A, B: e.B, Score: e.Score, Confidence: e.Confidence, DecidedBy: e.DecidedBy}
		if err := json.Unmarshal(e.Evidence, &m.Evidence); err != nil {
			return fmt.Errorf("evidence of %s and %s: %w", e.A, e.B, err)
		}
		f.Matches = append(f.Matches, m)
	}
	return nil
}

// addOpen lists the suggestions not rejected by a person, likeliest first.
func (f *Found) addOpen(suggestions []report.Match) {
	for _, s := range suggestions {
		if s.DecidedBy != "person" {
			f.Open = append(f.Open, openReport{s.A, s.B, s.Score, s.Reasoning})
		}
	}
	slices.SortStableFunc(f.Open, func(p, q openReport) int { return cmp.Compare(q.Score, p.Score) })
}

// addClusters lists the clusters of the documents, and names the members elsewhere.
func (f *Found) addClusters(elsewhere []report.Summary) {
	members := make(map[uuid.UUID][]uuid.UUID)
	for _, d := range f.Documents {
		if d.ClusterID != nil {
			members[*d.ClusterID] = append(members[*d.ClusterID], d.ID)
		}
	}
	for _, s := range elsewhere {
		d := summarized(s)
		f.byID[s.ID] = &d
		if s.Cluster != nil && members[*s.Cluster] != nil {
			members[*s.Cluster] = append(members[*s.Cluster], s.ID)
		}
	}
	for id, docs := range members {
		f.Clusters = append(f.Clusters, clusterReport{id, docs})
	}
	slices.SortFunc(f.Clusters, func(a, b clusterReport) int { return slices.Compare(a.ID[:], b.ID[:]) })
}

// count does the accounting. It returns an error if the sum is wrong.
func (rep *Report) count(j *journal) error {
	a := &rep.Accounting
	for _, d := range rep.Documents {
		switch {
		case d.Status == "succeeded":
			a.Succeeded++
		case d.Status == "failed":
			a.Failed++
		case j.deadLettered(d.ID):
			a.InDLQ++
		case d.Status == "pending" || d.Status == "in-progress":
			a.Pending++
		}
	}
	if sum := a.Succeeded + a.Failed + a.Pending + a.InDLQ; sum != a.Published {
		return fmt.Errorf("accounting mismatch: published %d, accounted for %d", a.Published, sum)
	}
	return nil
}

// name returns the type and number of a document.
func (f *Found) name(id uuid.UUID) string {
	d := f.byID[id]
	if d == nil {
		return id.String()
	}
	if called := f.Called[id]; called != "" && d.Number == "" {
		return called
	}
	return term.Label(d.Type, d.Number, d.ID)
}

// warningReport is a warning about a document.
type warningReport struct {
	Kind     string    `json:"kind"`
	Document uuid.UUID `json:"document"`
	Other    uuid.UUID `json:"other"`
	Words    string    `json:"words"`
}

func (f *Found) addWarnings(ctx context.Context, db *postgres.DB, ids []uuid.UUID) error {
	f.Warnings = []warningReport{}
	list, err := report.From(db).Warnings(ctx, ids)
	for _, w := range list {
		f.Warnings = append(f.Warnings, warningReport{w.Kind, w.Document, w.Other, w.Words})
	}
	return err
}

func (f *Found) addThreeWays(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (err error) {
	f.ThreeWay = []report.ThreeWay{}
	all, err := report.From(db).ThreeWays(ctx, ids)
	for _, w := range all {
		if w.Verdict != threeway.WithoutOrder { // such an invoice is listed as unmatched
			f.ThreeWay = append(f.ThreeWay, w)
		}
	}
	return err
}

// explainAlone explains why matched documents ended without a match, like the explain command.
func (f *Found) explainAlone(ctx context.Context, db *postgres.DB, edges []report.Match) error {
	matched := make(map[uuid.UUID]bool)
	for _, e := range edges {
		matched[e.A], matched[e.B] = true, true
	}
	reader := explain.NewReader(ctx, db)
	for i := range f.Documents {
		d := &f.Documents[i]
		if d.Status != "succeeded" || matched[d.ID] {
			continue
		}
		reasons, err := reader.Alone(d.ID)
		if err != nil {
			return err
		}
		d.AloneBecause = strings.Join(reasons, " ")
	}
	return nil
}

// Package matcheval runs a corpus through the local stack, in a separate database, and
// compares the matches with the true links.
package matcheval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/local/pgserver"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
)

const (
	evalInvocations = 4  // concurrent; the default of match
	evalCandidates  = 50 // per document; eval.Report uses no more
)

// Options are the options of a measurement.
type Options struct {
	Conditions []string // of each corpus; "all" for every one
	Worst      int      // mistakes to show per kind
	Limit      int      // maximum number of documents; 0 for all
	Shuffle    uint64   // seed for the order of arrival; 0 keeps the file's order
	Seed       uint64   // of the noise
	JSON       bool     // print one array at the end instead of each text
	Model      scripted.Flags
}

// Result is the outcome of a corpus in one condition.
type Result struct {
	Corpus             string         `json:"corpus"` // the folder
	Condition          string         `json:"condition"`
	Limit              int            `json:"limit,omitempty"`   // maximum number of documents; 0 for all
	Shuffle            uint64         `json:"shuffle,omitempty"` // seed for the order of arrival; 0 keeps the file's order
	States             map[string]int `json:"states"`            // documents by state
	NotSucceeded       []unsuccessful `json:"not_succeeded"`
	Seconds            float64        `json:"seconds"` // storing, publishing and matching
	DocumentsPerSecond float64        `json:"documents_per_second"`
	Report             eval.Report    `json:"report"`
	Worst              []Mistake      `json:"worst"`
	Model              evalModel      `json:"model"`
}

// unsuccessful is a document without success.
type unsuccessful struct {
	ID       uuid.UUID     `json:"id"`
	Type     document.Type `json:"type"`
	Number   string        `json:"number,omitempty"`
	State    string        `json:"state"` // as stored, or "not stored" if the database refused it
	Attempts int           `json:"attempts"`
	Error    string        `json:"error"`
}

const notStored = "not stored"

// Mistake is a wrong match or a missed link, for people.
type Mistake struct {
	eval.Mistake
	AType     document.Type `json:"a_type"`
	ANumber   string        `json:"a_number"`
	BType     document.Type `json:"b_type"`
	BNumber   string        `json:"b_number"`
	Reasoning string        `json:"reasoning,omitempty"` // as stored with the match or suggestion
}

// corpus runs a corpus through the stack, in a separate database.
func (o Options) corpus(ctx context.Context, server string, c corpus.Corpus, source scripted.Model, m *term.Meter) (
	result *Result, err error,
) {
	m.Step("%s %s: database and function", filepath.Base(c.Dir), c.Condition)
	defer m.Watch(nil)
	url, drop, err := pgserver.CreateDatabase(ctx, server, "matchbook_eval_")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	if _, err := schema.Migrate(ctx, url); err != nil {
		return nil, err
	}
	r := &evalRun{corpus: c, Run: &matchrun.Run{Session: local.Session{Progress: m}, In: c.Input(), Model: source,
		Options: matchrun.Options{Concurrency: evalInvocations}}}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.Start(ctx, url); err != nil {
		return nil, err
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	return r.measurement(ctx, o)
}

// evalRun is a measured run.
type evalRun struct {
	*matchrun.Run
	corpus  corpus.Corpus
	started time.Time
	took    time.Duration
	// undrained is why documents did not end; the result lists them.
	undrained error
}

func (r *evalRun) run(ctx context.Context) error {
	r.started = time.Now()
	defer func() { r.took = time.Since(r.started) }()
	name := filepath.Base(r.corpus.Dir) + " " + r.corpus.Condition
	r.Progress.Step("%s: storing and publishing %s", name, plural.Of(len(r.In.Documents), "document", "documents"))
	if err := r.Store(ctx); err != nil {
		return err
	}
	if err := r.Publish(ctx); err != nil {
		return err
	}
	r.undrained = r.Drain(ctx, func(ctx context.Context) (int, string, error) {
		states, err := report.From(r.Stack.DB).Progress(ctx, r.IDs)
		done, took := states["succeeded"]+states["failed"], time.Since(r.started).Seconds()
		return states["pending"] + states["in-progress"], fmt.Sprintf("%s: %d of %d documents done, %.0f/s, %.0f s",
			name, done, len(r.IDs), float64(done)/took, took), err
	})
	return ctx.Err()
}

// outcome is the final state of the database.
type outcome struct {
	summaries   map[uuid.UUID]report.Summary
	states      report.Progress
	matches     []report.Match
	suggestions []report.Match
	candidates  map[uuid.UUID][]uuid.UUID
	answers     []report.Answer
}

func (r *evalRun) read(ctx context.Context) (o outcome, err error) {
	db := r.Stack.DB
	r.Progress.Step("%s %s: reading the outcome", filepath.Base(r.corpus.Dir), r.corpus.Condition)
	summaries, err1 := report.From(db).Summaries(ctx, r.IDs)
	states, err2 := report.From(db).Progress(ctx, r.IDs)
	matches, err3 := report.From(db).Matches(ctx, r.IDs)
	suggestions, err4 := report.From(db).Suggestions(ctx, r.IDs)
	candidates, err5 := rankedCandidates(ctx, db, r.IDs)
	answers, err6 := report.From(db).Answers(ctx, r.IDs)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return o, errors.Join(fmt.Errorf("read outcome: %w", err), r.undrained)
	}
	o = outcome{make(map[uuid.UUID]report.Summary, len(summaries)), states, matches, suggestions, candidates, answers}
	for _, s := range summaries {
		o.summaries[s.ID] = s
	}
	return o, nil
}

// rankedCandidates returns each document's first candidates, best first.
func rankedCandidates(ctx context.Context, db *postgres.DB, ids []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	all := make(map[uuid.UUID][]uuid.UUID, len(ids))
	for some := range slices.Chunk(ids, matchrun.Chunk) { // keeps within the statement timeout
		ranked, err := matches.New(db).Ranked(ctx, some, evalCandidates)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, ranked)
	}
	return all, nil
}

// measurement compares the outcome with the true links.
func (r *evalRun) measurement(ctx context.Context, o Options) (*Result, error) {
	found, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	model, err := r.Model.Report(ctx, r.Stack.DB, len(r.IDs))
	if err != nil {
		return nil, err
	}
	report := eval.Score(found.input(r.corpus))
	took := r.took.Seconds()
	m := &Result{Corpus: r.corpus.Dir, Condition: r.corpus.Condition, Limit: o.Limit, Shuffle: o.Shuffle,
		States: found.states, NotSucceeded: r.notSucceeded(found), Report: report,
		Worst:   found.explain(report.Worst(o.Worst)),
		Model:   evalModel{model, found.decided(r.corpus), found.answered(r.corpus)},
		Seconds: math.Round(took*100) / 100, DocumentsPerSecond: math.Round(float64(len(r.In.Documents))/took*10) / 10}
	if refused := len(r.In.Documents) - len(r.IDs); refused > 0 {
		m.States[notStored] = refused
	}
	if r.undrained != nil && len(m.NotSucceeded) == 0 {
		return nil, r.undrained
	}
	if r.undrained != nil {
		r.Progress.Say("%s", r.undrained)
	}
	return m, nil
}

func (o outcome) input(c corpus.Corpus) eval.Input {
	in := eval.Input{Documents: c.Documents, Links: c.Links, Candidates: o.candidates,
		Clusters: make(map[uuid.UUID]uuid.UUID)}
	for _, m := range o.matches {
		in.Edges = append(in.Edges, eval.Edge{Pair: corpus.PairOf(m.A, m.B), Score: m.Score,
			Confidence: m.Confidence, DecidedBy: m.DecidedBy})
	}
	for _, s := range o.suggestions {
		in.Suggestions = append(in.Suggestions,
			eval.Suggestion{Pair: corpus.PairOf(s.A, s.B), Score: s.Score, Undecided: s.Undecided(), Folded: s.Folded})
	}
	for id, s := range o.summaries {
		if s.Cluster != nil {
			in.Clusters[id] = *s.Cluster
		}
	}
	return in
}

// notSucceeded lists the documents without success, in corpus order.
func (r *evalRun) notSucceeded(found outcome) []unsuccessful {
	list := []unsuccessful{}
	refused := r.In.Problems // in the order of the documents refused by the database
	for _, d := range r.corpus.Documents {
		s, stored := found.summaries[d.ID]
		switch {
		case !stored && len(refused) > 0:
			list = append(list, unsuccessful{ID: d.ID, Type: d.Type, State: notStored, Error: refused[0].What})
			refused = refused[1:]
		case s.Status != "succeeded":
			list = append(list, unsuccessful{d.ID, d.Type, s.Number, s.Status, s.Attempts, s.Error})
		}
	}
	return list
}

// explain adds to each mistake the types and numbers of its documents, and the stored
// reasoning.
func (o outcome) explain(worst []eval.Mistake) []Mistake {
	why := make(map[corpus.Pair]string)
	for _, m := range slices.Concat(o.matches, o.suggestions) {
		why[corpus.PairOf(m.A, m.B)] = m.Reasoning
	}
	list := make([]Mistake, len(worst))
	for i, w := range worst {
		a, b := o.summaries[w.A], o.summaries[w.B]
		list[i] = Mistake{w, a.Type, a.Number, b.Type, b.Number, why[w.Pair]}
	}
	return list
}

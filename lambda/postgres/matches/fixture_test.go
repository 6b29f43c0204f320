package matches_test

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// fixture is one with documents to match.
type fixture struct {
	*postgrestest.Fixture
	*matches.Store
	scores func([]score.Raw) []score.Pair // of Write
}

var tenant, otherTenant, start, num = postgrestest.Tenant, postgrestest.OtherTenant, postgrestest.Start, postgrestest.Num

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return with(postgrestest.NewFixture(t))
}

func with(f *postgrestest.Fixture) *fixture { return &fixture{Fixture: f, Store: matches.New(f.DB)} }

// stores has the state of documents and their matches.
type stores struct {
	*postgres.DB
	*matches.Store
}

func storesOf(db *postgres.DB) stores { return stores{db, matches.New(db)} }

// match takes the document and matches it with the rules.
func (f *fixture) match(id uuid.UUID) {
	f.T.Helper()
	must.OK(f.T, job.Work(f.matcher().Match).One(f.T.Context(), f.Take(id)))
}

func (f *fixture) matcher() *match.Matcher {
	return &match.Matcher{Store: f.Store, Log: slog.New(slog.DiscardHandler)}
}

// key is Normalized with this key only.
func key(k string) score.Normalized {
	return score.Normalized{Tenant: tenant, Keys: []string{k}, Lookup: []string{k}}
}

// block reads the block of a claimed document, all types.
func (f *fixture) block(fence job.Attempt, n score.Normalized) match.Block {
	f.T.Helper()
	n.Tenant = cmp.Or(n.Tenant, tenant)
	return must.Get(f.CandidatesOf(f.T.Context(), fence, n, document.Types))(f.T)
}

// write makes these edges the document's pairs and decides by them, again if
// the block has changed.
func (f *fixture) write(fence job.Attempt, n score.Normalized, seen match.Block, d rules.Result) {
	f.T.Helper()
	for fresh := &seen; fresh != nil; {
		fresh = must.Get(f.writeOnce(f.T.Context(), fence, n, *fresh, d))(f.T)
	}
}

// asPairs returns pairs which say what a result says, with a citation, and rules that
// make it of them again. Of other pairs it knows their points only.
func asPairs(d rules.Result) (pairs []score.Pair, by matches.Rules) {
	decided := map[pair]rules.Edge{}
	for points, edges := range map[int][]rules.Edge{90: d.Matches, 60: d.Suggestions} {
		for _, e := range edges {
			decided[pair{e.A, e.B}] = e
			pairs = append(pairs, score.Pair{A: e.A, B: e.B, TypeA: document.Invoice, TypeB: document.Invoice, Points: points,
				Evidence: []score.Evidence{{Name: "cites", Points: 60, Cited: "45"}}})
		}
	}
	return pairs, func(_ context.Context, c rules.Competition) (d rules.Result, err error) {
		for _, p := range c.Pairs {
			if !slices.Contains(c.Documents, p.A) && !slices.Contains(c.Documents, p.B) {
				continue
			}
			e, ok := decided[pair{p.A, p.B}]
			if !ok {
				e = edge(p.A, p.B)
			}
			if p.Points >= 75 {
				d.Matches = append(d.Matches, e)
			} else {
				d.Suggestions = append(d.Suggestions, e)
			}
		}
		return d, nil
	}
}

// writeOnce is one Write of a result, whatever comes of it.
func (f *fixture) writeOnce(ctx context.Context, fence job.Attempt, n score.Normalized, seen match.Block, d rules.Result) (*match.Block, error) {
	pairs, by := asPairs(d)
	w, err := f.Write(ctx, fence, n, document.Types, seen, pairs, by)
	return w.Fresh, err
}

// Write writes a document by rules, and scores by f.scores.
func (f *fixture) Write(ctx context.Context, fence job.Attempt, n score.Normalized, types []document.Type, seen match.Block, pairs []score.Pair, by matches.Rules) (matches.Written, error) {
	n.Tenant = cmp.Or(n.Tenant, tenant)
	return f.WriteBy(ctx, &match.Draft{Fence: fence, Normalized: n, Types: types, Seen: seen, Pairs: pairs}, f.scores, by)
}

// Load reads one document.
func (f *fixture) Load(ctx context.Context, fence job.Attempt) (score.Raw, error) {
	loaded, err := f.Store.Load(ctx, []job.Attempt{fence})
	raw, held := loaded[fence]
	if err == nil && !held {
		err = job.ErrFenceLost
	}
	return raw, err
}

// decided takes the document and writes these matches, by rules.
func (f *fixture) decided(id uuid.UUID, partners ...uuid.UUID) {
	f.T.Helper()
	fence := f.Take(id)
	block := f.block(fence, score.Normalized{})
	f.write(fence, score.Normalized{}, block, matchesOf(id, partners...))
}

// edge is an edge by rules, its ends in order.
func edge(a, b uuid.UUID) rules.Edge {
	if slices.Compare(b[:], a[:]) < 0 {
		a, b = b, a
	}
	return rules.Edge{A: a, B: b, Score: 0.9, Confidence: "high", DecidedBy: "rules", Reasoning: "because",
		Evidence: []score.Evidence{{Name: "cites", Points: 60, Text: "One cites the other."}}}
}

func matchesOf(id uuid.UUID, partners ...uuid.UUID) (d rules.Result) {
	for _, p := range partners {
		d.Matches = append(d.Matches, edge(id, p))
	}
	return d
}

// paired inserts a pair that says little.
func (f *fixture) paired(a, b int) {
	f.T.Helper()
	f.Exec("INSERT INTO match_pair VALUES ($1, $2, $3, 'invoice', 'invoice', 40, 0, 0, 0, '[]', '')", tenant, num(a), num(b))
}

// byPerson inserts an edge that a person decided.
func (f *fixture) byPerson(table string, a, b int) {
	f.T.Helper()
	columns, values := "", ""
	if table == "document_match" {
		columns, values = "confidence, ", "'high', "
	}
	f.Exec("INSERT INTO "+table+" (tenant_id, document_a_id, document_b_id, "+columns+"score, decided_by, reasoning, evidence) "+
		"VALUES ($1, $2, $3, "+values+"1, 'person', 'I know', '[]')", tenant, num(a), num(b))
}

// number is the SQL of an id's number (num).
func number(id string) string { return "get_byte(uuid_send(" + id + "), 15)" }

// edges lists the pairs in a table, by their numbers, and who decided.
func (f *fixture) edges(table string) string {
	f.T.Helper()
	return f.list("SELECT concat(" + number("document_a_id") + ", '-', " + number("document_b_id") + ", ' ', decided_by) FROM " + table +
		" ORDER BY document_a_id, document_b_id")
}

// clusters lists the cluster of each document, 0 for none.
func (f *fixture) clusters() string {
	f.T.Helper()
	return strings.Join(postgrestest.Values[string](f.T, f.Conn, "SELECT coalesce("+number("cluster_id")+", 0)::text FROM document ORDER BY id"), " ")
}

package matches

import (
	"context"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Statements with tested plans.
const (
	NearSQL        = nearSQL
	RenamedSQL     = renamedSQL
	ConfirmedSQL   = confirmedSQL
	CompetitionSQL = ownBriefsSQL
	LockRowsSQL    = lockRowsSQL
	PlanOnceSQL    = planOnceSQL
	MembersSQL     = membersSQL
	PlainPair      = plainPair
)

// SeparatedSQL is about a document, BlockSQL about the documents of a search.
var SeparatedSQL, BlockSQL = separatedSQL, blockSQL

// BlockArgs returns the parameters of BlockSQL for a document, NearArgs the ones of NearSQL.
func BlockArgs(id uuid.UUID, n score.Normalized, types []document.Type) []any {
	var s search
	s.add(id, n, types)
	return s.args([]uuid.UUID{id}, []uuid.UUID{id})
}

func NearArgs(id uuid.UUID, n score.Normalized, types []document.Type) []any {
	var s search
	s.addCompany(id, n, types)
	return s.args()
}

// OnTurn has fn called with each "queued" for a tenant and each "refused" by its
// lock.
func (m *Store) OnTurn(fn func(event string)) { m.turns.onEvent = fn }

// Rules decides in a test.
type Rules func(context.Context, rules.Competition) (rules.Result, error)

// WriteRuled is a Write with the rules of a test.
func (m *Store) WriteRuled(ctx context.Context, t match.Turn, by Rules) (match.Written, error) {
	return m.write(ctx, t.Tenant, t.Brief, m.writes(t.Drafts), by.decide)
}

func (r Rules) decide(ctx context.Context, c rules.Competition, _ []*rules.Exchange) (
	result rules.Result, questions map[uuid.UUID][]rules.Decision, err error) {
	result, err = r(ctx, c)
	return result, nil, err
}

// Written is the outcome of WriteBy.
type Written struct {
	Fresh     *match.Block
	Published []job.Stamped
}

// WriteBy writes a document with the rules and the scores of a test. Without scores, a block
// that has changed is fresh.
func (m *Store) WriteBy(ctx context.Context, d *match.Draft, scores func([]score.Raw) []score.Pair, by Rules) (Written, error) {
	if by == nil {
		by = rules.Apply
	}
	group := m.writes([]*match.Draft{d})
	group[0].pairsWith = scores
	w, err := m.write(ctx, d.Normalized.Tenant, false, group, by.decide)
	return Written{w.Left[d.Fence.ID].Fresh, w.Published}, err
}

// CandidatesOf is Candidates for one document.
func (m *Store) CandidatesOf(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type) (match.Block, error) {
	blocks, err := m.Candidates(ctx, []*match.Draft{{Fence: f, Normalized: n, Types: types}})
	block, held := blocks[f]
	if err == nil && !held {
		err = job.ErrFenceLost
	}
	return block, err
}

// WritesOfPairs are the statements that write pairs and their results, by name.
var WritesOfPairs = map[string]string{
	"upsertPairs": upsertPairsSQL, "deletePairs": deletePairsSQL, "asked": askedSQL,
	"upsertMatches": upsertMatchesSQL, "clearMatches": clearMatchesSQL,
	"upsertSuggestions": upsertSuggestionsSQL, "clearSuggestions": clearSuggestionsSQL,
}

package postgres

import (
	"context"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Statements with tested plans.
const (
	NearSQL        = nearSQL
	RenamedSQL     = renamedSQL
	ConfirmedSQL   = confirmedSQL
	CompetitionSQL = competitionSQL
	LockRowsSQL    = lockRowsSQL
	PlanOnceSQL    = planOnceSQL
	MembersSQL     = membersSQL
	PlainPair      = plainPair
	PendingSQL     = pendingSQL
	LastSentSQL    = lastSentSQL
	UnsentSQL      = unsentSQL
)

// GaugesSQL is about documents.
var GaugesSQL = documents.sql(gaugesSQL)

// ExtendSQL and SucceedAllSQL are about documents.
var ExtendSQL, SucceedAllSQL = documents.sql(extendSQL), documents.sql(succeedAllSQL)

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

// Run and RunRow run any statement, as the methods of DB run theirs.
func (db *DB) Run(ctx context.Context, sql string) error {
	_, err := db.pool.Exec(ctx, sql)
	return err
}

func (db *DB) RunRow(ctx context.Context, sql string) error {
	var value any
	return db.pool.QueryRow(ctx, sql).Scan(&value)
}

// InTx is inTx.
func (db *DB) InTx(ctx context.Context, fn func(pgx.Tx) error) error { return db.inTx(ctx, fn) }

// Competitions reads all pairs of documents.
func (db *DB) Competitions(ctx context.Context, ids []uuid.UUID) (rules.Competition, error) {
	return readCompetition(ctx, db.pool, ids)
}

// OnTurn has fn called with each "queued" for a tenant and each "refused" by its
// lock.
func (db *DB) OnTurn(fn func(event string)) { db.turns.onEvent = fn }

// TakeAll takes the connections that work may use, and returns how many they
// are and what gives them back.
func (db *DB) TakeAll(ctx context.Context) (give func(), n int) {
	var all []*pgxpool.Conn
	for range db.pool.Stat().MaxConns() {
		c, err := db.pool.Acquire(ctx)
		if err != nil {
			break
		}
		all = append(all, c)
	}
	return func() {
		for _, c := range all {
			c.Release()
		}
	}, len(all)
}

// Show reads a setting of the server in each of the ways in which statements run.
func (db *DB) Show(name string) map[string]func(context.Context) (string, error) {
	const showSQL = "SELECT current_setting($1)"
	read := func(rows pgx.Rows, _ error) (string, error) { return pgx.CollectExactlyOneRow(rows, pgx.RowTo[string]) }
	return map[string]func(context.Context) (string, error){
		"a query": func(ctx context.Context) (string, error) { return read(db.pool.Query(ctx, showSQL, name)) },
		"a row": func(ctx context.Context) (value string, err error) {
			err = db.reserved.QueryRow(ctx, showSQL, name).Scan(&value)
			return value, err
		},
		"a batch": func(ctx context.Context) (value string, err error) {
			b := &pgx.Batch{}
			b.Queue(showSQL, name).Query(func(rows pgx.Rows) (err error) {
				value, err = read(rows, nil)
				return err
			})
			err = db.pool.SendBatch(ctx, b).Close()
			return value, err
		},
		"a transaction": func(ctx context.Context) (value string, err error) {
			err = db.inTx(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, showSQL, name).Scan(&value) })
			return value, err
		},
	}
}

// Rules decides in a test.
type Rules func(context.Context, rules.Competition) (rules.Result, error)

// WriteRuled is a Write with the rules of a test, by the documents written.
func (db *DB) WriteRuled(ctx context.Context, t match.Turn, by func(drafts []*match.Draft) Rules) (match.Written, error) {
	return db.write(ctx, t.Tenant, t.Brief, db.writes(t.Drafts), func(ctx context.Context, c rules.Competition, drafts []*match.Draft) (
		result rules.Result, questions map[uuid.UUID][]rules.Decision, err error) {
		result, err = by(drafts)(ctx, c)
		return result, nil, err
	})
}

// Written is the outcome of WriteBy.
type Written struct {
	Fresh     *match.Block
	Published []job.Stamped
}

// WriteBy writes a document with the rules and the scores of a test. Without scores, a block
// that has changed is fresh.
func (db *DB) WriteBy(ctx context.Context, d *match.Draft, scores func([]score.Raw) []score.Pair, by Rules) (Written, error) {
	if by == nil {
		by = rules.Apply
	}
	group := db.writes([]*match.Draft{d})
	group[0].pairsWith = scores
	w, err := db.write(ctx, d.Normalized.Tenant, false, group, func(ctx context.Context, c rules.Competition, _ []*match.Draft) (
		result rules.Result, questions map[uuid.UUID][]rules.Decision, err error) {
		result, err = by(ctx, c)
		return result, nil, err
	})
	return Written{w.Left[d.Fence.ID].Fresh, w.Published}, err
}

// CandidatesOf is Candidates for one document.
func (db *DB) CandidatesOf(ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type) (match.Block, error) {
	blocks, err := db.Candidates(ctx, []*match.Draft{{Fence: f, Normalized: n, Types: types}})
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

// KnownTables returns the tables that erasing knows.
func KnownTables() (names []string) {
	for _, t := range erasables {
		names = append(names, t.table)
	}
	return append(names, unrelated...)
}

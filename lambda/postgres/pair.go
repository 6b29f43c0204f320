package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/rules"
	"matchbook/lambda/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// A pair with a person's verdict is kept, whatever its evidence. A document whose
// question to a model included a deleted pair has to ask again, without it.
const forgetPairsSQL = `
WITH forgotten AS (
	DELETE FROM match_pair
	WHERE (document_a_id = $1 AND document_b_id = ANY ($2) OR document_b_id = $1 AND document_a_id = ANY ($2))
		AND verdict = ''
		AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($3::uuid[], $4::uuid[]))
	RETURNING CASE WHEN document_a_id = $1 THEN document_b_id ELSE document_a_id END AS partner, asked
)
SELECT partner FROM forgotten WHERE asked <> ''`

// An equal row is kept, so that matching again changes nothing.
const upsertPairSQL = `
INSERT INTO match_pair AS old (tenant_id, document_a_id, document_b_id, type_a, type_b, points,
	units_a, units_b, units_common, evidence, veto, ends)
SELECT tenant_id, $2, $3, $4::text::document_type, $5::text::document_type, $6, $7, $8, $9, $10, $11, $12
FROM document WHERE id = $1
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	type_a = excluded.type_a, type_b = excluded.type_b, points = excluded.points, units_a = excluded.units_a,
	units_b = excluded.units_b, units_common = excluded.units_common, evidence = excluded.evidence, veto = excluded.veto,
	ends = excluded.ends
WHERE (old.type_a, old.type_b, old.points, old.units_a, old.units_b, old.units_common, old.evidence, old.veto, old.ends)
	IS DISTINCT FROM (excluded.type_a, excluded.type_b, excluded.points,
		excluded.units_a, excluded.units_b, excluded.units_common, excluded.evidence, excluded.veto, excluded.ends)`

// queuePairs replaces the document's pairs with its former partners and its
// candidates. stale receives the documents whose question included a deleted pair.
func queuePairs(batch *pgx.Batch, id uuid.UUID, partners []uuid.UUID, pairs []score.Pair, stale *[]uuid.UUID) {
	as, bs := make([]uuid.UUID, len(pairs)), make([]uuid.UUID, len(pairs))
	for i, p := range pairs {
		as[i], bs[i] = p.A, p.B
	}
	batch.Queue(forgetPairsSQL, id, partners, as, bs).Query(func(rows pgx.Rows) (err error) {
		*stale, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
	for _, p := range pairs {
		queuePair(batch, id, p)
	}
}

func queuePair(batch *pgx.Batch, id uuid.UUID, p score.Pair) {
	batch.Queue(upsertPairSQL, id, p.A, p.B, p.TypeA, p.TypeB, p.Points,
		p.Fit.A, p.Fit.B, p.Fit.Common, p.Evidence, p.Veto, p.Ends)
}

// competitionSQL reads the pairs of the documents, and the pairs of those.
const competitionSQL = `
WITH partner AS (
	SELECT document_a_id AS id FROM match_pair WHERE document_b_id = ANY ($1)
	UNION SELECT document_b_id FROM match_pair WHERE document_a_id = ANY ($1)
	UNION SELECT unnest($1::uuid[])
)
SELECT document_a_id, document_b_id, type_a::text, type_b::text, points, units_a, units_b, units_common,
	evidence, veto, ends, verdict, asked, question, answer, reasoning, owed
FROM match_pair
WHERE document_a_id = ANY (ARRAY(SELECT id FROM partner)) OR document_b_id = ANY (ARRAY(SELECT id FROM partner))
ORDER BY document_a_id, document_b_id`

func readCompetition(ctx context.Context, q querier, documents []uuid.UUID) (rules.Competition, error) {
	rows, _ := q.Query(ctx, competitionSQL, documents)
	pairs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p rules.Pair, err error) {
		err = row.Scan(&p.A, &p.B, &p.TypeA, &p.TypeB, &p.Points, &p.Fit.A, &p.Fit.B, &p.Fit.Common,
			&p.Evidence, &p.Veto, &p.Ends, &p.Verdict,
			&p.Asked.About, &p.Asked.Question, &p.Asked.Answer, &p.Asked.Reasoning, &p.Asked.Owed)
		return p, err
	})
	return rules.Competition{Documents: documents, Pairs: pairs}, err
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Competition reads the pairs of a document and the pairs they compete with.
func (db *DB) Competition(ctx context.Context, id uuid.UUID) (rules.Competition, error) {
	return readCompetition(ctx, db.pool, []uuid.UUID{id})
}

// publishStaleSQL publishes documents again whose question has changed. Pending
// documents and those at work ask it without that.
const publishStaleSQL = `
UPDATE document SET
	matching_status = 'pending',
	matching_published_at = greatest(now(), matching_published_at + interval '1 microsecond'),
	matching_due_at = now(), matching_republished = 0
WHERE id = ANY ($1) AND matching_status = 'succeeded'
RETURNING id, matching_published_at, tenant_id`

// redecide has the rules decide about all pairs of the documents, writes the
// result, and publishes the documents that have to ask a model again: stale, and
// those of the result. written are those whose data or verdicts may have changed.
func redecide(
	ctx context.Context, tx pgx.Tx, written, documents, stale []uuid.UUID, decide match.Rules,
) (published []job.Stamped, err error) {
	c, err := readCompetition(ctx, tx, documents)
	if err != nil {
		return nil, err
	}
	result, err := decide(ctx, c)
	if err != nil {
		return nil, err
	}
	touched := slices.Clone(documents)
	for _, p := range c.Pairs {
		touched = append(touched, p.A, p.B)
	}
	rows, err := lockRows(ctx, tx, touched)
	if err != nil {
		return nil, err
	}
	changed, err := replaceEdges(ctx, tx, documents, result)
	if err != nil {
		return nil, err
	}
	if err := recluster(ctx, tx, rows); err != nil {
		return nil, err
	}
	if err := compareInvoices(ctx, tx, slices.Concat(written, changed)); err != nil {
		return nil, err
	}
	stale = append(stale, result.Stale...)
	if len(stale) == 0 {
		return nil, nil
	}
	again, _ := tx.Query(ctx, publishStaleSQL, stale)
	return pgx.CollectRows(again, pgx.RowToStructByPos[job.Stamped])
}

// ends lists the documents of pairs, with repetitions.
func ends(pairs []score.Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	return ids
}

// ErrNoSuchPair reports that two ids are not two documents of one tenant.
var ErrNoSuchPair = errors.New("these are not two documents of one tenant")

const verdictSQL = `
UPDATE match_pair SET verdict = $3 WHERE document_a_id = $1 AND document_b_id = $2`

const clearPairSQL = `
WITH matched AS (DELETE FROM document_match WHERE document_a_id = $1 AND document_b_id = $2)
DELETE FROM match_suggestion WHERE document_a_id = $1 AND document_b_id = $2`

const sameTenantSQL = `
SELECT count(*) FROM document AS a JOIN document AS b ON b.tenant_id = a.tenant_id WHERE a.id = $1 AND b.id = $2`

// SetVerdict stores a person's verdict about a pair, which holds until the next
// one, and writes the result of the rules for all pairs that compete with it.
func (db *DB) SetVerdict(ctx context.Context, p score.Pair, verdict rules.Verdict, decide match.Rules) error {
	return db.inTurn(ctx, p.A, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, sameTenantSQL, p.A, p.B).Scan(&n); err != nil {
			return err
		}
		if n == 0 || p.A == p.B {
			return fmt.Errorf("%s and %s: %w", p.A, p.B, ErrNoSuchPair)
		}
		batch := &pgx.Batch{}
		queuePair(batch, p.A, p)
		batch.Queue(verdictSQL, p.A, p.B, verdict)
		batch.Queue(clearPairSQL, p.A, p.B)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		_, err := redecide(ctx, tx, []uuid.UUID{p.A, p.B}, []uuid.UUID{p.A, p.B}, nil, decide)
		return err
	})
}

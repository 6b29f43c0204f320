package postgres

import (
	"context"
	"encoding/json"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// amongPairs keeps a statement about the pairs $1, $2 from a plan that begins with all
// rows of its table, as one does that was made when the table was empty.
const amongPairs = `document_a_id = ANY ($1) AND document_b_id = ANY ($2)`

const deletePairsSQL = `
DELETE FROM match_pair USING unnest($1::uuid[], $2::uuid[]) AS lost (a, b)
WHERE document_a_id = a AND document_b_id = b AND ` + amongPairs

// upsertPairsSQL writes the pairs that differ, so that matching again changes
// nothing. $1 is a document of the tenant.
const upsertPairsSQL = `
INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points,
	units_a, units_b, units_common, evidence, veto, ends, brief)
SELECT d.tenant_id, p.a, p.b, p.type_a::document_type, p.type_b::document_type, p.points,
	p.units_a, p.units_b, p.units_common, p.evidence::jsonb, p.veto, p.ends::jsonb, p.brief::jsonb
FROM document AS d CROSS JOIN unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::float8[],
		$8::float8[], $9::float8[], $10::text[], $11::text[], $12::text[], $13::text[])
	AS p (a, b, type_a, type_b, points, units_a, units_b, units_common, evidence, veto, ends, brief)
LEFT JOIN LATERAL (SELECT * FROM match_pair WHERE document_a_id = p.a AND document_b_id = p.b OFFSET 0) AS old ON true
WHERE d.id = $1 AND (old.type_a::text, old.type_b::text, old.points, old.units_a, old.units_b, old.units_common,
		old.evidence, old.veto, old.ends, old.brief)
	IS DISTINCT FROM (p.type_a, p.type_b, p.points, p.units_a, p.units_b, p.units_common,
		p.evidence::jsonb, p.veto, p.ends::jsonb, p.brief::jsonb)
ORDER BY p.a, p.b
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	type_a = excluded.type_a, type_b = excluded.type_b, points = excluded.points, units_a = excluded.units_a,
	units_b = excluded.units_b, units_common = excluded.units_common, evidence = excluded.evidence,
	veto = excluded.veto, ends = excluded.ends, brief = excluded.brief`

func queuePairs(batch *pgx.Batch, id uuid.UUID, pairs []score.Pair) error {
	if len(pairs) == 0 {
		return nil
	}
	n := len(pairs)
	as, bs, points := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int, n)
	typesA, typesB, vetoes := make([]document.Type, n), make([]document.Type, n), make([]string, n)
	unitsA, unitsB, common := make([]float64, n), make([]float64, n), make([]float64, n)
	evidence, fringes, briefs := make([]string, n), make([]string, n), make([]string, n)
	for i, p := range pairs {
		as[i], bs[i], typesA[i], typesB[i], points[i], vetoes[i] = p.A, p.B, p.TypeA, p.TypeB, p.Points, p.Veto
		unitsA[i], unitsB[i], common[i] = p.Fit.A, p.Fit.B, p.Fit.Common
		for text, value := range map[*string]any{&evidence[i]: p.Evidence, &fringes[i]: p.Ends, &briefs[i]: p.Brief()} {
			raw, err := json.Marshal(value)
			if err != nil {
				return err
			}
			*text = string(raw)
		}
	}
	batch.Queue(upsertPairsSQL, id, as, bs, typesA, typesB, points, unitsA, unitsB, common, evidence, vetoes, fringes,
		briefs)
	return nil
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

func readCompetition(ctx context.Context, q *pool, documents []uuid.UUID) (rules.Competition, error) {
	rows, _ := q.Query(ctx, competitionSQL, documents)
	pairs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p rules.Pair, err error) {
		err = row.Scan(&p.A, &p.B, &p.TypeA, &p.TypeB, &p.Points, &p.Fit.A, &p.Fit.B, &p.Fit.Common,
			&p.Evidence, &p.Veto, &p.Ends, &p.Verdict,
			&p.Asked.About, &p.Asked.Question, &p.Asked.Answer, &p.Asked.Reasoning, &p.Asked.Owed)
		return p, err
	})
	return rules.Competition{Documents: documents, Pairs: pairs}, err
}

// Competition reads the pairs of a document and the pairs they compete with.
func (db *DB) Competition(ctx context.Context, id uuid.UUID) (rules.Competition, error) {
	return readCompetition(ctx, db.pool, []uuid.UUID{id})
}

// publishStaleSQL publishes documents again whose question has changed. Pending
// documents and those at work ask it without that.
const publishStaleSQL = publishAgain + `
WHERE id = ANY ($1) AND matching_status = 'succeeded'` + publishedColumns

const (
	publishAgain = `
UPDATE document SET
	matching_status = 'pending',
	matching_published_at = greatest(now(), matching_published_at + interval '1 microsecond'),
	matching_due_at = now(), matching_republished = 0`
	publishedColumns = `
RETURNING id, matching_published_at, tenant_id`
)

// rewrite is the change of pairs that a transaction is about.
type rewrite struct {
	pairs     []score.Pair // as they are scored now; all pairs of the documents that are matched
	separated []score.Pair // that are deleted, as their documents reach each other no longer; without a score
	word      *word        // of a person about a pair, the only one; nil without
	renamed   *renaming
	docs      []*write // that are matched, the competition's own; none for a person's word
}

// redecide writes pairs, has the rules decide about those of the competition's own
// documents and about those of others to which the change makes a difference, writes
// the result, and publishes the documents that have to ask a model again: those
// whose question included a deleted pair, and those of the result. It commits with
// its last statements.
func redecide(
	ctx context.Context, tx pgx.Tx, c *competition, decide match.Rules, r rewrite,
) (published []job.Stamped, err error) {
	d := &redecision{tx: tx, before: c, rewrite: r}
	if err := d.readOthers(ctx); err != nil {
		return nil, err
	}
	if err := d.readInFull(ctx); err != nil {
		return nil, err
	}
	if d.result, err = decide(ctx, d.now.asRules()); err != nil {
		return nil, err
	}
	if r.word != nil {
		d.result.Stale = r.word.concerns(d.held, d.now.decides, d.result)
	}
	if err := d.write(ctx); err != nil {
		return nil, err
	}
	return d.finish(ctx)
}

// redecision is what redecide has read and decided so far.
type redecision struct {
	rewrite

	tx     pgx.Tx
	before *competition

	now         *competition // with the rewrite
	lost, moved []rules.Pair // deleted ones, and those of others whose decision can change
	held        *standing
	copies      *copies
	result      rules.Result
	changed     []uuid.UUID // documents whose cluster or matches have changed
	chain       *chain      // nil: no comparison can have changed
}

// send runs the statements that queue adds, in one round trip; none if there are none.
func (d *redecision) send(ctx context.Context, queue func(*pgx.Batch) error) error {
	batch := &pgx.Batch{}
	if err := queue(batch); err != nil || batch.Len() == 0 {
		return err
	}
	return d.tx.SendBatch(ctx, batch).Close()
}

// readOthers reads the pairs of documents that were not known before the pairs were
// scored.
func (d *redecision) readOthers(ctx context.Context) error {
	return d.send(ctx, func(batch *pgx.Batch) error {
		d.before.queueWhole(batch, ends(notPlain(d.pairs)))
		d.before.queueMore(batch, ends(slices.Concat(d.pairs, d.separated)))
		return nil
	})
}

// readInFull reads the pairs that decide, and what their documents are matched with. It
// returns job.ErrFenceLost if a fence does not hold.
func (d *redecision) readInFull(ctx context.Context) error {
	c := d.before
	d.now, d.lost = c.replace(d.rewrite)
	d.moved = rules.Moved(c.pairs, d.now.pairs)
	gone := slices.Concat(d.lost, d.moved, d.now.decided())
	err := d.send(ctx, func(batch *pgx.Batch) error {
		d.now.queueFull(batch, d.moved)
		c.queueFull(batch, d.lost)
		as, bs := keysOf(gone)
		touched := sortedIDs(slices.Concat(c.own, as, bs))
		movedA, movedB := keysOf(d.moved)
		d.now.queueWhole(batch, slices.Concat(movedA, movedB))
		d.now.queueMore(batch, touched)
		own := c.own
		if d.word != nil {
			own = touched // whether another match is left to them
		}
		d.held = queueStanding(batch, own, gone, d.word)
		d.copies = queueCopies(batch, d.docs)
		return nil
	})
	if err != nil {
		return err
	}
	return d.fenced(d.held.holds)
}

// fenced returns job.ErrFenceLost unless all fences hold.
func (d *redecision) fenced(holds func(job.Attempt) bool) error {
	for _, w := range d.docs {
		if !holds(w.fence) {
			return job.ErrFenceLost
		}
	}
	return nil
}

// write locks the rows that change, and writes pairs, matches, suggestions, ends and
// clusters. It returns job.ErrFenceLost if a fence did not hold when the rows were locked.
func (d *redecision) write(ctx context.Context) error {
	clusters, changed, err := d.held.cluster(ctx, d.tx, d.now.decides, d.result.Matches)
	if err != nil {
		return err
	}
	d.changed = slices.Concat(changed, d.before.own)
	var fences map[job.Attempt]bool
	err = d.send(ctx, func(batch *pgx.Batch) error {
		fences = clusters.queueLock(batch, d.before.own)
		if err := queueRewrite(batch, d.now, d.held, d.lost, d.rewrite, d.result); err != nil {
			return err
		}
		clusters.queueEnds(batch, d.held, d.docs)
		clusters.queue(batch)
		if len(d.result.Matches) > 0 || d.held.matched() {
			d.chain = queueChain(batch, d.changed, d.renamed.tenant)
		}
		return d.copies.queueCompared(ctx, d.tx, batch)
	})
	if err != nil {
		return err
	}
	return d.fenced(func(f job.Attempt) bool { return fences[f] })
}

// finish compares the invoices of chains, replaces warnings, publishes, and commits.
func (d *redecision) finish(ctx context.Context) (published []job.Stamped, err error) {
	err = d.send(ctx, func(batch *pgx.Batch) error {
		if d.chain != nil && (len(d.chain.docs) > 0 || d.held.billed(d.changed) || d.held.matched()) {
			d.chain.queueComparisons(batch, d.changed)
		}
		d.copies.queueWarnings(batch)
		queueStale(batch, d.result.Stale, d.lost, d.before, &published)
		d.renamed.queuePublish(batch, &published)
		batch.Queue("commit")
		return nil
	})
	return published, err
}

// queueStale publishes the documents whose question has changed or included a pair
// that is lost.
func queueStale(batch *pgx.Batch, stale []uuid.UUID, lost []rules.Pair, c *competition, published *[]job.Stamped) {
	for _, p := range lost {
		if c.pairs[c.place[[2]uuid.UUID{p.A, p.B}]].Asked.About != "" {
			ends := []uuid.UUID{p.A, p.B}
			stale = append(stale, slices.DeleteFunc(ends, c.owns)...)
		}
	}
	if len(stale) > 0 {
		queuePublish(batch, published, publishStaleSQL, stale)
	}
}

// queuePublish appends the documents that a statement publishes.
func queuePublish(batch *pgx.Batch, published *[]job.Stamped, sql string, args ...any) {
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.Stamped])
		*published = append(*published, list...)
		return err
	})
}

// queueRewrite writes the pairs, and the edges of a result.
func queueRewrite(
	batch *pgx.Batch, c *competition, s *standing, lost []rules.Pair, r rewrite, result rules.Result,
) error {
	if len(lost) > 0 {
		as, bs := keysOf(lost)
		batch.Queue(deletePairsSQL, as, bs)
	}
	if err := queuePairs(batch, c.own[0], r.pairs); err != nil {
		return err
	}
	if r.word != nil {
		r.word.queue(batch)
	}
	r.renamed.queue(batch)
	return queueResult(batch, c, s, result)
}

// notPlain lists the pairs that are not plain.
func notPlain(pairs []score.Pair) []score.Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p score.Pair) bool { return p.Plain() && p.Points >= score.MatchAt })
}

// ends lists the documents of pairs, with repetitions.
func ends(pairs []score.Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	return ids
}

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// dataColumn reads structured data as text, empty when it is too large to be
// taken into memory.
const dataColumn = `CASE WHEN octet_length(structured_data::text) <= 1048576 THEN structured_data::text ELSE '' END`

const loadSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at
FROM document
WHERE id = $1 AND matching_attempts = $2 AND matching_status = 'in-progress'`

// Load implements match.Store.
func (db *DB) Load(ctx context.Context, f job.Fence) (raw match.Raw, err error) {
	err = db.pool.QueryRow(ctx, loadSQL, f.ID, f.Attempt).Scan(&raw.ID, &raw.TenantID, &raw.Type, &raw.Data, &raw.Received)
	if errors.Is(err, pgx.ErrNoRows) {
		return raw, job.ErrFenceLost
	}
	return raw, err
}

const normalizedSQL = `
UPDATE document SET normalized_counterparty = $3, normalized_references = $4, searchable_text = $5, match_keys = $6
WHERE id = $1 AND matching_attempts = $2 AND matching_status = 'in-progress'`

// candidatesSQL finds documents that share a key, those that share the most
// first. The cut-offs keep a key that everybody has from reading everybody,
// and 200 documents of a megabyte out of a function's memory. OFFSET 0 has the
// data made into text once, not wherever it is used.
const candidatesSQL = `
SELECT id, tenant_id, type::text, data, received_at
FROM (
	SELECT nearest.*, data, sum(octet_length(data)) OVER (ORDER BY shared DESC, id) AS bytes_read
	FROM (
		SELECT *, (SELECT count(*) FROM unnest(match_keys) AS key WHERE key = ANY ($3::text[])) AS shared
		FROM document
		WHERE tenant_id = (SELECT tenant_id FROM document WHERE id = $1)
			AND id <> $1 AND match_keys && $3::text[] AND type = ANY ($2::text[]::document_type[]) AND structured_data IS NOT NULL
		ORDER BY shared DESC, id
		LIMIT 200
	) AS nearest
	CROSS JOIN LATERAL (SELECT structured_data::text AS whole OFFSET 0) AS t
	CROSS JOIN LATERAL (SELECT CASE WHEN octet_length(whole) <= 1048576 THEN whole ELSE '' END AS data) AS d
) AS candidate
WHERE bytes_read <= 8388608
ORDER BY id`

const partnersSQL = `
SELECT CASE WHEN document_a_id = $1 THEN document_b_id ELSE document_a_id END AS partner
FROM document_match WHERE $1 IN (document_a_id, document_b_id)
UNION
SELECT CASE WHEN document_a_id = $1 THEN document_b_id ELSE document_a_id END
FROM match_suggestion WHERE $1 IN (document_a_id, document_b_id)
ORDER BY partner`

// Candidates implements match.Store: one round trip.
func (db *DB) Candidates(ctx context.Context, f job.Fence, n match.Normalized, types []document.Type) (block match.Block, err error) {
	counterparty, err := json.Marshal(n.Counterparty)
	if err != nil {
		return block, err
	}
	references, err := json.Marshal(n.References)
	if err != nil {
		return block, err
	}
	var held bool
	err = repeat(ctx, func() error {
		batch := &pgx.Batch{}
		batch.Queue(normalizedSQL, f.ID, f.Attempt, counterparty, references, n.Text, n.Keys).Exec(func(tag pgconn.CommandTag) error {
			held = tag.RowsAffected() == 1
			return nil
		})
		queueBlock(batch, f.ID, n, types, &block)
		return db.pool.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return match.Block{}, err
	}
	if !held {
		return match.Block{}, job.ErrFenceLost
	}
	return block, nil
}

func queueBlock(batch *pgx.Batch, id uuid.UUID, n match.Normalized, types []document.Type, block *match.Block) {
	batch.Queue(candidatesSQL, id, types, n.Keys).Query(func(rows pgx.Rows) (err error) {
		block.Candidates, err = pgx.CollectRows(rows, pgx.RowToStructByPos[match.Raw])
		return err
	})
	batch.Queue(partnersSQL, id).Query(func(rows pgx.Rows) (err error) {
		block.Partners, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		return err
	})
}

const lockTenantSQL = `
SELECT pg_advisory_xact_lock(hashtextextended('match:' || tenant_id, 0)) FROM document WHERE id = $1`

// succeededSQL is the fence of the whole write.
const succeededSQL = `
UPDATE document SET matching_status = 'succeeded', matching_error = NULL, matching_failed_at = NULL,
	matching_lease_until = NULL, matching_due_at = NULL
WHERE id = $1 AND matching_attempts = $2 AND matching_status = 'in-progress'`

// Write implements match.Store. Writers of one tenant take turns, so what is
// read here holds until the commit.
func (db *DB) Write(ctx context.Context, f job.Fence, n match.Normalized, types []document.Type, judged match.Block, d match.Decision) (fresh *match.Block, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		fresh = nil
		if _, err := tx.Exec(ctx, lockTenantSQL, f.ID); err != nil {
			return err
		}
		var now match.Block
		batch := &pgx.Batch{}
		queueBlock(batch, f.ID, n, types, &now)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if !slices.Equal(now.Candidates, judged.Candidates) {
			fresh = &now
			return nil
		}
		rows, err := lockRows(ctx, tx, touched(f.ID, judged, d))
		if err != nil {
			return err
		}
		if err := replaceEdges(ctx, tx, f.ID, judged, d); err != nil {
			return err
		}
		if err := recluster(ctx, tx, rows); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, succeededSQL, f.ID, f.Attempt)
		if err == nil && tag.RowsAffected() == 0 {
			err = job.ErrFenceLost
		}
		return err
	})
	return fresh, err
}

// touched lists the document and everybody it was or will be tied to.
func touched(id uuid.UUID, judged match.Block, d match.Decision) []uuid.UUID {
	ids := append([]uuid.UUID{id}, judged.Partners...)
	for _, e := range slices.Concat(d.Matches, d.Suggestions) {
		ids = append(ids, e.A, e.B)
	}
	return ids
}

const clearMatchesSQL = `
DELETE FROM document_match
WHERE (document_a_id = $1 AND document_b_id = ANY ($2) OR document_b_id = $1 AND document_a_id = ANY ($2))
	AND decided_by <> 'person'
	AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($3::uuid[], $4::uuid[]))`

const clearSuggestionsSQL = `
DELETE FROM match_suggestion
WHERE (document_a_id = $1 AND document_b_id = ANY ($2) OR document_b_id = $1 AND document_a_id = ANY ($2))
	AND decided_by <> 'person'
	AND NOT (document_a_id, document_b_id) IN (SELECT * FROM unnest($3::uuid[], $4::uuid[]))`

// The upserts leave an equal row as it is, so that matching a document again
// changes nothing, not even a time. A pair that a person decided in the other
// table is not decided again.
const upsertMatchSQL = `
INSERT INTO document_match AS old (tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence, created_at)
SELECT tenant_id, $2, $3, $4, $5, $6, $7, $8, now() FROM document
WHERE id = $1 AND NOT EXISTS (SELECT FROM match_suggestion
	WHERE document_a_id = $2 AND document_b_id = $3 AND decided_by = 'person')
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, confidence = excluded.confidence, decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, created_at = excluded.created_at
WHERE old.decided_by <> 'person'
	AND (old.score, old.confidence, old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (excluded.score, excluded.confidence, excluded.decided_by, excluded.reasoning, excluded.evidence)`

const upsertSuggestionSQL = `
INSERT INTO match_suggestion AS old (tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence, created_at)
SELECT tenant_id, $2, $3, $4, $5, $6, $7, now() FROM document
WHERE id = $1 AND NOT EXISTS (SELECT FROM document_match
	WHERE document_a_id = $2 AND document_b_id = $3 AND decided_by = 'person')
ON CONFLICT (document_a_id, document_b_id) DO UPDATE SET
	score = excluded.score, decided_by = excluded.decided_by,
	reasoning = excluded.reasoning, evidence = excluded.evidence, created_at = excluded.created_at
WHERE old.decided_by <> 'person'
	AND (old.score, old.decided_by, old.reasoning, old.evidence)
		IS DISTINCT FROM (excluded.score, excluded.decided_by, excluded.reasoning, excluded.evidence)`

// replaceEdges makes the document's matches and suggestions those of the
// decision. What a person decided stays, and so does what appeared after the
// partners were read: somebody else decided it knowing more.
func replaceEdges(ctx context.Context, tx pgx.Tx, id uuid.UUID, judged match.Block, d match.Decision) error {
	batch := &pgx.Batch{}
	for _, part := range []struct {
		clear string
		keep  []match.Edge
	}{{clearMatchesSQL, d.Matches}, {clearSuggestionsSQL, d.Suggestions}} {
		var as, bs []uuid.UUID
		for _, e := range part.keep {
			as, bs = append(as, e.A), append(bs, e.B)
		}
		batch.Queue(part.clear, id, judged.Partners, as, bs)
	}
	for _, e := range d.Matches {
		evidence, err := json.Marshal(e.Evidence)
		if err != nil {
			return err
		}
		batch.Queue(upsertMatchSQL, id, e.A, e.B, e.Score, e.Confidence, e.DecidedBy, e.Reasoning, evidence)
	}
	for _, e := range d.Suggestions {
		evidence, err := json.Marshal(e.Evidence)
		if err != nil {
			return err
		}
		batch.Queue(upsertSuggestionSQL, id, e.A, e.B, e.Score, e.DecidedBy, e.Reasoning, evidence)
	}
	return tx.SendBatch(ctx, batch).Close()
}

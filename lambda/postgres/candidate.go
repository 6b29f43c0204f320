package postgres

import (
	"context"
	"encoding/json"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

const normalizedSQL = `
UPDATE document SET normalized_counterparty = $3, normalized_references = $4, searchable_text = $5,
	match_keys = $6, embedding = $7, embedding_error = nullif($8, '')
WHERE id = $1 AND matching_attempts = $2 AND matching_status = 'in-progress'`

// blockSQL finds the documents that share a key which is looked up (key.go), those with
// the most shared keys first, then similar documents and partners of citations. A row
// has a document's content if it is a candidate: the limits keep hundreds of documents of
// a megabyte out of a function's memory. Partners beyond the limits are ids only: Write
// reads them one by one. OFFSET 0 makes PostgreSQL convert the data to text once, not
// wherever it is used.
const blockSQL = `
WITH reached AS MATERIALIZED (
	SELECT id, shared FROM (` + reachedRows + `) AS reached
), kept AS MATERIALIZED (` + keptRows + `
), nearest AS MATERIALIZED (
	SELECT * FROM (
		SELECT known.*, data, sum(octet_length(data)) OVER (ORDER BY shared DESC, id) AS bytes_read
		FROM (SELECT id AS nearest, shared FROM reached ORDER BY shared DESC, id LIMIT 400) AS most
		CROSS JOIN LATERAL (SELECT * FROM document WHERE id = nearest OFFSET 0) AS known` + dataRows + `
	) AS read WHERE bytes_read <= 8388608
), candidate AS (
	SELECT id, tenant_id, type, data, received_at, ` + vectorColumn + ` AS vector, ` + knownColumn + ` AS known FROM nearest
	UNION ALL
	SELECT id, tenant_id, type, data, received_at, ` + vectorColumn + `, ` + knownColumn + `
	FROM (
		SELECT known.*, data, row_number() OVER chosen AS place, sum(octet_length(data)) OVER chosen AS bytes_read
		FROM (
			SELECT *, coalesce(array_position($8::uuid[], id), 1000) AS similarity
			FROM document
			WHERE (id = ANY (ARRAY(SELECT id FROM kept))
					OR id = ANY (ARRAY(SELECT unnest($8::uuid[]))) AND tenant_id = (SELECT tenant_id FROM document WHERE id = $1))
				AND type = ANY ($2::text[]::document_type[]) AND structured_data IS NOT NULL
			ORDER BY similarity, id LIMIT 1000
		) AS known` + dataRows + `
		WINDOW chosen AS (ORDER BY similarity, id)
	) AS known
	WHERE (bytes_read <= 8388608 OR place <= 20) AND id NOT IN (SELECT id FROM nearest)
)
SELECT id, partner.id IS NOT NULL, candidate.id IS NOT NULL, tenant_id, type::text, data, received_at, vector, known
FROM candidate FULL JOIN (SELECT id FROM reached UNION SELECT id FROM kept) AS partner USING (id)
ORDER BY id`

const dataRows = `
	CROSS JOIN LATERAL (SELECT structured_data::text AS whole OFFSET 0) AS t
	CROSS JOIN LATERAL (SELECT CASE WHEN octet_length(whole) <= 1048576 THEN whole ELSE '' END AS data) AS d`

const rankedSQL = `
SELECT id FROM (` + nearestRows + `) AS nearest
ORDER BY shared DESC, id LIMIT $8`

// partnersSQL lists all documents that a document is scored with.
const partnersSQL = `
SELECT id FROM (` + reachedRows + `) AS reached
UNION ` + keptRows + `
ORDER BY id`

// keptRows are the partners whose pair is kept whether a search reaches them or not.
const keptRows = `
	SELECT document_b_id AS id FROM match_pair WHERE document_a_id = $1 AND ` + keptEvidence + `
	UNION SELECT document_a_id FROM match_pair WHERE document_b_id = $1 AND ` + keptEvidence

// Candidates implements match.Store: one round trip, in which normalizedSQL
// stores the normalised document, and carries the fence.
func (db *DB) Candidates(
	ctx context.Context, f job.Fence, n score.Normalized, types []document.Type,
) (block match.Block, err error) {
	counterparty, err := json.Marshal(n.Counterparty)
	if err != nil {
		return block, err
	}
	references, err := json.Marshal(n.References)
	if err != nil {
		return block, err
	}
	var fenced bool
	err = steadily(ctx, func() error {
		batch := &pgx.Batch{}
		batch.Queue(planOnceSQL)
		update := batch.Queue(normalizedSQL, f.ID, f.Attempt, counterparty, references, n.Text, n.Keys, n.Vector,
			n.NoVector)
		update.Exec(func(tag pgconn.CommandTag) error {
			fenced = tag.RowsAffected() == 1
			return nil
		})
		queueBlock(batch, f.ID, n, types, &block)
		return db.pool.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return match.Block{}, err
	}
	if !fenced {
		return match.Block{}, job.ErrFenceLost
	}
	return block, nil
}

func queueBlock(batch *pgx.Batch, id uuid.UUID, n score.Normalized, types []document.Type, block *match.Block) {
	batch.Queue(blockSQL, append(search(id, types, n), n.Similar)...).Query(func(rows pgx.Rows) error {
		block.Candidates, block.Partners = nil, nil
		var partner, candidate bool
		var d score.Raw
		columns := []any{&d.ID, &partner, &candidate, (*zeronull.UUID)(&d.TenantID), (*zeronull.Text)(&d.Type),
			(*zeronull.Text)(&d.Data), (*zeronull.Timestamptz)(&d.Received), (*zeronull.Text)(&d.Vector), (*zeronull.Text)(&d.Known)}
		_, err := pgx.ForEachRow(rows, columns, func() error {
			if partner {
				block.Partners = append(block.Partners, d.ID)
			}
			if candidate {
				block.Candidates = append(block.Candidates, d)
			}
			return nil
		})
		return err
	})
	batch.Queue(knownSQL, id, n.Naming.Name, n.Naming.VATID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&block.Tenant, &block.Known)
	})
}

const nearSQL = `
SELECT other.id, ` + vectorColumn + `
FROM (` + companyRows + `) AS known CROSS JOIN LATERAL (SELECT * FROM document WHERE id = document_id OFFSET 0) AS other
WHERE tenant_id = (SELECT tenant_id FROM document WHERE id = $1) AND other.id <> $1
	AND type = ANY ($4::text[]::document_type[]) AND embedding IS NOT NULL
ORDER BY abs(extract(epoch FROM received_at - (SELECT received_at FROM document WHERE id = $1))), other.id
LIMIT 500`

// Near implements match.Store.
func (db *DB) Near(
	ctx context.Context, id uuid.UUID, w score.Window, types []document.Type,
) (near []match.Near, err error) {
	err = steadily(ctx, func() error {
		rows, _ := db.pool.Query(ctx, nearSQL, id, w.Company, w.Days, types)
		near, err = pgx.CollectRows(rows, pgx.RowToStructByPos[match.Near])
		return err
	})
	return near, err
}

// Ranked lists for each of the documents its candidates, best first, at most
// limit, as they are found now: by common keys, then by similar texts.
func (db *DB) Ranked(ctx context.Context, ids []uuid.UUID, limit int) (map[uuid.UUID][]uuid.UUID, error) {
	raws, err := db.Raws(ctx, ids)
	if err != nil {
		return nil, err
	}
	ranked := make(map[uuid.UUID][]uuid.UUID, len(raws))
	for _, raw := range raws {
		d, err := score.Read(raw)
		if err != nil {
			continue // its data cannot be read, so it has no candidates
		}
		rows, _ := db.pool.Query(ctx, rankedSQL, append(search(raw.ID, score.Matchable(raw.Type), d.Normalized()), limit)...)
		if ranked[raw.ID], err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID]); err != nil {
			return nil, err
		}
		if raw.Vector == "" {
			continue
		}
		similar, err := db.similar(ctx, d)
		if err != nil {
			return nil, err
		}
		for _, id := range similar {
			if len(ranked[raw.ID]) < limit && !slices.Contains(ranked[raw.ID], id) {
				ranked[raw.ID] = append(ranked[raw.ID], id)
			}
		}
	}
	return ranked, nil
}

// similar returns the documents of the same company whose texts are similar.
func (db *DB) similar(ctx context.Context, d score.Document) (ids []uuid.UUID, err error) {
	near, err := db.Near(ctx, d.ID, d.Normalized().Window, score.Matchable(d.Type))
	for _, n := range near {
		if d.Similar(n.Vector) {
			ids = append(ids, n.ID)
		}
	}
	return ids, err
}

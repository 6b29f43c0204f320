package matches

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

const normalizedSQL = `
UPDATE document SET normalized_counterparty = $3, normalized_references = $4, searchable_text = $5,
	match_keys = $6, embedding = $7, embedding_error = nullif($8, '')
WHERE id = $1 AND matching_attempts = $2 AND matching_status = 'in-progress'`

// unawaitedSQL commits the normalised documents without a wait for the disk. The commit of their
// results follows it there, and any other attempt normalises them again.
const unawaitedSQL = `SELECT set_config('synchronous_commit', 'off', true)`

// blockSQL reads the block of each document in a search: documents that share a looked-up key
// (key.go), similar documents, and partners by citation or similar text (keptRows). Only
// candidates come with their content: similar and kept ones, and of the others the ones with
// the most shared keys. The limits keep hundreds of documents of a megabyte out of a
// function's memory. Partners beyond the limits are ids only, so Write must read them one
// by one. A document's own row has its current content. OFFSET 0 makes PostgreSQL convert the
// data to text once instead of at each use.
var blockSQL = `
WITH its AS MATERIALIZED (` + itsRows + ` WHERE ` + inTurn + `
), found AS MATERIALIZED (` + foundRows + ` WHERE ` + inTurn + `
), picked AS (
	SELECT own, id, max(shared) AS shared, min(place) AS place, bool_or(partner) AS partner
	FROM (
		SELECT *, NULL::bigint AS place, true AS partner FROM (` + sharingRows + `) AS sharing
		UNION ALL
		SELECT its.id, kept.id, 0, 1000000, true FROM its CROSS JOIN LATERAL (` + keptRows + `) AS kept
		UNION ALL
		SELECT own, id, 0, place, false FROM unnest($13::uuid[], $14::uuid[]) WITH ORDINALITY AS s (own, id, place)
	) AS reasons
	GROUP BY own, id
), placed AS (
	SELECT own, picked.id, partner, place IS NULL AS nearest, other.*,
		row_number() OVER (PARTITION BY own, place IS NULL ORDER BY place, shared DESC, picked.id) AS place
	FROM picked JOIN its ON its.id = own` + othersRows + `
), read AS MATERIALIZED (
	SELECT placed.*, data, party.name, party.vat_id,
		NOT nearest AND place <= 20 OR place <= CASE WHEN nearest THEN 400 ELSE 1000 END
			AND sum(octet_length(data)) OVER (PARTITION BY own, nearest ORDER BY place) <= 8388608 AS candidate
	FROM placed
	CROSS JOIN LATERAL (SELECT CASE WHEN place <= 1000 THEN structured_data::text END AS whole OFFSET 0) AS t` + dataRows + `
	LEFT JOIN LATERAL (SELECT name, vat_id FROM party_name WHERE document_id = placed.id OFFSET 0) AS party ON true
), named AS MATERIALIZED (
	SELECT name, vat_id, ` + identitiesSQL + ` AS known
	FROM (
		SELECT DISTINCT $8::uuid AS tenant_id, name, CASE WHEN vat_id = '' THEN '' ELSE 'printed' END AS vat_id
		FROM (SELECT name, vat_id FROM its UNION ALL SELECT name, vat_id FROM read WHERE candidate) AS each
		WHERE name <> ''
	) AS own
)
SELECT own, id, partner, candidate, false AS crowded, tenant_id, type::text, CASE WHEN candidate THEN data END AS data,
	received_at, ` + vectorColumn + ` AS vector, known
FROM read LEFT JOIN named ON named.name = read.name AND (named.vat_id = '') = (read.vat_id = '')
UNION ALL
SELECT its.id, its.id, false, false,
	EXISTS (SELECT FROM found WHERE own = its.id AND most = ` + strconv.Itoa(reach) + ` GROUP BY key, day, most HAVING count(*) > most),
	tenant_id, type::text, data, received_at, ` + vectorColumn + `, known
FROM its CROSS JOIN LATERAL (SELECT * FROM document WHERE id = its.id OFFSET 0) AS d
CROSS JOIN LATERAL (SELECT structured_data::text AS whole OFFSET 0) AS t` + dataRows + `
LEFT JOIN named ON named.name = its.name AND (named.vat_id = '') = (its.vat_id = '')
ORDER BY own, id`

const dataRows = `
	CROSS JOIN LATERAL (SELECT CASE WHEN octet_length(whole) <= 1048576 THEN whole ELSE '' END AS data) AS w`

const rankedSQL = `
SELECT id FROM (` + reachedRows + `) AS reached
ORDER BY shared DESC, id LIMIT $13`

// keptRows are the partners in pairs kept even if a search doesn't reach them.
const keptRows = `
	SELECT document_b_id AS id FROM match_pair WHERE document_a_id = its.id AND ` + keptEvidence + `
	UNION ALL SELECT document_a_id FROM match_pair WHERE document_b_id = its.id AND ` + keptEvidence

// Candidates implements match.Store. It takes one round trip: normalizedSQL stores each
// normalised document and carries its fence, and blockSQL reads the blocks of a tenant.
func (m *Store) Candidates(ctx context.Context, drafts []*match.Draft) (blocks map[job.Attempt]match.Block, err error) {
	drafts = slices.SortedFunc(slices.Values(drafts), func(a, b *match.Draft) int {
		return bytes.Compare(a.Fence.ID[:], b.Fence.ID[:])
	})
	normalized := make([][]any, len(drafts))
	for i, d := range drafts {
		n := &d.Normalized
		counterparty, err1 := json.Marshal(n.Counterparty)
		references, err2 := json.Marshal(n.References)
		if err := cmp.Or(err1, err2); err != nil {
			return nil, err
		}
		normalized[i] = []any{d.Fence.ID, d.Fence.Number, counterparty, references, n.Text, n.Keys, n.Vector, n.NoVector}
	}
	var held map[job.Attempt]*around
	err = m.db.Steady().Batch(ctx, func(batch *pgx.Batch) {
		held = make(map[job.Attempt]*around, len(drafts))
		batch.Queue(planOnceSQL)
		batch.Queue(unawaitedSQL)
		tenants := map[uuid.UUID][]*around{}
		for i, d := range drafts {
			a := &around{id: d.Fence.ID, n: d.Normalized, types: d.Types}
			tenants[a.n.Tenant] = append(tenants[a.n.Tenant], a)
			batch.Queue(normalizedSQL, normalized[i]...).Exec(func(tag pgconn.CommandTag) error {
				if tag.RowsAffected() == 1 {
					held[d.Fence] = a
				}
				return nil
			})
		}
		for _, list := range tenants {
			queueBlocks(batch, list...)
		}
	})
	blocks = make(map[job.Attempt]match.Block, len(held))
	for fence, a := range held {
		blocks[fence] = a.block
	}
	return blocks, err
}

// around is a document with its block.
type around struct {
	id    uuid.UUID
	n     score.Normalized
	types []document.Type

	itself score.Raw   // its current content
	block  match.Block // its current block
}

// queueBlocks reads the blocks of documents of one tenant.
func queueBlocks(batch *pgx.Batch, list ...*around) {
	var s search
	var owners, similar []uuid.UUID
	byID := make(map[uuid.UUID]*around, len(list))
	for _, a := range list {
		a.block, a.itself = match.Block{}, score.Raw{ID: a.id}
		byID[a.id] = a
		s.add(a.id, a.n, a.types)
		for _, id := range a.n.Similar {
			owners, similar = append(owners, a.id), append(similar, id)
		}
	}
	var own uuid.UUID
	var partner, candidate, crowded bool
	var d score.Raw
	columns := []any{&own, &d.ID, &partner, &candidate, &crowded, &d.TenantID, (*zeronull.Text)(&d.Type),
		(*zeronull.Text)(&d.Data), &d.Received, &d.Vector, (*zeronull.Text)(&d.Known)}
	batch.Queue(blockSQL, s.args(owners, similar)...).Query(postgres.Each(columns, func() {
		a := byID[own]
		if own == d.ID {
			a.itself, a.block.Known, a.block.Crowded = d, d.Known, crowded
		}
		if partner {
			a.block.Partners = append(a.block.Partners, d.ID)
		}
		if candidate {
			a.block.Candidates = append(a.block.Candidates, d)
		}
	}))
}

// nearSQL reads the documents of a company nearest in time, regardless of their contents.
const nearSQL = `
SELECT picked.id, ` + vectorColumn + `
FROM (SELECT DISTINCT own, document_id AS id FROM (` + foundRows + `) AS found WHERE document_id <> own) AS picked
JOIN (` + itsRows + `) AS its ON its.id = own` + othersRows + `
WHERE embedding IS NOT NULL
ORDER BY abs(extract(epoch FROM received_at - (SELECT received_at FROM document WHERE id = own))), picked.id
LIMIT 500`

// Near implements match.Store.
func (m *Store) Near(
	ctx context.Context, id uuid.UUID, n score.Normalized, types []document.Type,
) (near []match.Near, err error) {
	var s search
	s.addCompany(id, n, types)
	return postgres.Rows[match.Near](ctx, m.db.Steady(), nearSQL, s.args()...)
}

// Ranked returns each document's candidates as a search finds them now, best first and at most
// limit: by common keys, then by similar texts. It leaves out unknown and unreadable
// documents.
func (m *Store) Ranked(ctx context.Context, ids []uuid.UUID, limit int) (map[uuid.UUID][]uuid.UUID, error) {
	raws, err := m.Raws(ctx, ids)
	if err != nil {
		return nil, err
	}
	ranked := make(map[uuid.UUID][]uuid.UUID, len(raws))
	for _, raw := range raws {
		d, err := score.Read(raw)
		if err != nil {
			continue // unreadable data: no candidates
		}
		var s search
		s.add(raw.ID, d.Normalized(), score.Matchable(raw.Type))
		if ranked[raw.ID], err = postgres.IDs(ctx, m.db, rankedSQL, s.args(limit)...); err != nil {
			return nil, err
		}
		if raw.Vector == "" {
			continue
		}
		near, err := m.Near(ctx, raw.ID, d.Normalized(), score.Matchable(raw.Type))
		if err != nil {
			return nil, err
		}
		for _, n := range near {
			if d.Similar(n.Vector) && len(ranked[raw.ID]) < limit && !slices.Contains(ranked[raw.ID], n.ID) {
				ranked[raw.ID] = append(ranked[raw.ID], n.ID)
			}
		}
	}
	return ranked, nil
}

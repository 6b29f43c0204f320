package matches

import (
	"context"
	"fmt"

	"matchbook/lambda/match"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// putWarningKeysSQL replaces the keys of the documents $2, and returns the documents that lose
// them as neighbours: the next ones under the lost keys.
const putWarningKeysSQL = `
WITH keys AS (
	SELECT * FROM unnest($3::uuid[], $4::text[], $5::date[]) AS k (id, key, dated)
), gone AS (
	DELETE FROM warning_key AS w WHERE document_id = ANY ($2)
		AND NOT EXISTS (SELECT FROM keys WHERE (keys.id, keys.key, keys.dated) = (w.document_id, w.key, w.dated))
	RETURNING tenant_id, key, dated, document_id
), put AS (
	INSERT INTO warning_key (tenant_id, key, dated, document_id) SELECT $1, key, dated, id FROM keys
	ON CONFLICT DO NOTHING
)
SELECT next.document_id FROM gone, LATERAL (` + nextRows + `) AS next`

// nextRows are the documents directly after one (gone) under its key.
const nextRows = `
	SELECT document_id FROM warning_key AS k
	WHERE k.tenant_id = gone.tenant_id AND k.key = gone.key AND (k.dated, k.document_id) > (gone.dated, gone.document_id)
	ORDER BY dated, document_id LIMIT 5`

// neighboursSQL reads the documents before documents $1, before the ones after them, and
// before others $2, with the shared keys. A document with warnings but without keys has a row
// without a key.
const neighboursSQL = `
WITH gone AS (
	SELECT * FROM warning_key WHERE document_id = ANY ($1)
), affected AS (
	SELECT unnest($1::uuid[] || $2::uuid[]) AS id
	UNION SELECT next.document_id FROM gone, LATERAL (` + nextRows + `) AS next
)
SELECT id, coalesce(key, ''), coalesce(before, '{}'),
	EXISTS (SELECT FROM document_warning AS w WHERE w.document_id = id AND w.kind NOT IN ('over-billed', 'wrong-company'))
FROM affected LEFT JOIN LATERAL (
	SELECT key, (SELECT array_agg(document_id ORDER BY dated DESC, document_id DESC) FROM (
		SELECT document_id, dated FROM warning_key AS k
		WHERE k.tenant_id = mine.tenant_id AND k.key = mine.key AND (k.dated, k.document_id) < (mine.dated, mine.document_id)
		ORDER BY dated DESC, document_id DESC LIMIT 5) AS b) AS before
	FROM warning_key AS mine WHERE document_id = id
) AS groups ON true
ORDER BY id, key`

// copies updates the warnings that need no match: the documents' own, and the ones of
// documents compared with them.
type copies struct {
	*match.Copies
	ids  []uuid.UUID
	left []uuid.UUID // documents that lost these as neighbours
}

// queueCopies writes the documents' keys and reads their neighbours.
func queueCopies(batch *pgx.Batch, docs []*write) *copies {
	c := &copies{Copies: match.NewCopies()}
	if len(docs) == 0 {
		return c
	}
	var raws []score.Raw
	for _, w := range docs {
		c.ids, raws = append(c.ids, w.Fence.ID), append(raws, w.itself)
	}
	with, keys, dates := match.WarningKeys(raws)
	var id uuid.UUID
	put := batch.Queue(putWarningKeysSQL, docs[0].n.Tenant, c.ids, with, keys, dates)
	put.Query(postgres.Each([]any{&id}, func() { c.left = append(c.left, id) }))
	c.queueNeighbours(batch)
	return c
}

func (c *copies) queueNeighbours(batch *pgx.Batch) {
	c.Copies = match.NewCopies()
	var id uuid.UUID
	var g warning.Group
	var has bool
	batch.Queue(neighboursSQL, c.ids, append([]uuid.UUID{}, c.left...)).Query(postgres.Each([]any{&id, &g.Key, &g.Before, &has}, func() {
		c.AddGroup(id, g, has)
		g = warning.Group{}
	}))
}

// queueCompared reads the documents to compare.
func (c *copies) queueCompared(ctx context.Context, tx pgx.Tx, batch *pgx.Batch) error {
	if len(c.left) > 0 { // a document's data changed
		reads := &pgx.Batch{}
		c.queueNeighbours(reads)
		if err := send(ctx, tx, reads); err != nil {
			return err
		}
	}
	if read := c.Contents(); len(read) > 0 {
		batch.Queue(rawsSQL, read).Query(eachRaw(c.AddContent))
	}
	return nil
}

// replaceWarningsSQL replaces the warnings of these kinds about these documents, and keeps
// equal rows. The first warning of a kind about a document is notified, once; it uses attempt
// 0, which no failure has. A notification must not contain a document's text.
const replaceWarningsSQL = `
WITH listed AS (
	SELECT * FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[])
		AS l (document_id, kind, other_document_id, words, sentence, facts)
), gone AS (
	DELETE FROM document_warning AS w WHERE document_id = ANY ($1) AND kind = ANY ($2)
		AND NOT EXISTS (SELECT FROM listed AS l WHERE (l.document_id, l.kind, l.other_document_id)
			= (w.document_id, w.kind, w.other_document_id))
), put AS (
	INSERT INTO document_warning AS old (tenant_id, document_id, kind, other_document_id, words, facts, created_at)
	SELECT d.tenant_id, l.document_id, l.kind, l.other_document_id, l.words, l.facts, now()
	FROM listed AS l JOIN document AS d ON d.id = l.document_id
	ON CONFLICT (document_id, kind, other_document_id) DO UPDATE SET words = excluded.words, facts = excluded.facts
		WHERE (old.words, old.facts) <> (excluded.words, excluded.facts)
)
INSERT INTO notification (tenant_id, subject, document_id, kind, attempt, created_at, payload)
SELECT DISTINCT ON (l.document_id, l.kind) d.tenant_id, 'document', l.document_id, l.kind, 0, now(), jsonb_build_object(
	'document_id', l.document_id, 'tenant_id', d.tenant_id, 'tenant', t.name, 'kind', l.kind, 'warning', true,
	'error', l.sentence, 'attempts', 0, 'deliveries', 0)
FROM listed AS l JOIN document AS d ON d.id = l.document_id JOIN tenant AS t ON t.id = d.tenant_id
ORDER BY l.document_id, l.kind, l.other_document_id
ON CONFLICT DO NOTHING`

func queueWarnings(batch *pgx.Batch, kinds []warning.Kind, about []uuid.UUID, list []warning.Warning) {
	if len(about) == 0 {
		return
	}
	n := len(list)
	documents, others := make([]uuid.UUID, n), make([]uuid.UUID, n)
	kindOf, words, sentences, facts := make([]warning.Kind, n), make([]string, n), make([]string, n), make([]string, n)
	for i, w := range list {
		documents[i], others[i], kindOf[i], words[i], facts[i] = w.Document, w.Other, w.Kind, w.Words, w.Facts
		sentences[i] = fmt.Sprintf("%s The other document: %s.", w.Kind.Sentence(), w.Other)
	}
	batch.Queue(replaceWarningsSQL, about, kinds, documents, kindOf, others, words, sentences, facts)
}

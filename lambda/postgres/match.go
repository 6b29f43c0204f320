package postgres

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// dataColumn reads structured data as text, empty when it is too large to be
// taken into memory.
const dataColumn = `CASE WHEN octet_length(structured_data::text) <= 1048576 THEN structured_data::text ELSE '' END`

// vectorColumn is the embedding as text, empty if there is none.
const vectorColumn = `coalesce(encode(embedding, 'hex'), '')`

const loadSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `
FROM document
WHERE id = $1 AND matching_attempts = $2 AND matching_status = 'in-progress'`

// Load implements match.Store.
func (db *DB) Load(ctx context.Context, f job.Fence) (raw score.Raw, err error) {
	err = steadily(ctx, func() error {
		return db.pool.QueryRow(ctx, loadSQL, f.ID, f.Attempt).
			Scan(&raw.ID, &raw.TenantID, &raw.Type, &raw.Data, &raw.Received, &raw.Vector)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return raw, job.ErrFenceLost
	}
	return raw, err
}

const rawsSQL = `
SELECT id, tenant_id, coalesce(type::text, ''), coalesce(` + dataColumn + `, ''), received_at, ` + vectorColumn + `,
	` + knownColumn + `
FROM document WHERE id = ANY ($1) ORDER BY id`

// Raws reads documents as matching does, in id order, without unknown ids.
func (db *DB) Raws(ctx context.Context, ids []uuid.UUID) ([]score.Raw, error) {
	rows, _ := db.pool.Query(ctx, rawsSQL, ids)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[score.Raw])
}

// Write implements match.Store. Writers of one tenant take turns (tenant.go), so
// the rows read here do not change before the commit. In one transaction and four
// round trips, it
//
//  1. takes the tenant's lock (lockTenantSQL in tenant.go), reads the block again, and
//     the pairs of the document and of its partners (briefsSQL in competition.go); if
//     the block changed, Write ends here, and nothing is written,
//  2. reads in full the pairs whose decision can change (chosenSQL), locks the
//     documents and their clusters in id order (lockRowsSQL in cluster.go), and ends
//     if the fence does not hold; it replaces the document's keys for warnings
//     (putWarningKeysSQL in warning.go), and has the rules decide,
//  3. deletes the document's pairs that are gone, and writes its pairs of now
//     (deletePairsSQL and upsertPairsSQL in pair.go); deletes matches and suggestions
//     that are gone (clearMatchesSQL and clearSuggestionsSQL in edge.go), and writes
//     those of now (upsertMatchesSQL and upsertSuggestionsSQL), marks the pairs that a
//     model was asked about (askedSQL), and writes the clusters that changed
//     (setClusterSQL in cluster.go),
//  4. compares invoices with their orders and receipts (threeway.go), where a
//     document or a match has changed, replaces the warnings that need no match
//     (warning.go), sets the document succeeded (succeedSQL in claim.go, where table.go
//     replaces names in braces such as {table}), or releases it (retrySQL and failSQL
//     there), publishes the documents whose question changed (publishStaleSQL in
//     pair.go), and those whose supplier's name has other identities now (party.go;
//     namingSQL has stored the document's own with its pairs), and commits.
//
// The fence is checked when the document's row is locked, among the others in id order.
// It holds until the commit, so the statement in 4 changes the row.
//
// Candidates has stored the normalised document before, and answer.go the answers
// of the model, each in a transaction of its own.
func (db *DB) Write(
	ctx context.Context, f job.Fence, n score.Normalized, types []document.Type,
	seen match.Block, pairs []score.Pair, decide match.Rules,
) (match.Written, error) {
	return db.write(ctx, write{fence: f, n: n, types: types, seen: seen, pairs: pairs,
		end: db.sql.succeed, endArgs: []any{f.ID, f.Attempt}}, decide)
}

// WriteReleased implements match.Store.
func (db *DB) WriteReleased(
	ctx context.Context, f job.Fence, n score.Normalized, types []document.Type,
	seen match.Block, decide match.Rules, r job.Release,
) (match.Written, error) {
	sql, args := db.releasing(f, r)
	return db.write(ctx, write{fence: f, n: n, types: types, seen: seen, end: sql, endArgs: args}, decide)
}

// write is a document that is matched, and what a transaction reads of it.
type write struct {
	fence   job.Fence
	n       score.Normalized
	types   []document.Type
	seen    match.Block
	pairs   []score.Pair // with the candidates of seen
	end     string       // the statement that ends the attempt; it carries the fence
	endArgs []any

	now    match.Block
	itself score.Raw
	copies *copies
}

// has reports whether a pair is one of the document's.
func (w *write) has(a, b uuid.UUID) bool {
	return w != nil && (a == w.fence.ID || b == w.fence.ID)
}

// queueReads reads the document and its block.
func (w *write) queueReads(batch *pgx.Batch) {
	w.now, w.itself = match.Block{}, score.Raw{ID: w.fence.ID}
	queueBlock(batch, w.fence.ID, w.n, w.types, &w.now)
	batch.Queue(rawsSQL, []uuid.UUID{w.fence.ID}).Query(func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[score.Raw])
		w.itself = append(found, w.itself)[0]
		return err
	})
}

func (db *DB) write(ctx context.Context, w write, decide match.Rules) (written match.Written, err error) {
	var c *competition
	err = db.inTurn(ctx, w.seen.Tenant, func(batch *pgx.Batch) {
		c = newCompetition(w.fence.ID)
		w.queueReads(batch)
		c.queueOwn(batch, ends(w.pairs))
	}, func(tx pgx.Tx) error {
		written = match.Written{} // the function may run again
		pairs := w.pairs
		switch {
		case w.seen.Score != nil: // the third round: no change may send it back again
			pairs = w.seen.Score(w.now.Candidates)
		case !slices.Equal(w.now.Candidates, w.seen.Candidates) || !slices.Equal(w.now.Partners, w.seen.Partners) ||
			w.now.Known != w.n.Known:
			written.Fresh = &w.now
			return nil
		}
		rest, err := scoreRest(ctx, tx, w.now, w.types, w.seen.Rest)
		if err != nil {
			return err
		}
		r := rewrite{pairs: slices.Concat(pairs, rest), doc: &w, renamed: &renaming{tenant: w.seen.Tenant,
			documents: []uuid.UUID{w.fence.ID}, matched: &w.n, happened: w.now.Known != w.n.Known}}
		written.Published, err = redecide(ctx, tx, c, decide, r)
		return err
	})
	if err != nil {
		written = match.Written{}
	}
	return written, err
}

const restSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `
FROM document
WHERE id = ANY ($1) AND type = ANY ($2::text[]::document_type[]) AND structured_data IS NOT NULL
ORDER BY id`

// scoreRest scores the partners for which a block has no room, with one in
// memory at a time. Without them, the result would depend on which of them was
// matched last.
func scoreRest(
	ctx context.Context, tx pgx.Tx, block match.Block, types []document.Type,
	scorer func([]score.Raw) []score.Pair,
) (pairs []score.Pair, err error) {
	rest := slices.DeleteFunc(slices.Clone(block.Partners), func(id uuid.UUID) bool {
		_, read := slices.BinarySearchFunc(block.Candidates, id, func(c score.Raw, id uuid.UUID) int {
			return bytes.Compare(c.ID[:], id[:])
		})
		return read
	})
	if len(rest) == 0 || scorer == nil {
		return nil, nil
	}
	rows, _ := tx.Query(ctx, restSQL, rest, types)
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (none struct{}, err error) {
		raw, err := pgx.RowToStructByPos[score.Raw](row)
		if err == nil {
			pairs = append(pairs, scorer([]score.Raw{raw})...)
		}
		return none, err
	})
	return pairs, err
}

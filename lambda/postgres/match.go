package postgres

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// dataColumn reads structured data as text, or empty if it's too large for memory.
const dataColumn = `CASE WHEN octet_length(structured_data::text) <= 1048576 THEN structured_data::text ELSE '' END`

// vectorColumn reads the embedding as text, or empty.
const vectorColumn = `coalesce(encode(embedding, 'hex'), '')`

const loadSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `, attempt
FROM unnest($1::uuid[], $2::integer[]) AS f (fenced, attempt)
CROSS JOIN LATERAL (SELECT * FROM document WHERE id = fenced OFFSET 0) AS d
WHERE matching_attempts = attempt AND matching_status = 'in-progress'`

// Load implements match.Store. Documents of a batch share a statement.
func (db *DB) Load(ctx context.Context, f job.Attempt) (score.Raw, error) {
	db.progress.reach(f.ID, loading)
	raw := &score.Raw{}
	if err := db.loads.commit(ctx, f, raw); err != nil {
		return score.Raw{}, err // raw may still be written to
	}
	return *raw, nil
}

func (db *DB) loadAll(ctx context.Context, loads []end[*score.Raw]) (held []job.Attempt, err error) {
	ids, attempts := fences(loads)
	found := map[job.Attempt]score.Raw{}
	batch := &pgx.Batch{}
	batch.Queue(planOnceSQL)
	batch.Queue(loadSQL, ids, attempts).Query(func(rows pgx.Rows) error {
		var raw score.Raw
		var attempt int
		columns := []any{&raw.ID, &raw.TenantID, &raw.Type, &raw.Data, &raw.Received, &raw.Vector, &raw.Known, &attempt}
		_, err := pgx.ForEachRow(rows, columns, func() error {
			found[job.Attempt{ID: raw.ID, Number: attempt}] = raw
			return nil
		})
		return err
	})
	if err := db.pool.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	for _, l := range loads {
		if raw, ok := found[l.Attempt]; ok {
			*l.result = raw
			held = append(held, l.Attempt)
		}
	}
	return held, nil
}

const rawsSQL = `
SELECT id, tenant_id, coalesce(type::text, ''), coalesce(` + dataColumn + `, ''), received_at, ` + vectorColumn + `,
	` + knownColumn + `
FROM document WHERE id = ANY ($1) ORDER BY id`

// Raws reads documents as matching does, in id order. It leaves out unknown ids.
func (db *DB) Raws(ctx context.Context, ids []uuid.UUID) ([]score.Raw, error) {
	return Rows[score.Raw](ctx, db.pool, rawsSQL, ids)
}

// Write implements match.Store. Writers of one tenant take turns (tenant.go), so the rows read
// here don't change before the commit. Documents waiting for the same turn are written
// together: see write and writeTogether (together.go), which collect them, and redecide
// (redecide.go), the heart of the write. In one transaction and four round trips, Write
//
//  1. takes the tenant's lock (lockTenantSQL in tenant.go), reads the blocks again, the
//     others' pairs separated by the documents (separatedSQL in separated.go), and the pairs
//     of the documents and their partners (ownBriefsSQL and detailsSQL in competition.go);
//     scores changed candidates, in one more round trip for their pairs,
//  2. reads in full the pairs with a decision that can change (chosenSQL) and their documents'
//     matches (clusterRowsSQL and edgesSQL in cluster.go), and ends if a fence doesn't hold;
//     replaces the documents' keys for warnings (putWarningKeysSQL in warning.go), and lets
//     the rules decide; reads a cluster that falls apart, in one more round trip,
//  3. locks the documents it changes, in id order (lockRowsSQL in cluster.go); deletes pairs
//     that are gone or separated, and writes the current ones (deletePairsSQL and
//     upsertPairsSQL in pair.go); stores the suppliers' names (namingSQL in party.go); deletes
//     matches and suggestions that are gone (clearMatchesSQL and clearSuggestionsSQL in
//     edge.go), writes the current ones (upsertMatchesSQL and upsertSuggestionsSQL), and marks
//     the pairs a model was asked about (askedSQL); sets the documents succeeded, with their
//     clusters (succeedMatchedSQL in cluster.go), or releases one (retrySQL and failSQL in
//     claim.go; table.go replaces names in braces such as {table}), and writes the other
//     changed clusters (setClusterSQL and joinClusterSQL); reads the invoices among the
//     changes, with their orders and receipts (chainSQL in threeway.go),
//  4. ends if a fence didn't hold at the lock; compares these invoices, replaces warnings
//     (replaceWarningsSQL in warning.go), publishes the documents with a changed question
//     (publishStaleSQL in pair.go) and those with new identities of their supplier's name
//     (publishRenamedSQL in party.go), and commits.
//
// A statement with no work is left out. After any error, nothing is written.
//
// Before that, Candidates has stored the normalised document, and answer.go the model's
// answers, each in its own transaction.
func (db *DB) Write(
	ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type,
	seen match.Block, pairs []score.Pair, decide match.Rules,
) (match.Written, error) {
	return db.write(ctx, &write{around: around{id: f.ID, n: n, types: types}, fence: f, seen: seen, pairs: pairs, decide: decide})
}

// WriteReleased implements match.Store.
func (db *DB) WriteReleased(
	ctx context.Context, f job.Attempt, n score.Normalized, types []document.Type,
	seen match.Block, decide match.Rules, r job.Release,
) (match.Written, error) {
	sql, args := db.releasing(f, r)
	return db.write(ctx, &write{around: around{id: f.ID, n: n, types: types}, fence: f, seen: seen, decide: decide, end: sql, endArgs: args,
		final: true})
}

const restSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `
FROM document
WHERE id = ANY ($1) AND type = ANY ($2::text[]::document_type[]) AND structured_data IS NOT NULL
ORDER BY id`

// scoreRest scores the partners that don't fit into a block, with one in memory at a time.
// Otherwise the result would depend on which was matched last.
func scoreRest(
	ctx context.Context, tx pgx.Tx, block match.Block, types []document.Type, known map[uuid.UUID]string,
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
			raw.Known = cmp.Or(known[raw.ID], raw.Known)
			pairs = append(pairs, scorer([]score.Raw{raw})...)
		}
		return none, err
	})
	return pairs, err
}

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

// dataColumn reads structured data as text, empty when it is too large to be
// taken into memory.
const dataColumn = `CASE WHEN octet_length(structured_data::text) <= 1048576 THEN structured_data::text ELSE '' END`

// vectorColumn is the embedding as text, empty if there is none.
const vectorColumn = `coalesce(encode(embedding, 'hex'), '')`

const loadSQL = `
SELECT id, tenant_id, type::text, ` + dataColumn + `, received_at, ` + vectorColumn + `, ` + knownColumn + `, attempt
FROM unnest($1::uuid[], $2::integer[]) AS f (fenced, attempt)
CROSS JOIN LATERAL (SELECT * FROM document WHERE id = fenced OFFSET 0) AS d
WHERE matching_attempts = attempt AND matching_status = 'in-progress'`

// Load implements match.Store. Documents of a batch are loaded together.
func (db *DB) Load(ctx context.Context, f job.Attempt) (score.Raw, error) {
	db.progress.reach(f.ID, loading)
	raw := &score.Raw{}
	if err := db.loads.commit(ctx, f, raw); err != nil {
		return score.Raw{}, err // raw may still be set
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

// Raws reads documents as matching does, in id order, without unknown ids.
func (db *DB) Raws(ctx context.Context, ids []uuid.UUID) ([]score.Raw, error) {
	return Rows[score.Raw](ctx, db.pool, rawsSQL, ids)
}

// Write implements match.Store. Writers of one tenant take turns (tenant.go), so
// the rows read here do not change before the commit. Documents that wait for the same
// turn are written together: write and writeTogether (together.go) collect them, and
// redecide (redecide.go) is the heart of the write. In one transaction and four round
// trips, it
//
//  1. takes the tenant's lock (lockTenantSQL in tenant.go), reads the blocks again, the
//     pairs of others that the documents separate (separatedSQL in separated.go), and
//     the pairs of the documents and of their partners (ownBriefsSQL and detailsSQL in
//     competition.go); the candidates that changed are scored, in a round trip more for
//     their pairs,
//  2. reads in full the pairs whose decision can change (chosenSQL), and what these
//     documents are matched with (clusterRowsSQL and edgesSQL in cluster.go), and ends
//     if a fence does not hold; it replaces the documents' keys for warnings
//     (putWarningKeysSQL in warning.go), and has the rules decide; where a cluster falls
//     apart it reads the cluster, in a round trip more,
//  3. locks the rows of documents that it changes, in id order (lockRowsSQL in
//     cluster.go); deletes pairs that are gone and those that are separated, and writes
//     those of now (deletePairsSQL and upsertPairsSQL in pair.go); stores the names of
//     suppliers (namingSQL in party.go); deletes matches and suggestions that are gone
//     (clearMatchesSQL and clearSuggestionsSQL in edge.go), and writes those of now
//     (upsertMatchesSQL and upsertSuggestionsSQL), marks the pairs that a model was asked
//     about (askedSQL); sets the documents succeeded, with their clusters
//     (succeedMatchedSQL in cluster.go), or releases one (retrySQL and failSQL in claim.go,
//     where table.go replaces names in braces such as {table}), and writes the other
//     clusters that changed (setClusterSQL and joinClusterSQL); reads the invoices that
//     matches concern, with their orders and receipts (chainSQL in threeway.go),
//  4. ends if a fence did not hold when the rows were locked; compares these invoices,
//     replaces warnings (replaceWarningsSQL in warning.go), publishes the documents whose
//     question changed (publishStaleSQL in pair.go), and those whose supplier's name has
//     other identities now (publishRenamedSQL in party.go), and commits.
//
// A statement without work is left out. After any error nothing is written.
//
// Candidates has stored the normalised document before, and answer.go the answers
// of the model, each in a transaction of its own.
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

// scoreRest scores the partners for which a block has no room, with one in
// memory at a time. Without them, the result would depend on which of them was
// matched last.
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

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
	"github.com/jackc/pgx/v5/pgconn"
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
// the rows read here do not change before the commit. In one transaction, in this
// order, it
//
//  1. takes the tenant's lock (lockTenantSQL in tenant.go), and reads the block
//     again; if it changed, Write ends here, and nothing is written,
//  2. reads the pairs of the document and of its partners (briefsSQL in
//     competition.go), and in full those whose decision can change (chosenSQL),
//  3. locks the documents and their clusters in id order (lockRowsSQL in
//     cluster.go), and has the rules decide,
//  4. deletes the document's pairs that are gone, and writes its pairs of now
//     (deletePairsSQL and upsertPairsSQL in pair.go),
//  5. deletes matches and suggestions that are gone (clearMatchesSQL and
//     clearSuggestionsSQL in edge.go),
//  6. writes the matches (upsertMatchesSQL),
//  7. marks the pairs that a model was asked about (askedSQL),
//  8. writes the suggestions (upsertSuggestionsSQL),
//  9. writes the clusters that changed (setClusterSQL in cluster.go),
//  10. compares invoices with their orders and receipts (threeway.go), where a
//     document or a match has changed,
//  11. replaces the warnings that need no match (warning.go),
//  12. publishes the documents whose question changed (publishStaleSQL in pair.go),
//  13. sets the document succeeded, which is the fence of it all (succeedSQL in
//     claim.go, where table.go replaces names in braces such as {table}), or
//     releases it (retrySQL and failSQL there),
//  14. publishes documents whose supplier's name has other identities now (party.go;
//     namingSQL has stored the document's own with its pairs).
//
// The fence is last here and first in Jobs.Succeed. Whether the attempt succeeds is
// not known earlier: the block may have changed, and the rules may lack the answer
// of a model. A fence at the start would also lock the document's row before
// lockRowsSQL locks the others in id order. If the fence does not hold, all is
// rolled back.
//
// Candidates has stored the normalised document before, and answer.go the answers
// of the model, each in a transaction of its own.
func (db *DB) Write(
	ctx context.Context, f job.Fence, n score.Normalized, types []document.Type,
	seen match.Block, pairs []score.Pair, decide match.Rules,
) (w match.Written, err error) {
	return db.write(ctx, f, n, types, seen, pairs, decide, db.sql.succeed, []any{f.ID, f.Attempt})
}

// WriteReleased implements match.Store.
func (db *DB) WriteReleased(
	ctx context.Context, f job.Fence, n score.Normalized, types []document.Type,
	seen match.Block, decide match.Rules, r job.Release,
) (match.Written, error) {
	sql, args := db.releasing(f, r)
	return db.write(ctx, f, n, types, seen, nil, decide, sql, args)
}

// write ends with a statement that carries the fence.
func (db *DB) write(
	ctx context.Context, f job.Fence, n score.Normalized, types []document.Type,
	seen match.Block, pairs []score.Pair, decide match.Rules, sql string, args []any,
) (w match.Written, err error) {
	var c *competition
	var now match.Block
	var itself score.Raw
	err = db.inTurn(ctx, f.ID, func(batch *pgx.Batch) {
		c, now, itself = newCompetition(f.ID), match.Block{}, score.Raw{}
		queueBlock(batch, f.ID, n, types, &now)
		batch.Queue(rawsSQL, []uuid.UUID{f.ID}).Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[score.Raw])
			itself = append(found, score.Raw{ID: f.ID})[0]
			return err
		})
		c.queueOwn(batch, ends(pairs))
	}, func(tx pgx.Tx) error {
		w = match.Written{}
		pairs := pairs // the function may run again
		switch {
		case seen.Score != nil: // the third round: no change may send it back again
			pairs = seen.Score(now.Candidates)
		case !slices.Equal(now.Candidates, seen.Candidates) || !slices.Equal(now.Partners, seen.Partners) ||
			now.Known != n.Known:
			w.Fresh = &now
			return nil
		}
		rest, err := scoreRest(ctx, tx, now, types, seen.Rest)
		if err != nil {
			return err
		}
		held := false
		renamed := &renaming{documents: []uuid.UUID{f.ID}, matched: &n, happened: now.Known != n.Known}
		r := rewrite{id: f.ID, pairs: slices.Concat(pairs, rest), renamed: renamed, itself: itself, end: func(batch *pgx.Batch) {
			batch.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error {
				held = tag.RowsAffected() == 1
				return nil
			})
		}}
		if w.Published, err = redecide(ctx, tx, c, decide, r); err != nil {
			return err
		}
		if !held {
			return job.ErrFenceLost
		}
		again, err := renamed.publish(ctx, tx)
		w.Published = append(w.Published, again...)
		return err
	})
	if err != nil {
		w = match.Written{}
	}
	return w, err
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

package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Write implements match.Store. Writers of one tenant take turns (turn.go), so the rows read
// here don't change before the commit. Documents waiting for the same turn are written
// together: see write and writeTogether, which collect them, and redecide
// (redecide.go), the heart of the write. In one transaction and four round trips, Write
//
//  1. takes the tenant's lock (lockTenantSQL in turn.go), reads the blocks again, the
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

// write is a document being matched. A tenant's documents waiting in a process are written
// together. Because matches are a function of the set of documents, the result is the same as
// writing one after the other.
type write struct {
	around  // as read in the transaction
	fence   job.Attempt
	seen    match.Block
	pairs   []score.Pair // with the candidates of seen
	decide  match.Rules  // nil: rules.Apply
	end     string       // the statement to release the attempt by its fence; empty: it succeeds
	endArgs []any
	final   bool // write it whatever has changed

	alone  bool          // shares no turn
	brief  bool          // its shared turn failed, so it waits for locks only briefly
	turn   chan struct{} // closed when its turn begins, or a shared one has ended
	shared bool          // its turn was another's

	// The transaction reads the document and its block, and has one of three results.
	separated []score.Pair // others' pairs no longer in reach of each other; without a score
	scored    []score.Pair
	written   match.Written
	err       error // of decide
}

// write writes a document in the tenant's turn, or lets another writer of this process write
// it.
func (db *DB) write(ctx context.Context, w *write) (match.Written, error) {
	var c *competition
	db.progress.reach(w.fence.ID, writing)
	err := db.inTurn(ctx, w.seen.Tenant, w, func(batch *pgx.Batch, group []*write) {
		c = newCompetition()
		var scored []score.Pair
		var names []score.Normalized
		for _, w := range group {
			c.own, scored, names = append(c.own, w.fence.ID), append(scored, w.pairs...), append(names, w.n)
		}
		queueReads(batch, group)
		queueBounds(batch, w.seen.Tenant, &c.bounds)
		c.queueOwn(batch, scored, names)
	}, func(tx pgx.Tx, group []*write) error {
		return writeTogether(ctx, tx, c, group)
	})
	if err != nil {
		return match.Written{}, err
	}
	return w.written, w.err
}

// queueReads reads the documents, their blocks, and the pairs they separate.
func queueReads(batch *pgx.Batch, group []*write) {
	list := make([]*around, len(group))
	for i, w := range group {
		w.written, w.err, w.separated = match.Written{}, nil, nil
		list[i] = &w.around
		if w.seen.Crowded {
			w.queueSeparated(batch)
		}
	}
	queueBlocks(batch, list...)
}

// readSeparated reads the pairs separated by documents that weren't crowded when their
// candidates were read.
func readSeparated(ctx context.Context, tx pgx.Tx, group []*write) error {
	batch := &pgx.Batch{}
	for _, w := range group {
		if w.block.Crowded && !w.seen.Crowded {
			w.queueSeparated(batch)
		}
	}
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

func (w *write) queueSeparated(batch *pgx.Batch) {
	batch.Queue(separatedSQL, w.fence.ID).Query(func(rows pgx.Rows) (err error) {
		w.separated, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p score.Pair, err error) {
			return p, row.Scan(&p.A, &p.B)
		})
		return err
	})
}

// errNothing ends a transaction without a document left to write: each has a fresh block or
// an error.
var errNothing = errors.New("nothing to write")

// writeTogether writes a group and commits. It leaves out documents that have a fresh block or
// an error by then; any other error is the whole group's.
func writeTogether(ctx context.Context, tx pgx.Tx, c *competition, group []*write) error {
	if err := readSeparated(ctx, tx, group); err != nil {
		return err
	}
	known := knownOf(group)
	for _, w := range group {
		if err := w.score(ctx, tx, known); err != nil {
			return err
		}
	}
	for {
		group = slices.DeleteFunc(slices.Clone(group), func(w *write) bool { return w.err != nil || w.written.Fresh != nil })
		if len(group) == 0 {
			return errNothing
		}
		c.own = nil
		r := rewrite{docs: group, renamed: &renaming{tenant: group[0].seen.Tenant, matched: group}}
		for _, w := range group {
			c.own, r.pairs = append(c.own, w.fence.ID), append(r.pairs, w.scored...)
			r.separated = append(r.separated, w.separated...)
			r.renamed.happened = r.renamed.happened || w.block.Known != w.n.Known
		}
		r.renamed.documents, r.renamed.confirmed, r.pairs = c.own, c.judged(), eachOnce(r.pairs)
		published, err := redecide(ctx, tx, c, func(ctx context.Context, c rules.Competition) (rules.Result, error) {
			return decideTogether(ctx, c, group)
		}, r)
		if err == nil {
			group[0].written.Published = published
		}
		if !errors.Is(err, errNothing) {
			return err
		}
	}
}

// knownOf returns the identities of the group's supplier names. A new document has none
// stored, so the others must score it with these; otherwise they would score it without any,
// and nothing would make them score it again.
func knownOf(group []*write) map[uuid.UUID]string {
	known := make(map[uuid.UUID]string, len(group))
	for _, w := range group {
		known[w.fence.ID] = w.block.Known
	}
	return known
}

// eachOnce drops the second of two equal pairs. A pair comes twice if both of its documents
// are matched.
func eachOnce(pairs []score.Pair) (each []score.Pair) {
	known := make(map[[2]uuid.UUID]bool, len(pairs))
	for _, p := range pairs {
		if key := [2]uuid.UUID{p.A, p.B}; !known[key] {
			known[key], each = true, append(each, p)
		}
	}
	return each
}

// decideTogether lets each document's rules decide, with the answers of the documents before
// it. After an error of one document's rules it returns errNothing.
func decideTogether(ctx context.Context, c rules.Competition, group []*write) (result rules.Result, err error) {
	if !slices.ContainsFunc(group, func(w *write) bool { return w.decide != nil }) {
		return rules.Apply(ctx, c)
	}
	var asked []rules.Pair
	var stale []uuid.UUID
	for _, w := range group {
		if result, err = w.decide(ctx, c); ctx.Err() != nil {
			return result, ctx.Err()
		}
		if err != nil {
			w.err = err
			return result, errNothing
		}
		asked, c = append(asked, result.Asked...), c.With(result.Asked)
		stale = slices.DeleteFunc(append(stale, result.Stale...), func(id uuid.UUID) bool { return id == w.fence.ID })
	}
	result.Asked, result.Stale = asked, stale
	return result, nil
}

// score scores candidates changed since they were seen. If the document's supplier has other
// identities now, its keys differ, so it gets a fresh block instead. known holds the
// identities of the documents written with it.
func (w *write) score(ctx context.Context, tx pgx.Tx, known map[uuid.UUID]string) error {
	for i, c := range w.block.Candidates {
		w.block.Candidates[i].Known = cmp.Or(known[c.ID], c.Known)
	}
	changed := !slices.Equal(w.block.Candidates, w.seen.Candidates) || !slices.Equal(w.block.Partners, w.seen.Partners)
	if !w.final && (w.block.Known != w.n.Known || changed && w.seen.Score == nil) {
		w.written.Fresh = &w.block
		return nil
	}
	fresh := without(w.block.Candidates, w.seen.Candidates)
	gone := map[uuid.UUID]bool{}
	for _, c := range without(w.seen.Candidates, w.block.Candidates) {
		gone[c.ID] = true
	}
	w.scored = slices.DeleteFunc(slices.Clone(w.pairs), func(p score.Pair) bool { return gone[p.A] || gone[p.B] })
	if len(fresh) > 0 {
		w.scored = append(w.scored, w.seen.Score(fresh)...)
	}
	rest, err := scoreRest(ctx, tx, w.block, w.types, known, w.seen.Score)
	w.scored = append(w.scored, rest...)
	return err
}

// without lists the documents not found unchanged among others.
func without(docs, others []score.Raw) []score.Raw {
	known := make(map[score.Raw]bool, len(others))
	for _, d := range others {
		known[d] = true
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d score.Raw) bool { return known[d] })
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

package matches

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Write implements match.Store. Writers of one tenant take turns (turn.go), so the rows read
// here don't change before the commit. Because matches are a function of the set of documents,
// the result is the same as writing one after the other. See redecide (redecide.go) for the
// heart of the write. In one transaction and four round trips, Write
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
//     clusters (succeedMatchedSQL in cluster.go), or releases one (Jobs.Releasing), and
//     writes the other changed clusters (setClusterSQL and mergeClusterSQL); reads the invoices among the
//     changes, with their orders and receipts (chainSQL in threeway.go),
//  4. ends if a fence didn't hold at the lock; compares these invoices, replaces warnings
//     (replaceWarningsSQL in warning.go), publishes the documents with a changed question
//     (publishStaleSQL in pair.go) and those with new identities of their supplier's name
//     (publishRenamedSQL in party.go), and commits.
//
// A statement with no work is left out. After any error, nothing is written.
//
// Before that, Candidates has stored the normalised document, and DB.KeepAnswer the model's
// answers, each in its own transaction.
func (m *Store) Write(ctx context.Context, t match.Turn) (match.Written, error) {
	return m.write(ctx, t.Tenant, t.Brief, m.writes(t.Drafts), rules.Consult)
}

func (m *Store) writes(drafts []*match.Draft) []*write {
	group := make([]*write, len(drafts))
	for i, d := range drafts {
		group[i] = &write{Draft: d, around: around{id: d.Fence.ID, n: d.Normalized, types: d.Types}, pairsWith: d.Document.Pairs}
		if d.Release != nil {
			group[i].end, group[i].endArgs = m.db.Releasing(d.Fence, *d.Release)
		}
	}
	return group
}

// write is a document being matched.
type write struct {
	*match.Draft
	around    // as read in the transaction
	pairsWith func([]score.Raw) []score.Pair
	end       string // the statement to release the attempt by its fence; empty: it succeeds
	endArgs   []any

	separated []score.Pair // others' pairs no longer in reach of each other; without a score
	scored    []score.Pair
}

// decider is the type of rules.Consult.
type decider func(context.Context, rules.Competition, []*rules.Exchange) (rules.Result, map[uuid.UUID][]rules.Decision, error)

func (m *Store) write(ctx context.Context, tenant uuid.UUID, brief bool, group []*write, decide decider) (done match.Written, err error) {
	var c *competition
	err = m.inTurn(ctx, tenant, brief, func(batch *pgx.Batch) {
		c, done = newCompetition(), match.Written{}
		var scored []score.Pair
		var names []score.Normalized
		for _, w := range group {
			c.own, scored, names = append(c.own, w.id), append(scored, w.Pairs...), append(names, w.n)
		}
		queueReads(batch, group)
		c.queueOwn(batch, scored, names)
	}, func(tx pgx.Tx) (err error) {
		done, err = writeTogether(ctx, tx, tenant, c, group, decide)
		return err
	})
	return done, err
}

// queueReads reads the documents, their blocks, and the pairs they separate.
func queueReads(batch *pgx.Batch, group []*write) {
	list := make([]*around, len(group))
	for i, w := range group {
		w.separated = nil
		list[i] = &w.around
		if w.Seen.Crowded {
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
		if w.block.Crowded && !w.Seen.Crowded {
			w.queueSeparated(batch)
		}
	}
	return send(ctx, tx, batch)
}

func (w *write) queueSeparated(batch *pgx.Batch) {
	var p score.Pair
	batch.Queue(separatedSQL, w.id).Query(postgres.Each([]any{&p.A, &p.B}, func() { w.separated = append(w.separated, p) }))
}

// writeTogether writes a group, without the documents left, and commits.
func writeTogether(
	ctx context.Context, tx pgx.Tx, tenant uuid.UUID, c *competition, group []*write, decide decider,
) (done match.Written, err error) {
	done.Left = map[uuid.UUID]match.Left{}
	if err := readSeparated(ctx, tx, group); err != nil {
		return done, err
	}
	known := knownOf(group)
	for _, w := range group {
		fresh, err := w.score(ctx, tx, known)
		if err != nil {
			return done, err
		}
		if fresh != nil {
			done.Left[w.id] = match.Left{Fresh: fresh}
		}
	}
	for {
		group = slices.DeleteFunc(slices.Clone(group), func(w *write) bool { _, left := done.Left[w.id]; return left })
		if len(group) == 0 {
			return done, errNothing
		}
		var questions map[uuid.UUID][]rules.Decision
		done.Published, err = redecide(ctx, tx, c, func(ctx context.Context, c rules.Competition) (r rules.Result, err error) {
			r, questions, err = decide(ctx, c, exchangesOf(group))
			if len(questions) > 0 {
				err = errNothing
			}
			return r, err
		}, rewriteOf(c, tenant, group))
		if len(questions) == 0 {
			return done, err
		}
		for id, question := range questions {
			done.Left[id] = match.Left{Open: question}
		}
	}
}

// rewriteOf makes a group the competition's own documents, and returns the change of pairs.
func rewriteOf(c *competition, tenant uuid.UUID, group []*write) rewrite {
	c.own = nil
	r := rewrite{docs: group, renamed: &renaming{tenant: tenant, matched: group}}
	for _, w := range group {
		c.own, r.pairs = append(c.own, w.id), append(r.pairs, w.scored...)
		r.separated = append(r.separated, w.separated...)
		r.renamed.happened = r.renamed.happened || w.block.Known != w.n.Known
	}
	r.renamed.documents, r.renamed.confirmed, r.pairs = c.own, c.judged(), eachOnce(r.pairs)
	return r
}

func exchangesOf(group []*write) (list []*rules.Exchange) {
	for _, w := range group {
		if w.Exchange != nil {
			list = append(list, w.Exchange)
		}
	}
	return list
}

// knownOf returns the identities of the group's supplier names. A new document has none
// stored, so the others must score it with these; otherwise they would score it without any,
// and nothing would make them score it again.
func knownOf(group []*write) map[uuid.UUID]string {
	known := make(map[uuid.UUID]string, len(group))
	for _, w := range group {
		known[w.id] = w.block.Known
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

// score scores candidates changed since they were seen. If the document's supplier has other
// identities now, its keys differ, so it gets a fresh block instead. known holds the
// identities of the documents written with it.
func (w *write) score(ctx context.Context, tx pgx.Tx, known map[uuid.UUID]string) (fresh *match.Block, err error) {
	for i, c := range w.block.Candidates {
		w.block.Candidates[i].Known = cmp.Or(known[c.ID], c.Known)
	}
	changed := !slices.Equal(w.block.Candidates, w.Seen.Candidates) || !slices.Equal(w.block.Partners, w.Seen.Partners)
	if w.Release == nil && (w.block.Known != w.n.Known || changed && w.pairsWith == nil) {
		return &w.block, nil
	}
	found := without(w.block.Candidates, w.Seen.Candidates)
	gone := map[uuid.UUID]bool{}
	for _, c := range without(w.Seen.Candidates, w.block.Candidates) {
		gone[c.ID] = true
	}
	w.scored = slices.DeleteFunc(slices.Clone(w.Pairs), func(p score.Pair) bool { return gone[p.A] || gone[p.B] })
	if len(found) > 0 && w.pairsWith != nil {
		w.scored = append(w.scored, w.pairsWith(found)...)
	}
	rest, err := scoreRest(ctx, tx, w.block, known, w.pairsWith)
	w.scored = append(w.scored, rest...)
	return nil, err
}

// without lists the documents not found unchanged among others.
func without(docs, others []score.Raw) []score.Raw {
	known := make(map[score.Raw]bool, len(others))
	for _, d := range others {
		known[d] = true
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d score.Raw) bool { return known[d] })
}

// scoreRest scores the partners that don't fit into a block, with one in memory at a time.
// Otherwise the result would depend on which was matched last.
func scoreRest(
	ctx context.Context, tx pgx.Tx, block match.Block, known map[uuid.UUID]string, scorer func([]score.Raw) []score.Pair,
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
	rows, _ := tx.Query(ctx, rawsSQL, rest)
	err = eachRaw(func(d score.Raw) {
		d.Known = cmp.Or(known[d.ID], d.Known)
		pairs = append(pairs, scorer([]score.Raw{d})...)
	})(rows)
	return pairs, err
}

package postgres

import (
	"context"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// rewrite is the change of pairs that a transaction is about.
type rewrite struct {
	pairs     []score.Pair // as they are scored now; all pairs of the documents that are matched
	separated []score.Pair // that are deleted, as their documents reach each other no longer; without a score
	word      *word        // of a person about a pair, the only one; nil without
	renamed   *renaming
	docs      []*write // that are matched, the competition's own; none for a person's word
}

// redecide writes pairs, has the rules decide about those of the competition's own
// documents and about those of others to which the change makes a difference, writes
// the result, and publishes the documents that have to ask a model again: those
// whose question included a deleted pair, and those of the result. It commits with
// its last statements.
func redecide(
	ctx context.Context, tx pgx.Tx, c *competition, decide match.Rules, r rewrite,
) (published []job.Stamped, err error) {
	d := &redecision{tx: tx, before: c, rewrite: r}
	if err := d.readOthers(ctx); err != nil {
		return nil, err
	}
	if err := d.readInFull(ctx); err != nil {
		return nil, err
	}
	if d.result, err = decide(ctx, d.now.asRules()); err != nil {
		return nil, err
	}
	if r.word != nil {
		d.result.Stale = r.word.concerns(d.held, d.now.decides, d.result)
	}
	if err := d.write(ctx); err != nil {
		return nil, err
	}
	return d.finish(ctx)
}

// redecision is what redecide has read and decided so far.
type redecision struct {
	rewrite

	tx     pgx.Tx
	before *competition

	now         *competition // with the rewrite
	lost, moved []rules.Pair // deleted ones, and those of others whose decision can change
	held        *standing
	copies      *copies
	result      rules.Result
	changed     []uuid.UUID // documents whose cluster or matches have changed
	chain       *chain      // nil: no comparison can have changed
}

// send runs the statements that queue adds, in one round trip; none if there are none.
func (d *redecision) send(ctx context.Context, queue func(*pgx.Batch) error) error {
	batch := &pgx.Batch{}
	if err := queue(batch); err != nil || batch.Len() == 0 {
		return err
	}
	return d.tx.SendBatch(ctx, batch).Close()
}

// readOthers reads the pairs of documents that were not known before the pairs were
// scored.
func (d *redecision) readOthers(ctx context.Context) error {
	return d.send(ctx, func(batch *pgx.Batch) error {
		d.before.queueWhole(batch, ends(notPlain(d.pairs)))
		d.before.queueMore(batch, ends(slices.Concat(d.pairs, d.separated)))
		return nil
	})
}

// readInFull reads the pairs that decide, and what their documents are matched with. It
// returns job.ErrFenceLost if a fence does not hold.
func (d *redecision) readInFull(ctx context.Context) error {
	c := d.before
	d.now, d.lost = c.replace(d.rewrite)
	d.moved = rules.Moved(c.pairs, d.now.pairs)
	gone := slices.Concat(d.lost, d.moved, d.now.decided())
	err := d.send(ctx, func(batch *pgx.Batch) error {
		d.now.queueFull(batch, d.moved)
		c.queueFull(batch, d.lost)
		as, bs := keysOf(gone)
		touched := sortedIDs(slices.Concat(c.own, as, bs))
		movedA, movedB := keysOf(d.moved)
		d.now.queueWhole(batch, slices.Concat(movedA, movedB))
		d.now.queueMore(batch, touched)
		own := c.own
		if d.word != nil {
			own = touched // whether another match is left to them
		}
		d.held = queueStanding(batch, own, gone, d.word)
		d.copies = queueCopies(batch, d.docs)
		return nil
	})
	if err != nil {
		return err
	}
	return d.fenced(d.held.holds)
}

// fenced returns job.ErrFenceLost unless all fences hold.
func (d *redecision) fenced(holds func(job.Attempt) bool) error {
	for _, w := range d.docs {
		if !holds(w.fence) {
			return job.ErrFenceLost
		}
	}
	return nil
}

// write locks the rows that change, and writes pairs, matches, suggestions, ends and
// clusters. It returns job.ErrFenceLost if a fence did not hold when the rows were locked.
func (d *redecision) write(ctx context.Context) error {
	clusters, changed, err := d.held.cluster(ctx, d.tx, d.now.decides, d.result.Matches)
	if err != nil {
		return err
	}
	d.changed = slices.Concat(changed, d.before.own)
	var fences map[job.Attempt]bool
	err = d.send(ctx, func(batch *pgx.Batch) error {
		fences = clusters.queueLock(batch, d.before.own)
		if err := queueRewrite(batch, d.now, d.held, d.lost, d.rewrite, d.result); err != nil {
			return err
		}
		clusters.queueEnds(batch, d.held, d.docs)
		clusters.queue(batch)
		if len(d.result.Matches) > 0 || d.held.matched() {
			d.chain = queueChain(batch, d.changed, d.renamed.tenant)
		}
		return d.copies.queueCompared(ctx, d.tx, batch)
	})
	if err != nil {
		return err
	}
	return d.fenced(func(f job.Attempt) bool { return fences[f] })
}

// finish compares the invoices of chains, replaces warnings, publishes, and commits.
func (d *redecision) finish(ctx context.Context) (published []job.Stamped, err error) {
	err = d.send(ctx, func(batch *pgx.Batch) error {
		if d.chain != nil && (len(d.chain.docs) > 0 || d.held.billed(d.changed) || d.held.matched()) {
			d.chain.queueComparisons(batch, d.changed)
		}
		d.copies.queueWarnings(batch)
		queueStale(batch, d.result.Stale, d.lost, d.before, &published)
		d.renamed.queuePublish(batch, &published)
		batch.Queue("commit")
		return nil
	})
	return published, err
}

// queueStale publishes the documents whose question has changed or included a pair
// that is lost.
func queueStale(batch *pgx.Batch, stale []uuid.UUID, lost []rules.Pair, c *competition, published *[]job.Stamped) {
	for _, p := range lost {
		if c.pairs[c.place[[2]uuid.UUID{p.A, p.B}]].Asked.About != "" {
			ends := []uuid.UUID{p.A, p.B}
			stale = append(stale, slices.DeleteFunc(ends, c.owns)...)
		}
	}
	if len(stale) > 0 {
		queuePublish(batch, published, publishStaleSQL, stale)
	}
}

// queuePublish appends the documents that a statement publishes.
func queuePublish(batch *pgx.Batch, published *[]job.Stamped, sql string, args ...any) {
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[job.Stamped])
		*published = append(*published, list...)
		return err
	})
}

// queueRewrite writes the pairs, and the edges of a result.
func queueRewrite(
	batch *pgx.Batch, c *competition, s *standing, lost []rules.Pair, r rewrite, result rules.Result,
) error {
	if len(lost) > 0 {
		as, bs := keysOf(lost)
		batch.Queue(deletePairsSQL, as, bs)
	}
	if err := queuePairs(batch, c.own[0], r.pairs); err != nil {
		return err
	}
	if r.word != nil {
		r.word.queue(batch)
	}
	r.renamed.queue(batch)
	return queueResult(batch, c, s, result)
}

// notPlain lists the pairs that are not plain.
func notPlain(pairs []score.Pair) []score.Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p score.Pair) bool { return p.Plain() && p.Points >= score.MatchAt })
}

// ends lists the documents of pairs, with repetitions.
func ends(pairs []score.Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	return ids
}

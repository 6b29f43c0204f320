package matches

import (
	"context"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// rewrite is a transaction's change of pairs.
type rewrite struct {
	pairs     []score.Pair // current scores: all pairs of the matched documents
	separated []score.Pair // to delete: their documents no longer reach each other; without a score
	word      *word        // a person's only decision, or nil
	renamed   *renaming
	docs      []*write // the matched documents, the competition's own; none for a person's decision
}

// rulesOf decides about a competition.
type rulesOf func(context.Context, rules.Competition) (rules.Result, error)

// redecide writes pairs, lets the rules decide, writes the result, and publishes the documents
// that must ask a model again. The rules decide about the pairs of the competition's own
// documents, and about others' pairs the change makes a difference to. Documents must ask
// again if their question included a deleted pair, or if the result lists them. redecide
// commits with its last statements.
func redecide(
	ctx context.Context, tx pgx.Tx, c *competition, decide rulesOf, r rewrite,
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

// redecision is the state of redecide.
type redecision struct {
	rewrite

	tx     pgx.Tx
	before *competition

	now         *competition // after the rewrite
	lost, moved []rules.Pair // deleted ones, and others' with a decision that can change
	held        *standing
	copies      *copies
	result      rules.Result
	changed     []uuid.UUID // documents with a changed cluster or match
	chain       *chain      // nil: no comparison can have changed
}

// send runs a batch in one round trip, or does nothing without a statement.
func send(ctx context.Context, tx pgx.Tx, batch *pgx.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

// readOthers reads the pairs of documents unknown until the pairs were scored.
func (d *redecision) readOthers(ctx context.Context) error {
	batch := &pgx.Batch{}
	d.before.queueWhole(batch, ends(notPlain(d.pairs)))
	d.before.queueMore(batch, ends(slices.Concat(d.pairs, d.separated)))
	return send(ctx, d.tx, batch)
}

// readInFull reads the deciding pairs and their documents' matches. It returns
// job.ErrFenceLost if a fence doesn't hold.
func (d *redecision) readInFull(ctx context.Context) error {
	c := d.before
	d.now, d.lost = c.replace(d.rewrite)
	d.moved = rules.Moved(c.pairs, d.now.pairs)
	gone := slices.Concat(d.lost, d.moved, d.now.decided())
	batch := &pgx.Batch{}
	d.now.queueFull(batch, d.moved)
	c.queueFull(batch, d.lost)
	as, bs := keysOf(gone)
	touched := sortedIDs(slices.Concat(c.own, as, bs))
	d.now.queueWhole(batch, slices.Concat(keysOf(d.moved)))
	d.now.queueMore(batch, touched)
	own := c.own
	if d.word != nil {
		own = touched // to see whether they keep another match
	}
	d.held = queueStanding(batch, own, gone, d.word)
	d.copies = queueCopies(batch, d.docs)
	if err := send(ctx, d.tx, batch); err != nil {
		return err
	}
	return d.fenced(d.held.holds)
}

// fenced returns job.ErrFenceLost unless all fences hold.
func (d *redecision) fenced(holds func(job.Attempt) bool) error {
	for _, w := range d.docs {
		if !holds(w.Fence) {
			return job.ErrFenceLost
		}
	}
	return nil
}

// write locks the changing rows, and writes pairs, matches, suggestions, ends and clusters. It
// returns job.ErrFenceLost if a fence didn't hold at the lock.
func (d *redecision) write(ctx context.Context) error {
	clusters, changed, err := d.held.cluster(ctx, d.tx, d.now.decides, d.result.Matches)
	if err != nil {
		return err
	}
	d.changed = slices.Concat(changed, d.before.own)
	batch := &pgx.Batch{}
	fences := clusters.queueLock(batch, d.before.own)
	if err := d.queueRewrite(batch); err != nil {
		return err
	}
	clusters.queueEnds(batch, d.held, d.docs)
	clusters.queue(batch)
	if asked := d.asked(); len(d.result.Matches) > 0 || d.held.matched() || len(asked) > 0 {
		d.chain = queueChain(batch, d.changed, asked, d.renamed.tenant)
	}
	if err := d.copies.queueCompared(ctx, d.tx, batch); err != nil {
		return err
	}
	if err := send(ctx, d.tx, batch); err != nil {
		return err
	}
	return d.fenced(func(f job.Attempt) bool { return fences[f] })
}

// asked lists the documents of questions that a write may have changed.
func (d *redecision) asked() (ids []uuid.UUID) {
	for _, e := range d.held.edges {
		if !e.Matched {
			ids = append(ids, e.A, e.B)
		}
	}
	for i := range d.result.Suggestions {
		ids = append(ids, d.result.Suggestions[i].A, d.result.Suggestions[i].B)
	}
	return ids
}

// finish compares the invoices of chains, replaces warnings, publishes, and commits.
func (d *redecision) finish(ctx context.Context) (published []job.Stamped, err error) {
	compares := d.chain != nil && (!d.chain.Empty() || d.held.matched() ||
		len(d.result.Matches) > 0 && d.held.billed(d.changed))
	if compares {
		if err := d.chain.compare(ctx, d.tx); err != nil {
			return nil, err
		}
	}
	batch := &pgx.Batch{}
	if compares {
		d.chain.queueComparisons(batch, d.changed)
		queuePublish(batch, &published, publishAgainSQL, d.renamed.tenant, judgedAgain)
	} else {
		queueWithoutOrder(batch, d.changed, []uuid.UUID{})
	}
	about, list := d.copies.Warnings()
	queueWarnings(batch, match.CopyKinds, about, list)
	queueStale(batch, d.result.Stale, d.lost, d.before, &published)
	d.renamed.queuePublish(batch, &published)
	if w := d.word; w != nil && (w.before.Strict() || w.bounds.Strict()) {
		queueOutOfBounds(batch, d.renamed.tenant, w.bounds, new(maxRejudged), &published)
	}
	batch.Queue("commit")
	err = send(ctx, d.tx, batch)
	return published, err
}

// queueStale publishes the documents with a changed question or with a lost pair in it.
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

// queuePublish appends the documents published by a statement.
func queuePublish(batch *pgx.Batch, published *[]job.Stamped, sql string, args ...any) {
	var s job.Stamped
	batch.Queue(sql, args...).Query(postgres.Each([]any{&s.ID, &s.PublishedAt, &s.Tenant}, func() { *published = append(*published, s) }))
}

func (d *redecision) queueRewrite(batch *pgx.Batch) error {
	if len(d.lost) > 0 {
		as, bs := keysOf(d.lost)
		batch.Queue(deletePairsSQL, as, bs)
	}
	if err := queuePairs(batch, d.now.own[0], d.pairs); err != nil {
		return err
	}
	if d.word != nil {
		d.word.queue(batch, d.renamed.tenant)
	}
	d.renamed.queue(batch)
	queueResult(batch, d.now, d.held, d.result)
	return nil
}

func notPlain(pairs []score.Pair) []score.Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p score.Pair) bool { return p.Plain() && p.Points >= score.MatchAt })
}

// ends lists the documents of pairs, duplicates included.
func ends(pairs []score.Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	return ids
}

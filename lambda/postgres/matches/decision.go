package matches

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Decision is a person's decision about two documents.
type Decision struct {
	Verdict rules.Verdict // Confirmed, Rejected, or Withdrawn
	By      string        // the person
	Origin  string        // postgres.OriginCommand or OriginConsole
	Note    string
	// Seen is the pair's version when the person saw it (PairVersion). Leave it empty to
	// decide regardless of changes.
	Seen string
}

// Decided is the effect of a Decision.
type Decided struct {
	Changed   bool          // false: the pair had the verdict already, so nothing was written
	Published []job.Stamped // documents to match again; the caller must send their messages
}

// ErrNoSuchPair reports two ids that aren't two documents of one tenant.
var ErrNoSuchPair = errors.New("must be two documents of one tenant")

const verdictSQL = `
UPDATE match_pair SET verdict = $3 WHERE document_a_id = $1 AND document_b_id = $2`

const clearPairSQL = `
WITH matched AS (DELETE FROM document_match WHERE document_a_id = $1 AND document_b_id = $2)
DELETE FROM match_suggestion WHERE document_a_id = $1 AND document_b_id = $2`

const decisionSQL = `
INSERT INTO decision (tenant_id, document_a_id, document_b_id, verdict, decided_by, origin, note, points, decided_at)
SELECT tenant_id, $1, $2, $3, $4, $5, $6, $7, now() FROM document WHERE id = $1`

const sameTenantSQL = `
SELECT a.tenant_id FROM document AS a JOIN document AS b ON b.tenant_id = a.tenant_id AND b.id <> a.id
WHERE a.id = $1 AND b.id = $2`

// pairVersionSQL hashes everything a person sees of a pair.
const pairVersionSQL = `
SELECT md5(ROW(p.verdict, m.score, m.confidence, m.decided_by, m.reasoning, s.score, s.decided_by, s.reasoning,
	a.type, a.structured_data, b.type, b.structured_data)::text)
FROM document AS a JOIN document AS b ON b.id = $2
LEFT JOIN match_pair AS p ON p.document_a_id = $1 AND p.document_b_id = $2
LEFT JOIN document_match AS m ON m.document_a_id = $1 AND m.document_b_id = $2
LEFT JOIN match_suggestion AS s ON s.document_a_id = $1 AND s.document_b_id = $2
WHERE a.id = $1`

// PairVersion returns the version of a pair. It changes with the verdict, match or suggestion
// of the two documents, and with either document.
func (m *Store) PairVersion(ctx context.Context, a, b uuid.UUID) (version string, err error) {
	key := ordered(a, b)
	version, err = postgres.Value[string](ctx, m.db.Steady(), pairVersionSQL, key[0], key[1])
	if errors.Is(err, job.ErrNotFound) {
		return "", fmt.Errorf("%s and %s: %w", a, b, ErrNoSuchPair)
	}
	return version, err
}

func ordered(a, b uuid.UUID) [2]uuid.UUID {
	if bytes.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return [2]uuid.UUID{a, b}
}

// word is a decision on its way into the database.
type word struct {
	Decision
	pair    [2]uuid.UUID
	raws    []score.Raw  // the two documents, as they are now
	version string       // the pair's current one
	written bool         // maybe, if the answer to an earlier commit was lost
	points  *int         // by the rules; nil: they teach nothing
	answers []rules.Said // about other pairs

	before, bounds rules.Bounds // of the tenant
}

// verdict returns the pair's verdict after the decision.
func (w *word) verdict() rules.Verdict {
	if w.Verdict == rules.Withdrawn {
		return ""
	}
	return w.Verdict
}

// Decide stores a person's decision and its verdict, which holds until the next decision, and
// writes what the rules then decide about all competing pairs. It writes nothing if the pair
// has the verdict already. A withdrawn verdict leaves the pair to the rules, and to a model's
// earlier answers. Decide publishes the documents to match again (see word.concerns). It
// returns ErrNoSuchPair or ErrStale if it can't decide.
func (m *Store) Decide(ctx context.Context, a, b uuid.UUID, d Decision) (done Decided, err error) {
	w := &word{Decision: d, pair: ordered(a, b)}
	tenant, err := postgres.Value[uuid.UUID](ctx, m.db.Steady(), sameTenantSQL, a, b)
	if errors.Is(err, job.ErrNotFound) {
		return done, fmt.Errorf("%s and %s: %w", a, b, ErrNoSuchPair)
	}
	if err != nil {
		return done, err
	}
	var c *competition
	err = m.inTurn(ctx, tenant, false, func(batch *pgx.Batch) {
		c = newCompetition(w.pair[0], w.pair[1])
		c.queueOwn(batch, nil, nil)
		w.queueReads(batch, tenant)
	}, func(tx pgx.Tx) (err error) {
		if c.verdict(w.pair) == w.verdict() {
			done.Changed = w.written
			return errNothing
		}
		if w.Seen != "" && w.Seen != w.version {
			return postgres.ErrStale
		}
		r, err := w.rewrite()
		if err != nil {
			return err
		}
		r.renamed = &renaming{tenant: tenant, documents: w.pair[:], confirmed: true}
		r.renamed.teaches = true
		if err := w.learn(ctx, c); err != nil {
			return err
		}
		w.written = true
		done.Published, err = redecide(ctx, tx, c, rules.Revise, r)
		done.Changed = err == nil
		return err
	})
	return done, err
}

func (w *word) about(pair [2]uuid.UUID) bool { return w != nil && w.pair == pair }

// queueReads reads the documents, their pair's version, and the other answers.
func (w *word) queueReads(batch *pgx.Batch, tenant uuid.UUID) {
	batch.Queue(answersSQL, tenant, w.pair[0], w.pair[1]).Query(postgres.All(&w.answers))
	batch.Queue(rawsSQL, w.pair[:]).Query(postgres.All(&w.raws))
	batch.Queue(pairVersionSQL, w.pair[0], w.pair[1]).QueryRow(func(row pgx.Row) error { return row.Scan(&w.version) })
}

// rewrite returns the change of the pair. Without a verdict, a pair not worth keeping is
// deleted.
func (w *word) rewrite() (rewrite, error) {
	if len(w.raws) != 2 {
		return rewrite{}, ErrNoSuchPair
	}
	p, err := score.Of(w.raws[0], w.raws[1])
	switch {
	case w.verdict() == "" && (err != nil || !p.Counts()):
		return rewrite{separated: []score.Pair{{A: w.pair[0], B: w.pair[1]}}, word: w}, nil
	case err != nil:
		return rewrite{}, err
	}
	return rewrite{pairs: []score.Pair{p}, word: w}, nil
}

func (w *word) queue(batch *pgx.Batch, tenant uuid.UUID) {
	x, y := w.pair[0], w.pair[1]
	batch.Queue(verdictSQL, x, y, w.verdict())
	batch.Queue(clearPairSQL, x, y)
	batch.Queue(decisionSQL, x, y, w.Verdict, w.By, w.Origin, w.Note, w.points)
	w.teach(batch)
	b := w.bounds
	batch.Queue(teachBoundsSQL, tenant, b.HighAt, b.QuestionAt, b.Confirmed, b.Rejected, w.By)
}

// concerns lists the documents to match again after the decision. The rules have decided about
// all competing pairs, so other documents have nothing to gain. Apart from documents with a
// changed question to a model (rules.Revise), it lists:
//
//   - the two documents, if the verdict is withdrawn. It kept the pair regardless of its
//     evidence, and only a search shows whether they would be compared without it.
//   - documents left without a match. Their pairs are as old as their last matching, so
//     another search may find what was out of reach or has changed, and compares it by today's
//     rules.
//
// Documents of a supplier with other names now are published as after any write
// (renaming.queuePublish).
func (w *word) concerns(s *standing, decides func(a, b uuid.UUID) bool, result rules.Result) []uuid.UUID {
	list := slices.Clone(result.Stale)
	if w.verdict() == "" {
		list = append(list, w.pair[:]...)
	}
	has := make(map[uuid.UUID]bool)
	for _, e := range result.Matches {
		has[e.A], has[e.B] = true, true
	}
	var had []uuid.UUID
	for _, e := range s.edges {
		switch itself := w.pair == [2]uuid.UUID{e.A, e.B}; {
		case !e.Matched:
		case itself || !e.ByPerson && decides(e.A, e.B):
			had = append(had, e.A, e.B)
		default:
			has[e.A], has[e.B] = true, true
		}
	}
	return append(list, slices.DeleteFunc(had, func(id uuid.UUID) bool { return has[id] })...)
}

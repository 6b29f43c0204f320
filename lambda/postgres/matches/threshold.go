package matches

import (
	"context"
	"slices"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Statements about a tenant's thresholds. Of a pair's decisions the latest counts, and of a
// tenant's the last 1,000.
const (
	thresholdSQL = `
SELECT high_at, question_at, confirmed, rejected, changed_by, changed_at FROM taught_threshold WHERE tenant_id = $1`
	boundsSQL = `
SELECT high_at, question_at, confirmed, rejected FROM taught_threshold JOIN document USING (tenant_id) WHERE id = $1`
	answersSQL = `
SELECT points, verdict = 'confirmed' FROM (
	SELECT DISTINCT ON (document_a_id, document_b_id) * FROM (
		SELECT * FROM decision WHERE tenant_id = $1 AND (document_a_id, document_b_id) <> ($2, $3)
			AND id > coalesce((SELECT forgotten FROM taught_threshold WHERE tenant_id = $1), 0) ORDER BY id DESC LIMIT 1000) AS recent
	ORDER BY document_a_id, document_b_id, id DESC) AS latest
WHERE verdict <> 'withdrawn' AND points IS NOT NULL ORDER BY 1, 2`
	teachBoundsSQL = `
INSERT INTO taught_threshold AS old (tenant_id, high_at, question_at, confirmed, rejected, changed_by, changed_at)
VALUES ($1, $2, $3, $4, $5, $6, now())
ON CONFLICT (tenant_id) DO UPDATE SET high_at = $2, question_at = $3, confirmed = $4, rejected = $5,
	changed_by = CASE WHEN (old.high_at, old.question_at) = ($2, $3) THEN old.changed_by ELSE $6 END,
	changed_at = CASE WHEN (old.high_at, old.question_at) = ($2, $3) THEN old.changed_at ELSE now() END`
	forgetBoundsSQL = `
UPDATE taught_threshold SET high_at = 0, question_at = 0, confirmed = 0, rejected = 0,
	forgotten = coalesce((SELECT max(id) FROM decision WHERE tenant_id = $1), 0)
WHERE tenant_id = $1 AND (high_at, question_at) <> (0, 0)`
	// outOfBoundsSQL publishes documents with a match or a question that was decided by other
	// thresholds.
	outOfBoundsSQL = publishAgain + `
WHERE id = ANY (ARRAY(
	SELECT DISTINCT d.id FROM (
		SELECT document_a_id AS id FROM document_match
		WHERE tenant_id = $1 AND decided_by = 'rules' AND (points >= $2 AND points < $3) <> (` + byAnswers + `)
		UNION ALL SELECT document_a_id FROM match_suggestion
		WHERE tenant_id = $1 AND decided_by <> 'person' AND (points >= $4 AND points < $5
			AND NOT evidence @? '$[*] ? (exists(@.cited) && @.points > 0)') <> (` + byAnswers + `)
	) AS other JOIN document AS d USING (id)
	WHERE matching_status = 'succeeded' ORDER BY d.id LIMIT $6))` + publishedColumns
	byAnswers = `evidence @> '[{"name": "` + rules.ByAnswers + `"}]'`
)

// maxRejudged bounds the documents that an answer publishes because it changed a threshold. The
// next answers publish the rest.
const maxRejudged = 200

func queueOutOfBounds(batch *pgx.Batch, tenant uuid.UUID, b rules.Bounds, most *int, published *[]job.Stamped) {
	queuePublish(batch, published, outOfBoundsSQL, tenant, score.HighAt, b.HighAt, score.SuggestAt, b.QuestionAt, most)
}

// learn takes the decision for an answer about the points that the rules give the pair without a
// verdict, and learns the tenant's thresholds from all answers.
func (w *word) learn(ctx context.Context, c *competition) error {
	without := c.asRules()
	without.Documents, without.Pairs = w.pair[:], slices.Clone(without.Pairs)
	for i, p := range without.Pairs {
		if w.about([2]uuid.UUID{p.A, p.B}) {
			without.Pairs[i].Verdict = ""
		}
	}
	all, err := rules.Decide(ctx, without)
	if err != nil {
		return err
	}
	w.points = nil // of an attempt before that lost a race
	for _, d := range all {
		if w.about([2]uuid.UUID{d.A, d.B}) && d.Teaches() {
			w.points = &d.Points
		}
	}
	if w.points != nil && w.verdict() != "" {
		w.answers = append(w.answers, rules.Said{Points: *w.points, Confirmed: w.verdict() == rules.Confirmed})
	}
	w.before, c.bounds = c.bounds, rules.BoundsOf(w.answers)
	w.bounds = c.bounds
	return nil
}

// Threshold is a tenant's thresholds, and the last answer that changed one.
type Threshold struct {
	rules.Bounds

	Person string
	At     time.Time
}

// Threshold reads a tenant's thresholds; zero without any.
func (m *Store) Threshold(ctx context.Context, tenant uuid.UUID) (Threshold, error) {
	found, err := postgres.Find[Threshold](ctx, m.db.Steady(), thresholdSQL, tenant)
	if found == nil {
		return Threshold{}, err
	}
	return *found, nil
}

// Answers reads the answers that count for a tenant's thresholds, in the order of their points.
func (m *Store) Answers(ctx context.Context, tenant uuid.UUID) (all []rules.Said, err error) {
	return postgres.Rows[rules.Said](ctx, m.db.Steady(), answersSQL, tenant, uuid.Nil, uuid.Nil)
}

// ForgetThreshold gives a tenant the thresholds of all, and reports whether it had others. The
// answers until now don't count any more. The documents concerned are published; the caller must
// send the messages.
func (m *Store) ForgetThreshold(ctx context.Context, tenant uuid.UUID) (found bool, published []job.Stamped, err error) {
	err = m.db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, postgres.AwaitTurnSQL, tenant); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, forgetBoundsSQL, tenant)
		if found, published = tag.RowsAffected() > 0, nil; err != nil || !found {
			return err
		}
		batch := &pgx.Batch{}
		queueOutOfBounds(batch, tenant, rules.Bounds{}, nil, &published)
		return tx.SendBatch(ctx, batch).Close()
	})
	return found, published, err
}

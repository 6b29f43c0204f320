package reviews

import (
	"context"
	"encoding/json"
	"strings"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Store is the store of the review function. This file has the work on chunks; see reviews.go
// for everything else people and programs do with them.
type Store struct {
	*postgres.Jobs
	db *postgres.DB
}

// New returns the store of reviews in a database.
func New(db *postgres.DB) *Store { return &Store{db.JobsOf(postgres.Tables[manifest.Review.Name]), db} }

// Columns of record.Job, record.Chunk and record.Standing.
const (
	reviewColumns = `j.id, j.tenant_id, j.document_id, j.name, j.status, j.chunks, j.chunks_open, j.findings, j.gaps, j.calls,
	(coalesce(j.budget_usd, 0) * 1000000)::bigint, (j.estimate_usd * 1000000)::bigint, (j.cost_usd * 1000000)::bigint,
	j.model, j.playbook, j.created_at, j.started_at, j.ended_at, coalesce(j.error, ''),
	coalesce((SELECT 'waiting for ' || c.parked_for || coalesce(
			to_char(b.outage_since AT TIME ZONE 'UTC', '", away since "YYYY-MM-DD HH24:MI" UTC"'), '')
		FROM review_chunk AS c LEFT JOIN service_breaker AS b ON b.service = c.parked_for
		WHERE c.job_id = j.id AND c.status = 'pending' AND c.parked_for IS NOT NULL AND c.due_at > now() LIMIT 1), '')`
	chunkColumns = `c.id, c.job_id, c.position, c.kind, c.start_offset, c.end_offset, c.heading,
	coalesce(c.status, ''), c.stage, coalesce(c.error, ''), c.attempts,
	EXISTS (SELECT FROM review_checkpoint AS k WHERE k.chunk_id = c.id AND k.stage = 'categories' AND k.outcome = 'done')`
	leftColumns = `(coalesce(j.budget_usd - j.cost_usd - j.reserved_usd, 0) * 1000000)::bigint,
	(coalesce(j.budget_usd - j.cost_usd, 0) * 1000000)::bigint`
	standingColumns = `j.status, coalesce((SELECT greatest(until - now(), interval '0')
		FROM model_pause AS p WHERE p.model = $5), interval '0'), ` + leftColumns + "\n"
)

// Statements of Task.
const (
	beginReviewSQL = `
UPDATE review_job SET status = 'running', started_at = coalesce(started_at, now())
WHERE status = 'queued'
	AND id = (SELECT job_id FROM review_chunk WHERE id = $1 AND attempts = $2 AND status = 'in-progress')`
	reviewOfChunkSQL = `
SELECT ` + reviewColumns + ` FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id
WHERE c.id = $1 AND c.attempts = $2 AND c.status = 'in-progress'`
	chunkSQL = `
SELECT ` + chunkColumns + ` FROM review_chunk AS c WHERE c.id = $1`
	passageSQL = `
SELECT substring(t.text FROM c.start_offset + 1 FOR c.end_offset - c.start_offset), t.playbook
FROM review_chunk AS c JOIN review_text AS t USING (job_id) WHERE c.id = $1`
	endedSQL = `
SELECT stage, outcome, coalesce(reason, ''), calls, (cost_usd * 1000000)::bigint, marks, card,
	NULL::jsonb, dropped, NULL::jsonb, NULL::integer[], NULL::jsonb
FROM review_checkpoint WHERE chunk_id = $1 AND outcome = 'done'`
	// The first chunk needs the contract until the card is done.
	cardSQL = `
SELECT (SELECT k.card FROM review_chunk AS f JOIN review_checkpoint AS k ON k.chunk_id = f.id AND k.stage = 'card'
	WHERE f.job_id = c.job_id AND f.position = 0 AND f.kind = 'text'),
	CASE WHEN c.position = 0 AND c.kind = 'text' AND j.model <> '' AND NOT EXISTS (SELECT FROM review_checkpoint AS k
		WHERE k.chunk_id = c.id AND k.stage = 'card' AND k.outcome = 'done') THEN t.text ELSE '' END
FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id JOIN review_text AS t ON t.job_id = c.job_id WHERE c.id = $1`
)

// Task reads what the work on a chunk needs, and sets a queued review running.
func (r *Store) Task(ctx context.Context, f job.Attempt) (t record.Task, err error) {
	var jobs []record.Job
	var chunks []record.Chunk
	var texts []passage
	var ended []record.Result
	var cards []cardRow
	err = r.db.Steady().Batch(ctx, func(b *pgx.Batch) {
		b.Queue(beginReviewSQL, f.ID, f.Number)
		b.Queue(reviewOfChunkSQL, f.ID, f.Number).Query(postgres.All(&jobs))
		b.Queue(chunkSQL, f.ID).Query(postgres.All(&chunks))
		b.Queue(passageSQL, f.ID).Query(postgres.All(&texts))
		b.Queue(endedSQL, f.ID).Query(postgres.All(&ended))
		b.Queue(cardSQL, f.ID).Query(postgres.All(&cards))
	})
	if err != nil {
		return t, err
	}
	if len(jobs) == 0 {
		return t, job.ErrFenceLost
	}
	t = record.Task{Job: jobs[0], Chunk: chunks[0], Text: string(texts[0].Text), Playbook: texts[0].Playbook,
		Ended: map[record.Stage]record.Result{}, Card: cards[0].Card, Contract: string(cards[0].Other)}
	for _, e := range ended {
		t.Ended[e.Stage] = e
	}
	if t.Chunk.Kind != record.Whole {
		return t, nil
	}
	return t, r.addAll(ctx, &t)
}

type passage struct{ Text, Playbook []byte }

type cardRow struct {
	Card  *record.Card
	Other []byte // the contract, or the playbook
}

// addAll adds the input for the contract as a whole.
func (r *Store) addAll(ctx context.Context, t *record.Task) (err error) {
	id := t.Job.ID
	chunks, err := r.Chunks(ctx, id)
	if err != nil {
		return err
	}
	t.Chunks = chunks[:len(chunks)-1] // without the contract as a whole
	if t.Marks, err = r.Marks(ctx, id); err != nil {
		return err
	}
	t.Findings, err = r.Findings(ctx, id, 0, t.Job.Findings)
	return err
}

// holdSQL locks a chunk by its fence, and its review, so that the batch's next statement sees
// everything earlier writers have committed.
const holdSQL = `
SELECT c.id FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id
WHERE c.id = $1 AND c.attempts = $2 AND c.status = 'in-progress'
FOR NO KEY UPDATE OF c, j`

// held is the chunk and review locked by holdSQL; $1 and $2 are the fence.
const held = `held AS (
	SELECT c.id AS chunk_id, c.job_id, c.attempts, j.* FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id
	WHERE c.id = $1 AND c.attempts = $2 AND c.status = 'in-progress'
)`

// beginStagesSQL records the start of stages, unless the review isn't running or its budget
// doesn't suffice. A stage started again keeps one reservation.
const beginStagesSQL = `
WITH ` + held + `, asked AS (
	SELECT a.stage, a.micros / 1000000.0 AS estimate, CASE WHEN k.finished_at IS NULL THEN k.estimate_usd END AS reserved
	FROM unnest($3::text[], $4::bigint[]) AS a (stage, micros)
		LEFT JOIN review_checkpoint AS k ON k.chunk_id = $1 AND k.stage = a.stage
	WHERE k.outcome IS DISTINCT FROM 'done'
), more AS (
	SELECT coalesce(sum(estimate - coalesce(reserved, 0)), 0) AS usd FROM asked
), allowed AS (
	SELECT chunk_id, job_id, attempts FROM held, more
	WHERE status = 'running' AND (budget_usd IS NULL OR cost_usd + reserved_usd + usd <= budget_usd)
), begun AS (
	INSERT INTO review_checkpoint (chunk_id, stage, job_id, claimed_by, estimate_usd)
	SELECT chunk_id, stage, job_id, attempts, estimate FROM allowed, asked
	ON CONFLICT (chunk_id, stage) DO UPDATE SET started_at = now(), claimed_by = excluded.claimed_by,
		finished_at = NULL, outcome = NULL, reason = NULL, estimate_usd = excluded.estimate_usd
), reserved AS (
	UPDATE review_job AS j SET reserved_usd = reserved_usd + usd FROM allowed, more WHERE j.id = allowed.job_id
	RETURNING ` + standingColumns + `
)
SELECT *, true FROM reserved
UNION ALL
SELECT ` + standingColumns + `, false FROM held AS j WHERE NOT EXISTS (SELECT FROM allowed)`

// Begin records the start of stages and reserves their largest cost, unless the review isn't
// running. If that exceeds the budget, Begin returns record.ErrBudget and records nothing.
func (r *Store) Begin(
	ctx context.Context, f job.Attempt, model string, calls []record.Call,
) (s record.Standing, err error) {
	stages, micros := make([]record.Stage, len(calls)), make([]int64, len(calls))
	for i, c := range calls {
		stages[i], micros[i] = c.Stage, int64(c.Estimate)
	}
	var begun []begun
	err = r.holding(ctx, f, func(b *pgx.Batch) {
		b.Queue(beginStagesSQL, f.ID, f.Number, stages, micros, model).Query(postgres.All(&begun))
	})
	if err != nil {
		return s, err
	}
	if s = begun[0].Standing; s.Status == record.Running && !begun[0].Begun {
		err = record.ErrBudget
	}
	return s, err
}

type begun struct {
	record.Standing
	Begun bool
}

// holding runs a batch in one transaction and round trip, while holding the chunk and the
// review. It returns job.ErrFenceLost if the fence doesn't hold.
func (r *Store) holding(ctx context.Context, f job.Attempt, queue func(*pgx.Batch)) error {
	var held []struct{ ID uuid.UUID }
	err := r.db.Steady().Batch(ctx, func(b *pgx.Batch) {
		b.Queue(holdSQL, f.ID, f.Number).Query(postgres.All(&held))
		queue(b)
	})
	if err == nil && len(held) == 0 {
		err = job.ErrFenceLost
	}
	return err
}

// Statements of Record. They skip a stage recorded before by this attempt, or already done. If
// the review isn't running, a done stage has its cost recorded but no findings, and gets its
// outcome at the end of its chunk.
const (
	recordSQL = `
WITH ` + held + `, result AS (
	SELECT r.*, coalesce(k.estimate_usd, 0) AS reserved FROM held, ROWS FROM (jsonb_to_recordset($3::jsonb) AS (
		stage text, outcome text, reason text, calls integer, micros bigint, dropped integer, marks jsonb, card jsonb, findings jsonb
	)) WITH ORDINALITY AS r (stage, outcome, reason, calls, micros, dropped, marks, card, findings, place)
		LEFT JOIN review_checkpoint AS k ON k.chunk_id = $1 AND k.stage = r.stage AND k.finished_at IS NULL
	WHERE NOT EXISTS (SELECT FROM review_checkpoint AS ended WHERE ended.chunk_id = $1 AND ended.stage = r.stage
		AND (ended.outcome = 'done' OR ended.finished_at IS NOT NULL AND ended.claimed_by = $2))
), recorded AS (
	INSERT INTO review_checkpoint AS k (chunk_id, stage, job_id, claimed_by, finished_at, outcome, reason, cost_usd, calls,
		dropped, marks, card)
	SELECT chunk_id, stage, job_id, attempts, now(), CASE WHEN status = 'running' OR outcome <> 'done' THEN outcome END,
		nullif(left(reason, 1000), ''), micros / 1000000.0, result.calls, dropped, marks, nullif(card, 'null'::jsonb)
	FROM held, result
	ON CONFLICT (chunk_id, stage) DO UPDATE SET claimed_by = excluded.claimed_by, finished_at = excluded.finished_at,
		outcome = excluded.outcome, reason = excluded.reason, dropped = excluded.dropped, marks = excluded.marks,
		card = coalesce(excluded.card, k.card), cost_usd = k.cost_usd + excluded.cost_usd, calls = k.calls + excluded.calls
), found AS (
	SELECT DISTINCT ON (f.analyst, f.category, f.start_offset, f.end_offset, CASE WHEN f.start_offset IS NULL THEN f.title END)
		f.*, result.place AS stage_place
	FROM result, ROWS FROM (jsonb_to_recordset(result.findings) AS (analyst text, category text, severity text, title text,
		explanation text, quote text, start_offset integer, end_offset integer, fallback text, second_quote text,
		second_start_offset integer, second_end_offset integer, clause text)) WITH ORDINALITY AS f (analyst, category, severity, title,
		explanation, quote, start_offset, end_offset, fallback, second_quote, second_start, second_end, clause, place)
	ORDER BY f.analyst, f.category, f.start_offset, f.end_offset, CASE WHEN f.start_offset IS NULL THEN f.title END, result.place, f.place
), added AS (
	INSERT INTO review_finding (job_id, seq, chunk_id, analyst, category, severity, title, explanation, quote,
		start_offset, end_offset, fallback, second_quote, second_start, second_end, clause)
	SELECT job_id, held.findings + row_number() OVER (ORDER BY stage_place, place), chunk_id,
		analyst, category, severity, title, explanation, quote, start_offset, end_offset, fallback,
		coalesce(second_quote, ''), second_start, second_end, nullif(clause, '')
	FROM held, found
	WHERE status = 'running' AND NOT EXISTS (SELECT FROM review_finding AS known WHERE known.job_id = held.job_id
		AND known.analyst = found.analyst AND known.category = found.category
		AND CASE WHEN found.start_offset IS NULL THEN known.start_offset IS NULL AND md5(known.title) = md5(found.title)
			ELSE known.start_offset = found.start_offset AND known.end_offset = found.end_offset END)
	RETURNING seq
)
UPDATE review_job AS j SET findings = j.findings + (SELECT count(*) FROM added),
	calls = j.calls + (SELECT coalesce(sum(calls), 0) FROM result),
	cost_usd = j.cost_usd + (SELECT coalesce(sum(micros), 0) / 1000000.0 FROM result),
	reserved_usd = j.reserved_usd - (SELECT coalesce(sum(reserved), 0) FROM result)
FROM held WHERE j.id = held.job_id
RETURNING j.status, interval '0', ` + leftColumns
	repeatsSQL = `
WITH ` + held + `
UPDATE review_finding AS f SET duplicate_of = nullif(s.earlier, 0)
FROM held, unnest($3::integer[], $4::integer[]) AS s (seq, earlier)
WHERE f.job_id = held.job_id AND held.status = 'running' AND f.seq = s.seq AND s.earlier < s.seq`
	weighSQL = `
WITH ` + held + `
UPDATE review_finding AS f SET severity = w.severity, explanation = w.explanation
FROM held, unnest($3::integer[], $4::text[], $5::text[]) AS w (seq, severity, explanation)
WHERE f.job_id = held.job_id AND held.status = 'running' AND f.seq = w.seq`
	withdrawSQL = `
WITH ` + held + `
UPDATE review_finding AS f SET withdrawn = true
FROM held WHERE f.job_id = held.job_id AND held.status = 'running' AND f.seq = ANY ($3::integer[])`
)

// Record records ended stages with their cost and marks, in one transaction. Only while the
// review is running, it adds their findings, once per analyst and place, and withdraws earlier
// ones. Its Standing lacks the pause.
func (r *Store) Record(ctx context.Context, f job.Attempt, results []record.Result) (s record.Standing, err error) {
	ended, err := stored(results)
	if err != nil {
		return s, err
	}
	var standings []record.Standing
	err = r.holding(ctx, f, func(b *pgx.Batch) {
		b.Queue(recordSQL, f.ID, f.Number, ended).Query(postgres.All(&standings))
		for _, result := range results {
			seqs, earlier := make([]int, 0, len(result.Same)), make([]int, 0, len(result.Same))
			for seq, first := range result.Same {
				seqs, earlier = append(seqs, seq), append(earlier, first)
			}
			if len(seqs) > 0 {
				b.Queue(repeatsSQL, f.ID, f.Number, seqs, earlier)
			}
			if len(result.Weighed) > 0 {
				queueWeights(b, f, result.Weighed)
			}
			if len(result.Withdrawn) > 0 {
				b.Queue(withdrawSQL, f.ID, f.Number, result.Withdrawn)
			}
		}
	})
	if err != nil {
		return s, err
	}
	return standings[0], nil
}

func queueWeights(b *pgx.Batch, f job.Attempt, weighed []record.Weighed) {
	var seqs []int
	var severities, explanations []string
	for _, w := range weighed {
		seqs, severities = append(seqs, w.Seq), append(severities, postgres.Storable(string(w.Severity)))
		explanations = append(explanations, postgres.Storable(w.Explanation))
	}
	b.Queue(weighSQL, f.ID, f.Number, seqs, severities, explanations)
}

// storedResult is a Result as recordSQL reads it.
type storedResult struct {
	record.Result
	Findings []storedFinding `json:"findings"`
}

// storedFinding is a Finding as recordSQL reads it. Without a quote, its place is NULL.
type storedFinding struct {
	record.Finding
	Start  *int   `json:"start_offset"`
	End    *int   `json:"end_offset"`
	Clause string `json:"clause"`
}

// stored encodes results. JSON replaces invalid UTF-8 itself.
func stored(results []record.Result) (string, error) {
	list := make([]storedResult, len(results))
	for i, r := range results {
		r.Calls, r.Dropped = postgres.Count(r.Calls), postgres.Count(r.Dropped)
		list[i] = storedResult{r, make([]storedFinding, len(r.Findings))}
		for n, f := range r.Findings {
			s := storedFinding{Finding: f, Clause: f.Clause}
			if f.Quote != "" {
				s.Start, s.End = &f.Start, &f.End
			}
			list[i].Findings[n] = s
		}
	}
	encoded, err := json.Marshal(list)
	return withoutNUL.Replace(string(encoded)), err
}

// withoutNUL replaces what Storable does, in JSON, where a backslash of the text is two.
var withoutNUL = strings.NewReplacer(`\\`, `\\`, `\u0000`, `\ufffd`)

// openSQL publishes the chunks that wait for the card, locked by id.
const openSQL = `
WITH waiting AS (
	SELECT id FROM review_chunk WHERE kind = 'text' AND status IS NULL AND NOT ready AND job_id = (SELECT job_id FROM review_chunk
		WHERE id = $1 AND attempts = $2 AND status = 'in-progress') ORDER BY id FOR NO KEY UPDATE
)
UPDATE review_chunk AS c SET status = 'pending', ready = true, due_at = now(), published_at = now() FROM waiting WHERE c.id = waiting.id
RETURNING c.id, c.published_at, c.tenant_id`

// Open publishes the chunks that wait for the card. The caller must send their messages.
func (r *Store) Open(ctx context.Context, f job.Attempt) ([]job.Stamped, error) {
	return postgres.Rows[job.Stamped](ctx, r.db, openSQL, f.ID, f.Number)
}

const endChunkSQL = `
UPDATE review_chunk SET status = $3, stage = $4, error = nullif(left($5, 1000), ''),
	failed_at = CASE WHEN $3 = 'failed' THEN now() END, lease_until = NULL, due_at = NULL, lapses = 0
WHERE id = $1 AND attempts = $2 AND status = 'in-progress'`

// publishWholeSQL stamps the chunks made pending by this transaction's triggers: contracts as a
// whole, and chunks that waited for the card.
const publishWholeSQL = `
UPDATE review_chunk SET published_at = greatest(now(), published_at + interval '1 microsecond')
WHERE status = 'pending' AND job_id = (SELECT job_id FROM review_chunk WHERE id = $1)
	AND xmin = pg_current_xact_id()::xid
RETURNING id, published_at, tenant_id`

// End ends a chunk as succeeded, failed or cancelled, without notifying people. If that
// publishes the contract as a whole or waiting chunks, it returns their messages and the caller must send them.
func (r *Store) End(ctx context.Context, f job.Attempt, status job.Status, stage, reason string) (whole []job.Stamped, err error) {
	var ended bool
	err = r.db.Steady().Batch(ctx, func(b *pgx.Batch) {
		end := b.Queue(endChunkSQL, f.ID, f.Number, status, postgres.Storable(stage), postgres.Storable(reason))
		end.Exec(func(tag pgconn.CommandTag) error {
			ended = tag.RowsAffected() == 1
			return nil
		})
		b.Queue(publishWholeSQL, f.ID).Query(postgres.All(&whole))
	})
	if err == nil && !ended {
		err = job.ErrFenceLost
	}
	return whole, err
}

package report

import (
	"context"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Happening is something stored with its time about a row. See its kind for the other fields.
type Happening struct {
	At           time.Time
	Kind         string
	Name, Detail string
	N, M         int
	USD          *float64
}

// notifiedOf reads the notifications about some rows: the kind, the channels, and the attempt.
func notifiedOf(rows string) string {
	return `SELECT n.created_at, 'notified', n.kind, (SELECT coalesce(string_agg(channel, ' and ' ORDER BY channel), '')
		FROM notification_delivery AS d WHERE d.notification_id = n.id AND d.status <> 'pending'), n.attempt, 0, NULL
	FROM notification AS n WHERE ` + rows
}

// Subject has a story and attempts.
type Subject struct {
	table string // of $1
	rows  string // the ids of its rows of workloads
	story string
}

// The subjects.
var (
	// OfDocument is a document with its file.
	OfDocument = Subject{"document", `SELECT $1 UNION ALL SELECT id FROM ingestion WHERE document_id = $1`, `
	SELECT received_at AS at, 'received' AS kind, '' AS name, '' AS detail, 0 AS n, 0 AS m, NULL::float8 AS usd FROM document WHERE id = $1
	UNION ALL SELECT matching_published_at, 'published', '', '', 0, 0, NULL FROM document WHERE id = $1
	UNION ALL SELECT matching_failed_at, 'failed', '', coalesce(matching_error, ''), matching_attempts, 0, NULL
		FROM document WHERE id = $1 AND matching_status = 'failed'
	UNION ALL SELECT published_at, 'file-published', '', '', 0, 0, NULL FROM ingestion WHERE document_id = $1 AND part_of IS NULL
	UNION ALL SELECT started_at, 'file-begun', '', '', attempts, 0, NULL FROM ingestion WHERE document_id = $1 AND part_of IS NULL
	UNION ALL SELECT coalesce(failed_at, completed_at), 'file-' || status, '', coalesce(error, ''), attempts, 0, NULL
		FROM ingestion WHERE document_id = $1 AND part_of IS NULL
	UNION ALL SELECT asked_at, 'asked', model, unusable, prompt_tokens, completion_tokens, NULL FROM model_answer WHERE document_id = $1
	UNION ALL SELECT created_at, 'matched', decided_by, document_b_id::text, 0, 0, NULL FROM document_match WHERE document_a_id = $1
	UNION ALL SELECT created_at, 'matched', decided_by, document_a_id::text, 0, 0, NULL FROM document_match WHERE document_b_id = $1
	UNION ALL SELECT created_at, 'review', name, id::text, 0, 0, NULL FROM review_job
		WHERE tenant_id = (SELECT tenant_id FROM document WHERE id = $1) AND document_id = $1
	UNION ALL SELECT created_at, 'event-waiting', kind, coalesce(error, ''), tries, 0, NULL FROM event
		WHERE document_a_id = $1 AND delivered_at IS NULL AND dead_at IS NULL
	UNION ALL SELECT dead_at, 'event-dead', kind, coalesce(error, ''), tries, 0, NULL FROM event
		WHERE document_a_id = $1 AND dead_at IS NOT NULL
	UNION ALL ` + notifiedOf(`n.document_id = $1 OR n.subject = 'ingestion'
		AND n.subject_id IN (SELECT id FROM ingestion WHERE document_id = $1)`)}

	// OfReview is a review with its parts.
	OfReview = Subject{"review_job", `SELECT id FROM review_chunk WHERE job_id = $1`, `
	SELECT created_at AS at, 'review' AS kind, name, '' AS detail, chunks AS n, 0 AS m, NULL::float8 AS usd FROM review_job WHERE id = $1
	UNION ALL SELECT started_at, 'review-begun', '', '', 0, 0, NULL FROM review_job WHERE id = $1
	UNION ALL SELECT ended_at, 'review-ended', status, coalesce(error, ''), findings, gaps, cost_usd::float8 FROM review_job WHERE id = $1
	UNION ALL SELECT published_at, 'part-published', kind, '', position + 1, 0, NULL FROM review_chunk
		WHERE job_id = $1 AND status IS DISTINCT FROM 'succeeded'
	UNION ALL SELECT failed_at, 'part-failed', kind, coalesce(error, ''), position + 1, attempts, NULL FROM review_chunk
		WHERE job_id = $1 AND status = 'failed'
	UNION ALL SELECT finished_at, 'stage-' || outcome, k.stage, coalesce(reason, ''), position + 1, calls, cost_usd::float8
		FROM review_checkpoint AS k JOIN review_chunk AS c ON c.id = k.chunk_id WHERE k.job_id = $1
	UNION ALL SELECT acted_at, 'finding', action, acted_by, seq, 0, NULL FROM finding_action WHERE job_id = $1
	UNION ALL ` + notifiedOf(`n.subject = 'chunk' AND n.subject_id IN (SELECT id FROM review_chunk WHERE job_id = $1)`)}

	// OfOffers is a job of match offers.
	OfOffers = Subject{"matchmaking_job", `SELECT $1`, `
	SELECT created_at AS at, 'job' AS kind, '' AS name, '' AS detail, 0 AS n, 0 AS m, NULL::float8 AS usd FROM matchmaking_job WHERE id = $1
	UNION ALL SELECT published_at, 'job-published', '', '', 0, 0, NULL FROM matchmaking_job WHERE id = $1
	UNION ALL SELECT started_at, 'job-begun', '', '', attempts, 0, NULL FROM matchmaking_job WHERE id = $1
	UNION ALL SELECT coalesce(failed_at, completed_at), 'job-' || status, '', coalesce(error, ''), attempts, 0, NULL
		FROM matchmaking_job WHERE id = $1
	UNION ALL SELECT o.created_at, 'set-queued', '', coalesce(o.error, ''), tries, 0, NULL FROM offer_delivery AS o WHERE job_id = $1
	UNION ALL SELECT delivered_at, 'set-delivered', '', '', tries, 0, NULL FROM offer_delivery WHERE job_id = $1
	UNION ALL SELECT acted_at, 'offers-' || kind, acted_by, reason, 0, 0, NULL FROM offer_action
		WHERE (tenant_id, user_id) = (SELECT tenant_id, user_id FROM matchmaking_job WHERE id = $1) AND job_id = $1
	UNION ALL ` + notifiedOf(`n.subject = 'job' AND n.subject_id = $1`)}
)

// Story reads up to limit things that happened to a subject, the latest first, with what people
// did to its dead letters.
func (r Reader) Story(ctx context.Context, of Subject, id uuid.UUID, limit int) ([]Happening, error) {
	return postgres.Rows[Happening](ctx, r.db, `
SELECT at, kind, left(name, 400), left(detail, 1000), n, m, usd FROM (`+of.story+`
	UNION ALL SELECT acted_at, 'letter-' || kind, acted_by, reason, 0, 0, NULL FROM dead_letter_action WHERE row_id IN (`+of.rows+`)
) AS story WHERE at IS NOT NULL ORDER BY at DESC, kind, n LIMIT $2`, id, limit)
}

// Deed is a person's act on a document: a decision about it and another one, a settled warning, a
// request to match it again, or what was done about its file. Note that its texts are as people wrote them.
type Deed struct {
	At   time.Time
	What string // confirmed, rejected, withdrawn, publish, the kind of a settled warning, or correct, read, dismiss, pages,
	// or approve, hold, dispute, withdraw, reopen, or comment, assign
	By    string
	Note  string
	Other *uuid.UUID // of a decision or a warning
}

const deedsSQL = `
SELECT * FROM (
	SELECT decided_at AS at, verdict, decided_by, note, document_b_id AS other FROM decision WHERE document_a_id = $1
	UNION ALL SELECT decided_at, verdict, decided_by, note, document_a_id FROM decision WHERE document_b_id = $1
	UNION ALL SELECT settled_at, kind, settled_by, concat_ws(', ', nullif(replace(verdict, '-', ' '), ''), reason), other_document_id
		FROM warning_settled WHERE document_id = $1
	UNION ALL SELECT acted_at, kind, acted_by, reason, NULL FROM document_action WHERE document_id = $1
	UNION ALL SELECT acted_at, kind, acted_by, reason, NULL FROM file_action WHERE document_id = $1
	UNION ALL SELECT acted_at, action, acted_by, reason, NULL FROM invoice_action WHERE document_id = $1
	UNION ALL SELECT written_at, kind, written_by, text, NULL FROM desk_note WHERE document_id = $1
) AS deeds ORDER BY at DESC, verdict, other LIMIT $2`

// Deeds reads up to limit deeds about a document, the latest first.
func (r Reader) Deeds(ctx context.Context, id uuid.UUID, limit int) ([]Deed, error) {
	return postgres.Rows[Deed](ctx, r.db, deedsSQL, id, limit)
}

package report

import (
	"context"
	"strings"
	"time"

	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Spent counts the calls and tokens a tenant bought from a model on one day, and the ones it
// saved by using answers again.
type Spent struct {
	TenantID         uuid.UUID
	Day              time.Time // in UTC
	Model            string    // as stored with answers and embeddings
	Calls            int
	Unusable         int // of these
	PromptTokens     int
	CompletionTokens int
	Embeddings       int
	EmbeddingTokens  float64
	// Saved, on whatever day: calls and their cost, embeddings and their cost.
	Replays                  int
	ReplayedPromptTokens     int
	ReplayedCompletionTokens int
	EmbeddingReplays         int
	ReplayedEmbeddingTokens  float64
}

// spentSQL sums the latest answers and embeddings since $1, at most $3 of each. Replays of an
// answer refused later don't count as saved.
func spentSQL(tenant uuid.UUID) string {
	of := "tenant_id = $2"
	if tenant == uuid.Nil {
		of = "$2::uuid IS NOT NULL"
	}
	return strings.ReplaceAll(`
WITH answer AS (
	SELECT tenant_id, (asked_at AT TIME ZONE 'UTC')::date AS day, model, prompt_tokens, completion_tokens, unusable,
		(CASE WHEN unusable = '' THEN replays ELSE greatest(replays - 1, 0) END)::bigint AS spared
	FROM model_answer
	WHERE asked_at >= $1 AND {of} ORDER BY asked_at DESC LIMIT $3
), embedding AS (
	SELECT tenant_id, (created_at AT TIME ZONE 'UTC')::date AS day, model, tokens, replays
	FROM model_embedding
	WHERE created_at >= $1 AND {of} ORDER BY created_at DESC LIMIT $3
)
SELECT tenant_id, day, model, count(*), count(*) FILTER (WHERE unusable <> ''),
	sum(prompt_tokens), sum(completion_tokens), 0, 0.0::float8,
	sum(spared)::bigint, sum(spared * prompt_tokens)::bigint, sum(spared * completion_tokens)::bigint, 0, 0.0::float8
FROM answer GROUP BY tenant_id, day, model
UNION ALL
SELECT tenant_id, day, model, 0, 0, 0, 0, count(*), sum(tokens), 0, 0, 0, sum(replays), sum(replays * tokens)
FROM embedding GROUP BY tenant_id, day, model
ORDER BY tenant_id, day, model`, "{of}", of)
}

// Spent reads the use since a time (zero: ever) by a tenant (uuid.Nil: all), sorted by tenant,
// day and model. Use most (0: all) where the whole history would take too long: it reads at most
// so many of a tenant's latest calls and embeddings, which an index finds.
func (r Reader) Spent(ctx context.Context, since time.Time, tenant uuid.UUID, most int) ([]Spent, error) {
	return postgres.Rows[Spent](ctx, r.db, spentSQL(tenant), since, tenant, postgres.OrNull(most))
}

// Asked counts the calls of a model for a document.
type Asked struct {
	Document                       uuid.UUID
	Model                          string
	Calls                          int
	PromptTokens, CompletionTokens int
}

const askedSQL = `
SELECT document_id, model, count(*), sum(prompt_tokens), sum(completion_tokens)
FROM model_answer WHERE document_id = ANY ($1) GROUP BY document_id, model`

// Asked counts the bought answers of documents, by model.
func (r Reader) Asked(ctx context.Context, documents []uuid.UUID) ([]Asked, error) {
	return postgres.Rows[Asked](ctx, r.db, askedSQL, documents)
}

// ModelUsage counts stored answers of models.
type ModelUsage struct {
	Last             int64 // id of the latest answer
	Replays          int   // uses of an answer instead of a new call, of all answers
	Documents        int   // different ones with a question
	Questions        int   // different ones
	Answers          int   // paid for
	Unusable         int   // of these, stored for people only
	PromptTokens     int
	CompletionTokens int
}

const modelUsageSQL = `
SELECT coalesce(max(id), 0), coalesce(sum(replays), 0),
	count(DISTINCT document_id) FILTER (WHERE id > $1),
	count(DISTINCT (tenant_id, model, question)) FILTER (WHERE id > $1),
	count(*) FILTER (WHERE id > $1),
	count(*) FILTER (WHERE id > $1 AND unusable <> ''),
	coalesce(sum(prompt_tokens) FILTER (WHERE id > $1), 0),
	coalesce(sum(completion_tokens) FILTER (WHERE id > $1), 0)
FROM model_answer`

// ModelUsage counts the answers after this id (0: all), and the replays of all answers.
func (r Reader) ModelUsage(ctx context.Context, after int64) (ModelUsage, error) {
	return postgres.First[ModelUsage](ctx, r.db, modelUsageSQL, after)
}

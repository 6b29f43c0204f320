package report

import (
	"context"

	"matchbook/lambda/postgres"
)

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

package postgres

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/job"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const findAnswerSQL = `
UPDATE model_answer SET replays = replays + 1
WHERE tenant_id = $1 AND model = $2 AND question = $3 AND unusable = ''
RETURNING id, answer`

// FindAnswer implements llm.Vault.
func (db *DB) FindAnswer(ctx context.Context, k llm.Key) (id int64, text string, found bool, err error) {
	err = Scan(ctx, db.Steady(), []any{&id, &text}, findAnswerSQL, k.Tenant, k.Model, k.Prompt[:])
	if errors.Is(err, job.ErrNotFound) {
		return 0, "", false, nil
	}
	return id, text, err == nil, err
}

// keepAnswerSQL marks the second answer as unusable if two attempts asked the same question at
// the same moment. Both are stored, because both were paid for.
const keepAnswerSQL = `
INSERT INTO model_answer
	(tenant_id, model, question, document_id, answer, prompt_tokens, completion_tokens, asked_at, prompt_version, unusable)
VALUES ($1, $2, $3, $4, $5, $6, $7, now(), $9, CASE
	WHEN $8 = '' AND EXISTS (SELECT FROM model_answer
		WHERE tenant_id = $1 AND model = $2 AND question = $3 AND unusable = '')
	THEN 'another attempt asked the same question at the same time' ELSE $8 END)
RETURNING id`

// KeepAnswer implements llm.Vault.
func (db *DB) KeepAnswer(
	ctx context.Context, k llm.Key, document uuid.UUID, a llm.Answer, unusable string,
) (id int64, err error) {
	return Value[int64](ctx, db.Steady(), keepAnswerSQL, k.Tenant, k.Model, k.Prompt[:], document, Storable(a.Text),
		Count(a.Usage.PromptTokens), Count(a.Usage.CompletionTokens), Storable(unusable), k.Version)
}

const discardAnswerSQL = `
UPDATE model_answer SET unusable = left($2, 1000) WHERE id = $1`

// DiscardAnswer implements llm.Vault.
func (db *DB) DiscardAnswer(ctx context.Context, id int64, why string) error {
	return db.Steady().Exec(ctx, discardAnswerSQL, id, Storable(why))
}

// findVectorsSQL locks in the order of the hashes, because documents share many texts.
const findVectorsSQL = `
WITH chosen AS (
	SELECT tenant_id, model, text_hash FROM model_embedding
	WHERE tenant_id = $1 AND model = $2 AND text_hash = ANY ($3)
	ORDER BY text_hash FOR NO KEY UPDATE
)
UPDATE model_embedding AS e SET replays = replays + 1
FROM chosen
WHERE e.tenant_id = chosen.tenant_id AND e.model = chosen.model AND e.text_hash = chosen.text_hash
RETURNING e.text_hash, vector`

// FindVectors implements llm.VectorVault.
func (db *DB) FindVectors(
	ctx context.Context, tenant uuid.UUID, embedder string, hashes [][]byte,
) (map[string]llm.Vector, error) {
	found := make(map[string]llm.Vector, len(hashes))
	var hash, vector []byte
	read := Each([]any{&hash, &vector}, func() { found[string(hash)] = llm.VectorOf(vector) })
	return found, Read(ctx, db.Steady(), read, findVectorsSQL, tenant, embedder, hashes)
}

const keepVectorSQL = `
INSERT INTO model_embedding (tenant_id, model, text_hash, vector, tokens, created_at) VALUES ($1, $2, $3, $4, $5, now())
ON CONFLICT (tenant_id, model, text_hash) DO NOTHING`

// KeepVectors implements llm.VectorVault.
func (db *DB) KeepVectors(
	ctx context.Context, tenant uuid.UUID, embedder string, vectors map[string]llm.Vector, u llm.Usage,
) error {
	tokens := float64(u.PromptTokens) / float64(len(vectors))
	return db.Steady().Batch(ctx, func(b *pgx.Batch) {
		for _, hash := range slices.Sorted(maps.Keys(vectors)) { // in hash order, see findVectorsSQL
			b.Queue(keepVectorSQL, tenant, embedder, []byte(hash), vectors[hash].Bytes(), tokens)
		}
	})
}

// Count clamps a count to its column's range, so that a provider's wrong count can't keep an
// answer from being stored.
func Count(n int) int { return max(0, min(n, math.MaxInt32)) }

// Storable replaces bytes refused by PostgreSQL, because a model's answer may contain them:
// NUL, and invalid UTF-8.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

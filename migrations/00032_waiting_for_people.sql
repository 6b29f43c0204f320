-- +goose NO TRANSACTION
-- What waits for people, by tenant, the latest first; and what models were paid. Every
-- statement may be run again.

-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS match_suggestion_open_idx;
CREATE INDEX CONCURRENTLY match_suggestion_open_idx ON match_suggestion (tenant_id, created_at) WHERE decided_by <> 'person';
DROP INDEX CONCURRENTLY IF EXISTS document_warning_tenant_idx;
CREATE INDEX CONCURRENTLY document_warning_tenant_idx ON document_warning (tenant_id, created_at);
DROP INDEX CONCURRENTLY IF EXISTS document_failed_idx;
CREATE INDEX CONCURRENTLY document_failed_idx ON document (tenant_id, matching_failed_at) WHERE matching_status = 'failed';
DROP INDEX CONCURRENTLY IF EXISTS ingestion_open_idx;
CREATE INDEX CONCURRENTLY ingestion_open_idx
    ON ingestion (tenant_id, coalesce(failed_at, completed_at, created_at)) WHERE job_status = 'failed' OR needs_human_review;
DROP INDEX CONCURRENTLY IF EXISTS model_answer_tenant_idx;
CREATE INDEX CONCURRENTLY model_answer_tenant_idx ON model_answer (tenant_id, asked_at);
DROP INDEX CONCURRENTLY IF EXISTS model_embedding_tenant_idx;
CREATE INDEX CONCURRENTLY model_embedding_tenant_idx ON model_embedding (tenant_id, created_at);
DROP INDEX CONCURRENTLY IF EXISTS notification_tenant_idx;
CREATE INDEX CONCURRENTLY notification_tenant_idx ON notification (tenant_id, created_at);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS notification_tenant_idx;
DROP INDEX CONCURRENTLY IF EXISTS model_embedding_tenant_idx;
DROP INDEX CONCURRENTLY IF EXISTS model_answer_tenant_idx;
DROP INDEX CONCURRENTLY IF EXISTS ingestion_open_idx;
DROP INDEX CONCURRENTLY IF EXISTS document_failed_idx;
DROP INDEX CONCURRENTLY IF EXISTS document_warning_tenant_idx;
DROP INDEX CONCURRENTLY IF EXISTS match_suggestion_open_idx;

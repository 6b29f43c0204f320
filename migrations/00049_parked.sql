-- +goose NO TRANSACTION
-- The rows that wait for a service, the longest waiting first. Every statement may be run again.

-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS document_parked_idx;
CREATE INDEX CONCURRENTLY document_parked_idx ON document (tenant_id, matching_due_at)
    WHERE matching_parked_for IS NOT NULL AND matching_status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS ingestion_parked_idx;
CREATE INDEX CONCURRENTLY ingestion_parked_idx ON ingestion (tenant_id, due_at)
    WHERE parked_for IS NOT NULL AND job_status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS review_chunk_parked_idx;
CREATE INDEX CONCURRENTLY review_chunk_parked_idx ON review_chunk (tenant_id, due_at)
    WHERE parked_for IS NOT NULL AND status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS matchmaking_job_parked_idx;
CREATE INDEX CONCURRENTLY matchmaking_job_parked_idx ON matchmaking_job (tenant_id, due_at)
    WHERE parked_for IS NOT NULL AND job_status = 'pending';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS matchmaking_job_parked_idx;
DROP INDEX CONCURRENTLY IF EXISTS review_chunk_parked_idx;
DROP INDEX CONCURRENTLY IF EXISTS ingestion_parked_idx;
DROP INDEX CONCURRENTLY IF EXISTS document_parked_idx;

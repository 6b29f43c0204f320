-- +goose NO TRANSACTION
-- The failed rows of files and reviews, for whoever is called at night. Every statement may be run
-- again. Rows that succeed are in none of these indexes.

-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS ingestion_failed_idx;
CREATE INDEX CONCURRENTLY ingestion_failed_idx ON ingestion (tenant_id, failed_at) WHERE job_status = 'failed';
DROP INDEX CONCURRENTLY IF EXISTS review_chunk_failed_idx;
CREATE INDEX CONCURRENTLY review_chunk_failed_idx ON review_chunk (tenant_id, failed_at) WHERE status = 'failed';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS review_chunk_failed_idx;
DROP INDEX CONCURRENTLY IF EXISTS ingestion_failed_idx;

-- +goose NO TRANSACTION
-- The lists of documents that people page through: by tenant, type and state, the
-- latest first; and by their total as printed. Every statement may be run again.

-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS document_listed_idx;
CREATE INDEX CONCURRENTLY document_listed_idx
    ON document (tenant_id, type, coalesce(matching_status, 'none'), received_at, id);
-- The beginning is enough, and a sorted index refuses long texts.
DROP INDEX CONCURRENTLY IF EXISTS document_total_idx;
CREATE INDEX CONCURRENTLY document_total_idx
    ON document (tenant_id, left(structured_data ->> 'total', 24), received_at, id) WHERE structured_data ->> 'total' IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS document_total_idx;
DROP INDEX CONCURRENTLY IF EXISTS document_listed_idx;

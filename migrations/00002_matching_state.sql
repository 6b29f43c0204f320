-- +goose NO TRANSACTION
-- The index is built concurrently, because the table may be large and in use
-- by the time that matching is introduced. Every statement may be run again.

-- +goose Up
ALTER TABLE document
    ADD COLUMN IF NOT EXISTS matching_status text
        CHECK (matching_status IN ('pending', 'in-progress', 'succeeded', 'failed')),
    ADD COLUMN IF NOT EXISTS matching_error text,
    ADD COLUMN IF NOT EXISTS matching_attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS matching_failed_at timestamptz;
-- An interrupted concurrent build leaves an invalid index behind.
DROP INDEX CONCURRENTLY IF EXISTS document_matching_status_idx;
CREATE INDEX CONCURRENTLY document_matching_status_idx
    ON document (matching_status) WHERE matching_status IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS document_matching_status_idx;
ALTER TABLE document
    DROP COLUMN IF EXISTS matching_failed_at,
    DROP COLUMN IF EXISTS matching_attempts,
    DROP COLUMN IF EXISTS matching_error,
    DROP COLUMN IF EXISTS matching_status;

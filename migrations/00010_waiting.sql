-- +goose NO TRANSACTION
-- A row is enough: whatever program inserts a document or sets it to pending,
-- the sweep finds it. Every statement may be run again.

-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE document
    -- How many claims in a row ended without a result, the live one left out.
    ADD COLUMN IF NOT EXISTS matching_lapses smallint NOT NULL DEFAULT 0,
    -- Rows from before this migration keep NULL: they are not queued.
    ALTER COLUMN matching_due_at SET DEFAULT now();
UPDATE document SET matching_lease_until = now() WHERE matching_status = 'in-progress' AND matching_lease_until IS NULL;
UPDATE document SET matching_failed_at = now() WHERE matching_status = 'failed' AND matching_failed_at IS NULL;
ALTER TABLE document DROP CONSTRAINT IF EXISTS document_matching_state_check;
ALTER TABLE document ADD CONSTRAINT document_matching_state_check CHECK (
    (matching_status IS DISTINCT FROM 'in-progress' OR matching_lease_until IS NOT NULL)
    AND (matching_status IS DISTINCT FROM 'failed' OR matching_failed_at IS NOT NULL)
    AND matching_attempts >= 0 AND matching_republished >= 0 AND matching_lapses >= 0) NOT VALID;
ALTER TABLE document VALIDATE CONSTRAINT document_matching_state_check;
RESET lock_timeout;

-- What waits for a message or for its worker, by when that was due.
DROP INDEX CONCURRENTLY IF EXISTS document_matching_waiting_idx;
CREATE INDEX CONCURRENTLY document_matching_waiting_idx
    ON document (tenant_id, matching_status, coalesce(matching_lease_until, matching_due_at, received_at))
    WHERE matching_status IN ('pending', 'in-progress');
-- What was inserted and never published.
DROP INDEX CONCURRENTLY IF EXISTS document_matching_unpublished_idx;
CREATE INDEX CONCURRENTLY document_matching_unpublished_idx
    ON document (coalesce(matching_due_at, received_at))
    WHERE matching_published_at IS NULL AND matching_attempts = 0 AND (matching_status = 'pending'
        OR matching_status IS NULL AND matching_due_at IS NOT NULL AND matching_error IS NULL
            AND type IS NOT NULL AND structured_data IS NOT NULL);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS document_matching_unpublished_idx;
DROP INDEX CONCURRENTLY IF EXISTS document_matching_waiting_idx;
SET lock_timeout = '5s';
ALTER TABLE document
    DROP CONSTRAINT IF EXISTS document_matching_state_check,
    ALTER COLUMN matching_due_at DROP DEFAULT,
    DROP COLUMN IF EXISTS matching_lapses;
RESET lock_timeout;

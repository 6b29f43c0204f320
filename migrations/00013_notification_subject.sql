-- +goose NO TRANSACTION
-- A notification is about a row of any workload. Of a document it has the id
-- in document_id, whose key keeps the document from being deleted; of any other
-- row it has the id in subject_id, and in subject a word for it. Every
-- statement may be run again.

-- +goose Up
SET lock_timeout = '5s';
ALTER TABLE notification
    ADD COLUMN IF NOT EXISTS subject text NOT NULL DEFAULT 'document',
    ADD COLUMN IF NOT EXISTS subject_id uuid,
    ALTER COLUMN document_id DROP NOT NULL;
ALTER TABLE notification DROP CONSTRAINT IF EXISTS notification_subject_check;
ALTER TABLE notification ADD CONSTRAINT notification_subject_check
    CHECK (num_nonnulls(document_id, subject_id) = 1 AND (subject = 'document') = (document_id IS NOT NULL)) NOT VALID;
ALTER TABLE notification VALIDATE CONSTRAINT notification_subject_check;
RESET lock_timeout;

-- Of each row and attempt one of a kind, as of documents.
DROP INDEX CONCURRENTLY IF EXISTS notification_subject_idx;
CREATE UNIQUE INDEX CONCURRENTLY notification_subject_idx
    ON notification (subject_id, subject, kind, attempt) WHERE subject_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS notification_subject_idx;
SET lock_timeout = '5s';
DELETE FROM notification WHERE document_id IS NULL;
ALTER TABLE notification
    DROP CONSTRAINT IF EXISTS notification_subject_check,
    DROP COLUMN IF EXISTS subject_id,
    DROP COLUMN IF EXISTS subject,
    ALTER COLUMN document_id SET NOT NULL;
RESET lock_timeout;

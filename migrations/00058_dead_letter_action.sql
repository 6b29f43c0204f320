-- +goose NO TRANSACTION
-- What people did to messages in dead-letter queues, and an index for the history of a document.
-- Every statement may be run again.

-- +goose Up
SET lock_timeout = '2s';
-- Rows are only added, before the message is deleted. No foreign keys: they outlive their rows.
CREATE TABLE IF NOT EXISTS dead_letter_action (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    function   text NOT NULL,                 -- that the queue feeds
    message_id text NOT NULL,                 -- of SQS; empty: a failed row without a message
    row_id     uuid,                          -- NULL: the message names none
    tenant_id  uuid,                          -- NULL: unknown
    kind       text NOT NULL CHECK (kind IN ('redrive', 'drop')),
    acted_by   text NOT NULL,                 -- the person
    reason     text NOT NULL,
    acted_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS dead_letter_action_row_idx ON dead_letter_action (row_id, acted_at);
DROP INDEX CONCURRENTLY IF EXISTS model_answer_document_idx;
CREATE INDEX CONCURRENTLY model_answer_document_idx ON model_answer (document_id, asked_at);

-- +goose Down
SET lock_timeout = '2s';
DROP INDEX CONCURRENTLY IF EXISTS model_answer_document_idx;
DROP TABLE dead_letter_action;

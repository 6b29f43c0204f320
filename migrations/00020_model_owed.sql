-- +goose Up
SET LOCAL lock_timeout = '2s';
-- The rules leave the pair open, and no model has answered about it, as it is now.
ALTER TABLE match_pair ADD COLUMN owed boolean NOT NULL DEFAULT false;
-- Why a document has no embedding, if one was to be made.
ALTER TABLE document ADD COLUMN embedding_error text;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE document DROP COLUMN embedding_error;
ALTER TABLE match_pair DROP COLUMN owed;

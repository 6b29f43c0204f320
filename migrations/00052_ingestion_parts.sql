-- +goose NO TRANSACTION
-- The documents of a file are found by it: each completed ingestion looks for them, and so does
-- the page of a document. Without this index both read all ingestions.

-- +goose Up
SET lock_timeout = '2s';
CREATE INDEX CONCURRENTLY IF NOT EXISTS ingestion_part_of_idx ON ingestion (part_of) WHERE part_of IS NOT NULL;

-- +goose Down
SET lock_timeout = '2s';
DROP INDEX CONCURRENTLY IF EXISTS ingestion_part_of_idx;

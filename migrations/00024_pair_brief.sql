-- The part of a pair's evidence that other pairs depend on. Pairs from before have
-- none until they are scored again; all of their evidence is read in its place.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE match_pair ADD COLUMN IF NOT EXISTS brief jsonb;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE match_pair DROP COLUMN brief;

-- The competition compares the numbers, dates and times of receipt of the
-- documents of a pair. Pairs from before have none until they are scored again.

-- +goose Up
SET LOCAL lock_timeout = '5s';
ALTER TABLE match_pair ADD COLUMN ends jsonb NOT NULL DEFAULT '[]'; -- of a and of b

-- +goose Down
SET LOCAL lock_timeout = '5s';
ALTER TABLE match_pair DROP COLUMN ends;

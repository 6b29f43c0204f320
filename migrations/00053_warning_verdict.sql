-- What a person found about a warning: a word of its kind, such as is-a-copy. Rows from before have none.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE warning_settled ADD COLUMN IF NOT EXISTS verdict text NOT NULL DEFAULT '';

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE warning_settled DROP COLUMN verdict;

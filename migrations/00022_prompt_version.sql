-- +goose Up
SET LOCAL lock_timeout = '2s';
-- The version of the question of an answer, such as match/2; empty before there were versions.
ALTER TABLE model_answer ADD COLUMN prompt_version text NOT NULL DEFAULT '';

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE model_answer DROP COLUMN prompt_version;

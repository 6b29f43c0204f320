-- The tokens of a tenant that were issued before are withdrawn.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE tenant ADD COLUMN IF NOT EXISTS tokens_since timestamptz;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE tenant DROP COLUMN tokens_since;

-- The tenants that were erased, by a digest of their ids, so that their old tokens stay invalid.

-- +goose Up
SET LOCAL lock_timeout = '2s';
CREATE TABLE IF NOT EXISTS erased_tenant (
    digest    bytea PRIMARY KEY,     -- SHA-256 of the id as text
    erased_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE erased_tenant;

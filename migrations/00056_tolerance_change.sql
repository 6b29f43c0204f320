-- Who changed which tolerance, and why.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- Rows are only added, each in the transaction of its change.
CREATE TABLE IF NOT EXISTS tolerance_change (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    form       uuid UNIQUE,              -- of the form, so that it acts once; NULL: a command
    tenant_id  uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    supplier   text COLLATE "C" NOT NULL, -- as in tolerance
    before     jsonb NOT NULL,           -- the numbers that applied
    after      jsonb,                    -- NULL: removed
    changed_by text NOT NULL,            -- the person
    origin     text NOT NULL CHECK (origin IN ('command', 'console')),
    reason     text NOT NULL,            -- may be empty
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS tolerance_change_tenant_idx ON tolerance_change (tenant_id, id);

-- +goose Down
DROP TABLE tolerance_change;

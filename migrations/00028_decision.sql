-- +goose Up
-- What people decided about pairs. Rows are only added. The verdict that counts is
-- that of match_pair, which changes in the transaction that adds the row.
CREATE TABLE IF NOT EXISTS decision (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order of decisions of a tenant
    tenant_id     uuid NOT NULL,
    document_a_id uuid NOT NULL,
    document_b_id uuid NOT NULL,
    verdict       text NOT NULL CHECK (verdict IN ('confirmed', 'rejected', 'withdrawn')),
    decided_by    text NOT NULL,                -- the person
    origin        text NOT NULL CHECK (origin IN ('command', 'console')),
    note          text NOT NULL DEFAULT '',
    decided_at    timestamptz NOT NULL DEFAULT now(),
    CHECK (document_a_id < document_b_id),
    FOREIGN KEY (tenant_id, document_a_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, document_b_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS decision_tenant_idx ON decision (tenant_id, id);
CREATE INDEX IF NOT EXISTS decision_a_idx ON decision (document_a_id);
CREATE INDEX IF NOT EXISTS decision_b_idx ON decision (document_b_id);

-- +goose Down
DROP TABLE decision;

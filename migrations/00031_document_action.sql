-- +goose Up
-- What people did to documents in the console, and why. Rows are only added, each in
-- the transaction of the change. The id is that of the form, so that a form that is
-- sent twice acts once.
CREATE TABLE IF NOT EXISTS document_action (
    id          uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('publish')),
    acted_by    text NOT NULL,                -- the person
    reason      text NOT NULL,
    acted_at    timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS document_action_document_idx ON document_action (document_id, acted_at);

-- +goose Down
DROP TABLE document_action;

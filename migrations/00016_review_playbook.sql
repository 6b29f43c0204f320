-- +goose Up
-- A tenant's positions on clauses, for its reviews; the default for a tenant
-- without a row. A review keeps the playbook with which it began, in review_text.
CREATE TABLE review_playbook (
    tenant_id  uuid PRIMARY KEY,
    playbook   jsonb NOT NULL,          -- as lambda/review/playbook reads it
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE review_playbook;

-- +goose Up
CREATE TABLE tenant (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TYPE document_type AS ENUM (
    'purchase-order', 'order-confirmation', 'delivery-note', 'goods-receipt',
    'invoice', 'credit-note', 'contract');

CREATE TABLE document (
    id                      uuid PRIMARY KEY,
    tenant_id               uuid NOT NULL REFERENCES tenant (id) ON DELETE RESTRICT,
    type                    document_type,
    file_path               text,
    structured_data         jsonb,
    received_at             timestamptz NOT NULL DEFAULT now(),
    -- What matching derives from structured_data, written by every attempt.
    searchable_text         text,
    normalized_counterparty jsonb,
    normalized_references   jsonb,
    match_keys              text[],     -- what candidates are looked up by
    embedding               bytea,
    cluster_id              uuid,       -- smallest id of the cluster; NULL for a lone document
    needs_human_review      boolean NOT NULL DEFAULT false,
    UNIQUE (tenant_id, id)              -- the target of keys that keep an edge within its tenant
);

CREATE INDEX document_match_keys_idx ON document USING gin (match_keys);
CREATE INDEX document_cluster_idx ON document (cluster_id) WHERE cluster_id IS NOT NULL;

-- +goose Down
DROP TABLE document;
DROP TYPE document_type;
DROP TABLE tenant;

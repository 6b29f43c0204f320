-- The companies of a tenant: the ingest function never takes one for the supplier of an
-- invoice. Without a row the page alone decides.

-- +goose Up
CREATE TABLE IF NOT EXISTS own_company (
    tenant_id uuid NOT NULL,
    name      text NOT NULL,            -- as invoices print it
    vat_id    text NOT NULL DEFAULT '', -- in plain form, or empty
    PRIMARY KEY (tenant_id, name)
);

-- +goose Down
DROP TABLE own_company;

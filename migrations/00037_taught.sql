-- What corrections taught: where the documents of a supplier print a field, and their name. A
-- document keeps its printed lines, because the correction comes later and must find its value.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE ingestion ADD COLUMN IF NOT EXISTS printed_lines jsonb; -- page, text and box; NULL: of an e-invoice, or read before

CREATE TABLE IF NOT EXISTS taught (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,          -- the corrected one
    field       text NOT NULL,          -- its path
    keys        text[] NOT NULL,        -- of the supplier: vat:, iban:, head:
    source      text NOT NULL,          -- the document in words, such as invoice R-1
    place       jsonb NOT NULL,         -- as package taught writes it
    taught_by   text NOT NULL,          -- the person
    taught_at   timestamptz NOT NULL DEFAULT now(),
    forgotten_at   timestamptz,         -- NULL: in use
    forgotten_for  uuid,                -- the document it failed on
    forgotten_why  text,
    UNIQUE (document_id, field),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS taught_keys_idx ON taught USING gin (keys);

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TABLE taught;
ALTER TABLE ingestion DROP COLUMN printed_lines;

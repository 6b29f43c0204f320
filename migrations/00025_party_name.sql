-- The names of suppliers that are known as names of one, for each tenant: names
-- beside one VAT id, and names of documents whose match a person confirmed.
-- A document has its row from its next matching on.

-- +goose Up
CREATE TABLE IF NOT EXISTS party_name (
    document_id uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    name        text COLLATE "C" NOT NULL, -- of the supplier, in comparable form; empty without one
    vat_id      text COLLATE "C" NOT NULL, -- beside it; empty without a valid one
    confirmed   uuid[] NOT NULL,           -- documents of other names that a person confirmed as matches of this one
    matched_as  text COLLATE "C" NOT NULL, -- the identities of the name with which the document was matched
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS party_name_name_idx ON party_name (tenant_id, name, vat_id);
CREATE INDEX IF NOT EXISTS party_name_vat_id_idx ON party_name (tenant_id, vat_id, name) WHERE vat_id <> '';
CREATE INDEX IF NOT EXISTS party_name_confirmed_idx ON party_name (tenant_id, name) WHERE confirmed <> '{}';

-- +goose Down
DROP TABLE party_name;

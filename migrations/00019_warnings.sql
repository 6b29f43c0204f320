-- Warnings about documents, and the three-way match of invoices with their orders
-- and receipts. Both are computed from documents and matches, and written with them.

-- +goose Up
-- A warning takes no match away: it is for people.
CREATE TABLE document_warning (
    tenant_id         uuid NOT NULL,
    document_id       uuid NOT NULL,
    kind              text NOT NULL,          -- number-used-twice, billed-twice, account-changed, over-billed
    other_document_id uuid NOT NULL,          -- the earlier document, or the order
    words             text NOT NULL,          -- with texts of the documents
    created_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, kind, other_document_id),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, other_document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX document_warning_other_idx ON document_warning (other_document_id);

-- The keys by which a document finds the ones before it that may be warned about.
CREATE TABLE warning_key (
    tenant_id   uuid NOT NULL,
    key         text COLLATE "C" NOT NULL,
    dated       date NOT NULL,                -- of the document; -infinity without a date
    document_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, key, dated, document_id),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX warning_key_document_idx ON warning_key (document_id);

-- A tenant without a row has the defaults. A difference is within the tolerance if it
-- is within one of the two.
CREATE TABLE match_tolerance (
    tenant_id         uuid PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
    price_percent     numeric(9, 4) NOT NULL DEFAULT 2 CHECK (price_percent >= 0),
    price_absolute    numeric(18, 4) NOT NULL DEFAULT 0.01 CHECK (price_absolute >= 0),    -- in the invoice's currency
    quantity_percent  numeric(9, 4) NOT NULL DEFAULT 0 CHECK (quantity_percent >= 0),
    quantity_absolute numeric(18, 4) NOT NULL DEFAULT 0 CHECK (quantity_absolute >= 0),    -- in the line's unit
    needs_receipt     boolean NOT NULL DEFAULT true                                        -- false: a match of order and invoice is enough
);

CREATE TABLE three_way_match (
    document_id uuid PRIMARY KEY,             -- the invoice
    tenant_id   uuid NOT NULL,
    verdict     text NOT NULL,                -- of its lines, the worst: matched, price-variance, quantity-variance, not-received, not-ordered, over-billed; unchecked
    words       text NOT NULL,
    lines       jsonb NOT NULL,               -- of the invoice, with their verdicts
    orders      jsonb NOT NULL,               -- what all invoices leave of each order
    receipts    jsonb NOT NULL,               -- ids
    tolerance   jsonb NOT NULL,               -- that applied
    created_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);

-- The confidence of a match before a warning lowered it; empty: none did.
SET LOCAL lock_timeout = '2s';
ALTER TABLE document_match ADD COLUMN lowered_from text NOT NULL DEFAULT '';

-- +goose Down
SET LOCAL lock_timeout = '2s';
UPDATE document_match SET confidence = lowered_from WHERE lowered_from <> '';
ALTER TABLE document_match DROP COLUMN lowered_from;
DROP TABLE three_way_match;
DROP TABLE match_tolerance;
DROP TABLE warning_key;
DROP TABLE document_warning;

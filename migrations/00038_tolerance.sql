-- +goose NO TRANSACTION
-- Tolerances by tenant and supplier, the invoices that a changed one concerns, and what the
-- documents say about the units of articles. Every statement may be run again.

-- +goose Up
SET lock_timeout = '2s';
-- A difference is within the tolerance if it is within one of the two. match_tolerance stays for
-- the version before.
CREATE TABLE IF NOT EXISTS tolerance (
    tenant_id         uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    supplier          text COLLATE "C" NOT NULL DEFAULT '', -- VAT id in plain form, or the name's key; empty: all others
    price_percent     numeric(9, 4) NOT NULL DEFAULT 2 CHECK (price_percent >= 0),
    price_absolute    numeric(18, 4) NOT NULL DEFAULT 0.01 CHECK (price_absolute >= 0),  -- in the invoice's currency
    quantity_percent  numeric(9, 4) NOT NULL DEFAULT 0 CHECK (quantity_percent >= 0),    -- of goods that are counted
    measured_percent  numeric(9, 4) NOT NULL DEFAULT 5 CHECK (measured_percent >= 0),    -- of goods by weight, length or volume
    quantity_absolute numeric(18, 4) NOT NULL DEFAULT 0 CHECK (quantity_absolute >= 0),  -- in the order's unit
    total_percent     numeric(9, 4) NOT NULL DEFAULT 2 CHECK (total_percent >= 0),       -- of an order, over all its invoices
    total_absolute    numeric(18, 4) NOT NULL DEFAULT 0.01 CHECK (total_absolute >= 0),
    charge_percent    numeric(9, 4) NOT NULL DEFAULT 0 CHECK (charge_percent >= 0),      -- unplanned, of the invoice's goods
    charge_absolute   numeric(18, 4) NOT NULL DEFAULT 0 CHECK (charge_absolute >= 0),
    needs_receipt     boolean NOT NULL DEFAULT true,                                     -- false: a match of order and invoice is enough
    services          text[] NOT NULL DEFAULT '{}',                                      -- units or articles without a receipt
    PRIMARY KEY (tenant_id, supplier)
);
INSERT INTO tolerance (tenant_id, price_percent, price_absolute, quantity_percent, measured_percent, quantity_absolute, needs_receipt)
SELECT tenant_id, price_percent, price_absolute, quantity_percent, quantity_percent, quantity_absolute, needs_receipt FROM match_tolerance
ON CONFLICT DO NOTHING;

-- What an invoice says about an article's units: one from_unit is factor to_unit of its order.
CREATE TABLE IF NOT EXISTS article_unit (
    document_id uuid NOT NULL,                -- the invoice
    tenant_id   uuid NOT NULL,
    article     text COLLATE "C" NOT NULL,
    from_unit   text COLLATE "C" NOT NULL,
    to_unit     text COLLATE "C" NOT NULL,
    factor      numeric NOT NULL,
    PRIMARY KEY (document_id, article, from_unit, to_unit),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS article_unit_article_idx ON article_unit (tenant_id, article);

-- judge_again: the tolerance, or what is known about a unit, has changed. unknown_units: the
-- articles that other documents may say more about.
ALTER TABLE three_way_match
    ADD COLUMN IF NOT EXISTS judge_again boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS unknown_units text[] NOT NULL DEFAULT '{}';
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_again_idx;
CREATE INDEX CONCURRENTLY three_way_match_again_idx ON three_way_match (tenant_id, document_id) WHERE judge_again;
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_unknown_idx;
CREATE INDEX CONCURRENTLY three_way_match_unknown_idx ON three_way_match USING gin (unknown_units) WHERE unknown_units <> '{}';

-- +goose Down
SET lock_timeout = '2s';
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_unknown_idx;
DROP INDEX CONCURRENTLY IF EXISTS three_way_match_again_idx;
ALTER TABLE three_way_match DROP COLUMN IF EXISTS unknown_units, DROP COLUMN IF EXISTS judge_again;
DROP TABLE IF EXISTS article_unit;
DROP TABLE IF EXISTS tolerance;

-- What people answer: warnings that they settled, with a reason, and the facts that a
-- confirmed match teaches.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- A hash of the values that a warning compares, whatever its words.
ALTER TABLE document_warning ADD COLUMN IF NOT EXISTS facts text NOT NULL DEFAULT '';
UPDATE document_warning SET facts = md5(words) WHERE facts = '';

-- Rows are only added. A warning stays settled while its facts are the same.
CREATE TABLE IF NOT EXISTS warning_settled (
    tenant_id         uuid NOT NULL,
    document_id       uuid NOT NULL,
    kind              text NOT NULL,
    other_document_id uuid NOT NULL,
    facts             text NOT NULL,
    settled_by        text NOT NULL,          -- the person
    origin            text NOT NULL,          -- command or console
    reason            text NOT NULL,
    settled_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_id, kind, other_document_id, facts),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, other_document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS warning_settled_other_idx ON warning_settled (other_document_id);

-- The rows of a pair go when its confirmation goes.
CREATE TABLE IF NOT EXISTS taught_fact (
    document_a_id uuid NOT NULL,
    document_b_id uuid NOT NULL,
    tenant_id     uuid NOT NULL,
    supplier      text COLLATE "C" NOT NULL,  -- party_name.name
    fact          text NOT NULL,              -- a line of score.Raw.Known
    PRIMARY KEY (document_a_id, document_b_id, supplier, fact),
    FOREIGN KEY (tenant_id, document_a_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, document_b_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS taught_fact_supplier_idx ON taught_fact (tenant_id, supplier);
CREATE INDEX IF NOT EXISTS taught_fact_b_idx ON taught_fact (document_b_id);

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TABLE taught_fact;
DROP TABLE warning_settled;
ALTER TABLE document_warning DROP COLUMN facts;

-- When the state of a document last changed, and the decisions of people, for other
-- programs (lambda/INTEGRATE.md). The times that document had do not tell when a
-- document was claimed, succeeded, or joined a cluster.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- NULL for rows that have not changed since this migration. No index has the column.
ALTER TABLE document ADD COLUMN IF NOT EXISTS updated_at timestamptz;
ALTER TABLE document ALTER COLUMN updated_at SET DEFAULT now();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION document_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- The columns of the view; what matching derives from a document is none of them.
CREATE OR REPLACE TRIGGER document_updated BEFORE UPDATE OF type, structured_data, received_at, matching_status,
    matching_attempts, matching_error, matching_published_at, matching_failed_at, matching_due_at, cluster_id ON document
    FOR EACH ROW EXECUTE FUNCTION document_updated();

CREATE OR REPLACE VIEW matchbook_document_state AS
SELECT d.tenant_id, d.id AS document_id, d.type::text AS type, d.structured_data ->> 'number' AS number, d.received_at,
    coalesce(d.matching_status, 'none') AS status, d.matching_attempts AS attempts, d.matching_error AS error,
    d.matching_published_at AS published_at, d.matching_failed_at AS failed_at, d.matching_due_at AS due_at, d.cluster_id,
    coalesce(d.updated_at, greatest(d.received_at, d.matching_published_at, d.matching_failed_at)) AS updated_at
FROM document AS d;

CREATE OR REPLACE VIEW matchbook_decision AS
SELECT c.tenant_id, c.id AS decision_id, c.document_a_id, a.type::text AS type_a, a.structured_data ->> 'number' AS number_a,
    c.document_b_id, b.type::text AS type_b, b.structured_data ->> 'number' AS number_b,
    c.verdict, c.decided_by, c.origin, c.note, c.decided_at
FROM decision AS c JOIN document AS a ON a.id = c.document_a_id JOIN document AS b ON b.id = c.document_b_id;

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP VIEW matchbook_decision;
DROP VIEW matchbook_document_state;
CREATE VIEW matchbook_document_state AS
SELECT d.tenant_id, d.id AS document_id, d.type::text AS type, d.structured_data ->> 'number' AS number, d.received_at,
    coalesce(d.matching_status, 'none') AS status, d.matching_attempts AS attempts, d.matching_error AS error,
    d.matching_published_at AS published_at, d.matching_failed_at AS failed_at, d.matching_due_at AS due_at, d.cluster_id
FROM document AS d;
DROP TRIGGER document_updated ON document;
DROP FUNCTION document_updated();
ALTER TABLE document DROP COLUMN updated_at;

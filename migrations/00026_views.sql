-- Views for other programs. They are a contract: columns are added, and none is
-- changed or removed (lambda/INTEGRATE.md; TestViewsAreAContract in package postgres).
-- They have a prefix, not a schema of their own: a schema called matchbook would stand
-- first in the search path of a database user called matchbook.

-- +goose Up
CREATE OR REPLACE VIEW matchbook_document_state AS
SELECT d.tenant_id, d.id AS document_id, d.type::text AS type, d.structured_data ->> 'number' AS number, d.received_at,
    coalesce(d.matching_status, 'none') AS status, d.matching_attempts AS attempts, d.matching_error AS error,
    d.matching_published_at AS published_at, d.matching_failed_at AS failed_at, d.matching_due_at AS due_at, d.cluster_id
FROM document AS d;

CREATE OR REPLACE VIEW matchbook_match AS
SELECT m.tenant_id, m.document_a_id, a.type::text AS type_a, a.structured_data ->> 'number' AS number_a,
    m.document_b_id, b.type::text AS type_b, b.structured_data ->> 'number' AS number_b,
    m.score, m.confidence, m.decided_by, m.reasoning, m.created_at AS updated_at
FROM document_match AS m JOIN document AS a ON a.id = m.document_a_id JOIN document AS b ON b.id = m.document_b_id;

CREATE OR REPLACE VIEW matchbook_open_question AS
SELECT s.tenant_id, s.document_a_id, a.type::text AS type_a, a.structured_data ->> 'number' AS number_a,
    s.document_b_id, b.type::text AS type_b, b.structured_data ->> 'number' AS number_b,
    s.score, s.reasoning, s.created_at AS updated_at
FROM match_suggestion AS s JOIN document AS a ON a.id = s.document_a_id JOIN document AS b ON b.id = s.document_b_id
WHERE s.decided_by <> 'person';

CREATE OR REPLACE VIEW matchbook_cluster AS
SELECT d.tenant_id, d.cluster_id, d.id AS document_id, d.type::text AS type, d.structured_data ->> 'number' AS number,
    d.received_at
FROM document AS d WHERE d.cluster_id IS NOT NULL;

CREATE OR REPLACE VIEW matchbook_three_way AS
SELECT t.tenant_id, t.document_id, d.structured_data ->> 'number' AS number, t.verdict, t.words AS reasoning, t.lines,
    t.created_at AS updated_at
FROM three_way_match AS t JOIN document AS d ON d.id = t.document_id;

-- +goose Down
DROP VIEW matchbook_three_way;
DROP VIEW matchbook_cluster;
DROP VIEW matchbook_open_question;
DROP VIEW matchbook_match;
DROP VIEW matchbook_document_state;

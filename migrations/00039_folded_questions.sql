-- Questions that are hardly worth a person's time: next to none about two documents that both
-- have a match of that kind is true. They are kept, and listed on request.

-- +goose Up
-- +goose StatementBegin
-- The side of an order or a contract doesn't count if it has any number of the others. A pair
-- with evidence of its own stays, unless both matches are sure.
CREATE OR REPLACE FUNCTION question_is_folded(a uuid, b uuid, evidence jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (
        SELECT FROM (VALUES (a, b), (b, a)) AS side (id, other)
        JOIN document AS d ON d.id = side.id JOIN document AS o ON o.id = side.other
        WHERE d.type <> 'contract' AND (d.type, o.type) <> ('purchase-order', 'order-confirmation') AND NOT EXISTS (
            SELECT FROM (
                SELECT document_b_id AS id, confidence, lowered_from FROM document_match WHERE document_a_id = side.id
                UNION ALL SELECT document_a_id, confidence, lowered_from FROM document_match WHERE document_b_id = side.id
            ) AS m JOIN document AS p ON p.id = m.id
            WHERE p.type = o.type AND ('high' IN (m.confidence, m.lowered_from) OR NOT EXISTS (
                SELECT FROM jsonb_array_elements(evidence) AS e
                WHERE e ->> 'name' IN ('cites', 'cites-short', 'common-delivery', 'adds-up', 'copy')))))
$$;
-- +goose StatementEnd
CREATE OR REPLACE VIEW matchbook_open_question AS
SELECT s.tenant_id, s.document_a_id, a.type::text AS type_a, a.structured_data ->> 'number' AS number_a,
    s.document_b_id, b.type::text AS type_b, b.structured_data ->> 'number' AS number_b,
    s.score, s.reasoning, s.created_at AS updated_at, question_is_folded(s.document_a_id, s.document_b_id, s.evidence) AS folded
FROM match_suggestion AS s JOIN document AS a ON a.id = s.document_a_id JOIN document AS b ON b.id = s.document_b_id
WHERE s.decided_by <> 'person';

-- +goose Down
DROP VIEW matchbook_open_question;
CREATE VIEW matchbook_open_question AS
SELECT s.tenant_id, s.document_a_id, a.type::text AS type_a, a.structured_data ->> 'number' AS number_a,
    s.document_b_id, b.type::text AS type_b, b.structured_data ->> 'number' AS number_b,
    s.score, s.reasoning, s.created_at AS updated_at
FROM match_suggestion AS s JOIN document AS a ON a.id = s.document_a_id JOIN document AS b ON b.id = s.document_b_id
WHERE s.decided_by <> 'person';
DROP FUNCTION question_is_folded(uuid, uuid, jsonb);

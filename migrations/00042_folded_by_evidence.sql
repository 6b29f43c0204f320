-- A question is folded for two documents that both have a match of that kind. Evidence of the
-- pair's own, and not of any pair of the two companies, keeps it: what connects them by a third
-- document, a common citation and equal amounts count as well now.

-- +goose Up
-- +goose StatementBegin
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
                WHERE e ->> 'name' IN ('cites', 'cites-short', 'common-delivery', 'common-citation', 'implied', 'amount', 'amount-near',
                    'adds-up', 'copy')))))
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
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

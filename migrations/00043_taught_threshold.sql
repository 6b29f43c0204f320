-- A tenant's thresholds, as its people's answers teach them. They are never less strict than the
-- thresholds of all.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- The points of the rules when the person answered; empty if the answer teaches nothing about them.
ALTER TABLE decision ADD COLUMN IF NOT EXISTS points integer;
ALTER TABLE document_match ADD COLUMN IF NOT EXISTS points integer;
ALTER TABLE match_suggestion ADD COLUMN IF NOT EXISTS points integer;

CREATE TABLE IF NOT EXISTS taught_threshold (
    tenant_id   uuid PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
    high_at     integer NOT NULL DEFAULT 0,  -- points; 0: as for all
    question_at integer NOT NULL DEFAULT 0,  -- questions of fewer points are folded away
    confirmed   integer NOT NULL DEFAULT 0,  -- the answers that count
    rejected    integer NOT NULL DEFAULT 0,
    changed_by  text NOT NULL DEFAULT '',    -- the person of the last answer that changed a threshold
    changed_at  timestamptz NOT NULL DEFAULT now(),
    forgotten   bigint NOT NULL DEFAULT 0    -- decisions up to this id no longer count
);

-- +goose StatementBegin
-- As in 00039, and by the answers.
CREATE OR REPLACE FUNCTION question_is_folded(a uuid, b uuid, evidence jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT evidence @> '[{"name": "answers"}]' OR NOT EXISTS (
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

-- +goose Down
SET LOCAL lock_timeout = '2s';
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
DROP TABLE taught_threshold;
ALTER TABLE match_suggestion DROP COLUMN points;
ALTER TABLE document_match DROP COLUMN points;
ALTER TABLE decision DROP COLUMN points;

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

-- Answers fold a question as well. The rest of the function stays as it is.
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('question_is_folded(uuid, uuid, jsonb)'::regprocedure),
        'SELECT NOT EXISTS (', 'SELECT evidence @> ''[{"name": "answers"}]'' OR NOT EXISTS (');
END $$;
-- +goose StatementEnd

-- +goose Down
SET LOCAL lock_timeout = '2s';
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('question_is_folded(uuid, uuid, jsonb)'::regprocedure),
        'SELECT evidence @> ''[{"name": "answers"}]'' OR NOT EXISTS (', 'SELECT NOT EXISTS (');
END $$;
-- +goose StatementEnd
DROP TABLE taught_threshold;
ALTER TABLE match_suggestion DROP COLUMN points;
ALTER TABLE document_match DROP COLUMN points;
ALTER TABLE decision DROP COLUMN points;

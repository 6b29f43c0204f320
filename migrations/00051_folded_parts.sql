-- A question is folded for two documents that both have a match of that kind. A document that
-- contains another one whole, or is contained in it, may be in several parts, so such evidence
-- keeps a question as well: a delivery of two orders' goods has a match of one and asks for the
-- other. The rest of the function stays as it is.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('question_is_folded(uuid, uuid, jsonb)'::regprocedure),
        '''adds-up'', ''copy''', '''adds-up'', ''copy'', ''item-whole'', ''items-whole'', ''item-part'', ''items-part''');
END $$;
-- +goose StatementEnd

-- +goose Down
SET LOCAL lock_timeout = '2s';
-- +goose StatementBegin
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('question_is_folded(uuid, uuid, jsonb)'::regprocedure),
        ', ''item-whole'', ''items-whole'', ''item-part'', ''items-part''', '');
END $$;
-- +goose StatementEnd

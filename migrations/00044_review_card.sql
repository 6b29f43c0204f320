-- The card of a contract is a stage of its first chunk, which the others wait for: they are not
-- ready until the program publishes them, or the first chunk has its end.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE review_checkpoint ADD COLUMN IF NOT EXISTS card jsonb;
-- A finding about two clauses quotes both.
ALTER TABLE review_finding ADD COLUMN IF NOT EXISTS second_quote text NOT NULL DEFAULT '';
ALTER TABLE review_finding ADD COLUMN IF NOT EXISTS second_start integer;
ALTER TABLE review_finding ADD COLUMN IF NOT EXISTS second_end integer;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_open() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE review_chunk AS c SET status = 'pending', ready = true, due_at = now()
    FROM (SELECT id FROM review_chunk WHERE job_id = NEW.job_id AND kind = 'text' AND status IS NULL AND NOT ready
        ORDER BY id FOR NO KEY UPDATE) AS waiting
    WHERE c.id = waiting.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER review_open AFTER UPDATE ON review_chunk FOR EACH ROW
    WHEN (NEW.position = 0 AND NEW.kind = 'text' AND NEW.status IN ('succeeded', 'failed', 'cancelled')
        AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION review_open();

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TRIGGER review_open ON review_chunk;
DROP FUNCTION review_open();
ALTER TABLE review_finding DROP COLUMN second_quote, DROP COLUMN second_start, DROP COLUMN second_end;
ALTER TABLE review_checkpoint DROP COLUMN card;

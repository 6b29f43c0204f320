-- +goose NO TRANSACTION
-- The keys of a document, a row each, in the order in which candidates are read.
-- A search reads the nearest documents of a key, however many have it; and the
-- columns of document that change with its state are no longer beside an index of
-- the keys. Every statement may be run again.

-- +goose Up
CREATE TABLE IF NOT EXISTS document_key (
    key         uuid NOT NULL,    -- hash of the tenant and the key (match_key)
    day         integer NOT NULL, -- such as 20260131; 0: no date
    document_id uuid NOT NULL,
    PRIMARY KEY (key, day, document_id)
);

-- The hash begins as the tenant's id does, so that its keys are near each other.
CREATE OR REPLACE FUNCTION match_key(tenant uuid, key text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (left(tenant::text, 8) || substr(md5(tenant::text || key), 9))::uuid $$;

-- The rows of a document: each key with its first day, that of a company with each
-- of its days (package score, keys.go). What was matched by an earlier version has
-- months instead of days.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION match_key_rows(tenant uuid, keys text[]) RETURNS TABLE (key uuid, day integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH whole AS (
        SELECT coalesce(
            (SELECT array_agg(replace(substr(k, 14), '-', '')::integer ORDER BY k) FROM unnest(keys) AS k
            WHERE k LIKE '________|day|____-__-__'),
            (SELECT array_agg(DISTINCT replace(right(k, 7), '-', '')::integer * 100 + 1) FROM unnest(keys) AS k
            WHERE k LIKE '________|month|%|____-__'),
            ARRAY[0]) AS days
    )
    SELECT match_key(tenant, k), d
    FROM whole, unnest(keys) AS k, unnest(CASE WHEN k LIKE '________|who|%' THEN days ELSE days[1:1] END) AS d
    WHERE k NOT LIKE '________|month|%' AND k NOT LIKE '________|day|%'
$$;

-- A trigger, so that no program that writes keys can forget the table, and the
-- version before this one fills it, too.
CREATE OR REPLACE FUNCTION document_key_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM document_key AS k USING match_key_rows(OLD.tenant_id, OLD.match_keys) AS gone
        WHERE k.key = gone.key AND k.day = gone.day AND k.document_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO document_key SELECT key, day, NEW.id FROM match_key_rows(NEW.tenant_id, NEW.match_keys)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
SET lock_timeout = '5s';
DROP TRIGGER IF EXISTS document_key_insert ON document;
CREATE TRIGGER document_key_insert AFTER INSERT ON document
    FOR EACH ROW WHEN (NEW.match_keys IS NOT NULL) EXECUTE FUNCTION document_key_follow();
DROP TRIGGER IF EXISTS document_key_update ON document;
CREATE TRIGGER document_key_update AFTER UPDATE OF match_keys ON document
    FOR EACH ROW WHEN (OLD.match_keys IS DISTINCT FROM NEW.match_keys) EXECUTE FUNCTION document_key_follow();
DROP TRIGGER IF EXISTS document_key_delete ON document;
CREATE TRIGGER document_key_delete AFTER DELETE ON document
    FOR EACH ROW WHEN (OLD.match_keys IS NOT NULL) EXECUTE FUNCTION document_key_follow();
-- Room on each page for the next version of a row.
ALTER TABLE document SET (fillfactor = 85);
RESET lock_timeout;

-- The documents of before, a thousand at a time. A row that is being matched is
-- waited for, so that its keys of now are taken.
-- +goose StatementBegin
DO $$
DECLARE
    next uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    LOOP
        WITH batch AS (
            SELECT id, tenant_id, match_keys FROM document WHERE id > next ORDER BY id LIMIT 1000 FOR SHARE
        ), added AS (
            INSERT INTO document_key SELECT key, day, id FROM batch, match_key_rows(tenant_id, match_keys)
            ON CONFLICT DO NOTHING
        )
        SELECT id INTO next FROM batch ORDER BY id DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- The version before this one searches by it. Without it, it still finds the same,
-- but reads the whole table for it, and what takes too long is tried again.
DROP INDEX CONCURRENTLY IF EXISTS document_match_keys_idx;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS document_match_keys_idx ON document USING gin (match_keys);
SET lock_timeout = '5s';
ALTER TABLE document RESET (fillfactor);
DROP TRIGGER IF EXISTS document_key_delete ON document;
DROP TRIGGER IF EXISTS document_key_update ON document;
DROP TRIGGER IF EXISTS document_key_insert ON document;
RESET lock_timeout;
DROP FUNCTION IF EXISTS document_key_follow();
DROP FUNCTION IF EXISTS match_key_rows(uuid, text[]);
DROP FUNCTION IF EXISTS match_key(uuid, text);
DROP TABLE IF EXISTS document_key;

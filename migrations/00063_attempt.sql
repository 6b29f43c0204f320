-- Every attempt of every workload, for a row's story. The claim adds a row in its own statement;
-- a trigger ends it in the transaction of the settlement, whatever statement settles.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- No foreign keys: row_id is of four tables. fillfactor leaves room, so that the end of an
-- attempt changes no index.
CREATE TABLE IF NOT EXISTS attempt (
    tenant_id   uuid NOT NULL,
    row_id      uuid NOT NULL,
    subject     text NOT NULL,        -- document, ingestion, chunk, job
    number      integer NOT NULL,     -- the fence
    claimed_at  timestamptz NOT NULL,
    lease_until timestamptz NOT NULL, -- as claimed; a heartbeat may have extended it
    worker      text NOT NULL,        -- log stream of the function, or host; empty: unknown
    request     text NOT NULL,        -- id of the invocation; empty: unknown
    ended_at    timestamptz,          -- NULL: it runs, or ended without a result
    outcome     text,                 -- the row's status after it
    error       text,                 -- a fixed sentence, never text of a document
    due_at      timestamptz,          -- pending: when its message is due; NULL: it waits for a service
    PRIMARY KEY (tenant_id, row_id, subject, number)
) WITH (fillfactor = 70);
CREATE INDEX IF NOT EXISTS attempt_claimed_idx ON attempt (claimed_at); -- for prune

-- +goose StatementBegin
-- enable_seqscan keeps a session's plan from reading the whole table, which may have been small
-- when the plan was made.
CREATE OR REPLACE FUNCTION attempt_end() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    n integer; status text; reason text; due timestamptz;
BEGIN
    IF TG_ARGV[0] = 'document' THEN
        n := OLD.matching_attempts; status := NEW.matching_status; reason := NEW.matching_error;
        due := CASE WHEN NEW.matching_parked_for IS NULL THEN NEW.matching_due_at END;
    ELSIF TG_ARGV[0] IN ('ingestion', 'job') THEN
        n := OLD.attempts; status := NEW.job_status; reason := NEW.error;
        due := CASE WHEN NEW.parked_for IS NULL THEN NEW.due_at END;
    ELSE
        n := OLD.attempts; status := NEW.status; reason := NEW.error;
        due := CASE WHEN NEW.parked_for IS NULL THEN NEW.due_at END;
    END IF;
    UPDATE attempt SET ended_at = now(), outcome = status, error = reason, due_at = due
    WHERE tenant_id = OLD.tenant_id AND row_id = OLD.id AND subject = TG_ARGV[0] AND number = n;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A publication takes the row away from its attempt, which then stays without an end.
CREATE OR REPLACE TRIGGER document_attempt_end AFTER UPDATE OF matching_status ON document FOR EACH ROW
    WHEN (OLD.matching_status = 'in-progress' AND NEW.matching_status IS DISTINCT FROM 'in-progress'
        AND NEW.matching_published_at IS NOT DISTINCT FROM OLD.matching_published_at) EXECUTE FUNCTION attempt_end('document');
CREATE OR REPLACE TRIGGER ingestion_attempt_end AFTER UPDATE OF job_status ON ingestion FOR EACH ROW
    WHEN (OLD.job_status = 'in-progress' AND NEW.job_status IS DISTINCT FROM 'in-progress'
        AND NEW.published_at IS NOT DISTINCT FROM OLD.published_at) EXECUTE FUNCTION attempt_end('ingestion');
CREATE OR REPLACE TRIGGER review_chunk_attempt_end AFTER UPDATE OF status ON review_chunk FOR EACH ROW
    WHEN (OLD.status = 'in-progress' AND NEW.status IS DISTINCT FROM 'in-progress'
        AND NEW.published_at IS NOT DISTINCT FROM OLD.published_at) EXECUTE FUNCTION attempt_end('chunk');
CREATE OR REPLACE TRIGGER matchmaking_job_attempt_end AFTER UPDATE OF job_status ON matchmaking_job FOR EACH ROW
    WHEN (OLD.job_status = 'in-progress' AND NEW.job_status IS DISTINCT FROM 'in-progress'
        AND NEW.published_at IS NOT DISTINCT FROM OLD.published_at) EXECUTE FUNCTION attempt_end('job');

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TRIGGER IF EXISTS matchmaking_job_attempt_end ON matchmaking_job;
DROP TRIGGER IF EXISTS review_chunk_attempt_end ON review_chunk;
DROP TRIGGER IF EXISTS ingestion_attempt_end ON ingestion;
DROP TRIGGER IF EXISTS document_attempt_end ON document;
DROP TABLE attempt;
DROP FUNCTION attempt_end();

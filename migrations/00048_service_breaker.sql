-- A breaker for each service that work needs: a provider's model, or an OCR. While it is open,
-- rows that need the service wait (parked_for) without a message.

-- +goose Up
SET LOCAL lock_timeout = '5s';
CREATE TABLE IF NOT EXISTS service_breaker (
    service      text PRIMARY KEY,                   -- as in model_answer.model, or the OCR's name
    state        text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'open', 'half-open')),
    changed_at   timestamptz NOT NULL,               -- of state
    next_at      timestamptz,                        -- open: of the next probe; half-open: end of the probe's lease
    probes       integer NOT NULL DEFAULT 0,         -- failed ones since it opened
    failures     integer NOT NULL DEFAULT 0,         -- calls in succession
    failed_rows  uuid[] NOT NULL DEFAULT '{}',       -- rows with these calls, up to 5
    first_failed timestamptz,
    last_failed  timestamptz,
    error        text,                               -- of the last failed call
    outage_id    uuid,                               -- NULL: no outage
    outage_since timestamptz,
    waited       integer NOT NULL DEFAULT 0,         -- rows waiting when it closed, the most in the outage
    alone        uuid                                -- the only row that failed in the last outage
);
ALTER TABLE document ADD COLUMN IF NOT EXISTS matching_parked_for text;
ALTER TABLE ingestion ADD COLUMN IF NOT EXISTS parked_for text;
ALTER TABLE review_chunk ADD COLUMN IF NOT EXISTS parked_for text;
ALTER TABLE matchmaking_job ADD COLUMN IF NOT EXISTS parked_for text;

-- +goose Down
SET LOCAL lock_timeout = '5s';
ALTER TABLE matchmaking_job DROP COLUMN parked_for;
ALTER TABLE review_chunk DROP COLUMN parked_for;
ALTER TABLE ingestion DROP COLUMN parked_for;
ALTER TABLE document DROP COLUMN matching_parked_for;
DROP TABLE service_breaker;

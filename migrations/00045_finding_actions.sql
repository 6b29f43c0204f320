-- +goose NO TRANSACTION
-- What people do about the findings of reviews, and the numbers of findings. Every statement
-- may be run again.

-- +goose Up
SET lock_timeout = '2s';
ALTER TABLE review_finding ADD COLUMN IF NOT EXISTS number integer; -- from 1, heaviest first; given when the review ends
ALTER TABLE review_finding ADD COLUMN IF NOT EXISTS clause text;    -- a hash of clause, topic and playbook; NULL: unknown
ALTER TABLE review_job ADD COLUMN IF NOT EXISTS waiting integer NOT NULL DEFAULT 0; -- open findings, critical or high; set when it ends

-- Rows are only added. The state of a finding is that of its last accept, reject or reopen.
CREATE TABLE IF NOT EXISTS finding_action (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- in the order of a review's actions
    form      uuid UNIQUE,                  -- of the form or request, so that it acts once; NULL: carried over
    tenant_id uuid NOT NULL,
    job_id    uuid NOT NULL,
    seq       integer NOT NULL,
    action    text NOT NULL CHECK (action IN ('accept', 'reject', 'reopen', 'comment', 'assign')),
    text      text NOT NULL DEFAULT '',     -- the reason, the comment or the assignee
    acted_by  text NOT NULL,                -- the person
    origin    text NOT NULL CHECK (origin IN ('command', 'console', 'page')),
    clause    text,                         -- the finding's
    acted_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (job_id, seq) REFERENCES review_finding (job_id, seq) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS finding_action_finding_idx ON finding_action (job_id, seq, id);
CREATE INDEX IF NOT EXISTS finding_action_clause_idx ON finding_action (tenant_id, clause, id)
    WHERE action IN ('accept', 'reject', 'reopen');
CREATE INDEX CONCURRENTLY IF NOT EXISTS review_job_waiting_idx ON review_job (tenant_id, ended_at) WHERE waiting > 0;

-- The findings of a review that a person has to decide about.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_waiting(job uuid) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM review_finding AS f
    WHERE f.job_id = job AND f.severity IN ('critical', 'high') AND NOT f.withdrawn AND f.duplicate_of IS NULL
        AND coalesce((SELECT a.action FROM finding_action AS a WHERE a.job_id = f.job_id AND a.seq = f.seq
            AND a.action IN ('accept', 'reject', 'reopen') ORDER BY a.id DESC LIMIT 1), 'reopen') = 'reopen'
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Numbers the findings that have no number yet, after those that have one, so that none moves.
CREATE OR REPLACE FUNCTION review_number(job uuid) RETURNS void LANGUAGE sql AS $$
    UPDATE review_finding AS f SET number = n.number
    FROM (SELECT seq, (SELECT coalesce(max(number), 0) FROM review_finding WHERE job_id = job) + row_number() OVER (
            ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low', 'info'], severity), coalesce(start_offset, 0), seq) AS number
        FROM review_finding WHERE job_id = job AND number IS NULL AND NOT withdrawn AND duplicate_of IS NULL) AS n
    WHERE f.job_id = job AND f.seq = n.seq
$$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Whatever statement ends a review, its findings get numbers, and a finding about a clause that
-- the tenant last rejected in another review, under the same playbook, is rejected here, too.
CREATE OR REPLACE FUNCTION review_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM review_number(NEW.id);
    INSERT INTO finding_action (tenant_id, job_id, seq, action, text, acted_by, origin, clause, acted_at)
    SELECT NEW.tenant_id, f.job_id, f.seq, 'reject', last.text, last.acted_by, last.origin, f.clause, last.acted_at
    FROM review_finding AS f CROSS JOIN LATERAL (
        SELECT a.* FROM finding_action AS a
        WHERE a.tenant_id = NEW.tenant_id AND a.clause = f.clause AND a.action IN ('accept', 'reject', 'reopen')
        ORDER BY a.id DESC LIMIT 1
    ) AS last
    WHERE f.job_id = NEW.id AND NOT f.withdrawn AND f.duplicate_of IS NULL AND last.action = 'reject' AND last.job_id <> NEW.id
        AND NOT EXISTS (SELECT FROM finding_action AS own WHERE own.job_id = f.job_id AND own.seq = f.seq
            AND own.action IN ('accept', 'reject', 'reopen'))
    ORDER BY f.number;
    NEW.waiting := review_waiting(NEW.id);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER review_ended BEFORE UPDATE ON review_job
    FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION review_ended();
SELECT review_number(id) FROM review_job WHERE ended_at IS NOT NULL;

-- +goose Down
SET lock_timeout = '2s';
DROP TRIGGER IF EXISTS review_ended ON review_job;
DROP FUNCTION IF EXISTS review_ended();
DROP FUNCTION IF EXISTS review_number(uuid);
DROP FUNCTION IF EXISTS review_waiting(uuid);
DROP INDEX CONCURRENTLY IF EXISTS review_job_waiting_idx;
DROP TABLE IF EXISTS finding_action;
ALTER TABLE review_job DROP COLUMN IF EXISTS waiting;
ALTER TABLE review_finding DROP COLUMN IF EXISTS clause;
ALTER TABLE review_finding DROP COLUMN IF EXISTS number;

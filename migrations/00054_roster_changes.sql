-- Rosters of a date that differ from its first one in some users, and what people did to jobs.

-- +goose Up
SET LOCAL lock_timeout = '2s';
-- The roster of the date with these users added, or in place of theirs. Its name is its digest.
CREATE TABLE IF NOT EXISTS offer_roster_change (
    tenant_id uuid NOT NULL,
    date      date NOT NULL,
    digest    bytea NOT NULL,                   -- SHA-256 of the whole roster, before compression
    timezone  text,                             -- of the users who came after the first one; NULL: of one job
    content   bytea NOT NULL,                   -- lines of JSON, one for each user
    frozen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, date, digest),
    UNIQUE (tenant_id, date, timezone),
    FOREIGN KEY (tenant_id, date) REFERENCES offer_roster (tenant_id, date) ON DELETE CASCADE
);

-- Rows are only added, each in the transaction of the change. The job's row may be replaced, so
-- they belong to its user.
CREATE TABLE IF NOT EXISTS offer_action (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id uuid NOT NULL,
    user_id   uuid NOT NULL,
    job_id    uuid NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('refreeze')),
    acted_by  text NOT NULL,                    -- the person
    reason    text NOT NULL,
    status    text NOT NULL,                    -- of the job before
    before    bytea,                            -- the digest of its roster before
    after     bytea NOT NULL,
    acted_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, user_id) REFERENCES offer_user (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS offer_action_user_idx ON offer_action (tenant_id, user_id);

-- +goose Down
DROP TABLE offer_action;
DROP TABLE offer_roster_change;

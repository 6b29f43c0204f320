-- Daily match offers: the users, the roster of a date, a job for each user and
-- date, what was offered, and its delivery to a receiver.

-- +goose Up
CREATE TABLE offer_user (
    id          uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    timezone    text NOT NULL,                      -- a name of the IANA database
    active      boolean NOT NULL DEFAULT true,
    profile     jsonb NOT NULL DEFAULT '{}',        -- what others see of the user
    preferences jsonb NOT NULL DEFAULT '{}',        -- what the user looks for
    active_at   timestamptz,                        -- when the user was last seen
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Kept by offer_user_state and the scheduler.
    version     bigint NOT NULL DEFAULT 1,          -- rises with each change of what a roster reads
    through     date,                               -- dates up to it are queued, skipped or not owed; NULL: none since active
    flown       daterange,                          -- dates after through that were in no calendar of the user
    UNIQUE (tenant_id, id)
) WITH (fillfactor = 50);                           -- each date changes every row, in place: through is in no index
CREATE INDEX offer_user_zone_idx ON offer_user (tenant_id, timezone, id) WHERE active;

-- The users of a tenant as they were when the first of their time zones reached a
-- date: all sets of the date are computed from it, and from nothing else.
CREATE TABLE offer_roster (
    tenant_id         uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    date              date NOT NULL,
    digest            bytea NOT NULL,               -- SHA-256 of the content before compression
    algorithm_version integer NOT NULL,
    users             integer NOT NULL,
    content           bytea NOT NULL,               -- gzip of lines of JSON
    frozen_at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, date)
);
ALTER TABLE offer_roster ALTER COLUMN content SET STORAGE EXTERNAL; -- it is compressed

CREATE TABLE matchmaking_job (
    id           uuid PRIMARY KEY,                  -- UUIDv5 of {tenant}:{date}:{timezone}:{user}
    tenant_id    uuid NOT NULL,
    date         date NOT NULL,                     -- of the user's calendar
    timezone     text NOT NULL,                     -- of the user when the job was queued
    user_id      uuid NOT NULL,
    -- The state in the words of other programs.
    status       text NOT NULL GENERATED ALWAYS AS (CASE job_status WHEN 'in-progress' THEN 'running' WHEN 'succeeded' THEN 'completed'
        WHEN 'failed' THEN 'failed' WHEN 'cancelled' THEN 'skipped' ELSE 'pending' END) STORED,
    started_at   timestamptz,                       -- of the latest attempt
    completed_at timestamptz,                       -- completed, failed or skipped
    error_message text GENERATED ALWAYS AS (error) STORED,
    retry_count  integer NOT NULL GENERATED ALWAYS AS (greatest(attempts - 1, 0)) STORED, -- attempts after the first
    -- The result and its inputs.
    offers       jsonb,
    algorithm_version integer,
    input_digest bytea,                             -- of the roster
    offered_at   timestamptz NOT NULL,              -- nine in the morning of the date
    expires_at   timestamptz NOT NULL,              -- nine in the morning of the next one
    created_at   timestamptz NOT NULL DEFAULT now(),
    -- The state of the work, as in document; cancelled is a date that was skipped.
    job_status   text CHECK (job_status IN ('pending', 'in-progress', 'succeeded', 'failed', 'cancelled')),
    error        text,
    attempts     integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failed_at    timestamptz,
    lease_until  timestamptz,
    published_at timestamptz,
    due_at       timestamptz DEFAULT now(),
    republished  smallint NOT NULL DEFAULT 0 CHECK (republished >= 0),
    lapses       smallint NOT NULL DEFAULT 0 CHECK (lapses >= 0),
    UNIQUE (tenant_id, date, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES offer_user (tenant_id, id) ON DELETE CASCADE,
    CHECK (job_status IS DISTINCT FROM 'in-progress' OR lease_until IS NOT NULL),
    CHECK (job_status IS DISTINCT FROM 'failed' OR failed_at IS NOT NULL)
) WITH (fillfactor = 70);
CREATE INDEX matchmaking_job_status_idx ON matchmaking_job (status) WHERE status <> 'completed';
CREATE INDEX matchmaking_job_date_idx ON matchmaking_job (date, timezone);
CREATE INDEX matchmaking_job_waiting_idx ON matchmaking_job (tenant_id, job_status, coalesce(lease_until, due_at, created_at))
    WHERE job_status IN ('pending', 'in-progress');
CREATE INDEX matchmaking_job_unpublished_idx ON matchmaking_job (coalesce(due_at, created_at))
    WHERE published_at IS NULL AND attempts = 0
        AND (job_status = 'pending' OR job_status IS NULL AND due_at IS NOT NULL AND error IS NULL AND input_digest IS NOT NULL);

CREATE TABLE offer (
    id           uuid PRIMARY KEY,                  -- UUIDv5 of {date}:{user}:{candidate}
    tenant_id    uuid NOT NULL,
    date         date NOT NULL,
    user_id      uuid NOT NULL,
    candidate_id uuid NOT NULL,
    rank         smallint NOT NULL,                 -- from 1
    score        integer NOT NULL,
    offered_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    UNIQUE (tenant_id, date, user_id, candidate_id),
    FOREIGN KEY (tenant_id, date, user_id) REFERENCES matchmaking_job (tenant_id, date, user_id) ON DELETE CASCADE
);

-- A completed set that a receiver has not accepted yet, or has.
CREATE TABLE offer_delivery (
    job_id        uuid PRIMARY KEY REFERENCES matchmaking_job (id) ON DELETE CASCADE,
    created_at    timestamptz NOT NULL DEFAULT now(),
    tries         integer NOT NULL DEFAULT 0,
    due_at        timestamptz NOT NULL DEFAULT now(),
    claimed_until timestamptz,                      -- a sender has it
    delivered_at  timestamptz,
    error         text                              -- of the latest try
) WITH (fillfactor = 80);
-- Sets that were not tried yet come first: others cannot hold them up.
CREATE INDEX offer_delivery_due_idx ON offer_delivery ((tries > 0), due_at, job_id) WHERE delivered_at IS NULL;

-- +goose StatementBegin
-- A user who becomes active begins anew. A user who flies over the date line may
-- skip a date, which was in no calendar of the user, unless the user flies back into
-- it. A zone that PostgreSQL does not know is refused.
CREATE FUNCTION offer_user_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_date date;
    new_date date;
BEGIN
    IF TG_OP = 'INSERT' THEN
        new_date := (now() AT TIME ZONE NEW.timezone)::date;
        RETURN NEW;
    END IF;
    IF (NEW.active, NEW.profile, NEW.preferences, NEW.active_at)
        IS DISTINCT FROM (OLD.active, OLD.profile, OLD.preferences, OLD.active_at)
    THEN
        NEW.version := OLD.version + 1;
    END IF;
    IF NEW.active AND NOT OLD.active THEN
        NEW.through := NULL;
    END IF;
    IF NEW.timezone <> OLD.timezone THEN
        new_date := (now() AT TIME ZONE NEW.timezone)::date;
        BEGIN
            old_date := (now() AT TIME ZONE OLD.timezone)::date;
        EXCEPTION WHEN invalid_parameter_value THEN
            old_date := new_date; -- PostgreSQL does not know the zone any more
        END;
        NEW.flown := CASE WHEN new_date > old_date + 1 THEN daterange(old_date + 1, new_date)
            ELSE nullif(OLD.flown * daterange(NULL, new_date), 'empty') END;
        -- The dates from here on are looked at again: a date that was flown over may be
        -- among them. A date that has its job keeps it.
        NEW.through := CASE WHEN NEW.through >= new_date THEN new_date - 1 ELSE NEW.through END;
    END IF;
    RETURN NEW;
END $$;

-- What is completed, or skipped, stays as it is, whatever is published or delivered.
CREATE FUNCTION matchmaking_job_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.job_status IN ('succeeded', 'cancelled') THEN
        OLD.published_at := NEW.published_at;
        RETURN OLD;
    END IF;
    IF NEW.attempts > OLD.attempts THEN
        NEW.started_at := now();
    END IF;
    NEW.completed_at := CASE NEW.job_status WHEN 'failed' THEN NEW.failed_at
        WHEN 'succeeded' THEN now() WHEN 'cancelled' THEN now() END;
    RETURN NEW;
END $$;

CREATE FUNCTION offer_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'offers are not changed' USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER offer_user_state BEFORE INSERT OR UPDATE OF timezone, active, profile, preferences, active_at ON offer_user
    FOR EACH ROW EXECUTE FUNCTION offer_user_state();
CREATE TRIGGER matchmaking_job_state BEFORE UPDATE ON matchmaking_job
    FOR EACH ROW EXECUTE FUNCTION matchmaking_job_state();
CREATE TRIGGER offer_stays BEFORE UPDATE ON offer FOR EACH ROW EXECUTE FUNCTION offer_stays();

-- +goose Down
DROP TABLE offer_delivery;
DROP TABLE offer;
DROP TABLE matchmaking_job;
DROP TABLE offer_roster;
DROP TABLE offer_user;
DROP FUNCTION offer_stays();
DROP FUNCTION matchmaking_job_state();
DROP FUNCTION offer_user_state();

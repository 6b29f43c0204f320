-- +goose Up
-- A review of one contract. Its counters are kept by the triggers below and by
-- the statements that record calls, all under the lock of this row, so no other
-- writer changes them. chunks_open is the number of chunks of text without an end.
CREATE TABLE review_job (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL,
    document_id  uuid NOT NULL,
    name         text NOT NULL DEFAULT '',          -- of the contract, for people
    status       text NOT NULL DEFAULT 'queued' CHECK (status IN
        ('queued', 'running', 'cancelling', 'completed', 'completed-with-gaps', 'cancelled', 'failed')),
    chunks       integer NOT NULL,
    chunks_open  integer NOT NULL CHECK (chunks_open BETWEEN 0 AND chunks),
    findings     integer NOT NULL DEFAULT 0,        -- also the seq of the latest
    gaps         integer NOT NULL DEFAULT 0 CHECK (gaps BETWEEN 0 AND chunks + 1), -- chunks without a result
    calls        integer NOT NULL DEFAULT 0,        -- of a model, paid for
    budget_usd   numeric(14,6),                     -- NULL: none
    estimate_usd numeric(14,6) NOT NULL DEFAULT 0,  -- of the whole review, when it began
    cost_usd     numeric(14,6) NOT NULL DEFAULT 0,
    reserved_usd numeric(14,6) NOT NULL DEFAULT 0,  -- largest cost of the calls under way
    model        text NOT NULL DEFAULT '',          -- empty: by rules
    playbook     text NOT NULL DEFAULT '',          -- its version
    created_at   timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    ended_at     timestamptz,
    error        text,                              -- the first gap
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    CHECK ((ended_at IS NOT NULL) = (status IN ('completed', 'completed-with-gaps', 'cancelled', 'failed')))
) WITH (fillfactor = 60);                           -- the row changes with each call; no index has a column that does
CREATE INDEX review_job_document_idx ON review_job (tenant_id, document_id);

-- What does not change: the contract, and the playbook as the review began with it.
CREATE TABLE review_text (
    job_id   uuid PRIMARY KEY REFERENCES review_job (id) ON DELETE CASCADE,
    text     bytea NOT NULL,                        -- UTF-8; offsets are bytes of it
    playbook bytea NOT NULL                         -- JSON
);
ALTER TABLE review_text ALTER COLUMN text SET STORAGE EXTERNAL; -- so that a chunk is read without the rest

-- A chunk of the text, or the contract as a whole: the unit of a message. The
-- contract as a whole has the last position and the greatest id of its review.
CREATE TABLE review_chunk (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL,
    job_id       uuid NOT NULL,
    position     integer NOT NULL,
    kind         text NOT NULL DEFAULT 'text' CHECK (kind IN ('text', 'whole')),
    start_offset integer NOT NULL,
    end_offset   integer NOT NULL,
    heading      text NOT NULL DEFAULT '',
    ready        boolean NOT NULL DEFAULT true,     -- false: the contract as a whole, while chunks of its text are open
    stage        text NOT NULL DEFAULT '',          -- of one without a result: where it stopped
    created_at   timestamptz NOT NULL DEFAULT now(),
    -- The state of the work, as in document.
    status       text CHECK (status IN ('pending', 'in-progress', 'succeeded', 'failed', 'cancelled')),
    error        text,
    attempts     integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failed_at    timestamptz,
    lease_until  timestamptz,
    published_at timestamptz,
    due_at       timestamptz DEFAULT now(),
    republished  smallint NOT NULL DEFAULT 0 CHECK (republished >= 0),
    lapses       smallint NOT NULL DEFAULT 0 CHECK (lapses >= 0),
    UNIQUE (job_id, position),
    FOREIGN KEY (tenant_id, job_id) REFERENCES review_job (tenant_id, id) ON DELETE CASCADE,
    CHECK (status IS DISTINCT FROM 'in-progress' OR lease_until IS NOT NULL),
    CHECK (status IS DISTINCT FROM 'failed' OR failed_at IS NOT NULL)
);
CREATE UNIQUE INDEX review_chunk_whole_idx ON review_chunk (job_id) WHERE kind = 'whole';
CREATE INDEX review_chunk_waiting_idx ON review_chunk (tenant_id, status, coalesce(lease_until, due_at, created_at))
    WHERE status IN ('pending', 'in-progress');
CREATE INDEX review_chunk_unpublished_idx ON review_chunk (coalesce(due_at, created_at))
    WHERE published_at IS NULL AND attempts = 0
        AND (status = 'pending' OR status IS NULL AND due_at IS NOT NULL AND error IS NULL AND ready);

-- A stage of a chunk: one question to a model. Its estimate is reserved until it
-- is finished.
CREATE TABLE review_checkpoint (
    chunk_id     uuid NOT NULL REFERENCES review_chunk (id) ON DELETE CASCADE,
    stage        text NOT NULL,
    job_id       uuid NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT now(),
    claimed_by   integer NOT NULL,                  -- the attempt
    finished_at  timestamptz,
    outcome      text CHECK (outcome IN ('done', 'failed') OR outcome LIKE 'cancelled-at-stage-%'),
    reason       text,
    estimate_usd numeric(14,6) NOT NULL DEFAULT 0,
    cost_usd     numeric(14,6) NOT NULL DEFAULT 0,  -- of all attempts, like calls
    calls        integer NOT NULL DEFAULT 0,
    dropped      integer NOT NULL DEFAULT 0,        -- findings whose quote is not in the text
    marks        jsonb,
    PRIMARY KEY (chunk_id, stage)
) WITH (fillfactor = 80);
CREATE INDEX review_checkpoint_job_idx ON review_checkpoint (job_id);

-- The log of a review. A finding about a missing clause has no place.
CREATE TABLE review_finding (
    job_id       uuid NOT NULL REFERENCES review_job (id) ON DELETE CASCADE,
    seq          integer NOT NULL,                  -- from 1, without gaps, in the order of commits
    chunk_id     uuid NOT NULL,
    analyst      text NOT NULL,
    category     text NOT NULL,
    severity     text NOT NULL,
    title        text NOT NULL,
    explanation  text NOT NULL,
    quote        text NOT NULL DEFAULT '',
    start_offset integer,
    end_offset   integer,
    fallback     text NOT NULL DEFAULT '',
    duplicate_of integer,                           -- seq of the finding that this one repeats
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, seq),
    CHECK ((start_offset IS NULL) = (end_offset IS NULL))
);
-- What two overlapping chunks, or two attempts, find is stored once.
CREATE UNIQUE INDEX review_finding_place_idx ON review_finding (job_id, analyst, category, start_offset, end_offset)
    WHERE start_offset IS NOT NULL;
CREATE UNIQUE INDEX review_finding_missing_idx ON review_finding (job_id, analyst, category, md5(title))
    WHERE start_offset IS NULL;

-- Until when a model's provider accepts no calls.
CREATE TABLE model_pause (
    model   text PRIMARY KEY,
    until   timestamptz NOT NULL
);

-- +goose StatementBegin
-- In a review that is cancelled no chunk waits again: it is cancelled. A chunk that
-- has its end keeps it, whatever is published or delivered; only the review can
-- begin again. The contract as a whole is not queued before it is ready. stage is
-- only kept for a chunk without a result.
CREATE FUNCTION review_chunk_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.status = 'pending' OR NEW.status = 'in-progress' AND OLD.status = 'failed')
        AND EXISTS (SELECT FROM review_job WHERE id = NEW.job_id AND status IN ('cancelling', 'cancelled'))
    THEN
        IF OLD.status IN ('succeeded', 'failed', 'cancelled') THEN
            OLD.published_at := NEW.published_at;
            OLD.attempts := NEW.attempts;
            RETURN OLD;
        END IF;
        NEW.status := 'cancelled';
        NEW.error := 'the review was cancelled';
        NEW.lease_until := NULL;
        NEW.due_at := NULL;
        NEW.failed_at := NULL;
        NEW.lapses := 0;
    ELSIF NEW.status = 'pending' AND NEW.kind = 'whole' AND NOT NEW.ready THEN
        NEW.status := NULL;
        NEW.due_at := NULL;
    END IF;
    IF NEW.status IS NULL OR NEW.status NOT IN ('failed', 'cancelled') THEN
        NEW.stage := '';
    ELSIF NEW.stage = '' AND NEW.status = 'failed' THEN
        NEW.stage := coalesce(
            (SELECT c.stage FROM review_checkpoint AS c WHERE c.chunk_id = NEW.id AND c.outcome IS DISTINCT FROM 'done'
            ORDER BY c.started_at DESC, c.stage LIMIT 1),
            CASE NEW.kind WHEN 'whole' THEN 'contract' ELSE 'categories' END);
    ELSIF NEW.stage = '' THEN
        NEW.stage := 'cancelled-at-stage-' || CASE WHEN NEW.kind = 'whole' THEN 13
            WHEN EXISTS (SELECT FROM review_checkpoint AS c WHERE c.chunk_id = NEW.id AND c.stage = 'categories' AND c.outcome = 'done')
            THEN 2 ELSE 1 END;
    END IF;
    RETURN NEW;
END $$;

-- The join. It follows every statement that changes chunks, whatever program
-- runs it. Locks are taken in one order everywhere: chunks by id, of which the
-- contract as a whole is the last, then the review.
CREATE FUNCTION review_join() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change record;
    job review_job;
    whole uuid;
    released numeric;
BEGIN
    FOR change IN
        SELECT n.job_id,
            coalesce(sum(was.over::int - now_is.over::int) FILTER (WHERE n.kind = 'text'), 0) AS opened,
            sum(now_is.gap::int - was.gap::int) AS gaps,
            bool_or(NOT now_is.over AND n.kind = 'text') AS text_again,
            bool_or(coalesce(n.status IN ('pending', 'in-progress'), false)) AS again,
            bool_or(now_is.over AND n.kind = 'whole') AS whole_over,
            array_agg(n.id) FILTER (WHERE now_is.over) AS over
        FROM before AS o JOIN after AS n USING (id)
        CROSS JOIN LATERAL (SELECT coalesce(o.status IN ('succeeded', 'failed', 'cancelled'), false) AS over,
            coalesce(o.status = 'failed' OR o.status = 'cancelled' AND o.kind = 'text', false) AS gap) AS was
        CROSS JOIN LATERAL (SELECT coalesce(n.status IN ('succeeded', 'failed', 'cancelled'), false) AS over,
            coalesce(n.status = 'failed' OR n.status = 'cancelled' AND n.kind = 'text', false) AS gap) AS now_is
        WHERE was.over <> now_is.over OR was.gap <> now_is.gap
        GROUP BY n.job_id ORDER BY n.job_id
    LOOP
        SELECT id INTO whole FROM review_chunk WHERE job_id = change.job_id AND kind = 'whole' FOR NO KEY UPDATE;
        -- Stages that did not finish end with their chunk, and what they have reserved is free.
        SELECT coalesce(sum(estimate_usd), 0) INTO released FROM review_checkpoint AS c
        WHERE c.chunk_id = ANY (CASE WHEN change.text_again THEN change.over || whole ELSE change.over END)
            AND c.finished_at IS NULL;
        UPDATE review_checkpoint AS c SET finished_at = coalesce(c.finished_at, now()), reason = left(n.error, 1000),
            outcome = CASE WHEN n.stage LIKE 'cancelled-at-stage-%' THEN n.stage ELSE 'failed' END
        FROM after AS n
        WHERE c.chunk_id = ANY (change.over) AND c.chunk_id = n.id AND c.outcome IS NULL;
        UPDATE review_job SET chunks_open = chunks_open + change.opened, gaps = review_job.gaps + change.gaps,
            reserved_usd = reserved_usd - released,
            status = CASE WHEN change.again AND ended_at IS NOT NULL THEN 'running' ELSE status END,
            error = CASE WHEN change.again THEN NULL ELSE error END,
            ended_at = CASE WHEN change.again THEN NULL ELSE ended_at END
        WHERE id = change.job_id RETURNING * INTO job;
        IF change.text_again THEN
            -- The contract as a whole is reviewed again, after it; its cost stays.
            UPDATE review_checkpoint SET outcome = NULL, finished_at = coalesce(finished_at, now())
            WHERE chunk_id = whole;
            UPDATE review_chunk SET status = NULL, ready = false, error = NULL, failed_at = NULL, lease_until = NULL,
                due_at = NULL, republished = 0, lapses = 0
            WHERE id = whole AND (status IS NOT NULL OR ready);
        ELSIF NOT change.again AND job.chunks_open = 0 AND job.ended_at IS NULL THEN
            PERFORM review_close(job, change.whole_over);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- review_close is called when no chunk of text is open: it publishes the contract
-- as a whole, or ends the review.
CREATE FUNCTION review_close(job review_job, whole_over boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    was_read boolean := EXISTS (SELECT FROM review_chunk WHERE job_id = job.id AND kind = 'text' AND status = 'succeeded');
BEGIN
    IF NOT whole_over AND job.status <> 'cancelling' AND was_read THEN
        -- The program that commits this publishes it, or else the sweep.
        UPDATE review_chunk SET status = 'pending', ready = true, error = NULL, failed_at = NULL, due_at = now()
        WHERE job_id = job.id AND kind = 'whole';
    ELSE
        IF job.status = 'cancelling' THEN
            UPDATE review_chunk SET status = 'cancelled', error = 'the review was cancelled', due_at = NULL
            WHERE job_id = job.id AND kind = 'whole' AND status IS NULL;
        END IF;
        UPDATE review_job SET ended_at = now(),
            status = CASE WHEN job.status = 'cancelling' THEN 'cancelled' WHEN NOT was_read THEN 'failed'
                WHEN job.gaps > 0 THEN 'completed-with-gaps' ELSE 'completed' END,
            error = (SELECT left(CASE c.kind WHEN 'whole' THEN 'the contract as a whole' ELSE 'chunk ' || c.position + 1 END
                    || ', ' || CASE WHEN c.error LIKE 'stage %' THEN c.error ELSE c.stage || ': ' || coalesce(c.error, '') END
                    || CASE WHEN job.gaps > 1 THEN '; and ' || job.gaps - 1 || ' more' ELSE '' END, 1000)
                FROM review_chunk AS c
                WHERE c.job_id = job.id AND (c.status = 'failed' OR c.status = 'cancelled' AND c.kind = 'text')
                ORDER BY c.position LIMIT 1)
        WHERE id = job.id AND ended_at IS NULL; -- the chunk just cancelled may have ended it
    END IF;
END $$;
-- +goose StatementEnd
CREATE TRIGGER review_chunk_state BEFORE UPDATE ON review_chunk
    FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION review_chunk_state();
CREATE TRIGGER review_join AFTER UPDATE ON review_chunk
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION review_join();

-- +goose Down
DROP TABLE model_pause;
DROP TABLE review_finding;
DROP TABLE review_checkpoint;
DROP TABLE review_chunk;
DROP FUNCTION review_join();
DROP FUNCTION review_close(review_job, boolean);
DROP FUNCTION review_chunk_state();
DROP TABLE review_text;
DROP TABLE review_job;

-- +goose Up
-- A review fails only if none of its questions was answered: with one failed analyst in each
-- chunk it is completed with gaps. The stage of a failed chunk is the one that its error names,
-- and "more" counts questions, as the report lists them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_failed_stage(chunk uuid, kind text, error text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(substring(error FROM '^stage ([a-z-]+): '),
        (SELECT c.stage FROM review_checkpoint AS c WHERE c.chunk_id = chunk AND c.outcome IS DISTINCT FROM 'done'
        ORDER BY c.started_at DESC, c.stage LIMIT 1),
        CASE kind WHEN 'whole' THEN 'contract' ELSE 'categories' END)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_chunk_state() RETURNS trigger LANGUAGE plpgsql AS $$
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
        NEW.stage := review_failed_stage(NEW.id, NEW.kind, NEW.error);
    ELSIF NEW.stage = '' THEN
        NEW.stage := 'cancelled-at-stage-' || CASE WHEN NEW.kind = 'whole' THEN 13
            WHEN EXISTS (SELECT FROM review_checkpoint AS c WHERE c.chunk_id = NEW.id AND c.stage = 'categories' AND c.outcome = 'done')
            THEN 2 ELSE 1 END;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_close(job review_job, whole_over boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    was_read boolean := EXISTS (SELECT FROM review_chunk AS c WHERE c.job_id = job.id AND c.kind = 'text'
        AND (c.status = 'succeeded' OR EXISTS (SELECT FROM review_checkpoint AS k WHERE k.chunk_id = c.id AND k.outcome = 'done')));
    unanswered bigint := (SELECT sum(greatest(g.n, 1)) FROM (
        SELECT count(k.stage) AS n FROM review_chunk AS c
            LEFT JOIN review_checkpoint AS k ON k.chunk_id = c.id AND k.outcome IS DISTINCT FROM 'done' AND c.status = 'failed'
        WHERE c.job_id = job.id AND (c.status = 'failed' OR c.status = 'cancelled' AND c.kind = 'text')
        GROUP BY c.id) AS g);
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
                    || CASE WHEN unanswered > 1 THEN '; and ' || unanswered - 1 || ' more' ELSE '' END, 1000)
                FROM review_chunk AS c
                WHERE c.job_id = job.id AND (c.status = 'failed' OR c.status = 'cancelled' AND c.kind = 'text')
                ORDER BY c.position LIMIT 1)
        WHERE id = job.id AND ended_at IS NULL; -- the chunk just cancelled may have ended it
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_chunk_state() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION review_close(job review_job, whole_over boolean) RETURNS void LANGUAGE plpgsql AS $$
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
DROP FUNCTION review_failed_stage(uuid, text, text);

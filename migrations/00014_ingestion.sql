-- +goose Up
-- The way of a file to a document that can be matched: one row for each
-- document. It keeps the state of the work (job_status and the columns after
-- it), and what was read.
CREATE TABLE ingestion (
    id          uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    file_path   text,                                -- key of the blob: documents/{document id}.{extension}
    part_of     uuid REFERENCES ingestion (id) ON DELETE CASCADE, -- the ingestion whose file has several documents
    pages       integer[],                           -- of the file, from 1; NULL: all
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Kept by ingestion_state: the state in the words of other programs.
    status      text NOT NULL DEFAULT 'in-progress' CHECK (status IN ('in-progress', 'completed', 'failed')),
    started_at  timestamptz,                         -- of the latest attempt
    completed_at timestamptz,                        -- completed, or failed
    attempt_count integer NOT NULL DEFAULT 0,        -- attempts that ended without a result since it was published
    -- What was read.
    transcription_file_path     text,                -- key of the checkpoint
    transcription_quality_score real,                -- 0 to 1
    preprocessed_file_path      text,
    document_type               document_type,
    structured_data             jsonb,
    fields                      jsonb,               -- by path: value, quote, page, trust
    valid_structured_data       boolean,             -- whether it passed the quality gate
    needs_human_review          boolean NOT NULL DEFAULT false,
    review_reasons              text[] NOT NULL DEFAULT '{}',
    extraction_input_tokens     integer,
    extraction_output_tokens    integer,
    extraction_model            text,                -- or einvoice, or rules
    -- The state of the work, as in document.
    job_status   text CHECK (job_status IN ('pending', 'in-progress', 'succeeded', 'failed')),
    error        text,
    attempts     integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failed_at    timestamptz,
    lease_until  timestamptz,
    published_at timestamptz,
    due_at       timestamptz DEFAULT now(),
    republished  smallint NOT NULL DEFAULT 0 CHECK (republished >= 0),
    lapses       smallint NOT NULL DEFAULT 0 CHECK (lapses >= 0),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE,
    CHECK (job_status IS DISTINCT FROM 'in-progress' OR lease_until IS NOT NULL),
    CHECK (job_status IS DISTINCT FROM 'failed' OR failed_at IS NOT NULL)
);
CREATE INDEX ingestion_document_idx ON ingestion (document_id);
CREATE INDEX ingestion_waiting_idx ON ingestion (tenant_id, job_status, coalesce(lease_until, due_at, created_at))
    WHERE job_status IN ('pending', 'in-progress');
CREATE INDEX ingestion_unpublished_idx ON ingestion (coalesce(due_at, created_at))
    WHERE published_at IS NULL AND attempts = 0
        AND (job_status = 'pending' OR job_status IS NULL AND due_at IS NOT NULL AND error IS NULL AND file_path IS NOT NULL);

-- What a person corrected, for ever; the latest of a field holds. field is a
-- path such as total, supplier.vat_id or line_items.0.amount, or type.
CREATE TABLE document_correction (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    field       text NOT NULL CHECK (field ~ '^[a-z_]+(\.[a-z0-9_]+){0,3}$'),
    value       jsonb,                               -- NULL: the document has no such field
    created_at  timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX document_correction_document_idx ON document_correction (document_id, id);

-- +goose StatementBegin
CREATE FUNCTION document_corrected(data jsonb, document uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    correction record;
    path text[];
BEGIN
    FOR correction IN
        SELECT DISTINCT ON (c.field) c.field, c.value FROM document_correction AS c
        WHERE c.document_id = document AND c.field <> 'type' ORDER BY c.field, c.id DESC
    LOOP
        path := string_to_array(correction.field, '.');
        IF correction.value IS NULL THEN
            data := data #- path;
            CONTINUE;
        END IF;
        data := coalesce(data, '{}');
        FOR depth IN 1 .. cardinality(path) - 1 LOOP
            IF coalesce(jsonb_typeof(data #> path[1:depth]), 'null') NOT IN ('object', 'array') THEN
                data := jsonb_set(data, path[1:depth], CASE WHEN path[depth + 1] ~ '^[0-9]+$' THEN '[]'::jsonb ELSE '{}' END);
            END IF;
        END LOOP;
        data := jsonb_set(data, path, correction.value);
    END LOOP;
    RETURN data;
END $$;

-- A correction holds at once, and again after each ingestion.
CREATE FUNCTION document_correct() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE document SET
        structured_data = document_corrected(structured_data, id),
        type = CASE WHEN NEW.field = 'type' THEN (NEW.value #>> '{}')::document_type ELSE type END
    WHERE id = NEW.document_id;
    RETURN NULL;
END $$;

-- The state in other words. An attempt ends without a result when it is
-- released with an error, and when its lapsed claim is taken over.
CREATE FUNCTION ingestion_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.status := CASE NEW.job_status WHEN 'succeeded' THEN 'completed' WHEN 'failed' THEN 'failed' ELSE 'in-progress' END;
    IF TG_OP = 'INSERT' THEN
        NEW.completed_at := CASE WHEN NEW.status <> 'in-progress' THEN coalesce(NEW.completed_at, now()) END;
        RETURN NEW;
    END IF;
    IF NEW.attempts > OLD.attempts THEN
        NEW.started_at := now();
    END IF;
    IF NEW.published_at IS DISTINCT FROM OLD.published_at AND NEW.republished = 0 AND NEW.lapses = 0 THEN
        NEW.attempt_count := 0; -- published by a person or a program, not by the sweep
    ELSIF OLD.job_status = 'in-progress' AND (NEW.attempts > OLD.attempts OR NEW.job_status IN ('pending', 'failed')) THEN
        NEW.attempt_count := OLD.attempt_count + 1;
    END IF;
    IF NEW.status <> OLD.status THEN
        NEW.completed_at := CASE WHEN NEW.status <> 'in-progress' THEN now() END;
    END IF;
    RETURN NEW;
END $$;

-- What was read goes to the document; what a person corrected stays.
CREATE FUNCTION ingestion_to_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'failed' THEN
        UPDATE document SET needs_human_review = true WHERE id = NEW.document_id;
        RETURN NULL;
    END IF;
    UPDATE document SET
        structured_data = document_corrected(NEW.structured_data, id),
        type = coalesce((SELECT (c.value #>> '{}')::document_type FROM document_correction AS c
            WHERE c.document_id = document.id AND c.field = 'type' ORDER BY c.id DESC LIMIT 1), NEW.document_type, type),
        needs_human_review = NEW.needs_human_review
    WHERE id = NEW.document_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER document_correct AFTER INSERT ON document_correction
    FOR EACH ROW EXECUTE FUNCTION document_correct();
CREATE TRIGGER ingestion_state BEFORE INSERT OR UPDATE ON ingestion
    FOR EACH ROW EXECUTE FUNCTION ingestion_state();
CREATE TRIGGER ingestion_to_document AFTER INSERT OR UPDATE ON ingestion
    FOR EACH ROW WHEN (NEW.status = 'failed' OR NEW.status = 'completed' AND NEW.structured_data IS NOT NULL) EXECUTE FUNCTION ingestion_to_document();

-- +goose Down
DROP TABLE ingestion;
DROP TABLE document_correction;
DROP FUNCTION ingestion_to_document();
DROP FUNCTION ingestion_state();
DROP FUNCTION document_correct();
DROP FUNCTION document_corrected(jsonb, uuid);

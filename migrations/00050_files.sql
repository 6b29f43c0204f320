-- Files: their names, the pages at which a person says that their documents begin, and what
-- people did about them.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE document ADD COLUMN IF NOT EXISTS file_name text;    -- of its file, as sent; NULL: unknown, or no file
ALTER TABLE ingestion ADD COLUMN IF NOT EXISTS begins integer[]; -- pages, from 1, where a person says that documents begin; NULL: as read

-- What people did about documents of files, and why. Rows are only added, each in the
-- transaction of the change. The id is that of the form, so that a form that is sent twice acts
-- once.
CREATE TABLE IF NOT EXISTS file_action (
    id          uuid PRIMARY KEY,
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('correct', 'read', 'dismiss', 'pages')),
    acted_by    text NOT NULL,                -- the person
    reason      text NOT NULL,
    acted_at    timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS file_action_document_idx ON file_action (document_id, acted_at);

-- needs_human_review alone says that a file waits for a person, so that a person can be done
-- with one that failed. Rows that failed before 00036 lack it.
UPDATE ingestion SET needs_human_review = true WHERE job_status = 'failed' AND NOT needs_human_review;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION document_event() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_receiver) THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] = 'failed' THEN
        INSERT INTO event (tenant_id, kind, document_a_id, data, created_at)
        VALUES (NEW.tenant_id, 'document.failed', NEW.id, jsonb_build_object(
            'document_id', NEW.id, 'type', NEW.type, 'number', event_number(NEW.structured_data), 'file_name', NEW.file_name,
            'attempts', NEW.matching_attempts, 'error', NEW.matching_error, 'failed_at', NEW.matching_failed_at), now());
        RETURN NULL;
    END IF;
    INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
    SELECT m.tenant_id, 'match.changed', m.document_a_id, m.document_b_id, event_match(m), now()
    FROM document_match AS m
    WHERE m.document_a_id = NEW.id OR m.document_b_id = NEW.id
    ORDER BY m.document_a_id, m.document_b_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
SET LOCAL lock_timeout = '2s';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION document_event() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM event_receiver) THEN
        RETURN NULL;
    END IF;
    IF TG_ARGV[0] = 'failed' THEN
        INSERT INTO event (tenant_id, kind, document_a_id, data, created_at)
        VALUES (NEW.tenant_id, 'document.failed', NEW.id, jsonb_build_object(
            'document_id', NEW.id, 'type', NEW.type, 'number', event_number(NEW.structured_data),
            'attempts', NEW.matching_attempts, 'error', NEW.matching_error, 'failed_at', NEW.matching_failed_at), now());
        RETURN NULL;
    END IF;
    INSERT INTO event (tenant_id, kind, document_a_id, document_b_id, data, created_at)
    SELECT m.tenant_id, 'match.changed', m.document_a_id, m.document_b_id, event_match(m), now()
    FROM document_match AS m
    WHERE m.document_a_id = NEW.id OR m.document_b_id = NEW.id
    ORDER BY m.document_a_id, m.document_b_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TABLE file_action;
ALTER TABLE ingestion DROP COLUMN begins;
ALTER TABLE document DROP COLUMN file_name;

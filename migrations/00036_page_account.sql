-- Where each page of a file went: read, blank or not read. And a failed file is for a person
-- in its own row, until it is published again.

-- +goose Up
SET LOCAL lock_timeout = '2s';
ALTER TABLE ingestion ADD COLUMN IF NOT EXISTS page_account jsonb; -- of the whole file: pages, blank, not_read; on its first row

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ingestion_failed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.needs_human_review := NEW.job_status IS NOT DISTINCT FROM 'failed';
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER ingestion_failed BEFORE UPDATE OF job_status ON ingestion
    FOR EACH ROW WHEN ((NEW.job_status IS NOT DISTINCT FROM 'failed') <> (OLD.job_status IS NOT DISTINCT FROM 'failed')
        AND NEW.job_status IS DISTINCT FROM 'succeeded')
    EXECUTE FUNCTION ingestion_failed();

-- +goose Down
SET LOCAL lock_timeout = '2s';
DROP TRIGGER ingestion_failed ON ingestion;
DROP FUNCTION ingestion_failed();
ALTER TABLE ingestion DROP COLUMN page_account;

-- +goose NO TRANSACTION
-- Failed offer jobs by tenant for people, and who published one again. Every statement may be run again.

-- +goose Up
SET lock_timeout = '2s';
DROP INDEX CONCURRENTLY IF EXISTS matchmaking_job_failed_idx;
CREATE INDEX CONCURRENTLY matchmaking_job_failed_idx ON matchmaking_job (tenant_id, failed_at DESC, id DESC) WHERE job_status = 'failed';
ALTER TABLE offer_action ADD COLUMN IF NOT EXISTS form uuid; -- of the form, so that it acts once; NULL: a command
DROP INDEX CONCURRENTLY IF EXISTS offer_action_form_idx;
CREATE UNIQUE INDEX CONCURRENTLY offer_action_form_idx ON offer_action (form);
ALTER TABLE offer_action DROP CONSTRAINT IF EXISTS offer_action_kind_check;
ALTER TABLE offer_action ADD CONSTRAINT offer_action_kind_check CHECK (kind IN ('refreeze', 'requeue')) NOT VALID;
ALTER TABLE offer_action VALIDATE CONSTRAINT offer_action_kind_check;

-- +goose Down
SET lock_timeout = '2s';
DELETE FROM offer_action WHERE kind = 'requeue';
ALTER TABLE offer_action DROP CONSTRAINT IF EXISTS offer_action_kind_check;
ALTER TABLE offer_action ADD CONSTRAINT offer_action_kind_check CHECK (kind IN ('refreeze')) NOT VALID;
ALTER TABLE offer_action VALIDATE CONSTRAINT offer_action_kind_check;
DROP INDEX CONCURRENTLY IF EXISTS offer_action_form_idx;
ALTER TABLE offer_action DROP COLUMN IF EXISTS form;
DROP INDEX CONCURRENTLY IF EXISTS matchmaking_job_failed_idx;

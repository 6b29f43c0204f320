-- +goose Up
-- A finding about the contract as a whole that no longer holds, since parts that
-- it had not read were read. The log keeps it.
SET LOCAL lock_timeout = '2s';
ALTER TABLE review_finding ADD COLUMN withdrawn boolean NOT NULL DEFAULT false;

-- +goose Down
SET LOCAL lock_timeout = '2s';
ALTER TABLE review_finding DROP COLUMN withdrawn;

-- +goose Up
ALTER TABLE document
    ADD COLUMN matching_lease_until  timestamptz, -- until when the claim is exclusive
    ADD COLUMN matching_published_at timestamptz, -- the publish stamp, carried by the message
    ADD COLUMN matching_due_at       timestamptz, -- when a message for it is next due
    -- How often the sweep has published it again since a worker last saw it.
    ADD COLUMN matching_republished  smallint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE document
    DROP COLUMN matching_republished,
    DROP COLUMN matching_due_at,
    DROP COLUMN matching_published_at,
    DROP COLUMN matching_lease_until;

-- A receiver that answered 410 (gone) gets no more requests until its URL changes or a person
-- asks for them.

-- +goose Up
CREATE TABLE IF NOT EXISTS receiver_gone (
    parcels  text PRIMARY KEY,                      -- events or sets
    receiver bytea NOT NULL,                        -- SHA-256 of its URL, which may have a secret
    gone_at  timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE receiver_gone;

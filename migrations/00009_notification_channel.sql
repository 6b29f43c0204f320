-- +goose Up
-- A channel that asked to be left alone, and until when.
CREATE TABLE notification_channel (
	channel text PRIMARY KEY,
	busy_until timestamptz NOT NULL
);

-- +goose Down
DROP TABLE notification_channel;

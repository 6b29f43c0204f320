-- +goose Up
-- What has to be told, and when a channel was told last, is asked all the time.
CREATE INDEX notification_created_idx ON notification (created_at);
CREATE INDEX notification_delivery_sent_idx ON notification_delivery (channel, sent_at) WHERE sent_at IS NOT NULL;

-- +goose Down
DROP INDEX notification_delivery_sent_idx;
DROP INDEX notification_created_idx;

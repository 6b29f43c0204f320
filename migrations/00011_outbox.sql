-- +goose Up
-- A delivery is written with its notification, for every channel there is: what
-- a channel has to send is found by it, however much was sent before. The locks
-- are short, and are given up for another try rather than waited for.
SET LOCAL lock_timeout = '5s';

-- Of the notification; of what was sent before this column, when it was added.
ALTER TABLE notification_delivery ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();

-- Every channel. One that is not configured keeps its deliveries, and sends
-- those of the last 14 days when it is.
ALTER TABLE notification_channel ALTER COLUMN busy_until SET DEFAULT '-infinity';
INSERT INTO notification_channel (channel) VALUES ('slack'), ('email') ON CONFLICT DO NOTHING;

-- When a channel took the last message of a kind.
CREATE TABLE notification_last (
	channel text,
	kind    text,
	sent_at timestamptz NOT NULL,
	PRIMARY KEY (channel, kind)
);

-- A trigger, so that no program that fails documents can forget it.
-- +goose StatementBegin
CREATE FUNCTION notification_add_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO notification_delivery (notification_id, channel, created_at)
	SELECT added.id, notification_channel.channel, added.created_at FROM added CROSS JOIN notification_channel;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER notification_deliveries AFTER INSERT ON notification
	REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notification_add_deliveries();

-- +goose Down
SET LOCAL lock_timeout = '5s';
DROP TRIGGER notification_deliveries ON notification;
DROP FUNCTION notification_add_deliveries;
DROP TABLE notification_last;
DELETE FROM notification_channel WHERE busy_until = '-infinity';
ALTER TABLE notification_channel ALTER COLUMN busy_until DROP DEFAULT;
ALTER TABLE notification_delivery DROP COLUMN created_at;

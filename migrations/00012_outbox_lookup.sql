-- +goose NO TRANSACTION
-- Nothing here keeps anybody from working, and every statement may be run again.

-- +goose Up
-- The deliveries of notifications that were written before the trigger was
-- there, a few thousand at a time: a sender waits for one that it claims.
-- +goose StatementBegin
DO $$
DECLARE
	since timestamptz := now() - interval '14 days';
	until timestamptz;
BEGIN
	LOOP
		SELECT max(created_at) INTO until
		FROM (SELECT created_at FROM notification WHERE created_at > since ORDER BY created_at LIMIT 5000) AS next;
		EXIT WHEN until IS NULL;
		INSERT INTO notification_delivery (notification_id, channel, created_at)
		SELECT id, channel, created_at FROM notification CROSS JOIN notification_channel
		WHERE created_at > since AND created_at <= until
		ON CONFLICT DO NOTHING;
		COMMIT;
		since := until;
	END LOOP;
END $$;
-- +goose StatementEnd
UPDATE notification_delivery AS d SET created_at = n.created_at
FROM notification AS n
WHERE n.id = d.notification_id AND d.status = 'pending' AND d.created_at <> n.created_at;

-- An interrupted concurrent build leaves an invalid index behind.
DROP INDEX CONCURRENTLY IF EXISTS notification_delivery_pending_idx;
CREATE INDEX CONCURRENTLY notification_delivery_pending_idx
	ON notification_delivery (channel, created_at, notification_id) WHERE status = 'pending';
DROP INDEX CONCURRENTLY IF EXISTS notification_delivery_sent_idx; -- notification_last knows

-- Documents are looked up by their number, as printed. A hash takes numbers of
-- any length, which a sorted index does not.
DROP INDEX CONCURRENTLY IF EXISTS document_number_idx;
CREATE INDEX CONCURRENTLY document_number_idx ON document USING hash ((structured_data ->> 'number'));

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS document_number_idx;
DROP INDEX CONCURRENTLY IF EXISTS notification_delivery_sent_idx;
CREATE INDEX CONCURRENTLY notification_delivery_sent_idx ON notification_delivery (channel, sent_at) WHERE sent_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS notification_delivery_pending_idx;

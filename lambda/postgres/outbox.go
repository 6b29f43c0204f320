package postgres

import (
	"context"
	"encoding/json"
	"time"

	"matchbook/lambda/notify"
	"matchbook/lambda/notify/outbox"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// This file implements notify.Outbox for notify.Relay, which sends notifications to people.
// Programs get events and sets instead: see outbox.Outbox in packages events and offers.

// lockChannelSQL makes a channel's senders choose in turn, so that the channel gets one
// message a minute of each kind, however many senders there are.
const lockChannelSQL = `
SELECT pg_advisory_xact_lock(hashtextextended('notify:' || $1::text, 0))`

const channelSQL = `
SELECT now(), count(*) > 0, coalesce(bool_or(busy_until > now()), false) FROM notification_channel WHERE channel = $1`

// pendingSQL reads a channel's unsent and unclaimed deliveries of the last two weeks; older
// ones are never sent. It looks up each notification by key, even with the statistics of a
// storm.
const pendingSQL = `
SELECT n.id, n.created_at, n.subject, coalesce(n.document_id, n.subject_id), n.tenant_id, n.kind, n.payload,
	coalesce((SELECT file_name FROM document WHERE id = of.id), r.name, ''), coalesce(of.id, '00000000-0000-0000-0000-000000000000')
FROM (
	SELECT notification_id FROM notification_delivery
	WHERE channel = $1 AND status = 'pending' AND created_at > $2::timestamptz - interval '14 days'
		AND coalesce(claimed_until <= $2::timestamptz, true)
	ORDER BY created_at, notification_id LIMIT 20000
) AS d, LATERAL (SELECT * FROM notification WHERE id = d.notification_id LIMIT 1) AS n
LEFT JOIN LATERAL (SELECT j.document_id, j.name FROM review_chunk AS c JOIN review_job AS j ON j.id = c.job_id
	WHERE n.subject = 'chunk' AND c.id = n.subject_id LIMIT 1) AS r ON true,
LATERAL (SELECT coalesce(n.document_id, r.document_id, (SELECT document_id FROM ingestion WHERE id = n.subject_id)) AS id) AS of`

// lastSentSQL reads when each topic was last sent; a claimed one counts as sent now.
const lastSentSQL = `
SELECT kind, max(sent_at) FROM (
	SELECT kind, sent_at FROM notification_last WHERE channel = $1
	UNION ALL
	SELECT ` + topicSQL + `, $2::timestamptz
	FROM notification_delivery AS d,
		LATERAL (SELECT subject, kind FROM notification WHERE id = d.notification_id LIMIT 1) AS n
	WHERE d.channel = $1 AND d.status = 'pending' AND d.created_at > $2::timestamptz - interval '14 days'
		AND d.claimed_until > $2::timestamptz
) AS known GROUP BY kind`

// topicSQL is notify.Failure.Topic.
const topicSQL = `CASE n.subject WHEN 'document' THEN n.kind ELSE n.subject || ' ' || n.kind END`

const claimNotificationsSQL = `
UPDATE notification_delivery SET tries = tries + 1, claimed_until = $3::timestamptz + $4::interval
WHERE channel = $1 AND notification_id = ANY ($2)`

// ClaimNotifications implements notify.Outbox. It doesn't offer notifications claimed by
// another sender, and their topics count as sent now.
func (db *DB) ClaimNotifications(
	ctx context.Context, channel string, hold time.Duration,
	plan func(time.Time, map[string]time.Time, []notify.Failure) []notify.Message,
) ([]notify.Message, error) {
	return Within(ctx, db, func(tx pgx.Tx) ([]notify.Message, error) {
		now, busy, err := takeChannel(ctx, tx, channel)
		if err != nil || busy {
			return nil, err
		}
		last, err := Map[map[string]time.Time](ctx, tx, lastSentSQL, channel, now)
		if err != nil {
			return nil, err
		}
		pending, err := pendingOn(ctx, tx, channel, now)
		if err != nil {
			return nil, err
		}
		var chosen []uuid.UUID
		send := plan(now, last, pending)
		for _, m := range send {
			chosen = append(chosen, m.IDs...)
		}
		if len(chosen) == 0 {
			return send, nil
		}
		_, err = tx.Exec(ctx, claimNotificationsSQL, channel, chosen, now, hold)
		return send, err
	})
}

// lockNotificationsSQL waits for concurrent writers, because this transaction doesn't see
// their notifications and their trigger doesn't see the channel. It runs once in a channel's
// life.
const lockNotificationsSQL = `LOCK TABLE notification IN SHARE MODE`

const addChannelSQL = `
WITH added AS (INSERT INTO notification_channel (channel) VALUES ($1) ON CONFLICT DO NOTHING)
INSERT INTO notification_delivery (notification_id, channel, created_at)
SELECT id, $1, created_at FROM notification WHERE created_at > $2::timestamptz - interval '14 days'
ON CONFLICT DO NOTHING`

// takeChannel waits for the channel's turn, and adds a new channel.
func takeChannel(ctx context.Context, tx pgx.Tx, channel string) (now time.Time, busy bool, err error) {
	if _, err := tx.Exec(ctx, lockChannelSQL, channel); err != nil {
		return now, false, err
	}
	var known bool
	if err := tx.QueryRow(ctx, channelSQL, channel).Scan(&now, &known, &busy); err != nil || known {
		return now, busy, err
	}
	if _, err := tx.Exec(ctx, lockNotificationsSQL); err != nil {
		return now, false, err
	}
	_, err = tx.Exec(ctx, addChannelSQL, channel, now)
	return now, false, err
}

// pendingOn reads the failures that may be sent. One with an unreadable payload is sent with
// the values of its columns, so that it doesn't hold up the others.
func pendingOn(ctx context.Context, tx pgx.Tx, channel string, now time.Time) ([]notify.Failure, error) {
	return RowsBy(ctx, tx, func(row pgx.CollectableRow) (f notify.Failure, err error) {
		var payload []byte
		err = row.Scan(&f.ID, &f.At, &f.Subject, &f.SubjectID, &f.TenantID, &f.Kind, &payload, &f.File, &f.Document)
		read := f
		if json.Unmarshal(payload, &read) != nil {
			f.Error = "unreadable notification payload: see the " + f.Subject
			return f, err
		}
		read.Kind = f.Kind
		return read, err
	}, pendingSQL, channel, now)
}

const sentSQL = `
WITH sent AS (
	UPDATE notification_delivery SET status = $3, sent_at = now(), claimed_until = NULL
	WHERE channel = $1 AND notification_id = ANY ($2) AND status = 'pending'
	RETURNING notification_id
)
INSERT INTO notification_last (channel, kind, sent_at)
SELECT DISTINCT $1, ` + topicSQL + `, now() FROM sent JOIN notification AS n ON n.id = notification_id
ON CONFLICT (channel, kind) DO UPDATE SET sent_at = excluded.sent_at`

// NotificationsSent implements notify.Outbox: a single notification becomes sent, several
// become digested.
func (db *DB) NotificationsSent(ctx context.Context, channel string, ids []uuid.UUID) error {
	status := "sent"
	if len(ids) > 1 {
		status = "digested"
	}
	_, err := db.pool.changed(ctx, sentSQL, channel, ids, status)
	return err
}

const releaseSQL = `
WITH busy AS (
	INSERT INTO notification_channel (channel, busy_until) SELECT $1, now() + $3::interval WHERE $4
	ON CONFLICT (channel) DO UPDATE SET busy_until = excluded.busy_until
)
UPDATE notification_delivery SET claimed_until = now() + $3::interval
WHERE channel = $1 AND notification_id = ANY ($2) AND status = 'pending'`

// ReleaseNotifications implements notify.Outbox.
func (db *DB) ReleaseNotifications(
	ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration, busy bool,
) error {
	_, err := db.pool.changed(ctx, releaseSQL, channel, ids, wait, busy)
	return err
}

const unsentSQL = `
SELECT count(*) FROM notification_delivery
WHERE channel = $1 AND status = 'pending' AND created_at > now() - interval '14 days'`

// Unsent counts the pending deliveries of a channel, claimed or not.
func (db *DB) Unsent(ctx context.Context, channel string) (int, error) {
	return Value[int](ctx, db, unsentSQL, channel)
}

// ReturnColumns returns parcels as columns, for the outboxes of sets and of events.
func ReturnColumns(returned []outbox.Return) (ids []uuid.UUID, tries []int, waits []time.Duration, errors []string) {
	for _, r := range returned {
		ids, tries = append(ids, r.ID), append(tries, r.Tries)
		waits, errors = append(waits, r.Wait), append(errors, Storable(r.Error))
	}
	return ids, tries, waits, errors
}

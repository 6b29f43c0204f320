package postgres

import (
	"context"
	"encoding/json"
	"time"

	"matchbook/lambda/notify"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Senders of one channel take turns in choosing, so that a kind is told once a
// minute, whoever tells it.
const lockChannelSQL = `
SELECT pg_advisory_xact_lock(hashtextextended('notify:' || $1::text, 0))`

const channelSQL = `
SELECT now(), EXISTS (SELECT FROM notification_channel WHERE channel = $1 AND busy_until > now())`

// pendingSQL reads what a channel was not told of the last two weeks and nobody
// has claimed; what is older is of no use to anybody.
const pendingSQL = `
SELECT n.id, n.created_at, n.document_id, n.tenant_id, n.kind, n.payload
FROM notification AS n
LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = $1
WHERE n.created_at > $2::timestamptz - interval '14 days' AND coalesce(d.status, 'pending') = 'pending'
	AND coalesce(d.claimed_until <= $2::timestamptz, true)
ORDER BY n.created_at, n.id LIMIT 20000`

// lastToldSQL reads when a kind was told last; what is claimed counts as told now.
const lastToldSQL = `
SELECT n.kind, max(CASE d.status WHEN 'pending' THEN $2::timestamptz ELSE d.sent_at END)
FROM notification_delivery AS d JOIN notification AS n ON n.id = d.notification_id
WHERE d.channel = $1 AND (d.sent_at > $2::timestamptz - interval '5 minutes' OR d.status = 'pending' AND d.claimed_until > $2::timestamptz)
GROUP BY n.kind`

const claimNotificationsSQL = `
INSERT INTO notification_delivery AS d (notification_id, channel, tries, claimed_until)
SELECT id, $1, 1, $3::timestamptz + $4::interval FROM unnest($2::uuid[]) AS id
ON CONFLICT (notification_id, channel) DO UPDATE SET tries = d.tries + 1, claimed_until = excluded.claimed_until`

// ClaimNotifications implements notify.Outbox. What somebody else has claimed
// is not offered, and its kind counts as told now.
func (db *DB) ClaimNotifications(ctx context.Context, channel string, hold time.Duration, plan func(time.Time, map[string]time.Time, []notify.Failure) []notify.Message) (send []notify.Message, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		var now time.Time
		var busy bool
		if _, err := tx.Exec(ctx, lockChannelSQL, channel); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, channelSQL, channel).Scan(&now, &busy); err != nil || busy {
			return err
		}
		last, err := lastTold(ctx, tx, channel, now)
		if err != nil {
			return err
		}
		pending, err := pendingOn(ctx, tx, channel, now)
		if err != nil {
			return err
		}
		var chosen []uuid.UUID
		send = plan(now, last, pending)
		for _, m := range send {
			chosen = append(chosen, m.Told...)
		}
		if len(chosen) == 0 {
			return nil
		}
		_, err = tx.Exec(ctx, claimNotificationsSQL, channel, chosen, now, hold)
		return err
	})
	if err != nil {
		return nil, err
	}
	return send, nil
}

func lastTold(ctx context.Context, tx pgx.Tx, channel string, now time.Time) (map[string]time.Time, error) {
	last := map[string]time.Time{}
	rows, _ := tx.Query(ctx, lastToldSQL, channel, now)
	var kind string
	var at time.Time
	_, err := pgx.ForEachRow(rows, []any{&kind, &at}, func() error {
		last[kind] = at
		return nil
	})
	return last, err
}

// pendingOn reads what may be told. A payload that cannot be read holds up
// nobody: what the columns say is told.
func pendingOn(ctx context.Context, tx pgx.Tx, channel string, now time.Time) (pending []notify.Failure, err error) {
	rows, _ := tx.Query(ctx, pendingSQL, channel, now)
	var f notify.Failure
	var payload []byte
	_, err = pgx.ForEachRow(rows, []any{&f.ID, &f.At, &f.DocumentID, &f.TenantID, &f.Kind, &payload}, func() error {
		told := notify.Failure{ID: f.ID, At: f.At}
		if json.Unmarshal(payload, &told) != nil {
			told = f
			told.Error = "the notification's payload cannot be read: look at the document"
		}
		told.Kind = f.Kind
		pending = append(pending, told)
		return nil
	})
	return pending, err
}

const toldSQL = `
UPDATE notification_delivery SET status = $3, sent_at = now(), claimed_until = NULL
WHERE channel = $1 AND notification_id = ANY ($2) AND status = 'pending'`

// NotificationsTold implements notify.Outbox: one is sent, many are digested.
func (db *DB) NotificationsTold(ctx context.Context, channel string, ids []uuid.UUID) error {
	status := "sent"
	if len(ids) > 1 {
		status = "digested"
	}
	return repeat(ctx, func() error {
		_, err := db.pool.Exec(ctx, toldSQL, channel, ids, status)
		return err
	})
}

const releaseSQL = `
WITH busy AS (
	INSERT INTO notification_channel (channel, busy_until) SELECT $1, now() + $3::interval WHERE $4
	ON CONFLICT (channel) DO UPDATE SET busy_until = excluded.busy_until
)
UPDATE notification_delivery SET claimed_until = now() + $3::interval
WHERE channel = $1 AND notification_id = ANY ($2) AND status = 'pending'`

// ReleaseNotifications implements notify.Outbox.
func (db *DB) ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration, busy bool) error {
	return repeat(ctx, func() error {
		_, err := db.pool.Exec(ctx, releaseSQL, channel, ids, wait, busy)
		return err
	})
}

const untoldSQL = `
SELECT count(*) FROM notification AS n
LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = $1
WHERE n.created_at > now() - interval '14 days' AND coalesce(d.status, 'pending') = 'pending'`

// Untold counts what a channel still has to be told of, be it claimed or not.
func (db *DB) Untold(ctx context.Context, channel string) (n int, err error) {
	err = repeat(ctx, func() error { return db.pool.QueryRow(ctx, untoldSQL, channel).Scan(&n) })
	return n, err
}

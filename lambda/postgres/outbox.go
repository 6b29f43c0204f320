package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"matchbook/lambda/notify"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Senders of one channel take turns in choosing, so that a kind is told once a
// minute, whoever tells it.
const lockChannelSQL = `
SELECT now() FROM (SELECT pg_advisory_xact_lock(hashtextextended('notify:' || $1::text, 0))) AS locked`

// pendingSQL reads what a channel was not told of the last two weeks; what is
// older is of no use to anybody.
const pendingSQL = `
SELECT n.id, n.created_at, n.kind, n.payload, coalesce(d.claimed_until > $2::timestamptz, false)
FROM notification AS n
LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = $1
WHERE n.created_at > $2::timestamptz - interval '14 days' AND coalesce(d.status, 'pending') = 'pending'
ORDER BY n.created_at, n.id LIMIT 20000`

const lastToldSQL = `
SELECT n.kind, max(d.sent_at)
FROM notification_delivery AS d JOIN notification AS n ON n.id = d.notification_id
WHERE d.channel = $1 AND d.sent_at > $2::timestamptz - interval '5 minutes'
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
		if err := tx.QueryRow(ctx, lockChannelSQL, channel).Scan(&now); err != nil {
			return err
		}
		last, err := lastTold(ctx, tx, channel, now)
		if err != nil {
			return err
		}
		pending, err := pendingOn(ctx, tx, channel, now, last)
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

// pendingOn reads what may be told, and notes in last the kinds that somebody
// else has claimed.
func pendingOn(ctx context.Context, tx pgx.Tx, channel string, now time.Time, last map[string]time.Time) (pending []notify.Failure, err error) {
	rows, _ := tx.Query(ctx, pendingSQL, channel, now)
	var f notify.Failure
	var kind string
	var payload []byte
	var claimed bool
	_, err = pgx.ForEachRow(rows, []any{&f.ID, &f.At, &kind, &payload, &claimed}, func() error {
		if claimed {
			last[kind] = now
			return nil
		}
		told := notify.Failure{ID: f.ID, At: f.At}
		if err := json.Unmarshal(payload, &told); err != nil {
			return fmt.Errorf("payload of notification %s: %w", f.ID, err)
		}
		told.Kind = kind
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
UPDATE notification_delivery SET claimed_until = now() + $3::interval
WHERE channel = $1 AND notification_id = ANY ($2) AND status = 'pending'`

// ReleaseNotifications implements notify.Outbox.
func (db *DB) ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration) error {
	return repeat(ctx, func() error {
		_, err := db.pool.Exec(ctx, releaseSQL, channel, ids, wait)
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

package postgres_test

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"
)

// deliveries lists channel and status of all deliveries, with how many there
// are.
func (f *fixture) deliveries() (list string) {
	f.T.Helper()
	must.OK(f.T, f.Conn.QueryRow(f.T.Context(), `SELECT coalesce(string_agg(channel || ' ' || status || ' ' || n, ', ' ORDER BY channel, status), '')
		FROM (SELECT channel, status, count(*) AS n FROM notification_delivery GROUP BY 1, 2) AS d`).Scan(&list))
	return list
}

// Whoever writes a notification, its deliveries are there in the same transaction, whether a
// worker, the sweep or another program writes it.
func TestDeliveriesByTrigger(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fence := f.Take(f.document(""))
	if written, err := f.Release(t.Context(), fence, job.Release{Status: job.StatusFailed, Kind: "permanent"}); !written || err != nil {
		t.Fatal(written, err)
	}
	postgrestest.Equal(t, "after a worker's", f.deliveries(), "email pending 1, slack pending 1")
	f.failures(10, "lost", "crashed") // one statement, as the sweep's
	postgrestest.Equal(t, "after ten at once", f.deliveries(), "email pending 11, slack pending 11")
	if late := postgrestest.Value[int](t, f.Conn, `SELECT count(*) FROM notification_delivery AS d JOIN notification AS n ON n.id = notification_id
		WHERE d.created_at <> n.created_at`); late != 0 {
		t.Errorf("%d deliveries have another time than their notification", late)
	}
}

// A channel that is new sends what happened in the last two weeks, once.
func TestNewChannelBackfill(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failures(2, "permanent")
	f.Advance(15 * 24 * time.Hour)
	f.failures(3, "permanent")
	for _, name := range []string{"pager", "slack"} { // slack is known already
		channel := &notify.Recorder{Name: name}
		for range 2 {
			f.relay(channel).Run(t.Context())
		}
		if sent := channel.Sent(); len(sent) != 1 || sent[0].Count != 3 {
			t.Errorf("%s was sent %+v", name, sent)
		}
	}
	f.Advance(time.Hour)
	f.failures(1, "permanent")
	postgrestest.Equal(t, "deliveries", f.deliveries(), "email pending 6, pager digested 3, pager pending 1, slack digested 3, slack pending 3")
}

// A notification written in a transaction that is open while a channel is new reaches the
// channel too, because the channel waits for it.
func TestNewChannelRace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	writer := must.Get(f.Conn.Begin(t.Context()))(t)
	f.failures(1, "permanent") // in that transaction
	pager, done := &notify.Recorder{Name: "pager"}, make(chan struct{})
	go func() {
		defer close(done)
		f.relay(pager).Run(t.Context())
	}()
	other := postgrestest.Conn(t, f.url())
	for waits := false; !waits; {
		select {
		case <-done:
			t.Fatalf("it did not wait, and was sent %+v", pager.Sent())
		default:
		}
		must.OK(t, other.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks
			WHERE relation = 'notification'::regclass AND NOT granted AND mode = 'ShareLock')`).Scan(&waits))
	}
	must.OK(t, writer.Commit(t.Context()))
	<-done
	if sent := pager.Sent(); len(sent) != 1 || sent[0].Count != 1 {
		t.Errorf("it was sent %+v", sent)
	}
}

// url returns the fixture's database with the real clock.
func (f *fixture) url() string {
	u := must.Get(url.Parse(f.Conn.Config().ConnString()))(f.T)
	q := u.Query()
	q.Del("search_path")
	u.RawQuery = q.Encode()
	return u.String()
}

// Among 20,000 notifications that were sent, and while the statistics are those of
// the storm in which they all waited, the statements read the few that wait.
func TestOutboxReadsPending(t *testing.T) {
	testenv.OnlyThorough(t, "inserts 20,000 notifications")
	t.Parallel()
	f := newFixture(t)
	f.failures(20_000, "permanent", "lost")
	f.Exec("VACUUM ANALYZE notification, notification_delivery, document")
	f.Exec("UPDATE notification_delivery SET status = 'digested', sent_at = now()")
	f.Exec("INSERT INTO notification_last VALUES ('slack', 'permanent', now()), ('slack', 'lost', now())")
	f.Exec("VACUUM notification_delivery")
	f.failures(5, "crashed")
	f.Exec("UPDATE notification_delivery SET claimed_until = now() + interval '1 minute' WHERE ctid IN (SELECT ctid FROM notification_delivery WHERE channel = 'slack' AND status = 'pending' LIMIT 2)")
	channels := []string{"slack", "email"}
	for name, tc := range map[string]struct {
		sql  string
		args []any
		most float64 // rows of both tables
	}{
		"what may be sent":   {postgres.PendingSQL, []any{"slack", start}, 8},
		"what was sent last": {postgres.LastSentSQL, []any{"slack", start}, 7},
		"what is to be sent": {postgres.UnsentSQL, []any{"slack"}, 5},
		"gauges":             {postgres.GaugesSQL, []any{channels}, 10},
	} {
		p := f.Explain(tc.sql, tc.args...)
		p.WantIndexed(t, "notification_delivery_pending_idx")
		if n := p.Fetched("notification") + p.Fetched("notification_delivery"); n > tc.most {
			t.Errorf("%s: %.0f rows were read, want at most %.0f", name, n, tc.most)
		}
	}
}

// The migration gives the notifications of the last two weeks the deliveries
// that they lack, and leaves alone what was sent.
func TestMigrationBackfills(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	url := f.url() // migrations know no other clock
	for at := int64(math.MaxInt64); at > 11; {
		done, err := schema.MigrateDown(t.Context(), url)
		if err != nil || len(done) != 1 {
			t.Fatal(done, err)
		}
		at = done[0].Version
	}
	f.failures(7000, "permanent") // more than one batch, one a minute
	f.Exec(`UPDATE notification SET created_at = pg_catalog.now() - n * interval '1 minute'
		FROM (SELECT id AS this, row_number() OVER (ORDER BY id) AS n FROM notification) AS numbered WHERE id = this`)
	f.Exec(`INSERT INTO notification_delivery (notification_id, channel, status, tries)
		SELECT id, 'slack', CASE WHEN row_number() OVER (ORDER BY created_at DESC) BETWEEN 6 AND 105 THEN 'sent' ELSE 'pending' END, 1
		FROM notification ORDER BY created_at DESC LIMIT 150`)
	f.Exec(`UPDATE notification SET created_at = created_at - interval '30 days' WHERE created_at > pg_catalog.now() - interval '6 minutes'
		OR created_at < pg_catalog.now() - interval '6996 minutes'`)
	must.Get(schema.Migrate(t.Context(), url))(t)
	postgrestest.Equal(t, "deliveries", f.deliveries(), "email pending 6990, slack pending 6895, slack sent 100")
	if wrong := postgrestest.Value[int](t, f.Conn, `SELECT count(*) FROM notification_delivery AS d JOIN notification AS n ON n.id = notification_id
		WHERE status = 'pending' AND d.created_at <> n.created_at`); wrong != 0 {
		t.Errorf("%d have another time than their notification", wrong)
	}
	if n, err := postgrestest.Open(t, url).Unsent(t.Context(), "slack"); err != nil || n != 6890 { // not the five that are older
		t.Errorf("%d wait on slack, %v", n, err)
	}
}

// outboxOf is a database with so many deliveries made on each channel, and
// five failures that wait; it also has documents, of which so many are pending.
func outboxOf(b *testing.B, sent, pending int) *postgres.DB {
	b.Helper()
	url := postgrestest.URL(b)
	conn := postgrestest.Conn(b, url)
	exec := func(sql string, args ...any) {
		b.Helper()
		must.Get(conn.Exec(b.Context(), sql, args...))(b)
	}
	exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	exec("INSERT INTO document (id, tenant_id, type, structured_data) VALUES ($1, $1, 'invoice', '{}')", tenant)
	insert := `INSERT INTO notification (tenant_id, document_id, kind, attempt, payload, created_at)
		SELECT $1, $1, 'permanent', i, '{}', now() - interval '13 days' * i / 1e6 FROM generate_series($2::int, $3::int) AS i`
	exec(insert, tenant, 1, sent)
	for _, channel := range []string{"slack", "email"} {
		exec(`INSERT INTO notification_delivery (notification_id, channel, status, sent_at) SELECT id, $1, 'sent', now() - interval '1 hour' FROM notification
			ON CONFLICT (notification_id, channel) DO UPDATE SET status = 'sent', sent_at = now() - interval '1 hour'`, channel)
	}
	exec(insert, tenant, 1_000_001, 1_000_005)
	exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_due_at, matching_published_at)
		SELECT gen_random_uuid(), $1, 'invoice', jsonb_build_object('number', 'RE ' || i, 'notes', repeat('x', 600)), 'pending', now(), now() FROM generate_series(1, $2) AS i`, tenant, pending)
	exec("VACUUM ANALYZE notification, notification_delivery, document")
	return postgrestest.Open(b, url)
}

// What a sender pays before it sends, under the channel's lock.
func BenchmarkClaimNotifications(b *testing.B) {
	for _, sent := range []int{0, 20_000, 200_000} {
		b.Run(fmt.Sprintf("sent=%d", sent), func(b *testing.B) {
			db := outboxOf(b, sent, 0)
			for b.Loop() {
				send, err := db.ClaimNotifications(context.Background(), "slack", 0, func(now time.Time, last map[string]time.Time, pending []notify.Failure) []notify.Message {
					if len(pending) != 5 {
						b.Fatalf("%d are pending", len(pending))
					}
					send, _ := notify.Plan(now, last, pending, "")
					return send
				})
				if err != nil || len(send) != 1 {
					b.Fatal(len(send), err)
				}
			}
		})
	}
}

// What the sweep pays each minute.
func BenchmarkGauges(b *testing.B) {
	for _, tc := range []struct{ sent, pending int }{{0, 0}, {20_000, 0}, {200_000, 0}, {0, 1_000_000}} {
		b.Run(fmt.Sprintf("sent=%d/pending=%d", tc.sent, tc.pending), func(b *testing.B) {
			if tc.pending > 0 {
				testenv.OnlyThorough(b, "fills a database with a million documents")
			}
			db := outboxOf(b, tc.sent, tc.pending)
			for b.Loop() {
				g, err := db.Gauges(context.Background(), []string{"slack", "email"})
				if want := (postgres.Gauges{OldestDue: g.OldestDue, Pending: tc.pending, Unsent: 10}); err != nil || g != want {
					b.Fatalf("got %+v, %v; want %+v", g, err, want)
				}
			}
		})
	}
}

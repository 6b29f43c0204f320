package postgres_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// failures writes n notifications of these kinds in turn, as failing writes
// them.
func (f *fixture) failures(n int, kinds ...string) {
	f.T.Helper()
	f.Exec(`WITH d AS (
			INSERT INTO document (id, tenant_id, type) SELECT gen_random_uuid(), $1, 'invoice' FROM generate_series(1, $2) RETURNING id
		), numbered AS (SELECT id, row_number() OVER () AS n FROM d)
		INSERT INTO notification (tenant_id, document_id, kind, attempt, payload, created_at)
		SELECT $1, id, kind, 1, jsonb_build_object('document_id', id, 'tenant_id', $1::uuid, 'tenant', 'Testers', 'kind', kind, 'error', 'it failed', 'attempts', 1), now()
		FROM numbered, LATERAL (SELECT ($3::text[])[1 + n % cardinality($3::text[])] AS kind) AS k`, tenant, n, kinds)
}

// statuses counts the notifications of a channel by their status.
func (f *fixture) statuses(channel string) string {
	f.T.Helper()
	out := postgrestest.Value[string](f.T, f.Conn, `SELECT coalesce(string_agg(status || ' ' || n, ', ' ORDER BY status), '') FROM
		(SELECT coalesce(d.status, 'unknown') AS status, count(*) AS n FROM notification AS n
		LEFT JOIN notification_delivery AS d ON d.notification_id = n.id AND d.channel = $1 GROUP BY 1) AS s`, channel)
	return out
}

func (f *fixture) relay(senders ...notify.Sender) *notify.Relay {
	return &notify.Relay{Outbox: f.DB, Senders: senders, Log: slog.New(slog.DiscardHandler)}
}

// The first failure of a kind is sent at once, the rest of its minute together
// when it is over; kinds and channels do not wait for each other.
func TestStormIsTwoMessages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mail, chat := &notify.Recorder{Name: "mail"}, &notify.Recorder{Name: "chat"}
	r := f.relay(mail, chat)
	say := func(when string, want ...int) {
		t.Helper()
		r.Run(t.Context())
		for _, s := range []*notify.Recorder{mail, chat} {
			var counts []int
			for _, m := range s.Sent() {
				counts = append(counts, m.Count)
			}
			if !slices.Equal(counts, want) {
				t.Errorf("%s: %s was sent messages of %v failures, want %v", when, s.Channel(), counts, want)
			}
		}
	}
	say("nothing happened")
	f.failures(1, "permanent")
	say("one failure", 1)
	f.failures(999, "permanent")
	say("a storm", 1)
	f.failures(1, "lost")
	say("another kind", 1, 1)
	f.Advance(59 * time.Second)
	say("before the minute is over", 1, 1)
	f.Advance(time.Second)
	say("after it", 1, 1, 999)
	f.Advance(time.Hour)
	f.failures(1, "permanent")
	say("an hour later", 1, 1, 999, 1)
	postgrestest.Equal(t, "notifications", f.statuses("mail"), "digested 999, sent 3")
}

// A notification names the file of its document, and of its ingestion.
func TestNotificationNamesFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failures(1, "permanent")
	f.Exec("UPDATE document SET file_name = 'scan 7.pdf'")
	f.Exec("INSERT INTO ingestion (id, tenant_id, document_id) SELECT $2, tenant_id, id FROM document WHERE tenant_id = $1", tenant, num(9))
	f.Exec(`INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, payload, created_at)
		VALUES ($1, 'ingestion', $2, 'permanent', 1, '{"error":"it failed"}', now())`, tenant, num(9))
	mail := &notify.Recorder{Name: "mail"}
	f.relay(mail).Run(t.Context())
	sent := mail.Sent()
	if len(sent) != 2 {
		t.Fatalf("sent %d messages", len(sent))
	}
	for _, m := range sent {
		if !slices.Contains(m.Facts(), notify.Fact{Name: "File", Value: "scan 7.pdf"}) {
			t.Errorf("%s: %v", m.Title(), m.Facts())
		}
	}
}

// A notification about a part of a review has the contract's name and page.
func TestNotificationNamesContract(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	contract, part := num(1), num(2)
	f.Exec(`WITH d AS (INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $3, NULL)),
			j AS (INSERT INTO review_job (id, tenant_id, document_id, name, status, chunks, chunks_open) VALUES ($1, $3, $1, 'lease.pdf', 'running', 1, 1)),
			c AS (INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset) VALUES ($2, $3, $1, 0, 0, 1))
		INSERT INTO notification (tenant_id, subject, subject_id, kind, attempt, payload, created_at)
		VALUES ($3, 'chunk', $2, 'transient', 3, '{"error":"the model is away"}', now())`, contract, part, tenant)
	r := &notify.Recorder{Name: "chat"}
	f.relay(r).Run(t.Context())
	if sent := r.Sent(); len(sent) != 1 || sent[0].Failures[0].File != "lease.pdf" || sent[0].Failures[0].Document != contract ||
		sent[0].Failures[0].SubjectID != part {
		t.Errorf("sent %+v, want the contract's name and page", sent)
	}
}

// A sender that dies only delays its claimed notifications. Those of a sender that
// cannot send are sent later, and not before the time that the channel asks for.
func TestUnsentClaimIsResent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failures(3, "permanent")
	claim := func() (n int) {
		t.Helper()
		messages := must.Get(f.ClaimNotifications(t.Context(), "chat", time.Minute, func(now time.Time, last map[string]time.Time, pending []notify.Failure) []notify.Message {
			send, _ := notify.Plan(now, last, pending, "")
			return send
		}))(t)
		for _, m := range messages {
			n += m.Count
		}
		return n
	}
	if n := claim(); n != 3 {
		t.Fatalf("claimed %d", n)
	}
	f.failures(2, "permanent")
	if n := claim(); n != 0 { // and the sender is gone
		t.Errorf("another sender claimed %d of the same kind meanwhile", n)
	}
	f.Advance(time.Minute + time.Second)
	postgrestest.Equal(t, "claimed after the first sender's time", claim(), 5)
	f.Advance(time.Minute + time.Second)
	busy := &failure.Error{Kind: failure.Transient, Sentence: "busy", RetryAfter: 10 * time.Minute}
	chat := &notify.Recorder{Name: "chat", Answer: func(notify.Message) (bool, error) { return false, busy }}
	f.relay(chat).Run(t.Context())
	chat.Answer = nil
	f.Advance(10*time.Minute - time.Second)
	f.relay(chat).Run(t.Context())
	if len(chat.Sent()) != 0 {
		t.Error("it was sent before the other side wanted it")
	}
	f.Advance(2 * time.Second)
	f.relay(chat).Run(t.Context())
	postgrestest.Equal(t, "notifications", f.statuses("chat"), "digested 5")
}

// A channel that asks for time is sent nothing meanwhile, of no kind; another
// channel is.
func TestBusyChannelWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	chat, mail := &notify.Recorder{Name: "chat"}, &notify.Recorder{Name: "mail"}
	f.failures(1, "permanent")
	chat.Answer = func(notify.Message) (bool, error) {
		return false, &failure.Error{Kind: failure.Transient, Sentence: "busy", RetryAfter: 10 * time.Minute}
	}
	f.relay(chat).Run(t.Context())
	asked := 0
	chat.Answer = func(notify.Message) (bool, error) { asked++; return true, nil }
	f.failures(1, "lost")
	f.Advance(10*time.Minute - time.Microsecond)
	f.relay(chat, mail).Run(t.Context())
	if asked != 0 || len(mail.Sent()) != 2 {
		t.Errorf("the channel was asked %d times before its time; the other one was sent %d messages", asked, len(mail.Sent()))
	}
	f.Advance(time.Microsecond)
	f.relay(chat).Run(t.Context())
	postgrestest.Equal(t, "notifications", f.statuses("chat"), "sent 2")
}

// A payload that cannot be read holds up no other, and its document is named.
func TestUnreadablePayload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failures(3, "permanent")
	f.Exec(`UPDATE notification SET payload = '{"attempts": "x", "error": "SECRET"}' WHERE id = (SELECT id FROM notification ORDER BY id LIMIT 1)`)
	chat := &notify.Recorder{Name: "chat"}
	f.relay(chat).Run(t.Context())
	if got := f.statuses("chat"); got != "digested 3" {
		t.Fatalf("got %s", got)
	}
	unreadable := 0
	for _, sent := range chat.Sent()[0].Failures {
		if sent.TenantID != tenant || sent.SubjectID == uuid.Nil {
			t.Errorf("sent %+v", sent)
		}
		if strings.Contains(sent.Error, "unreadable") {
			unreadable++
		}
	}
	postgrestest.Equal(t, "unreadable", unreadable, 1)
}

// A sent notification stays sent, whatever sender releases it late.
func TestSentStaysSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failures(1, "permanent")
	chat := &notify.Recorder{Name: "chat"}
	f.relay(chat).Run(t.Context())
	must.OK(t, f.ReleaseNotifications(t.Context(), "chat", chat.Sent()[0].IDs, 0, false))
	f.Advance(time.Hour)
	f.relay(chat).Run(t.Context())
	postgrestest.Equal(t, "times that it was sent", len(chat.Sent()), 1)
}

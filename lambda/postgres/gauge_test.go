package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

func (f *fixture) gaugesAre(when string, want postgres.Gauges, channels ...string) {
	f.T.Helper()
	if got, err := f.Gauges(f.T.Context(), channels); err != nil || got != want {
		f.T.Errorf("%s: got %+v, %v; want %+v", when, got, err, want)
	}
}

func TestGauges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.gaugesAre("nothing", postgres.Gauges{})
	f.document("matching_status = 'succeeded', matching_due_at = now() - interval '9 days'")
	f.document("matching_status = 'pending', matching_due_at = now() + interval '5 minutes'")
	f.document("matching_status = 'in-progress', matching_lease_until = now() + interval '4 minutes'")
	f.document("")
	f.gaugesAre("nothing is due", postgres.Gauges{Pending: 1, InProgress: 1})
	f.Advance(4*time.Minute + 30*time.Second)
	f.gaugesAre("a lease has ended", postgres.Gauges{OldestDue: 30 * time.Second, Pending: 1, InProgress: 1})
	f.document("matching_status = 'pending', matching_due_at = now() - interval '1 hour'")
	f.gaugesAre("a document waits", postgres.Gauges{OldestDue: time.Hour, Pending: 2, InProgress: 1})
	f.document("matching_status = 'pending', matching_due_at = NULL, received_at = now() - interval '2 hours'")
	f.gaugesAre("one waits that was never given a time", postgres.Gauges{OldestDue: 2 * time.Hour, Pending: 3, InProgress: 1})
}

func TestUnsentPerChannel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failures(3, "permanent")
	f.gaugesAre("no channel", postgres.Gauges{})
	f.gaugesAre("two channels", postgres.Gauges{Unsent: 6}, "slack", "email")
	f.Exec(`UPDATE notification_delivery AS d SET status = n.status
		FROM (SELECT id, (ARRAY['sent', 'digested', 'pending'])[row_number() OVER ()] AS status FROM notification) AS n
		WHERE d.notification_id = n.id AND d.channel = 'slack'`)
	f.gaugesAre("two of them were sent", postgres.Gauges{Unsent: 4}, "slack", "email")
	f.Advance(15 * 24 * time.Hour)
	f.gaugesAre("they are too old to be sent", postgres.Gauges{}, "slack", "email")
}

// Among 100,000 documents that succeeded, and 20,000 failures sent in two years, the few that wait are read, and no table is scanned.
func TestGaugesSkipSucceeded(t *testing.T) {
	testenv.OnlyThorough(t, "inserts 100,000 documents")
	t.Parallel()
	const documents = 100_000
	each := documents / 1000
	f := newFixture(t)
	f.Exec(`INSERT INTO document (id, tenant_id, type, matching_status, matching_due_at, matching_lease_until)
		SELECT gen_random_uuid(), $1, 'invoice', CASE WHEN i % 1000 = 0 THEN 'pending' WHEN i % 1000 = 1 THEN 'in-progress' ELSE 'succeeded' END, now(), now()
		FROM generate_series(1, $2::int) AS i`, tenant, documents)
	f.failures(documents/5, "permanent")
	f.Exec(`UPDATE notification SET created_at = now() - random() * interval '2 years'`)
	f.Exec(`UPDATE notification_delivery SET status = 'sent'`)
	f.Exec("VACUUM ANALYZE document, notification, notification_delivery")
	p := f.Explain(postgres.GaugesSQL, []string{"slack"})
	p.WantIndexed(t, "document_matching_status_idx", "notification_delivery_pending_idx")
	t.Logf("%.0f documents were read, %.1f ms", p.Fetched("document"), p.Millis)
	if n := p.Fetched("document"); n > float64(4*each) {
		t.Errorf("%.0f documents were read, and %d are under way", n, 2*each)
	}
	f.gaugesAre("many", postgres.Gauges{Pending: each, InProgress: each})
}

// A claim names the tenant of the document it found, even if there is nothing to do.
func TestClaimNamesTheTenant(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, tc := range map[string]struct {
		id   uuid.UUID
		want uuid.UUID
	}{
		"claimed": {f.document("matching_status = 'pending'"), tenant},
		"done":    {f.document("matching_status = 'succeeded'"), tenant},
		"missing": {uuid.New(), uuid.Nil},
	} {
		if got := f.Deliver(job.Delivery{ID: tc.id}, false).Tenant; got != tc.want {
			t.Errorf("%s: got tenant %s, want %s", name, got, tc.want)
		}
	}
}
func TestInProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(2)
	f.Take(num(2))
	if n, err := f.InProgress(t.Context()); n != 1 || err != nil {
		t.Errorf("got %d in progress, %v", n, err)
	}
}

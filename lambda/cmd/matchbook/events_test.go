package main

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/job/republish"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestEventsRequeue(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	if out := printed(t, url, "events", "status"); out != "Events are not recorded yet: no function has run with EVENTS_WEBHOOK_URL.\n" {
		t.Errorf("without a receiver: %s", out)
	}
	postgrestest.Exec(t, conn, "INSERT INTO receiver_gone VALUES ('events', 'x', '2026-03-02T10:00:00Z')")
	if code, out, _ := matchbook(t, url, "events", "status"); code != cli.ExitFindings ||
		!strings.Contains(out, "The receiver answered at 2026-03-02T10:00:00Z that it is gone (HTTP 410)") {
		t.Errorf("the receiver is gone: %d, %s", code, out)
	}
	printed(t, url, "events", "requeue")
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM receiver_gone"); n != 0 {
		t.Error("the receiver is still disabled")
	}
	id := uuid.NewString()
	postgrestest.Exec(t, conn, `
		INSERT INTO tenant (id, name) VALUES ('`+oneTenant+`', 'one'), ('`+anotherTenant+`', 'another');
		INSERT INTO event_receiver (since) VALUES ('2026-03-02T09:00:00Z');
		INSERT INTO event (id, tenant_id, kind, document_a_id, data, created_at, due_at, refused_at, dead_at, error) VALUES
			('`+id+`', '`+oneTenant+`', 'match.created', gen_random_uuid(), '{}', now() - interval '4 days', NULL, now(), now(), E'refused\t(HTTP 400)'),
			(gen_random_uuid(), '`+oneTenant+`', 'match.created', gen_random_uuid(), '{}', now() - interval '2 hours', NULL, NULL, NULL, NULL),
			(gen_random_uuid(), '`+anotherTenant+`', 'decision.made', gen_random_uuid(), '{}', now() - interval '1 minute', now() + interval '1 hour', now(), NULL, 'refused')`)
	code, out, _ := matchbook(t, url, "events", "status")
	wantIn(t, out, "Events recorded since 2026-03-02T09:00:00Z. Undelivered:\n", "refused (HTTP 400)\n",
		"        1     2h0m", "         0         1  match.created    "+oneTenant, "         1         0  decision.made    "+anotherTenant,
		"send them at once, given-up ones too: matchbook events requeue\n")
	if code != cli.ExitFindings {
		t.Errorf("one was given up, and one waits for two hours: exit status %d", code)
	}
	theirs := decode[republish.Events](t, printed(t, url, "events", "status", "--json", "--tenant", anotherTenant))
	if len(theirs.States) != 1 || theirs.States[0].Waiting != 1 || theirs.States[0].Kind != "decision.made" || theirs.RecordedSince == nil {
		t.Errorf("of one tenant: %+v", theirs)
	}

	for _, tc := range []struct {
		args []string
		want int
	}{
		{[]string{"--dry-run"}, 2},
		{[]string{"--since", "1h", "--dry-run"}, 1},
		{[]string{"--since", "1s"}, 0},
		{[]string{"--tenant", oneTenant, "--since", "1h"}, 0},
		{[]string{"--id", id, "--tenant", oneTenant}, 1},
		{[]string{}, 1},
		{[]string{}, 0},
	} {
		r := decode[republish.EventsRequeued](t, printed(t, url, append([]string{"events", "requeue", "--json"}, tc.args...)...))
		n := 0
		for _, s := range r.States {
			n += s.Waiting + s.Dead
		}
		if n != tc.want || r.DryRun != slices.Contains(tc.args, "--dry-run") {
			t.Errorf("%q: %+v, want %d", tc.args, r, tc.want)
		}
	}
	if open := postgrestest.Value[int](t, conn, `SELECT count(*) FROM event WHERE dead_at IS NULL AND due_at IS NULL AND refused_at IS NULL`); open != 3 {
		t.Errorf("%d of 3 are due", open)
	}
	if out := printed(t, url, "events", "requeue"); out != "no undelivered events found\n" {
		t.Errorf("got %s", out)
	}
	wantRefused(t, url, "events", clitest.Refusals{{[]string{"requeue", "--id", "17"}, "--id"},
		{[]string{"requeue", "--since", "noon"}, "--since"}, {[]string{"status", "--tenant", "x"}, "--tenant"}})
}

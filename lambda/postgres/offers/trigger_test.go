package offers_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

// refuses runs a statement that must fail with this SQLSTATE.
func (o *fixture) refuses(code, sql string, args ...any) {
	o.T.Helper()
	_, err := o.Conn.Exec(o.T.Context(), sql, args...)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != code {
		o.T.Errorf("%s: %v, want SQLSTATE %s", sql, err, code)
	}
}

// The version of a user rises with what a roster reads, and with nothing else.
func TestVersionOfAUser(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 1, "UTC")
	want := int64(1)
	for _, tc := range []struct {
		set   string
		rises bool
	}{
		{"through = '2026-03-01'", false}, {"timezone = 'Asia/Tokyo'", false}, {"flown = NULL", false},
		{"profile = '{}'", false}, {"profile = '{\"a\": 1}'", true}, {"profile = '{\"a\": 1}'", false},
		{"preferences = '{\"a\": 1}'", true}, {"active_at = now()", true}, {"active_at = now()", false},
		{"active_at = NULL", true}, {"active = false", true}, {"active = true, profile = '{}'", true},
	} {
		if tc.rises {
			want++
		}
		got := postgrestest.Value[int64](t, o.Conn, "UPDATE offer_user SET "+tc.set+" RETURNING version")
		if got != want {
			t.Errorf("%s: version %d; want %d", tc.set, got, want)
		}
		want = got
	}
}

// A user who becomes active starts over; an update that leaves a user active does not.
func TestReactivatedUser(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 1, "UTC")
	for _, tc := range []struct{ set, want string }{
		{"through = '2026-03-01'", "UTC today-1: 1"}, {"active = true", "UTC today-1: 1"}, {"active = false", ""},
		{"profile = '[]'", ""}, {"active = true", "UTC: 1"},
	} {
		o.Exec("UPDATE offer_user SET " + tc.set)
		if got := o.groups(); tc.want == "" && len(got) > 0 || tc.want != "" && !slices.Equal(got, []string{tc.want}) {
			t.Errorf("%s: %q, want %q", tc.set, got, tc.want)
		}
	}
}

func TestUnknownZoneIsRefused(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 1, "UTC")
	o.refuses("22023", "UPDATE offer_user SET timezone = 'Mars/Olympus'")
	o.refuses("22023", "INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($1, $2, 'Mars/Olympus')", num(2), tenant)
	o.refuses("23502", "UPDATE offer_user SET timezone = NULL")
	o.wantGroups("UTC: 1")

	// A zone that PostgreSQL has forgotten can still be replaced, and the user changed.
	o.Exec("ALTER TABLE offer_user DISABLE TRIGGER offer_user_state")
	o.Exec("UPDATE offer_user SET timezone = 'Mars/Olympus'")
	o.Exec("ALTER TABLE offer_user ENABLE TRIGGER offer_user_state")
	o.Exec("UPDATE offer_user SET profile = '{\"a\": 1}'")
	o.Exec("UPDATE offer_user SET timezone = 'Asia/Tokyo'")
	o.wantGroups("Asia/Tokyo: 1")
}

// At 10:30 in the morning of Universal Time it is 23:30 of the day before in Pago
// Pago and 00:30 of the next day on Kiritimati: the date between them is in no
// calendar of a user who flies then.
func TestDateLine(t *testing.T) {
	t.Parallel()
	const pago, kiritimati, honolulu, tokyo = "Pacific/Pago_Pago", "Pacific/Kiritimati", "Pacific/Honolulu", "Asia/Tokyo"
	type flight struct {
		after time.Duration
		to    string
	}
	for name, tc := range map[string]struct {
		at      time.Duration // after 9:00
		from    string
		flights []flight
		want    string
	}{
		"in the hour of three dates":      {90 * time.Minute, pago, []flight{{0, kiritimati}}, kiritimati + " flown 0 to 1: 1"},
		"a moment before it":              {time.Hour - 1, pago, []flight{{0, kiritimati}}, kiritimati + ": 1"},
		"at its first moment":             {time.Hour, pago, []flight{{0, kiritimati}}, kiritimati + " flown 0 to 1: 1"},
		"at its end":                      {2 * time.Hour, pago, []flight{{0, kiritimati}}, kiritimati + ": 1"},
		"back":                            {90 * time.Minute, kiritimati, []flight{{0, pago}}, pago + ": 1"},
		"there and back":                  {90 * time.Minute, pago, []flight{{0, kiritimati}, {time.Minute, pago}}, pago + ": 1"},
		"there and on to the date":        {90 * time.Minute, pago, []flight{{0, kiritimati}, {time.Minute, tokyo}}, tokyo + ": 1"},
		"there and on when it has passed": {90 * time.Minute, pago, []flight{{0, kiritimati}, {8 * time.Hour, tokyo}}, tokyo + " flown 0 to 1: 1"},
		"there, and a day later back":     {90 * time.Minute, pago, []flight{{0, kiritimati}, {24 * time.Hour, honolulu}}, honolulu + " flown 0 to 1: 1"},
		"there and twice on":              {90 * time.Minute, pago, []flight{{0, kiritimati}, {8 * time.Hour, pago}, {16 * time.Hour, kiritimati}}, kiritimati + " flown 1 to 2: 1"},
		"over a date that was due before": {90 * time.Minute, pago, []flight{{0, kiritimati}, {24 * time.Hour, pago}, {0, kiritimati}}, kiritimati + ": 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newFixture(t)
			o.users(1, 1, tc.from)
			o.Advance(tc.at)
			for _, f := range tc.flights {
				o.Advance(f.after)
				o.Exec("UPDATE offer_user SET timezone = $1", f.to)
			}
			o.wantGroups(tc.want)
		})
	}
}

// What is completed or skipped stays, whatever a program writes; only the stamp of a
// publish is kept, which the message needs. Offers stay as well.
func TestCompletedStays(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 2, "UTC")
	id := o.queue("UTC")[0].ID
	must.OK(t, o.offer(t.Context(), o.claimed(id)))
	through := today
	must.Get(o.store.Skip(t.Context(), o.shard("UTC", &through), "too late"))(t)
	const rowsSQL = "SELECT id, (to_jsonb(j) - 'published_at')::text FROM matchmaking_job AS j WHERE status IN ('completed', 'skipped') ORDER BY id"
	before := o.pairs(rowsSQL)
	if len(before) != 3 {
		t.Fatalf("%d rows are completed or skipped", len(before))
	}
	o.Advance(time.Hour)
	for _, set := range []string{
		"job_status = 'pending'", "job_status = NULL", "job_status = 'failed', failed_at = now()", "offers = '[]'", "attempts = attempts + 1",
		"date = date + 1", "user_id = id", "job_status = 'in-progress', lease_until = now()", "error = 'x'", "published_at = now()",
	} {
		o.Exec("UPDATE matchmaking_job SET " + set + " WHERE status IN ('completed', 'skipped')")
	}
	postgrestest.EqualLists(t, "rows", o.pairs(rowsSQL), before)
	o.refuses("23000", "UPDATE offer SET score = 1")
	o.refuses("23000", "UPDATE offer SET user_id = user_id")
	for _, column := range []string{"status", "retry_count", "error_message"} {
		o.refuses("428C9", "UPDATE matchmaking_job SET "+column+" = NULL")
	}
}

// The state is also kept in the words of other programs.
func TestWordsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 1, "UTC")
	id := o.queue("UTC")[0].ID
	is := func(want string) {
		t.Helper()
		o.lists(`SELECT id, concat_ws(' ', status, retry_count, coalesce(error_message, '-'), to_char(started_at AT TIME ZONE 'UTC', 'HH24:MI'),
			'ended ' || to_char(completed_at AT TIME ZONE 'UTC', 'HH24:MI')) FROM matchmaking_job`, []string{id.String() + " " + want})
	}
	is("pending 0 -")
	f := o.claimed(id)
	is("running 0 - 09:00")
	o.Advance(time.Minute)
	must.Get(o.store.Release(t.Context(), f, job.Release{Status: job.StatusPending, Reason: "busy"}))(t)
	is("pending 0 busy 09:00")
	f = o.claimed(id)
	is("running 1 busy 09:01")
	o.Advance(time.Minute)
	must.Get(o.store.Release(t.Context(), f, job.Release{Status: job.StatusFailed, Reason: "broken", Kind: "permanent"}))(t)
	is("failed 1 broken 09:01 ended 09:02")
	o.Advance(time.Minute)
	must.Get(o.store.Publish(t.Context(), []uuid.UUID{id}))(t)
	is("pending 1 - 09:01")
	f = o.claimed(id)
	o.Advance(time.Minute)
	must.OK(t, o.offer(t.Context(), f))
	is("completed 2 - 09:03 ended 09:04")
}

// Published again, a failed job is composed. The messages of a completed and of a
// skipped one are acknowledged, and change nothing.
func TestPublishedAgain(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(1, 3, "UTC")
	skip := o.shard("UTC", nil)
	skip.Limit = 1
	must.Get(o.store.Skip(t.Context(), skip, "too late"))(t)
	first := o.queue("UTC")
	works := func(_ context.Context, f job.Attempt) error {
		if f.ID == first[1].ID {
			return failure.Permanently("the profile of the user has no languages")
		}
		return o.offer(t.Context(), f)
	}
	o.deliver(works, first, "succeeded", "failed")
	o.wantJobs("today+0 1 skipped UTC", "today+0 2 completed UTC", "today+0 3 failed UTC")

	const restSQL = "SELECT id, (to_jsonb(j) - 'published_at')::text FROM matchmaking_job AS j WHERE user_id <> $1 ORDER BY id"
	before, offers := o.pairs(restSQL, num(3)), o.Dump("offer", "offer_delivery")
	o.Advance(time.Hour)
	ids := []uuid.UUID{first[0].ID, offer.JobID(tenant, today, "UTC", num(1))}
	again, err := o.store.Publish(t.Context(), ids)
	if err != nil || len(again) != 2 || !again[0].PublishedAt.Equal(start.Add(time.Hour)) {
		t.Fatalf("published %+v, %v", again, err)
	}
	once, err := o.store.Publish(t.Context(), ids)
	if err != nil || len(once) != 2 || !once[0].PublishedAt.After(again[0].PublishedAt) {
		t.Fatalf("published %+v, %v; want a later stamp than %v", once, err, again)
	}
	never := func(context.Context, job.Attempt) error { return errors.New("worked on") }
	o.deliver(never, append(again, once...), "", "", "", "")
	if after := o.pairs(restSQL, num(3)); !slices.Equal(after, before) || o.Dump("offer", "offer_delivery") != offers {
		t.Errorf("got  %q\nwant %q", after, before)
	}

	failed, err := o.store.Failed(t.Context(), postgres.FailedFilter{})
	if err != nil || len(failed.Rows) != 1 || failed.Rows[0] != (postgres.FailedRow{ID: first[1].ID, Kind: "permanent"}) {
		t.Fatalf("failed: %+v, %v", failed, err)
	}
	again, err = failed.Publish(t.Context(), []uuid.UUID{first[1].ID, first[0].ID})
	if err != nil || len(again) != 1 || again[0].ID != first[1].ID {
		t.Fatalf("published %+v, %v; want the failed one only", again, err)
	}
	o.deliver(o.offer, again, "succeeded")
	o.wantJobs("today+0 1 skipped UTC", "today+0 2 completed UTC", "today+0 3 completed UTC")
}

// deliver delivers the messages: each is acknowledged. want are the statuses that the runtime
// observes; the empty one belongs to a message without work.
func (o *fixture) deliver(work func(context.Context, job.Attempt) error, messages []job.Stamped, want ...string) {
	o.T.Helper()
	var deliveries []job.Delivery
	for _, m := range messages {
		deliveries = append(deliveries, job.Delivery{ID: m.ID, Count: 1, PublishedAt: m.PublishedAt, SentAt: m.PublishedAt})
	}
	worked := 0
	runtime := job.Runtime{Store: o.store, Backoff: manifest.Offer.Retries, Log: slog.New(slog.DiscardHandler),
		Work: job.Each(func(ctx context.Context, f job.Attempt) error { worked++; return work(ctx, f) })}
	ctx, cancel := context.WithTimeout(o.T.Context(), time.Minute)
	defer cancel()
	for i, d := range deliveries {
		before := worked
		for _, end := range runtime.Run(ctx, []job.Delivery{d}, noQueue{}) {
			row := ""
			if worked > before {
				row = string(o.job(d.ID).Status)
			}
			if end.Action != job.Ack || row != want[i] {
				o.T.Errorf("message %d: %v, then %q; want it acknowledged, then %q", i, end.Action, row, want[i])
			}
		}
	}
}

type noQueue struct{}

func (noQueue) Settle(context.Context, []job.Settled)        {}
func (noQueue) Extend(context.Context, []int, time.Duration) {}

package offers_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// fixture is one with users who are offered matches.
type fixture struct {
	*postgrestest.Fixture
	store *offers.Store
}

func newFixture(t *testing.T) *fixture {
	f := postgrestest.NewFixture(t)
	return &fixture{f, offers.New(f.DB)}
}

func TestMain(m *testing.M) {
	postgrestest.Parallel("8")
	os.Exit(m.Run())
}

var tenant, otherTenant, start, num = postgrestest.Tenant, postgrestest.OtherTenant, postgrestest.Start, postgrestest.Num

var tables = append(slices.Clone(postgrestest.Tables), "offer_user", "offer_roster", "matchmaking_job", "offer", "offer_delivery")

// today is a date of the fixture's clock, in UTC.
var today = day.Of(start)

// digest names the roster of the tests' jobs.
var digest = sha256.Sum256([]byte("a roster"))

// users inserts n active users with the ids num(from) and up.
func (o *fixture) users(from, n int, zone string) (ids []uuid.UUID) {
	o.T.Helper()
	for i := range n {
		ids = append(ids, num(from+i))
	}
	o.Exec("INSERT INTO offer_user (id, tenant_id, timezone) SELECT id, $2, $3 FROM unnest($1::uuid[]) AS id", ids, tenant, zone)
	return ids
}

// queue publishes the jobs of today for all users of a zone who have had none.
func (o *fixture) queue(zone string) []job.Stamped {
	o.T.Helper()
	stamped, _, err := o.store.Queue(o.T.Context(), o.shard(zone, nil))
	must.OK(o.T, err)
	return stamped
}

// shard is a step of 1,000 users of a zone for the date after through, which is
// today after nil.
func (o *fixture) shard(zone string, through *day.Date) offer.Shard {
	s := offer.Shard{Group: offer.Group{Tenant: tenant, Zone: zone, Through: through}, Date: today, Limit: 1000, Digest: digest, Algorithm: 3}
	if through != nil {
		s.Date = *through + 1
	}
	s.OfferedAt, s.ExpiresAt = s.Date.Time().Add(9*time.Hour), s.Date.Time().Add(33*time.Hour)
	return s
}

func (o *fixture) claimed(id uuid.UUID) job.Attempt {
	o.T.Helper()
	return o.Claimed(o.store, id)
}

// someOffers offers users 1 and 2.
var someOffers = []ranking.Offer{
	{Candidate: num(1), Rank: 1, Score: 70, Terms: []ranking.Points{{Term: "language", Points: 50}, {Term: "near", Points: 20}}},
	{Candidate: num(2), Rank: 2, Score: -5, Terms: []ranking.Points{{Term: "near", Points: -5}}},
}

// offer is the work on a job: the same two offers.
func (o *fixture) offer(ctx context.Context, f job.Attempt) error {
	j, err := o.store.Job(ctx, f)
	if err != nil {
		return err
	}
	return o.complete(ctx, f, offer.Set{Job: j, Offers: someOffers}, true)
}

// complete completes one job.
func (o *fixture) complete(ctx context.Context, f job.Attempt, set offer.Set, deliver bool) error {
	held, err := o.store.Complete(ctx, []offer.Completed{{Fence: f, Set: set}}, deliver)
	if err == nil && len(held) == 0 {
		err = job.ErrFenceLost
	}
	return err
}

func TestOfferJobsConform(t *testing.T) {
	testenv.OnlyThorough(t, "is the suite of stores once more, on another table")
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		o := newFixture(t)
		return jobtest.Fixture{
			Store: o.store,
			Work:  o.offer,
			New:   o.lone,
			Lock:  func(id uuid.UUID) func() { return o.Lock("matchmaking_job", id) },
			Spoil: func(id uuid.UUID) { o.Exec("UPDATE matchmaking_job SET input_digest = NULL WHERE id = $1", id) },
			Cancel: func(id uuid.UUID) {
				o.Exec("UPDATE matchmaking_job SET job_status = 'cancelled', lease_until = NULL, due_at = NULL WHERE id = $1", id)
			},
			Final: true,
			Row:   o.job,
			Dump:  func() string { return o.Dump(tables...) },
			Now:   o.Now, Advance: o.Advance,
		}
	})
}

// lone inserts a job, as any program may.
func (o *fixture) lone() uuid.UUID {
	o.T.Helper()
	id, user := uuid.New(), uuid.New()
	o.Exec("INSERT INTO offer_user (id, tenant_id, timezone) VALUES ($1, $2, 'Europe/Berlin')", user, tenant)
	o.Exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, algorithm_version, input_digest, offered_at, expires_at,
		created_at, due_at) VALUES ($1, $2, $3, 'Europe/Berlin', $4, 1, '\x01', now(), now() + interval '1 day', now(), now())`,
		id, tenant, today.Time(), user)
	return id
}

func (o *fixture) job(id uuid.UUID) jobtest.Row {
	o.T.Helper()
	return jobtest.Row(o.Row(id, "job_status, attempts, error, due_at, failed_at", "matchmaking_job"))
}

// A set is stored once, with its offers and its place in the outbox, and read as it was
// composed.
func TestCompletedSet(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(3, 1, "Asia/Kathmandu")
	stamped := o.queue("Asia/Kathmandu")
	want := offer.Job{ID: offer.JobID(tenant, today, "Asia/Kathmandu", num(3)), Tenant: tenant, User: num(3), Date: today, Zone: "Asia/Kathmandu",
		Digest: digest, Algorithm: 3, OfferedAt: today.Time().Add(9 * time.Hour), ExpiresAt: today.Time().Add(33 * time.Hour)}
	if len(stamped) != 1 || stamped[0] != (job.Stamped{ID: want.ID, PublishedAt: stamped[0].PublishedAt, Tenant: tenant}) ||
		!stamped[0].PublishedAt.Equal(start) {
		t.Fatalf("stamped %+v", stamped)
	}
	f := o.claimed(want.ID)
	if got, err := o.store.Job(t.Context(), f); err != nil || got != want {
		t.Fatalf("read %+v, %v\nwant %+v", got, err, want)
	}
	o.Advance(time.Second)
	must.OK(t, o.offer(t.Context(), f))
	got, err := o.store.JobByID(t.Context(), want.ID)
	if err != nil || got.Job != want || got.Status != "completed" || !got.StartedAt.Equal(start) || !got.CompletedAt.Equal(start.Add(time.Second)) ||
		!reflect.DeepEqual(got.Offers, someOffers) {
		t.Errorf("stored %+v, %v", got, err)
	}
	if all, err := o.store.JobsOf(t.Context(), tenant, today); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], got) {
		t.Errorf("of the date %+v, %v", all, err)
	}
	o.lists("SELECT id, rank || ' ' || score || ' ' || offered_at::text FROM offer ORDER BY rank", []string{
		offer.ID(today, num(3), num(1)).String() + " 1 70 2026-03-02 09:00:00+00",
		offer.ID(today, num(3), num(2)).String() + " 2 -5 2026-03-02 09:00:00+00",
	})
	o.lists("SELECT job_id, tries || '' FROM offer_delivery", []string{want.ID.String() + " 0"})
}

// lists compares rows of two columns.
func (o *fixture) lists(sql string, want []string) {
	o.T.Helper()
	postgrestest.EqualLists(o.T, sql, o.pairs(sql), want)
}

// pairs reads rows of an id and a text.
func (o *fixture) pairs(sql string, args ...any) []string {
	o.T.Helper()
	rows, _ := o.Conn.Query(o.T.Context(), sql, args...)
	list := must.Get(pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var id uuid.UUID
		var text string
		err := row.Scan(&id, &text)
		return id.String() + " " + text, err
	}))(o.T)
	return list
}

// An attempt that has lost its job reads and writes nothing; a set without
// offers is a set; without a receiver nothing waits for one.
func TestCompleteIsFenced(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(3, 1, "UTC")
	id := o.queue("UTC")[0].ID
	f := o.claimed(id)
	j := must.Get(o.store.Job(t.Context(), f))(t)
	stale := job.Attempt{ID: id, Number: f.Number + 1}
	unchanged := o.Unchanged(tables...)
	if _, err := o.store.Job(t.Context(), stale); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("read with a stale fence: %v", err)
	}
	if err := o.complete(t.Context(), stale, offer.Set{Job: j, Offers: someOffers}, true); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("completed with a stale fence: %v", err)
	}
	unchanged("a stale fence")
	must.OK(t, o.complete(t.Context(), f, offer.Set{Job: j}, false))
	if got, err := o.store.JobByID(t.Context(), id); err != nil || got.Status != "completed" || len(got.Offers) != 0 {
		t.Errorf("stored %+v, %v", got, err)
	}
	o.lists("SELECT id, offers::text FROM matchmaking_job", []string{id.String() + " []"})
	o.lists("SELECT job_id, tries || '' FROM offer_delivery", nil)
}

// One statement completes several jobs: each has its own set and its place
// in the outbox.
func TestJobsCompleteTogether(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(3, 3, "UTC")
	var fences []job.Attempt
	for _, s := range o.queue("UTC") {
		fences = append(fences, o.claimed(s.ID))
	}
	fences[2].Number-- // of an earlier attempt
	var sets []offer.Completed
	for i, f := range fences {
		j := must.Get(o.store.Job(t.Context(), job.Attempt{ID: f.ID, Number: 1}))(t)
		sets = append(sets, offer.Completed{Fence: f, Set: offer.Set{Job: j, Offers: someOffers[:2-i]}})
	}
	o.Advance(time.Second)
	held, err := o.store.Complete(t.Context(), sets, true)
	if err != nil || len(held) != 2 || slices.Contains(held, fences[2]) {
		t.Fatalf("%+v held, %v; want all of %+v but the last", held, err, fences)
	}
	for i, f := range fences {
		got, err := o.store.JobByID(t.Context(), f.ID)
		if want := 2 - i; err != nil || len(got.Offers) != want || (got.Status == "completed") != (i < 2) {
			t.Errorf("job %d: %+v, %v; want %d offers", i, got, err, want)
		}
	}
	o.lists("SELECT id, rank::text FROM offer ORDER BY user_id, rank", []string{
		offer.ID(today, sets[0].User, num(1)).String() + " 1", offer.ID(today, sets[0].User, num(2)).String() + " 2",
		offer.ID(today, sets[1].User, num(1)).String() + " 1",
	})
	o.lists("SELECT job_id, tries::text FROM offer_delivery", []string{fences[0].ID.String() + " 0", fences[1].ID.String() + " 0"})
}

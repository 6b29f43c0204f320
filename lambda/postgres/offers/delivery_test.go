package offers_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/notify/outbox"
	"matchbook/lambda/offer"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// completed completes the jobs of n users, the first is num(from), a second apart.
func (o *fixture) completed(from, n int) (jobs []uuid.UUID) {
	o.T.Helper()
	o.users(from, n, "UTC")
	stamped := o.queue("UTC")
	slices.SortFunc(stamped, func(a, b job.Stamped) int { return slices.Compare(a.ID[:], b.ID[:]) })
	for _, s := range stamped {
		must.OK(o.T, o.offer(o.T.Context(), o.claimed(s.ID)))
		o.Advance(time.Second)
		jobs = append(jobs, s.ID)
	}
	return jobs
}

func (o *fixture) claimSets(limit int) (list []outbox.Parcel) {
	o.T.Helper()
	return must.Get(o.store.Outbox().Claim(o.T.Context(), limit, time.Minute))(o.T)
}

func jobsOf(parcels []outbox.Parcel) (ids []uuid.UUID) {
	for _, p := range parcels {
		ids = append(ids, p.ID)
	}
	return ids
}

// wantClaimed claims all due sets, and compares them.
func (o *fixture) wantClaimed(when string, want ...uuid.UUID) []outbox.Parcel {
	o.T.Helper()
	list := o.claimSets(100)
	if got := jobsOf(list); !slices.Equal(got, want) {
		o.T.Errorf("%s: claimed %v, want %v", when, got, want)
	}
	return list
}

func (o *fixture) wantUndelivered(n int, oldest time.Duration) {
	o.T.Helper()
	if got, age, err := o.store.Undelivered(o.T.Context()); got != n || age != oldest || err != nil {
		o.T.Errorf("%d undelivered, the oldest for %s (%v), want %d, %s", got, age, err, n, oldest)
	}
}

// A claim keeps a set from others for its time. What was not tried yet comes first, the oldest
// of it; a release waits; the late writes of a lost claim change nothing, but for an accepted
// set's.
func TestSetsAreClaimedByAge(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.wantUndelivered(0, 0)
	o.wantClaimed("nothing is completed")
	jobs := o.completed(10, 4) // at seconds 0 to 3; now it is second 4
	o.wantUndelivered(4, 4*time.Second)
	first := o.claimSets(2)
	if got := jobsOf(first); !slices.Equal(got, jobs[:2]) || first[0].Tries != 1 {
		t.Errorf("claimed %v, try %d, want the two oldest of %v", got, first[0].Tries, jobs)
	}
	if s, err := o.store.JobByID(t.Context(), jobs[0]); err != nil || !bytes.Equal(s.Set.Message(), first[0].Body) {
		t.Errorf("claimed %s, stored %+v, %v", first[0].Body, s.Set, err)
	}
	o.wantClaimed("while another sender has two", jobs[2:]...)
	back := func(p outbox.Parcel) {
		t.Helper()
		must.OK(t, o.store.Outbox().Release(t.Context(), []outbox.Return{
			{ID: p.ID, Tries: p.Tries, Wait: 10 * time.Second, Error: "it \x00failed"}}))
	}
	back(first[0])
	o.lists("SELECT job_id, tries || ' ' || error FROM offer_delivery WHERE error IS NOT NULL", []string{
		jobs[0].String() + " 1 it \ufffdfailed"})
	o.wantClaimed("released, but not due")
	o.Advance(10*time.Second - time.Millisecond)
	o.wantClaimed("not due yet")
	o.Advance(time.Second + time.Millisecond) // second 15
	late := o.completed(20, 1)
	if got := jobsOf(o.claimSets(1)); !slices.Equal(got, late) {
		t.Errorf("claimed %v, want the set that was not tried, %v, although another was due before", got, late)
	}
	again := o.wantClaimed("due again", jobs[0])
	postgrestest.Equal(t, "try", again[0].Tries, 2)
	back(first[0]) // of the claim before
	o.Advance(11 * time.Second)
	o.wantClaimed("a late release of an earlier claim")
	o.Advance(37 * time.Second) // second 64
	o.wantClaimed("the senders of the first claims are gone", jobs[1], jobs[2], jobs[3])
	must.OK(t, o.store.Outbox().Delivered(t.Context(), []uuid.UUID{jobs[1], jobs[0]})) // whatever claim
	back(again[0])
	o.Advance(time.Hour)
	o.wantClaimed("all claims have ended", jobs[2], jobs[3], late[0])
	o.wantUndelivered(3, time.Hour+64*time.Second-2*time.Second) // the third was completed at second 2
}

// Between the statement that completes a job and its commit no sender sees the set.
func TestUncommittedSet(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.users(3, 1, "UTC")
	id := o.queue("UTC")[0].ID
	f := o.claimed(id)
	// An offer with the same key, not committed, holds the statement up.
	tx := must.Get(o.Conn.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), `INSERT INTO offer
		(id, tenant_id, date, user_id, candidate_id, rank, score, offered_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, 1, 1, now(), now())`,
		offer.ID(today, num(3), num(2)), tenant, today.Time(), num(3), num(2)))(t)
	completed := o.Meanwhile(func() error { return o.offer(t.Context(), f) })
	o.wantClaimed("the commit is held up")
	must.OK(t, tx.Rollback(t.Context()))
	must.OK(t, completed())
	o.wantClaimed("committed", id)
}

// A row that another transaction has locked is left out, not waited for.
func TestLockedSetIsSkipped(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	jobs := o.completed(10, 2)
	tx := must.Get(o.Conn.Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), "SELECT FROM offer_delivery WHERE job_id = $1 FOR UPDATE", jobs[0]))(t)
	ctx, cancel := context.WithTimeout(t.Context(), postgrestest.Stuck)
	defer cancel()
	list, err := o.store.Outbox().Claim(ctx, 10, time.Minute)
	if got := jobsOf(list); err != nil || !slices.Equal(got, jobs[1:]) {
		t.Errorf("claimed %v, %v, want %v", got, err, jobs[1:])
	}
	must.OK(t, tx.Rollback(t.Context()))
}

// A set without a completed job is not sent, whatever has put it into the outbox.
func TestClaimCompletedSets(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.Exec("INSERT INTO offer_delivery (job_id, due_at) VALUES ($1, now())", o.lone())
	o.wantClaimed("the job is pending")
}

// Behind thousands of delivered sets, and before thousands that wait, a claim reads the
// sets that it takes.
func TestClaimSetsReadsFew(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.Exec(`INSERT INTO offer_user (id, tenant_id, timezone)
		SELECT gen_random_uuid(), $1, 'UTC' FROM generate_series(1, 4000)`, tenant)
	o.Exec(`INSERT INTO matchmaking_job
		(id, tenant_id, date, timezone, user_id, job_status, offers, input_digest, offered_at, expires_at)
		SELECT id, tenant_id, $1, 'UTC', id, 'succeeded', '[]', '\x01', now(), now() FROM offer_user`, today.Time())
	o.Exec(`INSERT INTO offer_delivery (job_id, created_at, due_at, delivered_at, tries)
		SELECT id, now(), now(), CASE WHEN n <= 2000 THEN now() END, n % 2
		FROM (SELECT id, row_number() OVER () AS n FROM matchmaking_job) AS numbered`)
	o.Exec("VACUUM ANALYZE matchmaking_job, offer_delivery")
	p := o.Explain(offers.ClaimSetsSQL, 16, time.Minute)
	p.WantIndexed(t, "offer_delivery_due_idx")
	// The outbox is read twice and written once, the jobs are read.
	if n := p.Fetched("offer_delivery") + p.Fetched("matchmaking_job"); n > 4*16 {
		t.Errorf("%.0f rows were read to claim 16 sets", n)
	}
	o.wantUndelivered(2000, 0)
}

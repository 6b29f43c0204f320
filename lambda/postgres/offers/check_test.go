package offers_test

import (
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
)

// completed is a database with the sets of user 9 on eight dates up to today, each with two
// separate candidates; the pair of the first date meets again today.
func completed(t *testing.T) *fixture {
	t.Helper()
	o := newFixture(t)
	o.users(9, 1, "UTC")
	through := today - 8
	o.Exec("UPDATE offer_user SET through = $1", through.Time())
	for n := range day.Date(8) {
		date := through + 1
		frozen := roster.Frozen{Key: roster.Key{Tenant: tenant, Date: date}, Digest: digest, Content: []byte{}}
		must.Get(o.store.Freeze(t.Context(), frozen))(t)
		stamped, _, err := o.store.Queue(t.Context(), o.shard("UTC", &through))
		must.OK(t, err)
		first := 100 + 10*int(n%7)
		set := offer.Set{Job: offer.Job{Date: date, User: num(9)}, Offers: []ranking.Offer{
			{Candidate: num(first), Rank: 1, Score: 70}, {Candidate: num(first + 1), Rank: 2, Score: 60}}}
		must.OK(t, o.complete(t.Context(), o.claimed(stamped[0].ID), set, false))
		through = date
	}
	return o
}

// The duplicate check finds what the constraints and triggers prevent.
func TestDuplicateOffers(t *testing.T) {
	t.Parallel()
	const (
		anotherJob = `INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, offered_at, expires_at)
			SELECT gen_random_uuid(), tenant_id, date, 'Asia/Tokyo', user_id, offered_at, expires_at FROM matchmaking_job WHERE date = $1`
		another = `INSERT INTO offer SELECT gen_random_uuid(), tenant_id, date, user_id, `
		from    = `, score, offered_at, expires_at FROM offer WHERE date = $1 AND rank = 1`
	)
	for name, tc := range map[string]struct {
		sql  string
		want int
	}{
		"nothing":                      {"SELECT $1::date", 0},
		"a second job":                 {anotherJob, 1},
		"a candidate twice":            {another + "candidate_id, 3" + from, 2}, // and it is not of the set
		"the same offer twice":         {another + "candidate_id, 1" + from, 1},
		"another offer":                {another + "user_id, 3" + from, 1},
		"another rank":                 {"UPDATE offer SET rank = 3 WHERE rank = 2 AND date = $1", 2}, // one is missing, one is too many
		"another score":                {"UPDATE offer SET score = score + 1 WHERE rank = 2 AND date = $1", 2},
		"a missing offer":              {"DELETE FROM offer WHERE rank = 2 AND date = $1", 1},
		"offers of a job not complete": {"UPDATE matchmaking_job SET job_status = 'pending' WHERE date = $1", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := completed(t)
			o.Exec("ALTER TABLE offer DROP CONSTRAINT offer_tenant_id_date_user_id_fkey, DROP CONSTRAINT offer_tenant_id_date_user_id_candidate_id_key")
			o.Exec("ALTER TABLE matchmaking_job DROP CONSTRAINT matchmaking_job_tenant_id_date_user_id_key")
			for _, table := range []string{"offer", "matchmaking_job"} {
				o.Exec("ALTER TABLE " + table + " DISABLE TRIGGER USER")
			}
			o.Exec(tc.sql, today.Time())
			o.wantDuplicates(today, tc.want)
			o.wantDuplicates(today-7, tc.want)
			o.wantDuplicates(today+1, 0)
		})
	}
}

// A pair may meet again on the seventh date, and not before.
func TestPairOnceInSevenDates(t *testing.T) {
	t.Parallel()
	o := completed(t)
	o.Exec("ALTER TABLE offer DISABLE TRIGGER USER")
	o.Exec("ALTER TABLE matchmaking_job DISABLE TRIGGER USER")
	for n, want := range []int{0, 1, 1, 1, 1, 1, 1, 0} { // user 200 is a candidate today, and n dates before
		o.renew(today, num(200))
		o.renew(today-day.Date(n), num(200))
		o.wantDuplicates(today, want)
		o.renew(today-day.Date(n), num(300+n))
	}
}

// renew gives a date another second candidate.
func (o *fixture) renew(date day.Date, candidate uuid.UUID) {
	o.T.Helper()
	o.Exec("UPDATE offer SET candidate_id = $1 WHERE date = $2 AND rank = 2", candidate, date.Time())
	o.Exec(`UPDATE matchmaking_job SET offers = jsonb_set(offers, '{1,candidate_id}', to_jsonb($1::uuid)) WHERE date = $2`, candidate, date.Time())
}

func (o *fixture) wantDuplicates(since day.Date, want int) {
	o.T.Helper()
	if got, err := o.store.DuplicateOffers(o.T.Context(), since); err != nil || got != want {
		o.T.Errorf("%d duplicates since %v, %v; want %d", got, since, err, want)
	}
}

// Among the users of many zones and the jobs of many dates, the statements of a step,
// of a job and of the duplicate check read what they need.
func TestOfferPlans(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.Exec("SET session_replication_role = replica")
	o.Exec(`INSERT INTO offer_user (id, tenant_id, timezone, through)
		SELECT gen_random_uuid(), $1, 'Etc/GMT+' || n % 10, $2 FROM generate_series(1, 2000) AS n`, tenant, today.Time())
	o.Exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, job_status, attempts, lease_until, offered_at, expires_at)
		SELECT gen_random_uuid(), tenant_id, $1::date - n, timezone, id, 'in-progress', 1, now(), now(), now()
		FROM (SELECT * FROM offer_user LIMIT 200) AS u, generate_series(0, 79) AS n`, today.Time())
	o.Exec(`INSERT INTO offer SELECT gen_random_uuid(), tenant_id, date, user_id, gen_random_uuid(), 1, 0, now(), now() FROM matchmaking_job`)
	o.Exec("RESET session_replication_role")
	o.Exec("VACUUM ANALYZE offer_user, matchmaking_job, offer")
	var user, id uuid.UUID
	must.OK(t, o.Conn.QueryRow(t.Context(), "SELECT user_id, id FROM matchmaking_job WHERE date = $1 LIMIT 1", today.Time()).Scan(&user, &id))

	through := today
	s := o.shard("Etc/GMT+3", &through)
	p := o.Explain(offers.NextUsersSQL(s), s.Tenant, s.Zone, 50, today.Time(), s.FlownFrom.Time(), s.FlownTo.Time())
	p.WantIndexed(t, "offer_user_zone_idx")
	if n := p.Fetched("offer_user"); n > 100 {
		t.Errorf("%.0f users were fetched for a step of 50", n)
	}
	o.Explain(offers.ThroughSQL, []uuid.UUID{user}, today.Time()).WantIndexed(t, "offer_user_pkey")
	p = o.Explain(offers.JobsOfDateSQL, tenant, today.Time())
	p.WantIndexed(t)
	if n := p.Fetched("matchmaking_job"); n > 200 {
		t.Errorf("%.0f jobs were fetched for a date with 200", n)
	}
	p = o.Explain(offers.CompleteSQL, []uuid.UUID{id}, []int{1}, [][]byte{[]byte("[]")}, true,
		[]uuid.UUID{}, []uuid.UUID{}, []uuid.UUID{}, []int{}, []int{})
	p.WantIndexed(t, "matchmaking_job_pkey")
	if n := p.Fetched("matchmaking_job"); n > 3 { // locked, found again, updated
		t.Errorf("%.0f jobs were fetched to complete one", n)
	}
	p = o.Explain(offers.DuplicatesSQL, tenant, today.Time(), 7)
	p.WantIndexed(t, "offer_tenant_id_date_user_id_candidate_id_key")
	if n := p.Fetched("matchmaking_job"); n > 400 {
		t.Errorf("%.0f jobs were fetched for a date with 200", n)
	}
}

package postgres_test

import (
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// Among the users of many zones and the jobs of many dates, the statements of a step,
// of a job and of the duplicate check read what they need.
func TestOfferPlans(t *testing.T) {
	t.Parallel()
	o := newOffers(t)
	o.exec("SET session_replication_role = replica")
	o.exec(`INSERT INTO offer_user (id, tenant_id, timezone, through)
		SELECT gen_random_uuid(), $1, 'Etc/GMT+' || n % 10, $2 FROM generate_series(1, 2000) AS n`, tenant, today.Time())
	o.exec(`INSERT INTO matchmaking_job (id, tenant_id, date, timezone, user_id, job_status, attempts, lease_until, offered_at, expires_at)
		SELECT gen_random_uuid(), tenant_id, $1::date - n, timezone, id, 'in-progress', 1, now(), now(), now()
		FROM (SELECT * FROM offer_user LIMIT 200) AS u, generate_series(0, 79) AS n`, today.Time())
	o.exec(`INSERT INTO offer SELECT gen_random_uuid(), tenant_id, date, user_id, gen_random_uuid(), 1, 0, now(), now() FROM matchmaking_job`)
	o.exec("RESET session_replication_role")
	o.exec("VACUUM ANALYZE offer_user, matchmaking_job, offer")
	var user, id uuid.UUID
	must.OK(t, o.conn.QueryRow(t.Context(), "SELECT user_id, id FROM matchmaking_job WHERE date = $1 LIMIT 1", today.Time()).Scan(&user, &id))

	through := today
	s := o.shard("Etc/GMT+3", &through)
	p := o.explain(postgres.NextUsersSQL(s), s.Tenant, s.Zone, 50, today.Time(), s.FlownFrom.Time(), s.FlownTo.Time())
	p.WantIndexed(t, "offer_user_zone_idx")
	if n := p.Fetched("offer_user"); n > 100 {
		t.Errorf("%.0f users were fetched for a step of 50", n)
	}
	o.explain(postgres.ThroughSQL, []uuid.UUID{user}, today.Time()).WantIndexed(t, "offer_user_pkey")
	p = o.explain(postgres.JobsOfDateSQL, tenant, today.Time())
	p.WantIndexed(t)
	if n := p.Fetched("matchmaking_job"); n > 200 {
		t.Errorf("%.0f jobs were fetched for a date with 200", n)
	}
	p = o.explain(postgres.CompleteSQL, []uuid.UUID{id}, []int{1}, [][]byte{[]byte("[]")}, true,
		[]uuid.UUID{}, []uuid.UUID{}, []uuid.UUID{}, []int{}, []int{})
	p.WantIndexed(t, "matchmaking_job_pkey")
	if n := p.Fetched("matchmaking_job"); n > 3 { // locked, found again, updated
		t.Errorf("%.0f jobs were fetched to complete one", n)
	}
	p = o.explain(postgres.DuplicatesSQL, tenant, today.Time(), 7)
	p.WantIndexed(t, "offer_tenant_id_date_user_id_candidate_id_key")
	if n := p.Fetched("matchmaking_job"); n > 400 {
		t.Errorf("%.0f jobs were fetched for a date with 200", n)
	}
}

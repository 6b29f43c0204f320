package offers

import (
	"context"

	"matchbook/lambda/failure"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// apart is the number of dates within which a pair may be offered once, unless a roster is
// small.
const apart = 7

// rostersSQL lists the dates to check, and the ones before. Each is checked by itself, so that a
// statement is bounded by the users of a tenant.
const rostersSQL = `
SELECT tenant_id, date - date 'epoch', algorithm_version, users FROM offer_roster WHERE date > $1::date - $2::integer ORDER BY 1, 2`

// duplicatesSQL counts violations for a tenant and a date: users with more than one job,
// candidates offered twice to a user, offers missing from a completed job or foreign to it,
// and candidates repeated from one of the dates before.
const duplicatesSQL = `
SELECT (
	SELECT count(*) FROM (
		SELECT FROM matchmaking_job WHERE tenant_id = $1 AND date = $2 GROUP BY user_id HAVING count(*) > 1
	) AS jobs
) + (
	SELECT count(*) FROM (
		SELECT FROM offer WHERE tenant_id = $1 AND date = $2 GROUP BY user_id, candidate_id HAVING count(*) > 1
	) AS twice
) + (
	SELECT count(*) FROM (
		SELECT user_id, c.* FROM matchmaking_job,
			jsonb_to_recordset(offers) AS c (candidate_id uuid, rank integer, score integer)
		WHERE tenant_id = $1 AND date = $2 AND job_status = 'succeeded'
	) AS set FULL JOIN (
		SELECT user_id, candidate_id, rank::integer, score FROM offer WHERE tenant_id = $1 AND date = $2
	) AS offered USING (user_id, candidate_id, rank, score)
	WHERE set IS NULL OR offered IS NULL
) + (
	SELECT count(*) FROM offer AS a JOIN offer AS b USING (tenant_id, user_id, candidate_id)
	WHERE tenant_id = $1 AND a.date = $2 AND b.date > $2::date - $3::integer AND b.date < $2
)`

// DuplicateOffers counts what must not occur in the sets of the dates from since on: a second
// job of a user, a candidate twice (also within 7 dates, unless the roster is small), and offers other than the completed
// job's. It reads the sets of 8 dates.
func (o *Store) DuplicateOffers(ctx context.Context, since day.Date) (total int, err error) {
	type roster struct {
		Tenant    uuid.UUID
		Date      day.Date
		Algorithm int
		Users     int
	}
	rosters, err := postgres.Rows[roster](ctx, o.db, rostersSQL, since.Time(), apart)
	small := map[uuid.UUID]day.Date{} // the latest date on which all pairs could meet
	for _, r := range rosters {
		if ranking.MeetsDaily(r.Algorithm, r.Users) {
			small[r.Tenant] = r.Date
		}
		if r.Date < since {
			continue
		}
		looks := apart
		if last, ok := small[r.Tenant]; ok {
			looks = min(apart, max(1, int(r.Date-last)))
		}
		n, failed := postgres.Value[int](ctx, o.db, duplicatesSQL, r.Tenant, r.Date.Time(), looks)
		if err = failed; err != nil {
			break
		}
		total += n
	}
	return total, failure.At("count duplicate offers", err)
}

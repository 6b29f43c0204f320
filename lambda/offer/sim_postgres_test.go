package offer_test

import (
	"encoding/json"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// database is the real store, with a clock that follows the simulation's.
type database struct {
	*postgres.Offers
	t     *testing.T
	conn  *pgx.Conn // with the simulated clock
	clock *simclock.Clock
	at    time.Time // of the clock
}

func overPostgres(t *testing.T, s *simulation) {
	t.Helper()
	clock, url := postgrestest.WithClock(t, postgrestest.URL(t), s.start)
	d := &database{t: t, conn: postgrestest.Conn(t, url), clock: clock, at: s.start, Offers: postgrestest.Open(t, url).Offers()}
	d.exec("INSERT INTO tenant (id, name) VALUES ($1, 'simulated')", s.tenant)
	s.keep(d, 1)
	s.moved = func() { d.follow(s.now) }
}

// follow moves the clock of the database.
func (d *database) follow(now time.Time) {
	if err := d.clock.Advance(d.t.Context(), now.Sub(d.at)); err != nil {
		d.t.Fatal(err)
	}
	d.at = now
}

func (d *database) exec(sql string, args ...any) {
	d.t.Helper()
	if _, err := d.conn.Exec(d.t.Context(), sql, args...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *database) Put(u offer.User) {
	d.exec(`INSERT INTO offer_user (id, tenant_id, timezone, active, profile, preferences, active_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO UPDATE SET timezone = excluded.timezone, active = excluded.active,
			profile = excluded.profile, preferences = excluded.preferences, active_at = excluded.active_at`,
		u.ID, u.Tenant, u.Zone, u.Active, u.Profile, u.Preferences, u.ActiveAt)
}

// Jobs reads without the store. Columns without a value are those of a new row.
func (d *database) Jobs(tenant uuid.UUID, date day.Date) []*fakeJob {
	rows, err := d.conn.Query(d.t.Context(), `SELECT id, user_id, coalesce(job_status, ''), coalesce(error, ''),
			offered_at, coalesce(completed_at, now()), coalesce(input_digest, ''), coalesce(offers, '[]')
		FROM matchmaking_job WHERE tenant_id = $1 AND date = $2 ORDER BY user_id`, tenant, date.Time())
	if err != nil {
		d.t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*fakeJob, error) {
		var j fakeJob
		var digest, offers []byte
		if err := row.Scan(&j.ID, &j.User, &j.Status, &j.Error, &j.OfferedAt, &j.EndedAt, &digest, &offers); err != nil {
			return nil, err
		}
		copy(j.Digest[:], digest)
		j.Date, j.CreatedAt = date, j.EndedAt // of a skipped job
		return &j, json.Unmarshal(offers, &j.Offers)
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

// Forget keeps the rows: the constraints of the tables hold over all dates.
func (d *database) Forget(uuid.UUID, day.Date) {}

func (d *database) Open() (n int) {
	err := d.conn.QueryRow(d.t.Context(), "SELECT count(*) FROM matchmaking_job WHERE job_status IN ('pending', 'in-progress')").Scan(&n)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// The year in memory shows that the rules hold; these days show that the tables keep
// them. Both changes of daylight saving time are in them, of the north and of the south.
func TestDaysThroughPostgreSQL(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"2026-03-28", "2026-10-24"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			if from != "2026-03-28" {
				testenv.OnlyThorough(t, "lets the days of the other change pass too")
			}
			s := newSimulation(t, from, simOptions{Users: testenv.Size(20, 200), Days: testenv.Size(1, 14), Seed: 7})
			overPostgres(t, s)
			s.run()
		})
	}
}

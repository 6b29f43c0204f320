package simulate

import (
	"encoding/json"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/memory"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// database is the real store, whose clock follows the simulation's.
type database struct {
	*postgres.Offers
	t     *testing.T
	s     *simulation
	conn  *pgx.Conn // with the simulated clock
	clock *simclock.Clock
	at    time.Time // of the clock
	users map[uuid.UUID]memory.User
}

func overPostgres(t *testing.T, s *simulation) {
	t.Helper()
	clock, url := postgrestest.WithClock(t, postgrestest.URL(t), s.start)
	d := &database{t: t, s: s, conn: postgrestest.Conn(t, url), clock: clock, at: s.start, users: map[uuid.UUID]memory.User{},
		Offers: postgrestest.Open(t, url).Offers()}
	d.exec("INSERT INTO tenant (id, name) VALUES ($1, 'simulated')", s.tenant)
	s.keep(d, 1)
	s.loop.moved = d.follow
}

// follow moves the clock of the database.
func (d *database) follow() {
	if err := d.clock.Advance(d.t.Context(), d.s.now.Sub(d.at)); err != nil {
		d.t.Fatal(err)
	}
	d.at = d.s.now
}

func (d *database) exec(sql string, args ...any) {
	d.t.Helper()
	if _, err := d.conn.Exec(d.t.Context(), sql, args...); err != nil {
		d.t.Fatal(err)
	}
}

func (d *database) Insert(u memory.User) {
	d.users[u.ID] = u
	d.exec(`INSERT INTO offer_user (id, tenant_id, timezone, active, profile, preferences, active_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, u.ID, u.Tenant, u.Zone, u.Active, u.Profile, u.Preferences, u.ActiveAt)
}

func (d *database) Update(id uuid.UUID, change func(*memory.User)) error {
	u := d.users[id]
	change(&u)
	d.users[id] = u
	d.exec("UPDATE offer_user SET timezone = $2, active = $3, profile = $4, preferences = $5, active_at = $6 WHERE id = $1",
		id, u.Zone, u.Active, u.Profile, u.Preferences, u.ActiveAt)
	return nil
}

// Jobs reads without the store. Columns without a value are those of a new Job.
func (d *database) Jobs(tenant uuid.UUID, date day.Date) (list []memory.Job) {
	rows, err := d.conn.Query(d.t.Context(), `SELECT id, user_id, timezone, coalesce(job_status, ''), coalesce(error, ''),
			offered_at, coalesce(completed_at, now()), coalesce(input_digest, ''), coalesce(offers, '[]')
		FROM matchmaking_job WHERE tenant_id = $1 AND date = $2 ORDER BY user_id`, tenant, date.Time())
	if err != nil {
		d.t.Fatal(err)
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (j memory.Job, err error) {
		var digest, offers []byte
		j.Tenant, j.Date = tenant, date
		err = row.Scan(&j.ID, &j.User, &j.Zone, &j.Status, &j.Error, &j.OfferedAt, &j.EndedAt, &digest, &offers)
		copy(j.Digest[:], digest)
		if err == nil {
			err = json.Unmarshal(offers, &j.Offers)
		}
		j.CreatedAt = j.EndedAt // of a skipped job
		return j, err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

func (d *database) JobOf(tenant uuid.UUID, date day.Date, user uuid.UUID) (memory.Job, bool) {
	for _, j := range d.Jobs(tenant, date) {
		if j.User == user {
			return j, true
		}
	}
	return memory.Job{}, false
}

func (d *database) Failed(tenant uuid.UUID, date day.Date) (list []memory.Job) {
	for _, j := range d.Jobs(tenant, date) {
		if j.Status == job.StatusFailed {
			list = append(list, j)
		}
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
			o := Options{Users: testenv.Size(20, 200), Days: testenv.Size(1, 14), Seed: 7, Zones: day.Zones()}
			var err error
			if o.From, err = day.Parse(from); err != nil {
				t.Fatal(err)
			}
			s, err := newSimulation(o)
			if err != nil {
				t.Fatal(err)
			}
			overPostgres(t, s)
			r, err := s.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r.Text())
			if r.Broken > 0 {
				t.Errorf("%d promises broken: %q", r.Broken, r.Problems)
			}
		})
	}
}

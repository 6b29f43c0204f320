package postgrestest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
)

// Tenant is the tenant of a new Fixture.
var Tenant = Num(1)

// OtherTenant is for tests to add.
var OtherTenant = Num(2)

// Start is the time of a new Fixture.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Num returns an id; ids are in the order of n.
func Num(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012x", n)) }

// Stuck bounds what must happen: no machine is so slow.
const Stuck = 9 * time.Minute

// Tables lists what any work may write, for Dump.
var Tables = []string{"document", "document_match", "match_pair", "match_suggestion", "notification", "notification_delivery", "tenant"}

// Fixture is a database with a clock that stands still until the test moves it.
type Fixture struct {
	*postgres.DB
	Conn  *pgx.Conn // sees the same clock
	Clock *simclock.Clock
	T     *testing.T
}

// NewFixture creates a database with a tenant.
func NewFixture(t *testing.T) *Fixture {
	t.Helper()
	url := URL(t)
	clock, simURL := WithClock(t, url, Start)
	f := &Fixture{Open(t, simURL), Conn(t, simURL), clock, t}
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers')", Tenant)
	return f
}

// Exec runs a statement.
func (f *Fixture) Exec(sql string, args ...any) {
	f.T.Helper()
	Exec(f.T, f.Conn, sql, args...)
}

// Advance moves the clock.
func (f *Fixture) Advance(d time.Duration) {
	f.T.Helper()
	must.OK(f.T, f.Clock.Advance(f.T.Context(), d))
}

// Now reads the clock.
func (f *Fixture) Now() time.Time {
	f.T.Helper()
	return Value[time.Time](f.T, f.Conn, "SELECT now()")
}

// Count reads a number.
func (f *Fixture) Count(sql string, args ...any) int {
	f.T.Helper()
	return Value[int](f.T, f.Conn, sql, args...)
}

// Explain runs a statement and returns its plan.
func (f *Fixture) Explain(sql string, args ...any) Plan {
	f.T.Helper()
	return Explain(f.T, f.Conn, sql, args...)
}

// Dump is every row of the tables, with the transaction that wrote it: a row
// written again with the same values is another row.
func (f *Fixture) Dump(tables ...string) string {
	f.T.Helper()
	var out strings.Builder
	for _, table := range tables {
		list := Values[string](f.T, f.Conn, "SELECT t.xmin::text || ' ' || t::text FROM "+table+" AS t ORDER BY t::text")
		fmt.Fprintf(&out, "%s\n\t%s\n", table, strings.Join(list, "\n\t"))
	}
	return out.String()
}

// Unchanged returns what reports rows of the tables that have changed since.
func (f *Fixture) Unchanged(tables ...string) (check func(when string)) {
	f.T.Helper()
	before := f.Dump(tables...)
	return func(when string) {
		f.T.Helper()
		if after := f.Dump(tables...); after != before {
			f.T.Errorf("%s: changed from\n%s\nto\n%s", when, before, after)
		}
	}
}

// Claimed claims a row of any table of work.
func (f *Fixture) Claimed(store job.Store, id uuid.UUID) job.Attempt {
	f.T.Helper()
	claims, err := store.Claim(f.T.Context(), []job.Delivery{{ID: id, Count: 1, Last: true}}, time.Minute, true)
	if err != nil || claims[0].Found != job.Claimed {
		f.T.Fatalf("claim found %+v, %v", claims, err)
	}
	return claims[0].Attempt
}

// Row has the fields of jobtest.Row, which would link that package's flags into every test with a database.
type Row struct {
	Status        job.Status
	Attempt       int
	Error         string
	Due, FailedAt time.Time
	Notifications string
}

// Row reads a row of any table of work; columns are its status, attempts, error, due
// time and time of failure.
func (f *Fixture) Row(id uuid.UUID, columns, table string) (r Row) {
	f.T.Helper()
	must.OK(f.T, f.Conn.QueryRow(f.T.Context(), "SELECT "+columns+`,
		(SELECT string_agg(kind || ' ' || attempt, ', ' ORDER BY attempt, kind) FROM notification WHERE $1 IN (document_id, subject_id))
		FROM `+table+" WHERE id = $1", id).Scan((*zeronull.Text)(&r.Status), &r.Attempt, (*zeronull.Text)(&r.Error),
		(*zeronull.Timestamptz)(&r.Due), (*zeronull.Timestamptz)(&r.FailedAt), (*zeronull.Text)(&r.Notifications)))
	return r
}

// Changes returns what lists the rows of all tables that are new, changed or gone since the last call.
func (f *Fixture) Changes() (next func() string) {
	f.T.Helper()
	statement := Value[string](f.T, f.Conn, changesSQL)
	var was []string
	next = func() string {
		f.T.Helper()
		now := Values[string](f.T, f.Conn, statement)
		var out strings.Builder
		for _, row := range now {
			if !slices.Contains(was, row) {
				fmt.Fprintf(&out, "\t%s\n", row)
			}
		}
		for _, row := range was {
			key, _, _ := strings.Cut(row, ",")
			if !slices.ContainsFunc(now, func(n string) bool { return strings.HasPrefix(n, key) }) {
				fmt.Fprintf(&out, "\t- %s\n", row)
			}
		}
		was = now
		return out.String()
	}
	next()
	return next
}

// changesSQL makes a statement of all tables. Rows are in the order of what isn't random in them.
const changesSQL = `
SELECT 'SELECT line FROM (' || string_agg(format('SELECT %L || jsonb_strip_nulls(to_jsonb(t))::text AS line FROM %I AS t',
	relname || ' ', relname), ' UNION ALL ' ORDER BY relname)
	|| $$) AS rows ORDER BY regexp_replace(line, '[0-9a-f]{8}-[0-9a-f-]{27}', '', 'g'), line $$
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('goose_db_version', 'document_key')`

// Values reads the one column of a statement's rows.
func Values[V any](t testing.TB, conn *pgx.Conn, sql string, args ...any) []V {
	t.Helper()
	rows, _ := conn.Query(t.Context(), sql, args...)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[V]))(t)
}

// Equal reports a value that is not the one that the test wants.
func Equal[V comparable](t testing.TB, what string, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %+v\nwant %+v", what, got, want)
	}
}

// EqualLists is Equal for lists; one without elements is like none.
func EqualLists[V comparable](t testing.TB, what string, got, want []V) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %+v\nwant %+v", what, got, want)
	}
}

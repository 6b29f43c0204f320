package report_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/simclock"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// fixture is a database with a clock that stands still until the test moves it.
type fixture struct {
	*postgres.DB
	read  report.Reader
	conn  *pgx.Conn // has the same clock
	clock *simclock.Clock
	url   string
	t     *testing.T
}

var (
	tenant      = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	otherTenant = uuid.MustParse("00000000-0000-4000-8000-000000000002")
	start       = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	url := postgrestest.URL(t)
	clock, simURL := postgrestest.WithClock(t, url, start)
	db := postgrestest.Open(t, simURL)
	f := &fixture{db, report.From(db), postgrestest.Conn(t, simURL), clock, simURL, t}
	f.exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	return f
}

func (f *fixture) exec(sql string, args ...any) {
	f.t.Helper()
	must.Get(f.conn.Exec(f.t.Context(), sql, args...))(f.t)
}

func (f *fixture) advance(d time.Duration) {
	f.t.Helper()
	must.OK(f.t, f.clock.Advance(f.t.Context(), d))
}

// documents inserts four documents and returns their ids in order.
func (f *fixture) documents() (a, b, c, d uuid.UUID) {
	f.t.Helper()
	ids := make([]uuid.UUID, 4)
	for i := range ids {
		ids[i] = uuid.UUID{15: byte(i + 1)}
		f.exec("INSERT INTO document (id, tenant_id, type) VALUES ($1, $2, 'invoice')", ids[i], tenant)
	}
	return ids[0], ids[1], ids[2], ids[3]
}

func TestMatchesOfDocument(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b, c, d := f.documents()
	f.exec(`INSERT INTO document_match VALUES ($1, $2, $3, 0.9, 'high', 'rules', 'because',
		'[{"name": "cites", "text": "One cites the other.", "points": 60}]')`, tenant, a, b)
	f.exec("INSERT INTO match_suggestion VALUES ($1, $2, $3, 0.6, 'model', 'perhaps', '[]')", tenant, b, c)
	matched := report.Match{A: a, B: b, Score: 0.9, Confidence: "high", DecidedBy: "rules", Reasoning: "because",
		Evidence: json.RawMessage(`[{"name": "cites", "text": "One cites the other.", "points": 60}]`)}
	suggested := report.Match{A: b, B: c, Score: 0.6, DecidedBy: "model", Reasoning: "perhaps", Evidence: json.RawMessage(`[]`)}
	for _, tc := range []struct {
		ids                  []uuid.UUID
		matches, suggestions []report.Match
	}{
		{[]uuid.UUID{a}, []report.Match{matched}, nil},
		{[]uuid.UUID{b, c}, []report.Match{matched}, []report.Match{suggested}},
		{[]uuid.UUID{d}, nil, nil},
	} {
		got, err := f.read.Matches(t.Context(), tc.ids)
		if err != nil || len(got)+len(tc.matches) > 0 && !reflect.DeepEqual(got, tc.matches) {
			t.Errorf("matches of %v: got %+v, %v; want %+v", tc.ids, got, err, tc.matches)
		}
		got, err = f.read.Suggestions(t.Context(), tc.ids)
		if err != nil || len(got)+len(tc.suggestions) > 0 && !reflect.DeepEqual(got, tc.suggestions) {
			t.Errorf("suggestions of %v: got %+v, %v; want %+v", tc.ids, got, err, tc.suggestions)
		}
	}
}

func TestAnswersByPair(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b, c, d := f.documents()
	pair := func(one, other uuid.UUID, answer string) {
		f.exec(`INSERT INTO match_pair (tenant_id, document_a_id, document_b_id, type_a, type_b, points, units_a, units_b,
			units_common, evidence, veto, answer) VALUES ($1, $2, $3, 'invoice', 'invoice', 0, 0, 0, 0, '[]', '', $4)`,
			tenant, one, other, answer)
	}
	pair(a, b, "high")
	pair(a, c, "")
	pair(b, c, "none")
	pair(c, d, "low")
	got, err := f.read.Answers(t.Context(), []uuid.UUID{a, b})
	want := []report.Answer{{A: a, B: b, Confidence: "high"}, {A: b, B: c, Confidence: "none"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b, c, d := f.documents()
	f.exec("UPDATE document SET matching_status = 'succeeded' WHERE id = ANY ($1)", []uuid.UUID{b, d})
	f.exec("UPDATE document SET matching_status = 'pending' WHERE id = $1", c)
	got, err := f.read.Progress(t.Context(), []uuid.UUID{a, b, c})
	if want := (report.Progress{"": 1, "succeeded": 1, "pending": 1}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// A document is found by its number without reading the others, also by a
// number longer than a sorted index takes.
func TestNumbered(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exec(`INSERT INTO document (id, tenant_id, type, structured_data)
		SELECT gen_random_uuid(), $1, 'invoice', jsonb_build_object('number', 'RE ' || i) FROM generate_series(1, 20000) AS i`, tenant)
	var long string
	must.OK(t, f.conn.QueryRow(t.Context(), "SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 1000)").Scan(&long))
	want := uuid.New()
	f.exec("INSERT INTO document (id, tenant_id, structured_data) VALUES ($1, $2, jsonb_build_object('number', $3::text))", want, tenant, long)
	f.exec("VACUUM ANALYZE document")
	for _, number := range []string{"RE 4711", long} {
		p := postgrestest.Explain(t, f.conn, report.NumberedSQL, number)
		p.WantIndexed(t, "document_number_idx")
		if n := p.Fetched("document"); n > 2 {
			t.Errorf("%.0f documents were read", n)
		}
	}
	if got, err := f.read.Numbered(t.Context(), long); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
}

// A program that keeps a row locked is found, and readers are not.
func TestLocksHeld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var least time.Duration // of their ages
	find := func(longer time.Duration, want string) {
		t.Helper()
		found := must.Get(f.read.Holders(t.Context(), longer))(t)
		got := ""
		for _, h := range found {
			got += h.Program + " " + h.Tables + "; "
			if h.Process == 0 || h.Role == "" || h.Age <= least {
				t.Errorf("got %+v", h)
			}
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f.exec("SET application_name = 'nightly'")
	f.exec("BEGIN")
	f.exec("SELECT FROM document")
	find(0, "")
	f.exec("SELECT FROM document FOR UPDATE")
	find(0, "nightly document; ")
	find(time.Hour, "")
	victim := make(chan error)
	conn := postgrestest.Conn(t, f.url)
	go func() {
		_, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE ingestion; LOCK TABLE document; ROLLBACK")
		victim <- err
	}()
	for postgrestest.Value[int](t, f.conn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 0 {
		continue // it has a lock, too, but waits for the other
	}
	must.OK(t, f.conn.QueryRow(t.Context(), "SELECT pg_catalog.clock_timestamp() - xact_start FROM pg_stat_activity WHERE pid = pg_backend_pid()").Scan(&least))
	find(0, "nightly document; ")
	f.exec("ROLLBACK")
	must.OK(t, <-victim)
	find(0, "")
}

// A server that can't write a file, as on a full disk, is noticed without a write.
func TestSpillFails(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	must.OK(t, report.From(postgrestest.Open(t, url)).Spill(t.Context()))
	postgrestest.Exec(t, postgrestest.Conn(t, url),
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET temp_file_limit = 0', current_database()); END $$`)
	if err := report.From(postgrestest.Open(t, url)).Spill(t.Context()); err == nil {
		t.Error("the sort fits in memory")
	}
}

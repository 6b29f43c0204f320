package postgres_test

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// everyTableSQL fills each table for a tenant: all its ids begin with aaaaaaaa, or what replaces
// it. The documents 1 and 2 match, and so do 2 and 3; 4 is of the file of 3.
//
//go:embed testdata/every_table.sql
var everyTableSQL string

const catalogueSQL = `
SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`

func tablesOf(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), catalogueSQL)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

// twoTenants returns a database with two tenants, and rows of each in every table.
func twoTenants(t *testing.T) (*postgres.DB, *pgx.Conn) {
	t.Helper()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	for _, of := range []string{"aaaaaaaa", "bbbbbbbb"} {
		if _, err := conn.PgConn().Exec(t.Context(), strings.ReplaceAll(everyTableSQL, "aaaaaaaa", of)).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	return postgrestest.Open(t, url), conn
}

// rowsWith counts the rows by table with this text in any column.
func rowsWith(t *testing.T, conn *pgx.Conn, text string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, table := range tablesOf(t, conn) {
		n := postgrestest.Value[int](t, conn, fmt.Sprintf("SELECT count(*) FROM %[1]s AS r WHERE r::text LIKE '%%' || $1 || '%%'", table), text)
		if n > 0 {
			found[table] = n
		}
	}
	return found
}

func docOf(tenant byte, n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("%s-0000-4000-8000-%012x", strings.Repeat(string(tenant), 8), 0xd0+n))
}

func tenantOf(tenant byte) uuid.UUID {
	return uuid.MustParse(strings.Repeat(string(tenant), 8) + "-0000-4000-8000-000000000000")
}

func noNote(postgres.TableRows) {}

// A new table must say what of it is erased.
func TestEveryTableErased(t *testing.T) {
	t.Parallel()
	conn := postgrestest.Conn(t, postgrestest.URL(t))
	if got, want := slices.Sorted(slices.Values(postgres.KnownTables())), tablesOf(t, conn); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestEraseTenant(t *testing.T) {
	t.Parallel()
	db, conn := twoTenants(t)
	before, others := rowsWith(t, conn, "aaaaaaaa-"), rowsWith(t, conn, "bbbbbbbb-")
	for _, table := range tablesOf(t, conn) {
		if without := []string{"erased_tenant", "goose_db_version", "event_receiver", "model_pause", "notification_channel", "notification_last", "receiver_gone"}; before[table] == 0 && !slices.Contains(without, table) {
			t.Errorf("the test fills no row of %s", table)
		}
	}
	e := postgres.Erasure{Tenant: tenantOf('a')}
	counted := map[string]int64{}
	for _, c := range must.Get(db.Erasable(t.Context(), e))(t) {
		counted[c.Table] = c.Rows
	}
	deleted := map[string]int64{}
	must.Get(db.Erase(t.Context(), e, matches.Recluster, func(r postgres.TableRows) { deleted[r.Table] += r.Rows }))(t)
	if got := rowsWith(t, conn, "aaaaaaaa-"); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
	if got := rowsWith(t, conn, "bbbbbbbb-"); !maps.Equal(got, others) {
		t.Errorf("another tenant has\n%v, and had\n%v", got, others)
	}
	maps.DeleteFunc(deleted, func(_ string, n int64) bool { return n == 0 })
	deleted["event"] -= 4          // by triggers: two removed matches, two reopened invoices
	deleted["invoice_action"] -= 2 // likewise
	if !maps.Equal(counted, deleted) {
		t.Errorf("counted\n%v, deleted\n%v", counted, deleted)
	}
}

func TestEraseDocument(t *testing.T) {
	t.Parallel()
	db, conn := twoTenants(t)
	e := must.Get(db.ErasureOf(t.Context(), docOf('a', 2)))(t)
	if e.Tenant != tenantOf('a') || !slices.Equal(e.Documents, []uuid.UUID{docOf('a', 2)}) {
		t.Fatalf("got %+v", e)
	}
	stamped := must.Get(db.Erase(t.Context(), e, matches.Recluster, noNote))(t)
	// The receiver of events learns of the removed matches.
	if got := rowsWith(t, conn, docOf('a', 2).String()); len(got) > 1 || got["event"] != 2 {
		t.Errorf("left: %v", got)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM event WHERE tenant_id = $1 AND kind = 'match.removed'", e.Tenant); n != 2 {
		t.Errorf("%d removed matches", n)
	}
	var again []uuid.UUID
	for _, s := range stamped {
		again = append(again, s.ID)
	}
	if want := []uuid.UUID{docOf('a', 1), docOf('a', 3)}; !slices.Equal(again, want) {
		t.Errorf("published %v, want %v", again, want)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM document WHERE tenant_id = $1 AND cluster_id IS NOT NULL", e.Tenant); n != 0 {
		t.Errorf("%d documents in the cluster that fell apart", n)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM document"); n != 7 {
		t.Errorf("%d documents, want 7", n)
	}
}

// A file is erased with all its documents.
func TestErasureOfAFile(t *testing.T) {
	t.Parallel()
	db, _ := twoTenants(t)
	want := []uuid.UUID{docOf('a', 3), docOf('a', 4)}
	for _, d := range want {
		if e := must.Get(db.ErasureOf(t.Context(), d))(t); !slices.Equal(e.Documents, want) {
			t.Errorf("got %v, want %v", e.Documents, want)
		}
	}
	f := must.Get(db.ErasedFiles(t.Context(), postgres.Erasure{Tenant: tenantOf('a'), Documents: want}))(t)
	if got := strings.Join(slices.Concat(f.Prefixes, f.Keys), " "); got != "documents/aaaaaaaa-0000-4000-8000-0000000000d3. "+
		"documents/aaaaaaaa-0000-4000-8000-0000000000d4. ingestions/aaaaaaaa-0000-4000-8000-0000000000e3/ "+
		"ingestions/aaaaaaaa-0000-4000-8000-0000000000e4/ documents/aaaaaaaa-0000-4000-8000-0000000000d3.pdf" || f.Running <= 0 {
		t.Errorf("got %s, %s", got, f.Running)
	}
}

// Work in progress writes nothing more.
func TestErasureFences(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Invoices(2)
	fence := f.Take(num(1))
	must.Get(f.Erase(t.Context(), postgres.Erasure{Tenant: tenant}, matches.Recluster, noNote))(t)
	if err := job.Work(f.matcher().Match).One(t.Context(), fence); err == nil {
		t.Error("an erased document was matched")
	}
	if got := rowsWith(t, f.Conn, tenant.String()); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

// Of two tenants one is old; prune takes its rows and leaves the other's.
func TestPrune(t *testing.T) {
	t.Parallel()
	db, conn := twoTenants(t)
	if _, err := conn.PgConn().Exec(t.Context(), `
		UPDATE model_answer SET asked_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE model_embedding SET created_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE attempt SET claimed_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE notification SET created_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE event SET delivered_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%';
		UPDATE review_job SET status = 'completed', ended_at = now() - interval '31 days' WHERE tenant_id::text LIKE 'a%'`).ReadAll(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"answers": 4, "embeddings": 1, "attempts": 5, "notifications": 7, "events": 6, "rosters": 2, "reviews": 1}
	for _, k := range postgres.PrunedKinds {
		var counted, pruned, again int64
		must.OK(t, db.Prune(t.Context(), k, 30*24*time.Hour, true, func(n int64) { counted += n }))
		must.OK(t, db.Prune(t.Context(), k, 30*24*time.Hour, false, func(n int64) { pruned += n }))
		must.OK(t, db.Prune(t.Context(), k, 30*24*time.Hour, false, func(n int64) { again += n }))
		if counted != want[k.Kind] || pruned != want[k.Kind] || again != 0 {
			t.Errorf("%s: counted %d, pruned %d, then %d; want %d", k.Kind, counted, pruned, again, want[k.Kind])
		}
	}
	left := rowsWith(t, conn, "bbbbbbbb-")
	if left["model_answer"] != 4 || left["attempt"] != 5 || left["notification"] != 7 || left["notification_delivery"] == 0 || left["event"] != 6 {
		t.Errorf("of the other tenant are left %v", left)
	}
	if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM review_text WHERE text = ''"); n != 1 {
		t.Errorf("%d texts pruned", n)
	}
}

// The page for the data protection officer names every table.
func TestPageNamesTables(t *testing.T) {
	t.Parallel()
	page := string(must.Get(os.ReadFile("../PRIVACY.md"))(t))
	for _, table := range postgres.KnownTables() {
		if !strings.Contains(page, "`"+table+"`") {
			t.Errorf("missing table %s", table)
		}
	}
}

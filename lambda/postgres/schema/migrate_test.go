package schema_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"
	"matchbook/migrations"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// catalogSQL lists everything that a migration can leave in the schema, one
// line each, but for the table in which goose keeps its books.
const catalogSQL = `
WITH relation AS (
	SELECT c.oid, c.relkind, c.relname FROM pg_class AS c
	WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'goose_%'
)
SELECT format('relation %s %s', relkind, relname) FROM relation
UNION ALL
SELECT format('column %s.%s %s%s %s', relname, attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN ' NOT NULL' END,
	(SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum))
FROM relation JOIN pg_attribute ON attrelid = oid WHERE relkind = 'r' AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT 'index ' || pg_get_indexdef(oid) || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END FROM relation JOIN pg_index ON indexrelid = oid
UNION ALL
SELECT format('constraint %s %s', relname, pg_get_constraintdef(pg_constraint.oid))
FROM relation JOIN pg_constraint ON conrelid = relation.oid WHERE contype <> 'n'
UNION ALL
SELECT format('type %s %s', typname, (SELECT string_agg(enumlabel, ' ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
FROM pg_type AS t WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
UNION ALL
SELECT format('function %s %s', oid::regprocedure, md5(pg_get_functiondef(oid))) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
UNION ALL
SELECT format('view %s %s', viewname, md5(definition)) FROM pg_views WHERE schemaname = 'public'
UNION ALL
SELECT format('trigger %s %s', relname, pg_get_triggerdef(pg_trigger.oid)) FROM relation JOIN pg_trigger ON tgrelid = relation.oid WHERE NOT tgisinternal
UNION ALL
SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname !~ '^pg_'
UNION ALL
SELECT 'extension ' || extname FROM pg_extension
ORDER BY 1`

func catalog(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), catalogSQL)
	return must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
}

// added lists what is in b and not in a.
func added(a, b []string) (list []string) {
	for _, line := range b {
		if !slices.Contains(a, line) {
			list = append(list, line)
		}
	}
	return list
}

// down undoes the newest migration and returns its version, 0 for none.
func down(t *testing.T, url string) int64 {
	t.Helper()
	done := must.Get(schema.MigrateDown(t.Context(), url))(t)
	if len(done) == 0 {
		return 0
	}
	return done[0].Version
}

// applied lists the versions and marks the applied ones.
func applied(t *testing.T, url string) string {
	t.Helper()
	status := must.Get(schema.Status(t.Context(), url))(t)
	var out []string
	for _, m := range status {
		mark := "-"
		if !m.AppliedAt.IsZero() {
			mark = "+"
		}
		out = append(out, fmt.Sprintf("%s%d", mark, m.Version))
	}
	return strings.Join(out, " ")
}

// versions lists all migrations, each after a mark.
func versions(t *testing.T, mark string) (list []int64, marked string) {
	t.Helper()
	names := must.Get(fs.Glob(migrations.FS, "*.sql"))(t)
	for _, name := range names {
		version := must.Get(goose.NumericComponent(name))(t)
		list = append(list, version)
		marked += fmt.Sprintf(" %s%d", mark, version)
	}
	return list, strings.TrimSpace(marked)
}

func TestMigrateUpDownUp(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	conn := postgrestest.Conn(t, url)
	empty := catalog(t, conn)
	all, missing := versions(t, "-")
	if got := applied(t, url); got != missing {
		t.Errorf("at first: %s", got)
	}
	done, err := schema.Migrate(t.Context(), url)
	if err != nil || len(done) != len(all) || done[0].Name != "00001_tenants_and_documents.sql" {
		t.Fatalf("got %+v, %v", done, err)
	}
	full := catalog(t, conn)
	_, present := versions(t, "+")
	if got := applied(t, url); got != present || len(full) <= len(empty) {
		t.Errorf("after up: %s, %d lines of catalog", got, len(full))
	}
	if done, err := schema.Migrate(t.Context(), url); err != nil || len(done) != 0 {
		t.Errorf("up to date: did %+v, %v", done, err)
	}
	for _, want := range slices.Backward(append([]int64{0}, all...)) {
		if got := down(t, url); got != want {
			t.Fatalf("undid %d, want %d", got, want)
		}
	}
	if left := catalog(t, conn); !slices.Equal(left, empty) {
		t.Errorf("left behind: %q", added(empty, left))
	}
	must.Get(schema.Migrate(t.Context(), url))(t)
	if again := catalog(t, conn); !slices.Equal(again, full) {
		t.Errorf("up again lacks %q and has new %q", added(again, full), added(full, again))
	}
}

// Each migration's down half undoes its up half and nothing else: a database that went
// down to a version is as one that went up to it and no further.
func TestEachDownUndoesUp(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(files) < 28 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	url := postgrestest.EmptyURL(t)
	conn := postgrestest.Conn(t, url)
	some := fstest.MapFS{}
	var states [][]string
	for _, name := range files {
		text := must.Get(fs.ReadFile(migrations.FS, name))(t)
		some[name] = &fstest.MapFile{Data: text}
		must.Get(schema.MigrateFiles(t.Context(), url, some, nil))(t)
		states = append(states, catalog(t, conn))
	}
	for i, want := range slices.Backward(states[:len(states)-1]) {
		down(t, url)
		if got := catalog(t, conn); !slices.Equal(got, want) {
			t.Errorf("down from %s: lacks %q, has new %q", files[i+1], added(got, want), added(want, got))
		}
	}
}

// The state of matching has a separate migration: four columns, the closed set of states, and
// the partial index.
func TestMigrationTwo(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	for down(t, url) > 3 {
	}
	with := catalog(t, conn)
	if got := down(t, url); got != 2 {
		t.Fatalf("undid %d, want 2", got)
	}
	without := catalog(t, conn)
	want := []string{
		"column document.matching_attempts integer NOT NULL 0",
		"column document.matching_error text ",
		"column document.matching_failed_at timestamp with time zone ",
		"column document.matching_status text ",
		"constraint document CHECK ((matching_status = ANY (ARRAY['pending'::text, 'in-progress'::text, 'succeeded'::text, 'failed'::text])))",
		"index CREATE INDEX document_matching_status_idx ON public.document USING btree (matching_status) WHERE (matching_status IS NOT NULL)",
		"relation i document_matching_status_idx",
	}
	if got := added(without, with); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if gone := added(with, without); len(gone) > 0 {
		t.Errorf("it removes %q", gone)
	}
}

// A concurrent build that was interrupted leaves an invalid index behind, and
// the migration unapplied.
func TestMigrationTwoReruns(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	full := catalog(t, conn)
	for down(t, url) > 3 {
	}
	for _, sql := range []string{
		"DELETE FROM goose_db_version WHERE version_id = 2",
		"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'document_matching_status_idx'::regclass",
	} {
		must.Get(conn.Exec(t.Context(), sql))(t)
	}
	must.Get(schema.Migrate(t.Context(), url))(t)
	if got := catalog(t, conn); !slices.Equal(got, full) {
		t.Errorf("lacks %q, has new %q", added(got, full), added(full, got))
	}
}

func TestConcurrentMigrations(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	var machines sync.WaitGroup
	begin := make(chan struct{})
	done := make([][]schema.Migration, 4)
	errs := make([]error, len(done))
	for i := range done {
		machines.Go(func() {
			<-begin
			done[i], errs[i] = schema.Migrate(t.Context(), url)
		})
	}
	close(begin)
	machines.Wait()
	must.OK(t, errors.Join(errs...))
	list, present := versions(t, "+")
	if n := len(slices.Concat(done...)); n != len(list) {
		t.Errorf("%d migrations were run by all together, want %d", n, len(list))
	}
	if got := applied(t, url); got != present {
		t.Errorf("got %s", got)
	}
}

// The lock is one of the session, because a concurrent index build cannot run
// in a transaction.
func TestMigrateWaits(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	other := postgrestest.Conn(t, url)
	empty := catalog(t, other)
	exec := func(sql string, args ...any) {
		t.Helper()
		must.Get(other.Exec(t.Context(), sql, args...))(t)
	}
	exec("SELECT pg_advisory_lock($1::bigint)", lock.DefaultLockID)
	done := make(chan error, 1)
	go func() {
		_, err := schema.Migrate(t.Context(), url)
		done <- err
	}()
	// It asks for the lock and is refused: then it rests until it asks again.
	for refused := false; !refused; {
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
		must.OK(t, other.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle' AND query LIKE '%pg_try_advisory_lock%')`).Scan(&refused))
	}
	if got := catalog(t, other); !slices.Equal(got, empty) {
		t.Errorf("meanwhile it made %q", added(empty, got))
	}
	exec("SELECT pg_advisory_unlock($1::bigint)", lock.DefaultLockID)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestErrorsHideURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:SECRET@host:port/", "postgres://user:SECRET@127.0.0.1:1/db?connect_timeout=1"} {
		_, err := schema.Migrate(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got %v", err)
		}
	}
}

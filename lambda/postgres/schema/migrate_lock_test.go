package schema_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/jackc/pgx/v5"
)

// lockingFiles are migrations, of which the second one waits 10 ms for a lock.
var lockingFiles = fstest.MapFS{
	"00001_table.sql":  {Data: []byte("-- +goose Up\nCREATE TABLE busy (a int);\n")},
	"00002_column.sql": {Data: []byte("-- +goose Up\nSET LOCAL lock_timeout = '10ms';\nALTER TABLE busy ADD COLUMN b int;\n")},
}

// lockedTable is a database in which another session reads the table and
// does not end. release ends it.
func lockedTable(t *testing.T) (url string, release func()) {
	t.Helper()
	url = postgrestest.EmptyURL(t)
	first := fstest.MapFS{"00001_table.sql": lockingFiles["00001_table.sql"]}
	must.Get(schema.MigrateFiles(t.Context(), url, first, nil))(t)
	tx := must.Get(postgrestest.Conn(t, url).Begin(t.Context()))(t)
	must.Get(tx.Exec(t.Context(), "LOCK TABLE busy IN ACCESS SHARE MODE"))(t)
	return url, func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestLockTimeoutRepeats(t *testing.T) {
	t.Parallel()
	url, release := lockedTable(t)
	waits := 0
	done, err := schema.MigrateFiles(t.Context(), url, lockingFiles, func(_ context.Context, try int) error {
		if waits++; try == 2 {
			release()
		}
		return nil
	})
	if err != nil || len(done) != 1 || done[0].Version != 2 || waits != 3 {
		t.Errorf("got %+v, %v after %d waits; want version 2 after 3", done, err, waits)
	}
}

func TestLockTimeoutGivesUp(t *testing.T) {
	t.Parallel()
	url, _ := lockedTable(t)
	waits := 0
	done, err := schema.MigrateFiles(t.Context(), url, lockingFiles, func(context.Context, int) error { waits++; return nil })
	if err == nil || !strings.HasSuffix(failure.Of(err).Text, "(SQLSTATE 55P03)") || len(done) != 0 || waits != 5 {
		t.Errorf("got %+v, %v after %d waits; want SQLSTATE 55P03 after 5", done, err, waits)
	}
	url, _ = lockedTable(t)
	stopped := errors.New("stopped")
	if _, err := schema.MigrateFiles(t.Context(), url, lockingFiles, func(context.Context, int) error { return stopped }); err == nil || errors.Is(err, stopped) {
		t.Errorf("stopped while it waited: %v, want what it waited for", err)
	}
}

// The session that holds the lock is idle for as long as the migrations take, and so must not end
// by the server's limit.
func TestLockOutlivesIdleLimit(t *testing.T) {
	t.Parallel()
	url := postgrestest.EmptyURL(t)
	conn := postgrestest.Conn(t, url)
	must.Get(conn.Exec(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET idle_session_timeout = 60000', current_database()); END $$"))(t)
	files := fstest.MapFS{"00001_seen.sql": {Data: []byte("-- +goose Up\nCREATE TABLE seen AS SELECT current_setting('idle_session_timeout') AS timeout;\n")}}
	must.Get(schema.MigrateFiles(t.Context(), url, files, nil))(t)
	var got string
	must.OK(t, conn.QueryRow(t.Context(), "SELECT timeout FROM seen").Scan(&got))
	if got != "0" {
		t.Errorf("a session of the migrations may be idle for %s", got)
	}
}

// Another failure is none that goes away.
func TestWrongMigrationOnce(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"00001_table.sql": lockingFiles["00001_table.sql"], "00002_wrong.sql": {Data: []byte("-- +goose Up\nALTER TABLE nowhere ADD COLUMN b int;\n")}}
	_, err := schema.MigrateFiles(t.Context(), postgrestest.EmptyURL(t), files, func(context.Context, int) error {
		t.Error("it waited")
		return nil
	})
	if err == nil {
		t.Error("no error")
	}
}

// The keys of the documents there are become rows, in all batches, as the trigger
// writes them; a second run of the statements adds none.
func TestMigratedKeys(t *testing.T) {
	t.Parallel()
	const documents = 2500
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	exec := func(sql string, args ...any) {
		t.Helper()
		must.Get(conn.Exec(t.Context(), sql, args...))(t)
	}
	for down(t, url) > 23 {
	}
	exec("INSERT INTO tenant VALUES ('00000000-0000-4000-8000-000000000001', 'Testers')")
	exec(`INSERT INTO document (id, tenant_id, match_keys)
		SELECT gen_random_uuid(), tenant.id, CASE WHEN i % 5 > 0 THEN
			ARRAY['00000000|ref|' || i, '00000000|who|DE1', '00000000|month|DE1|2026-01', '00000000|month|DE1|2026-02'] END
		FROM tenant, generate_series(1, $1) AS i`, documents)
	count := func(sql string) (n int) {
		t.Helper()
		must.OK(t, conn.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	for range 2 {
		must.Get(schema.Migrate(t.Context(), url))(t)
		for sql, want := range map[string]int{
			"SELECT count(*) FROM document_key": documents * 4 / 5 * 3,
			"SELECT count(*) FROM document_key WHERE key = (SELECT match_key(id, '00000000|who|DE1') FROM tenant) AND day = 20260201": documents * 4 / 5,
		} {
			if got := count(sql); got != want {
				t.Errorf("%s: got %d, want %d", sql, got, want)
			}
		}
		exec("DELETE FROM goose_db_version WHERE version_id >= 23")
		exec("DROP VIEW matchbook_document_state, matchbook_open_question") // of more columns than the migration that made it first gives it
	}
	exec("UPDATE document SET match_keys = '{}'")
	if got := count("SELECT count(*) FROM document_key"); got != 0 {
		t.Errorf("%d rows of documents without keys", got)
	}
	if err := conn.QueryRow(t.Context(), "SELECT FROM pg_class WHERE relname = 'document_match_keys_idx'").Scan(); err != pgx.ErrNoRows {
		t.Errorf("the index of the keys is there: %v", err)
	}
}

package schema_test

import (
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/jackc/pgx/v5"
)

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

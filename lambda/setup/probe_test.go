package setup

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
)

func TestNewerSchemaWarns(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	db := postgrestest.Open(t, url)
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	warnNewer(db, log)
	if out.Len() > 0 {
		t.Errorf("up to date: %s", &out)
	}
	must.Get(postgrestest.Conn(t, url).Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"))(t)
	warnNewer(db, log)
	if got := out.String(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, "schema=99999") {
		t.Errorf("got %q", got)
	}
}

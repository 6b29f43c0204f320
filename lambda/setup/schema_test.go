package setup

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

func TestFunctionWarnsOfASchemaThatIsNewer(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	db := postgrestest.Open(t, url)
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	warnNewer(db, log)
	if out.Len() > 0 {
		t.Errorf("up to date: %s", &out)
	}
	if _, err := postgrestest.Conn(t, url).Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	warnNewer(db, log)
	if got := out.String(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, "schema=99999") {
		t.Errorf("got %q", got)
	}
}

// An old version goes on working while a new one is deployed.
func TestFunctionWorksWithASchemaThatIsNewer(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	if _, err := postgrestest.Conn(t, url).Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	if done, err := Migrate(t.Context(), Config{DatabaseURL: url}); err != nil || len(done) != 0 {
		t.Errorf("the migrate function of a version that is rolled back to: %+v, %v", done, err)
	}
}

package postgres_test

import (
	"os"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
)

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

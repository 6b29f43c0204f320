package schema_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

const triggersSQL = `
SELECT tgname FROM pg_trigger JOIN pg_class AS c ON c.oid = tgrelid JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE NOT tgisinternal AND n.nspname = 'public' ORDER BY tgname`

func TestPageListsTriggers(t *testing.T) {
	t.Parallel()
	rows, _ := postgrestest.Conn(t, postgrestest.URL(t)).Query(t.Context(), triggersSQL)
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(want) == 0 {
		t.Fatalf("the schema has the triggers %q, %v", want, err)
	}
	page := must.Get(os.ReadFile("../../../migrations/README.md"))(t)
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("`(.*?)`").FindAllSubmatch(row[1], -1) {
			got = append(got, string(name[1]))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the page lists  %q\nthe schema has %q", got, want)
	}
}

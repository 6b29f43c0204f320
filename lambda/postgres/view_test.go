package postgres_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/postgres/postgrestest"

	"github.com/jackc/pgx/v5"
)

// The views have the columns that the page promises to other programs, in that
// order: a new one is added at the end, on the page as well.
func TestViewsAreAContract(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../INTEGRATE.md")
	if err != nil {
		t.Fatal(err)
	}
	conn := postgrestest.Conn(t, postgrestest.URL(t))
	rows, _ := conn.Query(t.Context(), `SELECT table_name, string_agg(column_name, ' ' ORDER BY ordinal_position)
		FROM information_schema.columns WHERE table_name LIKE 'matchbook\_%' GROUP BY 1`)
	is := map[string]string{}
	var name, columns string
	if _, err := pgx.ForEachRow(rows, []any{&name, &columns}, func() error {
		is[name] = columns
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile("`([a-z_]+)`")
	var promised []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(matchbook_[a-z_]+)` \\|.*\\|(.*)\\|$").FindAllStringSubmatch(string(page), -1) {
		var want []string
		for _, word := range words.FindAllStringSubmatch(row[2], -1) {
			want = append(want, word[1])
		}
		if got := is[row[1]]; got != strings.Join(want, " ") {
			t.Errorf("%s has %s, and the page %v", row[1], got, want)
		}
		promised = append(promised, row[1])
	}
	slices.Sort(promised)
	want := []string{"matchbook_cluster", "matchbook_document_state", "matchbook_match", "matchbook_open_question", "matchbook_three_way"}
	if !slices.Equal(promised, want) {
		t.Errorf("the page has %v, want %v", promised, want)
	}
}

package format

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"matchbook/lambda/internal/testenv"
)

// The page of the ten mistakes shows what is found and expected.
func TestTheTenMistakesAreNamedAsThePageShows(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../INTEGRATE.md")
	testenv.Must(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(.+)` \\| `(\\$.+)` \\| (.+) \\| (.+) \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) != 10 {
		t.Fatalf("the page has %d mistakes, want 10", len(rows))
	}
	for _, row := range rows {
		raw := row[1]
		if raw[0] != '{' {
			raw = documentWith("{" + raw + "}")
		}
		all := Check([]byte(raw))
		i := slices.IndexFunc(all, func(p Problem) bool { return p.Path == row[2] })
		if i < 0 {
			t.Errorf("%s: got %v, want %s", raw, all, row[2])
			continue
		}
		expected := all[i].Expected
		if all[i].Hint != "" {
			expected = "did you mean " + all[i].Hint + "?"
		}
		if all[i].Found != row[3] || expected != row[4] {
			t.Errorf("%s: got\n| %s | %s |\nwant\n| %s | %s |", raw, all[i].Found, expected, row[3], row[4])
		}
	}
}

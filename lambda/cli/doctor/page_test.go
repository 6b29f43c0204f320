package doctor

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

var update = flag.Bool("update", false, "write the table of checks into the page")

const tableHead = "| check | severity | why it matters |\n|---|---|---|\n"

func TestPageHasEveryCheck(t *testing.T) {
	t.Parallel()
	page := string(must.Get(os.ReadFile("README.md"))(t))
	var rows strings.Builder
	for _, c := range checks {
		var severities []string
		for _, s := range c.raises {
			severities = append(severities, s.String())
		}
		slices.Sort(severities)
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", c.id, strings.Join(severities, ", "), c.why)
	}
	before, rest, found := strings.Cut(page, tableHead)
	got, after, ended := strings.Cut(rest, "\n## ")
	if !found || !ended {
		t.Fatal("the page lacks its table")
	}
	if want := rows.String(); got != want && *update {
		must.OK(t, os.WriteFile("README.md", []byte(before+tableHead+want+"\n## "+after), 0o644))
	} else if got != want {
		t.Errorf("go test ./lambda/cli/doctor -run %s -update writes the page's table:\n%s", t.Name(), want)
	}
}

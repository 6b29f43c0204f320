package drill

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestReportShowsHistory(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("00000000-0000-4000-8000-000000000001")
	broken := Violation{Row: id, What: "it is pending", History: []string{"0.001 s  NULL -> pending"}}
	r := &Report{Seed: 7, Faults: map[string]int{"worker killed": 2},
		Workloads: []Standing{{Function: "match", Rows: 9, States: map[string]int{"succeeded": 9}, Failed: map[string]int{"crashed": 1},
			Parked: 2, Dead: 3, Results: 4, noun: "document", found: "matches"}},
		Checks: []Check{{Name: "I1", How: "all is there"},
			{Name: "I10", How: "all is done", Violations: []Violation{broken, broken, broken, broken}}}}
	text := r.Text()
	for _, want := range []string{
		"FAULTS     2 worker killed\n", "MATCH      9 documents: 9 succeeded, 4 matches, 2 parked meanwhile, 3 dead letters, failures: 1 crashed\n",
		"  I1          0  all is there\n", "  I10         4  all is done\n",
		id.String() + ": it is pending\n                   0.001 s  NULL -> pending\n", "and 1 more\n",
		"RED        4 violations (seed 7)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := len(regexp.MustCompile("it is pending").FindAllString(text, -1)); n != shownHistories {
		t.Errorf("%d violations are shown, want %d", n, shownHistories)
	}
}

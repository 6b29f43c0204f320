package drill

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/local/webhook"
	"matchbook/lambda/notify"

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

// A message about several failures counts as so many, whatever failed.
func TestDigestsAreCounted(t *testing.T) {
	t.Parallel()
	for _, w := range workloads() {
		failed := notify.Failure{Subject: w.Subject, Kind: "permanent"}
		for n := 1; n < 4; n++ {
			s := &slack{}
			title := notify.Digest(slices.Repeat([]notify.Failure{failed}, n), "").Title()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, webhook.Path, strings.NewReader(`{"text": "`+title+`"}`))
			r.Header.Set("Content-Type", "application/json")
			s.ServeHTTP(httptest.NewRecorder(), r)
			if got, _ := s.received(); got != n {
				t.Errorf("%q counts as %d failures, want %d", title, got, n)
			}
		}
	}
}

package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// A person's word on where documents begin holds against the numbers on the pages.
func TestDividedByAPerson(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		begins []int
		want   string // pages of each document
	}{{nil, "[1] [2]"}, {[]int{1}, "[1 2]"}, {[]int{1, 2}, "[1] [2]"}} {
		r := newRig(t, "two-invoices.pdf")
		r.store.row.Begins = tc.begins
		must.OK(t, r.ingest(t))
		var got []string
		for _, d := range r.store.documents {
			got = append(got, fmt.Sprint(d.Pages))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v: got %s, want %s", tc.begins, got, tc.want)
		}
		if first := r.store.documents[0]; len(tc.begins) == 1 && (first.Valid || first.Data.Number == "") {
			t.Errorf("two invoices as one: valid %t, number %q", first.Valid, first.Data.Number)
		}
	}
}

package postgres

import (
	"slices"
	"testing"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Of the deliveries of a row, the one that was published last has the turn; of equal
// ones, the first.
func TestOneDeliveryHasTurn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows      string // one letter a delivery
		published []int  // in seconds; 0: unknown
		beside    []bool
	}{
		"rows of their own":      {"abc", []int{1, 1, 1}, []bool{false, false, false}},
		"the later is second":    {"aba", []int{1, 9, 2}, []bool{true, false, false}},
		"the later is first":     {"aba", []int{2, 9, 1}, []bool{false, false, true}},
		"both are the same":      {"aab", []int{2, 2, 0}, []bool{false, true, false}},
		"one tells no time":      {"aa", []int{0, 1}, []bool{true, false}},
		"none tells a time":      {"aaa", []int{0, 0, 0}, []bool{false, true, true}},
		"three, in any order":    {"aaa", []int{2, 3, 1}, []bool{true, false, true}},
		"three, later and later": {"aaa", []int{1, 2, 3}, []bool{true, true, false}},
	} {
		deliveries := make([]job.Delivery, len(test.rows))
		for i := range deliveries {
			deliveries[i].ID = uuid.UUID{test.rows[i]}
			if s := test.published[i]; s > 0 {
				deliveries[i].PublishedAt = time.Unix(int64(s), 0)
			}
		}
		if got := besideAnother(deliveries); !slices.Equal(got, test.beside) {
			t.Errorf("%s: %v, want %v", name, got, test.beside)
		}
	}
}

package failure_test

import (
	"net/http"
	"testing"
	"time"

	"matchbook/lambda/failure"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Mon, 02 Mar 2026 10:00:00 GMT"
	now := time.Date(2026, 3, 2, 10, 1, 0, 0, time.UTC)
	for _, tc := range []struct {
		said, date string
		want       time.Duration
	}{
		{"", "", 0},
		{"30", "", 30 * time.Second},
		{"1.5", "", 1500 * time.Millisecond},
		{"-5", "", 0},
		{"NaN", "", 0},
		{"99999999999999999999", "", time.Hour},
		{"soon", "", 0},
		{"Mon, 02 Mar 2026 10:02:30 GMT", date, 150 * time.Second},
		{"Mon, 02 Mar 2026 10:02:30 GMT", "", 90 * time.Second},
		{date, "Mon, 02 Mar 2026 10:02:30 GMT", 0},
		{"Tue, 03 Mar 2026 10:00:00 GMT", date, time.Hour},
	} {
		h := http.Header{}
		h.Set("Retry-After", tc.said)
		h.Set("Date", tc.date)
		if got, ok := failure.RetryAfter(h, now, time.Hour); got != tc.want ||
			ok != (tc.said != "" && tc.said != "NaN" && tc.said != "soon") {
			t.Errorf("%q at %q: got %v %t, want %v", tc.said, tc.date, got, ok, tc.want)
		}
	}
}

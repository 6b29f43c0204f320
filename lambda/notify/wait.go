package notify

import (
	"net/http"
	"strconv"
	"time"
)

// maxWait is the longest wait that is accepted.
const maxWait = time.Hour

// RetryAfter returns the wait that a response asks for, by its Retry-After in
// seconds or as a date; 0 if it asks for none, an hour at most.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	said := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(said, 64); err == nil && seconds == seconds { // a NaN is not itself
		return time.Duration(min(max(seconds, 0), maxWait.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(said)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date // the other side's clock, not ours
	}
	return min(max(at.Sub(now), 0), maxWait)
}

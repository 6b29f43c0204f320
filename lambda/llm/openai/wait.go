package openai

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// maxWait is the longest wait that is accepted: a queue cannot hide a message
// for longer.
const maxWait = 12 * time.Hour

// askedToWait returns the wait that the provider asks for; 0 if it asks for
// none. Retry-After is in seconds or an HTTP date; OpenAI's own clients read
// retry-after-ms first. Without them, a 429 may state when each of the two
// limits is whole again: as a Go duration at OpenAI (6m0s), in seconds at
// Azure; the longer one counts, for the response does not name the limit that
// was hit.
func askedToWait(h http.Header, status int, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	said := h.Get("Retry-After")
	if d, ok := number(said, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(said); err == nil {
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			now = date // the provider's clock, not ours
		}
		return bound(at.Sub(now))
	}
	if status != http.StatusTooManyRequests {
		return 0
	}
	return max(reset(h.Get("X-Ratelimit-Reset-Requests")), reset(h.Get("X-Ratelimit-Reset-Tokens")))
}

func reset(said string) time.Duration {
	if d, ok := number(said, time.Second); ok {
		return d
	}
	d, err := time.ParseDuration(said)
	if err != nil {
		return 0
	}
	return bound(d)
}

// number reads a count of units, with a fraction or without.
func number(said string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(said, 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	return time.Duration(min(max(n, 0), float64(maxWait/unit)) * float64(unit)), true
}

func bound(d time.Duration) time.Duration { return min(max(d, 0), maxWait) }

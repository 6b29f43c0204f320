package failure

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns the wait requested by a response's Retry-After header, in seconds or as a
// date, clamped to 0 and most. It returns false without a valid header.
func RetryAfter(h http.Header, now time.Time, most time.Duration) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if wait, ok := ParseWait(text, time.Second, most); ok {
		return wait, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date // the other side's clock, so that a skew between the clocks doesn't matter
	}
	return min(max(at.Sub(now), 0), most), true
}

// ParseWait parses a number of units, integer or decimal, and clamps it to 0 and most. It
// returns false if text isn't a number.
func ParseWait(text string, unit, most time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	return time.Duration(min(max(n, 0), float64(most)/float64(unit)) * float64(unit)), true
}

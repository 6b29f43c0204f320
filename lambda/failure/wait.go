package failure

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns the wait that a response asks for by its Retry-After
// header, in seconds or as a date, at least 0 and at most most. It reports false
// if the response asks for none.
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
		now = date // the other side's clock, not ours
	}
	return min(max(at.Sub(now), 0), most), true
}

// ParseWait reads a number of units, with a fraction or without, and returns at
// least 0 and at most most. It reports false if the text is not a number.
func ParseWait(text string, unit, most time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	return time.Duration(min(max(n, 0), float64(most)/float64(unit)) * float64(unit)), true
}

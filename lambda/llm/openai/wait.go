package openai

import (
	"net/http"
	"time"

	"matchbook/lambda/failure"
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
	if d, ok := failure.ParseWait(h.Get("Retry-After-Ms"), time.Millisecond, maxWait); ok {
		return d
	}
	if d, ok := failure.RetryAfter(h, now, maxWait); ok {
		return d
	}
	if status != http.StatusTooManyRequests {
		return 0
	}
	return max(reset(h.Get("X-Ratelimit-Reset-Requests")), reset(h.Get("X-Ratelimit-Reset-Tokens")))
}

func reset(text string) time.Duration {
	if d, ok := failure.ParseWait(text, time.Second, maxWait); ok {
		return d
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return min(max(d, 0), maxWait)
}

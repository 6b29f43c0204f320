package openai

import (
	"cmp"
	"net/http"
	"time"

	"matchbook/lambda/failure"
)

// maxWait is the longest wait that is accepted: a queue cannot hide a message
// for longer.
const maxWait = 12 * time.Hour

// askedToWait returns the wait that the provider asks for; 0 if it asks for
// none. Retry-After is in seconds or an HTTP date; OpenAI's own clients read
// retry-after-ms first, and Gemini writes it into the body of a 429 only. Without
// them, a 429 may state when each of the two limits is whole again.
func askedToWait(h http.Header, status int, body refusal, now time.Time) time.Duration {
	if d, ok := failure.ParseWait(h.Get("Retry-After-Ms"), time.Millisecond, maxWait); ok {
		return d
	}
	if d, ok := failure.RetryAfter(h, now, maxWait); ok {
		return d
	}
	if status != http.StatusTooManyRequests {
		return 0
	}
	return cmp.Or(body.wait(), untilReset(h, body.text("type")))
}

// The limits that have headers of their own, and the names of the limits in
// OpenAI's and Groq's errors ("type": "tokens").
const limitRequests, limitTokens = "requests", "tokens"

// untilReset returns when the limit that was hit is whole again. The error may
// name it. Otherwise it is the one of which nothing remains; a request that
// would need more tokens than remain is refused although some do, and so a limit
// of requests that has some left is not the one. Where nothing names it, the
// shorter wait counts: requests a day and tokens a minute are limited side by
// side (https://console.groq.com/docs/rate-limits), and a try too early costs a
// refusal, a wait for the wrong limit half a day.
func untilReset(h http.Header, limit string) time.Duration {
	requests, tokens := reset(h.Get("X-Ratelimit-Reset-Requests")), reset(h.Get("X-Ratelimit-Reset-Tokens"))
	left, usedUp := h.Get("X-Ratelimit-Remaining-Requests"), h.Get("X-Ratelimit-Remaining-Tokens") == "0"
	switch {
	case limit == limitRequests:
		return requests
	case limit == limitTokens:
		return tokens
	case left == "0" && usedUp:
		return max(requests, tokens)
	case left == "0":
		return requests
	case left != "" || usedUp, requests == 0:
		return tokens
	case tokens == 0:
		return requests
	}
	return min(requests, tokens)
}

// reset reads a Go duration, as OpenAI and Groq write it (6m0s, 820ms), or
// seconds, as Azure does.
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

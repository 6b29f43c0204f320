package openai

import (
	"cmp"
	"net/http"
	"time"

	"matchbook/lambda/failure"
)

// maxWait is the longest accepted wait, since a queue can't hide a message for longer.
const maxWait = 12 * time.Hour

// askedToWait returns the wait requested by the provider; 0 without one. Retry-After is in
// seconds or an HTTP date; OpenAI's clients read retry-after-ms first, and Gemini uses the
// body of a 429 only. Otherwise, a 429 may give the time until each of its two limits resets.
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

// The limits with separate headers, by their names in OpenAI's and Groq's errors ("type":
// "tokens").
const limitRequests, limitTokens = "requests", "tokens"

// untilReset returns the time until the exceeded limit resets. The error may name the limit.
// Otherwise it is the exhausted one: a limit of requests with some left can't be the cause,
// but tokens may run out for a large request although some are left. If nothing identifies it,
// the shorter wait counts: requests per day and tokens per minute are limited side by side
// (https://console.groq.com/docs/rate-limits), and a try too early costs a refusal, while a
// wait for the wrong limit costs half a day.
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

// reset parses a Go duration, as used by OpenAI and Groq (6m0s, 820ms), or seconds, as used by
// Azure.
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

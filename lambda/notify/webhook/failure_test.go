package webhook

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
)

// The secrets of a configuration, and the text of an answer.
const (
	hiddenPath = "/offers/Xx~Hidden+815?token=T0Hidden"
	hiddenKey  = "whsec_SzAtSGlkZGVuLWtleS1vZi10aGUtc2lnbmF0dXJl" // K0-Hidden-key-of-the-signature
	hiddenText = "Hidden <answer> & \"naïve\""
)

var hidden = []string{hiddenPath, "Xx~Hidden+815", "Hidden+815", "T0Hidden", hiddenKey, hiddenKey[len(SecretPrefix):], "K0-Hidden", hiddenText, "Hidden <answer>"}

type exchange = failuretest.Exchange[struct{}]

func post(t *testing.T, x exchange) (*failure.Call, []any) {
	t.Helper()
	r := must.Get(New(Config{URL: x.URL(t) + hiddenPath, Secret: hiddenKey, Timeout: x.Timeout()}))(t)
	return r.post(failuretest.Context(t, x.Within), "key", []byte("{}")), []any{r, *r, struct{ r Receiver }{*r}}
}

func failures() []exchange {
	const (
		permanent = failure.Permanent
		busy      = "too many requests to the receiver (HTTP 429)"
		denied    = "receiver denied access: it rejected the signature or the address"
	)
	says := failuretest.Says
	cases := []exchange{
		{Name: "429 with seconds", Serve: says(429, hiddenText, "Retry-After", "30"), Want: busy, Wait: 30 * time.Second},
		{Name: "429 without", Serve: says(429, ""), Want: busy},
		{Name: "429 with nonsense", Serve: says(429, "", "Retry-After", hiddenText), Want: busy},
		{Name: "429 with a year", Serve: says(429, "", "Retry-After", "31536000"), Want: busy, Wait: time.Hour},
		{Name: "429 with a date", Serve: says(429, "", "Retry-After", "Mon, 02 Mar 2026 10:01:00 GMT",
			"Date", "Mon, 02 Mar 2026 10:00:00 GMT"), Want: busy, Wait: time.Minute},
		{Name: "500", Serve: says(500, hiddenText), Want: "receiver failed (HTTP 500)"},
		{Name: "503 with seconds", Serve: says(503, "", "Retry-After", "7"), Want: "receiver failed (HTTP 503)",
			Wait: 7 * time.Second},
		{Name: "500 with 10 MB", Serve: says(500, strings.Repeat("x", 10<<20)), Want: "receiver failed (HTTP 500)"},
		{Name: "408", Serve: says(408, ""), Want: "receiver asked for a retry (HTTP 408)"},
		{Name: "409", Serve: says(409, ""), Want: "receiver asked for a retry (HTTP 409)"},
		{Name: "425", Serve: says(425, ""), Want: "receiver asked for a retry (HTTP 425)"},
		{Name: "400", Serve: says(400, hiddenText, "Retry-After", "7"), Kind: permanent,
			Want: "receiver refused the request (HTTP 400)"},
		{Name: "413", Serve: says(413, ""), Kind: permanent, Want: "receiver refused the request (HTTP 413)"},
		{Name: "401", Serve: says(401, ""), Kind: permanent, Refused: true, Want: denied + " (HTTP 401)"},
		{Name: "403", Serve: says(403, ""), Kind: permanent, Refused: true, Want: denied + " (HTTP 403)"},
		{Name: "404", Serve: says(404, ""), Kind: permanent, Refused: true, Want: "receiver not found at the URL (HTTP 404)"},
		{Name: "410", Serve: says(410, ""), Kind: permanent, Refused: true, Want: "receiver wants no more requests (HTTP 410)"},
		{Name: "redirect", Serve: says(302, "", "Location", "/"+hiddenText),
			Want: "unexpected status from the receiver (HTTP 302)"},
		{Name: "headers of 1 MB", Serve: says(200, "", "X-Much", strings.Repeat("x", 1<<20)), Want: "connection to receiver failed"},
	}
	return append(cases, failuretest.Connections[struct{}]("receiver", hiddenText)...)
}

func TestNoRedirect(t *testing.T) {
	t.Parallel()
	failuretest.NoRedirect(t, func(serve http.HandlerFunc) *failure.Call {
		call, _ := post(t, exchange{Serve: serve})
		return call
	})
}

// The status decides, whatever becomes of the body.
func TestAll2xxAccepted(t *testing.T) {
	t.Parallel()
	for _, x := range []exchange{
		{Name: "200", Serve: failuretest.Says(200, hiddenText)},
		{Name: "204", Serve: failuretest.Says(204, "")},
		{Name: "a body of 10 MB", Serve: failuretest.Says(200, strings.Repeat(hiddenText, 1<<18))},
		{Name: "a body that does not end", Serve: failuretest.Hangs(hiddenText), Short: true},
		{Name: "closed in the body", Serve: failuretest.Hijacked("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\no", true)},
	} {
		if failed, _ := post(t, x); failed != nil {
			t.Errorf("%s: got %+v, want it accepted", x.Name, failed)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	failuretest.Run(t, table, hidden, failures(), post)
}

package documentai

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
)

const (
	transient = failure.Transient
	permanent = failure.Permanent
)

type exchange = failuretest.Exchange[http.HandlerFunc] // with one instead of the server of tokens

func call(t *testing.T, x exchange) (*failure.Call, []any) {
	t.Helper()
	g := newGoogle(t)
	g.grant, g.serve = x.With, x.Serve
	e := g.engine(func(c *Config) {
		c.Timeout = x.Timeout()
		if x.Closed {
			c.BaseURL = x.URL(t)
		}
	})
	_, failed := e.client.ask(failuretest.Context(t, x.Within),
		file{content: []byte("%PDF 1 " + secretDocument), mimeType: "application/pdf", pages: []int{1}, all: true})
	return failed, []any{e, struct{ e *Engine }{e}}
}

func refuses(status int, code, reason string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, status, code, reason, headers...) }
}

func document(rest string) string {
	return `{"document":{"text":"` + secretResponse + `",` + rest + `}}`
}

// failures is one case for each way to fail. All bodies hold texts that no error
// may contain.
func failures() []exchange {
	const (
		busy     = "too many requests to Document AI (HTTP 429"
		bad      = "Document AI cannot read the file (HTTP 400"
		denied   = "Document AI denied access (HTTP 403, "
		noKey    = "Google rejected the service account's key (HTTP "
		brokeOff = "Document AI's answer broke off"
		noDecode = "Document AI's answer cannot be decoded"
		noToken  = "Google's answer is missing the token for Document AI"
		others   = "Document AI's answer has other pages than the request"
		noLine   = "Document AI's answer has a line without text or place"
		whole    = `{"document":{"text":"`
		length   = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
	)
	says := failuretest.Says
	retryInfo := `{"error":{"code":429,"message":"` + secretResponse + `","status":"RESOURCE_EXHAUSTED","details":` +
		`[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37.5s"}]}}`
	invalid := `{"error":"invalid_grant","error_description":"` + secretResponse + `"}`
	line := func(layout string) string {
		return document(`"pages":[{"pageNumber":1,"lines":[{"layout":{` + layout + `}}]}]`)
	}
	cases := []exchange{
		// throttling
		{Name: "429", Serve: refuses(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
			Want: busy + ", RATE_LIMIT_EXCEEDED)"},
		{Name: "429 with seconds", Serve: refuses(429, "RESOURCE_EXHAUSTED", secretResponse, "Retry-After", "60"),
			Want: busy + ", RESOURCE_EXHAUSTED)", Wait: time.Minute},
		{Name: "429 with a date", Serve: says(429, secretResponse, "Retry-After", "Mon, 02 Mar 2026 10:01:00 GMT",
			"Date", "Mon, 02 Mar 2026 10:00:00 GMT"), Want: busy + ")", Wait: time.Minute},
		{Name: "429 with RetryInfo", Serve: says(429, retryInfo), Want: busy + ", RESOURCE_EXHAUSTED)",
			Wait: 37500 * time.Millisecond},
		{Name: "429 with nonsense", Serve: says(429, secretResponse, "Retry-After", secretResponse), Want: busy + ")"},
		{Name: "429 of the tokens", With: says(429, invalid, "Retry-After", "9"), Want: busy + ", invalid_grant)",
			Wait: 9 * time.Second},

		// credentials
		{Name: "401", Serve: refuses(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED"), Kind: permanent, Refused: true,
			Want: "Document AI denied access (HTTP 401, ACCESS_TOKEN_EXPIRED)"},
		{Name: "no permission", Serve: refuses(403, "PERMISSION_DENIED", "IAM_PERMISSION_DENIED"), Kind: permanent,
			Want: denied + "IAM_PERMISSION_DENIED)", Refused: true},
		{Name: "API not enabled", Serve: refuses(403, "PERMISSION_DENIED", "SERVICE_DISABLED"), Kind: permanent,
			Want: denied + "SERVICE_DISABLED)", Refused: true},
		{Name: "key refused", With: says(400, invalid), Kind: permanent,
			Want: noKey + "400, invalid_grant)", Refused: true},
		{Name: "account unknown", With: says(401, `{"error":"`+secretResponse+`"}`), Kind: permanent,
			Want:    noKey + "401)",
			Refused: true},
		{Name: "tokens fail", With: says(500, secretResponse), Want: "Document AI failed (HTTP 500)"},
		{Name: "no token", With: says(200, `{"access_token":"","expires_in":1,"token_type":"Bearer"}`), Want: noToken},
		{Name: "another token", With: says(200, `{"access_token":"x","expires_in":1,"token_type":"MAC"}`),
			Want: noToken},
		{Name: "HTML for a token", With: says(200, "<html>"+secretResponse), Want: noToken},

		// the processor and the file
		{Name: "404", Serve: refuses(404, "NOT_FOUND", ""), Kind: permanent,
			Want: "unknown Document AI processor (HTTP 404, NOT_FOUND)"},
		{Name: "disabled", Serve: refuses(400, "FAILED_PRECONDITION", ""), Kind: permanent,
			Want: "Document AI processor is disabled or not deployed " +
				"(HTTP 400, FAILED_PRECONDITION)"},
		{Name: "bad document", Serve: refuses(400, "INVALID_ARGUMENT", secretResponse), Kind: permanent,
			Want: bad + ", INVALID_ARGUMENT)"},
		{Name: "bad document without a code", Serve: says(400, secretResponse, "Retry-After", "5"), Kind: permanent,
			Want: bad + ")"},
		{Name: "too many pages", Serve: refuses(400, "INVALID_ARGUMENT", "PAGE_LIMIT_EXCEEDED"), Kind: permanent,
			Want: "file has too many pages for one request to Document AI (HTTP 400, PAGE_LIMIT_EXCEEDED)"},
		{Name: "413", Serve: says(413, secretResponse), Kind: permanent,
			Want: "file is too large for Document AI (HTTP 413)"},

		// the service
		{Name: "500", Serve: refuses(500, "INTERNAL", ""), Want: "Document AI failed (HTTP 500, INTERNAL)"},
		{Name: "502 with HTML", Serve: says(502, "<html>"+secretResponse), Want: "Document AI failed (HTTP 502)"},
		{Name: "503 with seconds", Serve: refuses(503, "UNAVAILABLE", "", "Retry-After", "20"),
			Want: "Document AI failed (HTTP 503, UNAVAILABLE)", Wait: 20 * time.Second},
		{Name: "504", Serve: refuses(504, "DEADLINE_EXCEEDED", ""),
			Want: "Document AI failed (HTTP 504, DEADLINE_EXCEEDED)"},
		{Name: "409", Serve: refuses(409, "ABORTED", ""), Want: "Document AI asked to retry (HTTP 409, ABORTED)"},
		{Name: "499", Serve: refuses(499, "CANCELLED", ""),
			Want: "Document AI asked to retry (HTTP 499, CANCELLED)"},
		{Name: "redirect to a page", Serve: says(302, "", "Location", "/elsewhere/"+secretResponse),
			Want: "unexpected status from Document AI (HTTP 302)"},
		{Name: "redirect of the key", With: says(307, "", "Location", "/elsewhere/"+secretResponse),
			Want: "unexpected status from Document AI (HTTP 307)"},
		{Name: "redirect", Serve: says(307, "", "Location", "/elsewhere/"+secretResponse),
			Want: "unexpected status from Document AI (HTTP 307)"},

		// the connection
		{Name: "closed in the body", Serve: failuretest.Hijacked(length+whole, false), Want: brokeOff},
		{Name: "error that breaks off", Serve: failuretest.Hijacked(
			"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\nContent-Length: 999\r\n\r\n"+secretResponse, true),
			Want: "Document AI failed (HTTP 503)", Wait: 3 * time.Second},
		{Name: "slow body", Serve: failuretest.Hangs(whole), Short: true, Want: "Document AI took too long"},
		{Name: "stopped in the body", Serve: failuretest.Hangs(whole), Within: failuretest.Stopped,
			Want: "stopped before it was done"},
		{Name: "endless", Serve: endless, Want: "Document AI's answer is too large"},

		// the answer
		{Name: "HTML", Serve: says(200, "<html>"+secretResponse), Want: noDecode},
		{Name: "nothing", Serve: says(200, ""), Want: noDecode},
		{Name: "cut off", Serve: says(200, whole), Want: noDecode},
		{Name: "index that is no number", Serve: says(200, line(`"textAnchor":{"textSegments":[{"endIndex":"x"}]}`)),
			Want: noDecode},
		{Name: "no document", Serve: says(200, "{}"), Want: others},
		{Name: "another page", Serve: says(200, document(`"pages":[{"pageNumber":2}]`)), Want: others},
		{Name: "two pages", Serve: says(200, document(`"pages":[{"pageNumber":1},{"pageNumber":2}]`)), Want: others},
		{Name: "text beyond the end", Serve: says(200, line(`"textAnchor":{"textSegments":[{"endIndex":"999"}]},`+
			`"boundingPoly":{"normalizedVertices":[{"x":1,"y":1}]}`)), Want: noLine},
		{Name: "text before the start", Serve: says(200, line(`"textAnchor":{"textSegments":[{"startIndex":"-1",`+
			`"endIndex":"1"}]}`)), Want: noLine},
		{Name: "no place", Serve: says(200, line(`"textAnchor":{"textSegments":[{"endIndex":"3"}]}`)), Want: noLine},
	}
	return append(cases, failuretest.Connections[http.HandlerFunc]("Document AI", secretResponse)...)
}

// endless sends more than an answer may have.
func endless(w http.ResponseWriter, _ *http.Request) {
	block := strings.Repeat(secretResponse+" ", 64<<10)
	for range maxAnswer/len(block) + 1 {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
}

func TestFailureTable(t *testing.T) {
	t.Parallel()
	failuretest.Run(t, table, secrets(), failures(), call)
}

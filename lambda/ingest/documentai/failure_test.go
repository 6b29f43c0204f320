package documentai

import (
	"context"
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

// exchange is one way to fail.
type exchange struct {
	name   string
	serve  http.HandlerFunc // by Document AI
	grant  http.HandlerFunc // by the server of tokens
	within func(context.Context) (context.Context, context.CancelFunc)
	short  bool // our own timeout
	closed bool // no server listens

	kind    failure.Kind
	want    string
	wait    time.Duration
	refused bool
}

func (x exchange) happen(t *testing.T) (*Engine, *failure.Call) {
	t.Helper()
	g := newGoogle(t)
	g.grant = x.grant
	if x.serve != nil {
		g.serve = func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			x.serve(w, r)
		}
	}
	e := g.engine(func(c *Config) {
		if x.short {
			c.Timeout = 200 * time.Millisecond
		}
		if x.closed {
			c.BaseURL = "http://127.0.0.1:1"
		}
	})
	content := []byte("%PDF 1 " + secretDocument)
	_, failed := e.client.ask(failuretest.Context(t, x.within),
		file{content: content, mimeType: "application/pdf", pages: []int{1}, all: true})
	return e, failed
}

func refuses(status int, code, reason string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { refuse(w, status, code, reason, headers...) }
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return failuretest.Says(status, body, headers...)
}

func document(rest string) string {
	return `{"document":{"text":"` + secretResponse + `",` + rest + `}}`
}

// failures is one case for each way to fail. All bodies hold texts that no error
// may contain.
func failures() []exchange {
	const (
		busy     = "Document AI has too many requests (HTTP 429"
		bad      = "Document AI cannot read the file (HTTP 400"
		denied   = "Document AI denied access (HTTP 403, "
		noKey    = "Google does not accept the service account's key (HTTP "
		brokeOff = "Document AI's answer broke off"
		noDecode = "Document AI's answer cannot be decoded"
		noToken  = "Google's answer contains no token for Document AI"
		others   = "Document AI's answer has other pages than the request"
		noLine   = "Document AI's answer has a line without text or place"
		whole    = `{"document":{"text":"`
		length   = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
	)
	retryInfo := `{"error":{"code":429,"message":"` + secretResponse + `","status":"RESOURCE_EXHAUSTED","details":` +
		`[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37.5s"}]}}`
	invalid := `{"error":"invalid_grant","error_description":"` + secretResponse + `"}`
	line := func(layout string) string {
		return document(`"pages":[{"pageNumber":1,"lines":[{"layout":{` + layout + `}}]}]`)
	}
	return []exchange{
		// throttling
		{name: "429", serve: refuses(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
			want: busy + ", RATE_LIMIT_EXCEEDED)"},
		{name: "429 with seconds", serve: refuses(429, "RESOURCE_EXHAUSTED", secretResponse, "Retry-After", "60"),
			want: busy + ", RESOURCE_EXHAUSTED)", wait: time.Minute},
		{name: "429 with a date", serve: says(429, secretResponse, "Retry-After", "Mon, 02 Mar 2026 10:01:00 GMT",
			"Date", "Mon, 02 Mar 2026 10:00:00 GMT"), want: busy + ")", wait: time.Minute},
		{name: "429 with RetryInfo", serve: says(429, retryInfo), want: busy + ", RESOURCE_EXHAUSTED)",
			wait: 37500 * time.Millisecond},
		{name: "429 with nonsense", serve: says(429, secretResponse, "Retry-After", secretResponse), want: busy + ")"},
		{name: "429 of the tokens", grant: says(429, invalid, "Retry-After", "9"), want: busy + ", invalid_grant)",
			wait: 9 * time.Second},

		// credentials
		{name: "401", serve: refuses(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED"), kind: permanent, refused: true,
			want: "Document AI denied access (HTTP 401, ACCESS_TOKEN_EXPIRED)"},
		{name: "no permission", serve: refuses(403, "PERMISSION_DENIED", "IAM_PERMISSION_DENIED"), kind: permanent,
			want: denied + "IAM_PERMISSION_DENIED)", refused: true},
		{name: "API not enabled", serve: refuses(403, "PERMISSION_DENIED", "SERVICE_DISABLED"), kind: permanent,
			want: denied + "SERVICE_DISABLED)", refused: true},
		{name: "key refused", grant: says(400, invalid), kind: permanent,
			want: noKey + "400, invalid_grant)", refused: true},
		{name: "account unknown", grant: says(401, `{"error":"`+secretResponse+`"}`), kind: permanent,
			want:    noKey + "401)",
			refused: true},
		{name: "tokens fail", grant: says(500, secretResponse), want: "Document AI failed (HTTP 500)"},
		{name: "no token", grant: says(200, `{"access_token":"","expires_in":1,"token_type":"Bearer"}`), want: noToken},
		{name: "another token", grant: says(200, `{"access_token":"x","expires_in":1,"token_type":"MAC"}`),
			want: noToken},
		{name: "HTML for a token", grant: says(200, "<html>"+secretResponse), want: noToken},

		// the processor and the file
		{name: "404", serve: refuses(404, "NOT_FOUND", ""), kind: permanent,
			want: "Document AI knows no such processor (HTTP 404, NOT_FOUND)"},
		{name: "disabled", serve: refuses(400, "FAILED_PRECONDITION", ""), kind: permanent,
			want: "the processor of Document AI is disabled or has no deployed version " +
				"(HTTP 400, FAILED_PRECONDITION)"},
		{name: "bad document", serve: refuses(400, "INVALID_ARGUMENT", secretResponse), kind: permanent,
			want: bad + ", INVALID_ARGUMENT)"},
		{name: "bad document without a code", serve: says(400, secretResponse, "Retry-After", "5"), kind: permanent,
			want: bad + ")"},
		{name: "too many pages", serve: refuses(400, "INVALID_ARGUMENT", "PAGE_LIMIT_EXCEEDED"), kind: permanent,
			want: "the file has more pages than Document AI reads at once (HTTP 400, PAGE_LIMIT_EXCEEDED)"},
		{name: "413", serve: says(413, secretResponse), kind: permanent,
			want: "the file is too large for Document AI (HTTP 413)"},

		// the service
		{name: "500", serve: refuses(500, "INTERNAL", ""), want: "Document AI failed (HTTP 500, INTERNAL)"},
		{name: "502 with HTML", serve: says(502, "<html>"+secretResponse), want: "Document AI failed (HTTP 502)"},
		{name: "503 with seconds", serve: refuses(503, "UNAVAILABLE", "", "Retry-After", "20"),
			want: "Document AI failed (HTTP 503, UNAVAILABLE)", wait: 20 * time.Second},
		{name: "504", serve: refuses(504, "DEADLINE_EXCEEDED", ""),
			want: "Document AI failed (HTTP 504, DEADLINE_EXCEEDED)"},
		{name: "409", serve: refuses(409, "ABORTED", ""), want: "Document AI asks for a repeat (HTTP 409, ABORTED)"},
		{name: "499", serve: refuses(499, "CANCELLED", ""),
			want: "Document AI asks for a repeat (HTTP 499, CANCELLED)"},
		{name: "redirect to a page", serve: says(302, "", "Location", "/elsewhere/"+secretResponse),
			want: "Document AI neither answered nor failed (HTTP 302)"},
		{name: "redirect of the key", grant: says(307, "", "Location", "/elsewhere/"+secretResponse),
			want: "Document AI neither answered nor failed (HTTP 307)"},
		{name: "redirect", serve: says(307, "", "Location", "/elsewhere/"+secretResponse),
			want: "Document AI neither answered nor failed (HTTP 307)"},

		// the connection
		{name: "nobody listens", closed: true, want: "the connection to Document AI failed"},
		{name: "reset", serve: failuretest.Hijacked("", true), want: "the connection to Document AI failed"},
		{name: "no HTTP", serve: failuretest.Hijacked(secretResponse, false),
			want: "the connection to Document AI failed"},
		{name: "closed in the body", serve: failuretest.Hijacked(length+whole, false), want: brokeOff},
		{name: "error that breaks off", serve: failuretest.Hijacked(
			"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3\r\nContent-Length: 999\r\n\r\n"+secretResponse, true),
			want: "Document AI failed (HTTP 503)", wait: 3 * time.Second},
		{name: "slow", serve: failuretest.Hangs(""), short: true, want: "Document AI took too long"},
		{name: "slow body", serve: failuretest.Hangs(whole), short: true, want: "Document AI took too long"},
		{name: "deadline of the caller", serve: failuretest.Hangs(""), within: failuretest.Deadline,
			want: "out of time"},
		{name: "stopped", serve: failuretest.Hangs(whole), within: failuretest.Stopped,
			want: "stopped before it was done"},
		{name: "endless", serve: endless, want: "Document AI's answer is too large"},

		// the answer
		{name: "HTML", serve: says(200, "<html>"+secretResponse), want: noDecode},
		{name: "nothing", serve: says(200, ""), want: noDecode},
		{name: "cut off", serve: says(200, whole), want: noDecode},
		{name: "index that is no number", serve: says(200, line(`"textAnchor":{"textSegments":[{"endIndex":"x"}]}`)),
			want: noDecode},
		{name: "no document", serve: says(200, "{}"), want: others},
		{name: "another page", serve: says(200, document(`"pages":[{"pageNumber":2}]`)), want: others},
		{name: "two pages", serve: says(200, document(`"pages":[{"pageNumber":1},{"pageNumber":2}]`)), want: others},
		{name: "text beyond the end", serve: says(200, line(`"textAnchor":{"textSegments":[{"endIndex":"999"}]},`+
			`"boundingPoly":{"normalizedVertices":[{"x":1,"y":1}]}`)), want: noLine},
		{name: "text before the start", serve: says(200, line(`"textAnchor":{"textSegments":[{"startIndex":"-1",`+
			`"endIndex":"1"}]}`)), want: noLine},
		{name: "no place", serve: says(200, line(`"textAnchor":{"textSegments":[{"endIndex":"3"}]}`)), want: noLine},
	}
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

func TestEachFailureHasOneKindAWaitAndASafeSentence(t *testing.T) {
	t.Parallel()
	var cases []failuretest.Case
	for _, x := range failures() {
		cases = append(cases, failuretest.Case{Name: x.name, Fail: func(t *testing.T) (*failure.Call, []any) {
			e, failed := x.happen(t)
			return failed, []any{e, struct{ e *Engine }{e}}
		}, Want: failure.Error{Kind: x.kind, Sentence: x.want, RetryAfter: x.wait, Refused: x.refused}})
	}
	failuretest.Run(t, table, secrets(), cases)
}

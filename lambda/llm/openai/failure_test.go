package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
)

type failureCase struct {
	exchange
	kind failure.Kind
	want string
	wait time.Duration
}

const (
	transient = failure.Transient
	permanent = failure.Permanent
)

func simple(name string, serve http.HandlerFunc, kind failure.Kind, want string, wait time.Duration) failureCase {
	return failureCase{exchange{name: name, serve: serve}, kind, want, wait}
}

func embeds(name string, serve http.HandlerFunc, kind failure.Kind, want string, texts ...string) failureCase {
	return failureCase{exchange{name: name, serve: serve, ask: embedding(texts...)}, kind, want, 0}
}

func embedsIn(dimensions int, name string, serve http.HandlerFunc, kind failure.Kind, want string,
	texts ...string) failureCase {
	c := embeds(name, serve, kind, want, texts...)
	c.config = func(c *Config) { c.Dimensions = &dimensions }
	return c
}

func short(c *Config) { c.Timeout = 100 * time.Millisecond }

// failures is one case for each way to fail. All bodies and headers hold texts
// that no error may contain.
func failures() []failureCase {
	const (
		busy     = "too many requests to the model provider (HTTP 429)"
		date     = "Mon, 02 Mar 2026 10:00:00 GMT"
		later    = "Mon, 02 Mar 2026 10:02:30 GMT"
		html     = "<html><body>" + secretResponse + "</body></html>"
		noDecode = "invalid response from the model provider"
		broken   = "connection to model provider failed"
		brokeOff = "model provider's answer broke off"
		tooSlow  = "model provider took too long"
		tooLarge = "model provider's answer is too large"
		odd      = "unexpected status from the model provider (HTTP 307)"
		notEach  = "expected one embedding for each text"
		noWay    = "invalid embedding: zero or not finite"

		wrongSize = "unexpected length of embeddings"
	)
	text := `"message":{"role":"assistant","content":` + quoted(secretResponse) + `}`
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\nX-Request-Id: " +
		secretHeader + "\r\n\r\n"
	whole := answer(text + `,"finish_reason":"stop"`)
	cases := []failureCase{
		// 429
		simple("429", says(429, failing("rate_limit_exceeded")), transient,
			"too many requests to the model provider (HTTP 429, rate_limit_exceeded)", 0),
		simple("429, Retry-After in seconds", says(429, failing("x"), "Retry-After", "37"), transient, busy,
			37*time.Second),
		simple("429, Retry-After with a fraction", says(429, failing("x"), "Retry-After", "1.5"), transient, busy,
			1500*time.Millisecond),
		simple("429, Retry-After as a date", says(429, failing("x"), "Retry-After", later, "Date", date), transient,
			busy, 150*time.Second),
		simple("429, Retry-After as a date that has passed",
			says(429, failing("x"), "Retry-After", date, "Date", later), transient, busy, 0),
		simple("429, Retry-After that is none", says(429, failing("x"), "Retry-After", secretHeader), transient, busy,
			0),
		simple("429, Retry-After without end", says(429, failing("x"), "Retry-After", "99999999999999999999"),
			transient, busy, 12*time.Hour),
		simple("429, Retry-After below zero", says(429, failing("x"), "Retry-After", "-5"), transient, busy, 0),
		simple("429, retry-after-ms", says(429, failing("x"), "retry-after-ms", "2500", "Retry-After", "3"), transient,
			busy, 2500*time.Millisecond),
		simple("429, resets that are none", says(429, failing("x"), "x-ratelimit-reset-requests", secretHeader),
			transient, busy, 0),
		simple("429, Retry-After before resets", says(429, failing("x"), "Retry-After", "2", "x-ratelimit-reset-tokens",
			"6m0s"), transient, busy, 2*time.Second),
		simple("429, no quota", says(429, failing("insufficient_quota")), transient,
			"model provider's quota exhausted (HTTP 429, insufficient_quota)", time.Hour),
		simple("429, no quota, only as the type", says(429, `{"error":{"type":"insufficient_quota","code":null}}`, "Retry-After", "1"), transient, "model provider's quota exhausted (HTTP 429, insufficient_quota)", time.Hour),
		simple("429, no quota until tomorrow", says(429, failing("billing_hard_limit_reached"), "Retry-After", "36000"),
			transient, "model provider's quota exhausted (HTTP 429, billing_hard_limit_reached)", 10*time.Hour),
		simple("429, body breaks off", failuretest.Hijacked("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 9\r\nContent-Length: 1000\r\n\r\n"+secretResponse, true), transient, busy, 9*time.Second),

		// other statuses
		simple("500 {}", says(500, `{}`), transient, "model provider failed (HTTP 500)", 0),
		simple("500, resets are of no use", says(500, `{}`, "x-ratelimit-reset-requests", "1h"), transient,
			"model provider failed (HTTP 500)", 0),
		simple("502 with HTML", says(502, html, "Content-Type", "text/html"), transient,
			"model provider failed (HTTP 502)", 0),
		simple("503 with Retry-After", says(503, secretResponse, "Retry-After", "20"), transient,
			"model provider failed (HTTP 503)", 20*time.Second),
		simple("529", says(529, failing("overloaded")), transient, "model provider failed (HTTP 529)", 0),
		simple("408", says(408, failing("x")), transient, "model provider asked for a retry (HTTP 408)", 0),
		simple("409", says(409, failing("x")), transient, "model provider asked for a retry (HTTP 409)", 0),
		simple("425", says(425, failing("x"), "Retry-After", "3"), transient,
			"model provider asked for a retry (HTTP 425)", 3*time.Second),
		simple("400", says(400, failing(secretResponse)), permanent,
			"model provider rejected the request (HTTP 400)", 0),
		simple("400, the error is a text", says(400, `{"error":`+quoted(secretResponse)+`}`), permanent,
			"model provider rejected the request (HTTP 400)", 0),
		simple("400, the code is a number", says(400, `{"error":{"message":["x"],"code":400}}`), permanent,
			"model provider rejected the request (HTTP 400)", 0),
		simple("400, temperature", says(400, failing("unsupported_value"), "Retry-After", "3"), permanent,
			"model provider rejected the request (HTTP 400, unsupported_value)", 0),
		simple("400, context window", says(400, failing("context_length_exceeded")), permanent,
			"question too long for the model (HTTP 400, context_length_exceeded)", 0),
		simple("401", says(401, failing("invalid_api_key")), permanent,
			"model provider denied access (HTTP 401, invalid_api_key)", 0),
		simple("403", says(403, html), permanent, "model provider denied access (HTTP 403)", 0),
		simple("404", says(404, failing("model_not_found")), permanent,
			"unknown model or address at the model provider (HTTP 404, model_not_found)", 0),
		simple("422", says(422, failing("x")), permanent, "model provider rejected the request (HTTP 422)", 0),
		simple("redirect", says(307, whole, "Location", "/elsewhere/"+secretHeader), transient, odd, 0),

		// the connection
		simple("closed before the headers", failuretest.Hijacked("", false), transient, broken, 0),
		simple("reset before the headers", failuretest.Hijacked("", true), transient, broken, 0),
		simple("no HTTP", failuretest.Hijacked(secretResponse, false), transient, broken, 0),
		simple("closed in the body", failuretest.Hijacked(head+whole[:80], false), transient, brokeOff, 0),
		simple("reset in the body", failuretest.Hijacked(head+whole[:80], true), transient, brokeOff, 0),
		simple("gzip of garbage", says(200, secretResponse, "Content-Encoding", "gzip"), transient, brokeOff, 0),
		{exchange{name: "refused", serve: says(200, whole), config: func(c *Config) { c.BaseURL = closedAddress() }},
			transient, broken, 0},
		{exchange{name: "slow headers", serve: failuretest.Hangs(""), config: short}, transient, tooSlow, 0},
		{exchange{name: "slow body", serve: failuretest.Hangs(whole[:80]), config: short}, transient, tooSlow, 0},
		{exchange{name: "deadline of the caller", serve: failuretest.Hangs(""), within: failuretest.Deadline},
			transient, "out of time", 0},
		{exchange{name: "deadline of the caller, in the body",
			serve: failuretest.Hangs(whole[:80]), within: failuretest.Deadline}, transient, "out of time", 0},
		{exchange{name: "stopped", serve: failuretest.Hangs(""), within: failuretest.Stopped}, transient,
			"stopped before it was done", 0},
		simple("10 MB", says(200, answer(`"message":{"content":"`+strings.Repeat("x", 10<<20)+`"}`)), transient,
			tooLarge, 0),
		simple("10 MB, packed", packed(answer(`"message":{"content":"`+strings.Repeat("x", 10<<20)+`"}`)), transient,
			tooLarge, 0),

		// the answer
		simple("HTML", says(200, html), transient, noDecode, 0),
		simple("JSON cut off", says(200, whole[:len(whole)-20]), transient, noDecode, 0),
		simple("nothing", says(200, ""), transient, noDecode, 0),
		simple("other JSON", says(200, `{"choices":`+quoted(secretResponse)+`}`), transient, noDecode, 0),
		simple("null", says(200, "null"), transient, "missing answer from the model provider", 0),
		simple("no choices", says(200, `{"choices":[]}`), transient, "missing answer from the model provider", 0),
		simple("an error with status 200", says(200, failing("x")), transient, "missing answer from the model provider", 0),
		simple("empty", says(200, answer(`"message":{"content":" \n"},"finish_reason":"stop"`)), transient,
			"missing text in the model's answer", 0),
		simple("only a tool call", says(200, answer(`"message":{"content":null,"tool_calls":[]},"finish_reason":"tool_calls"`)), transient, "missing text in the model's answer", 0),
		simple("refusal", says(200, answer(`"message":{"refusal":`+quoted(secretResponse)+`},"finish_reason":"stop"`)),
			permanent, "model refused to answer", 0),
		simple("cut off", says(200, answer(text+`,"finish_reason":"length"`)), permanent,
			"model's answer cut off at the maximum length", 0),
		simple("cut off in its thoughts", says(200, answer(`"message":{"content":""},"finish_reason":"length"`)),
			permanent, "model's answer cut off at the maximum length", 0),
		simple("filtered", says(200, answer(text+`,"finish_reason":"content_filter"`)), permanent,
			"model provider's content filter withheld the answer", 0),
		simple("cut off, in Gemini's word", says(200, answer(text+`,"finish_reason":"MAX_TOKENS"`)), permanent,
			"model's answer cut off at the maximum length", 0),
		simple("filtered, in Gemini's words", says(200, answer(`"message":{"role":"assistant"},"finish_reason":"content_filter: RECITATION"`)),
			permanent, "model provider's content filter withheld the answer (RECITATION)", 0),
		simple("filtered, in another word", says(200, answer(`"message":{"content":null},"finish_reason":"SAFETY"`)), permanent,
			"model provider's content filter withheld the answer (SAFETY)", 0),

		{exchange{name: "the question was cut", serve: says(200, strings.Replace(whole, `"prompt_tokens":11`, `"prompt_tokens":900`, 1)),
			ask: func(ctx context.Context, c *Client) *failure.Call {
				q := question()
				q.User = strings.Repeat(secretDocument, 400)
				_, m := c.model.ask(ctx, q)
				return m
			}}, permanent, "server truncated the question without an error; " +
			"increase the model's context size", 0},

		// before the request
		{exchange{name: "no model for questions", serve: says(200, whole), config: func(c *Config) { c.Model = "text-davinci-003" }}, permanent, "model does not support chat completions", 0},
		{exchange{name: "the schema is not JSON",
			serve: says(200, whole), ask: func(ctx context.Context, c *Client) *failure.Call {
				q := question()
				q.Schema = []byte(`{` + secretDocument)
				_, m := c.model.ask(ctx, q)
				return m
			}}, permanent, "invalid schema of the question: expected JSON", 0},

		// embeddings
		embeds("embeddings: 503", says(503, html, "Retry-After", "4"), transient,
			"model provider failed (HTTP 503)", "a"),
		embeds("embeddings: none", says(200, vectors()), transient, notEach, "a"),
		embeds("embeddings: too few", says(200, vectors(vector(0, 256, "1"))), transient, notEach, "a", "b"),
		embeds("embeddings: one twice", says(200, vectors(vector(0, 256, "1"), vector(0, 256, "1"))), transient,
			notEach, "a", "b"),
		embeds("embeddings: index too high", says(200, vectors(vector(0, 256, "1"), vector(2, 256, "1"))), transient,
			notEach, "a", "b"),
		embeds("embeddings: index below zero", says(200, vectors(vector(-1, 256, "1"))), transient, notEach, "a"),
		embeds("embeddings: of several lengths", says(200, vectors(vector(0, 256, "1"), vector(1, 255, "1"))),
			permanent, wrongSize, "a", "b"),
		embeds("embeddings: none in them", says(200, vectors(`{"index":0,"embedding":[]}`)), transient, noWay, "a"),
		embeds("embeddings: too long", says(200, vectors(vector(0, 16_385, "1"))), permanent, wrongSize, "a"),
		embedsIn(256, "embeddings: longer than asked", says(200, vectors(vector(0, 1536, "1"))), permanent, wrongSize, "a"),
		embedsIn(256, "embeddings: shorter than asked", says(200, vectors(vector(0, 255, "1"))), permanent, wrongSize, "a"),
		embeds("embeddings: zero", says(200, vectors(vector(0, 256, "0"))), transient, noWay, "a"),
		embeds("embeddings: NaN", says(200, vectors(vector(0, 256, "NaN"))), transient, noDecode, "a"),
		embeds("embeddings: no float32", says(200, vectors(vector(0, 256, "1e300"))), transient, noDecode, "a"),
		embeds("embeddings: a text is empty", says(200, vectors()), permanent, "missing text to embed",
			secretDocument, ""),
	}
	for i, c := range cases {
		if c.name == "embeddings: 503" {
			cases[i].wait = 4 * time.Second
		}
	}
	return append(cases, ofServers()...)
}

// closedAddress is the address of a listener that was closed.
func closedAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

func packed(body string) http.HandlerFunc {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return says(200, b.String(), "Content-Encoding", "gzip")
}

func TestUnknownFailure(t *testing.T) {
	t.Parallel()
	got := table.Classify(&failure.Call{Cause: errors.Join(errors.New(secretResponse))})
	want := failure.Error{Kind: failure.Transient,
		Sentence: "unexpected error of model provider (*errors.joinError)"}
	if *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestNoRedirect(t *testing.T) {
	t.Parallel()
	for _, own := range []*http.Client{nil, {}} {
		failuretest.NoRedirect(t, func(serve http.HandlerFunc) *failure.Call {
			return exchange{serve: serve, config: func(c *Config) { c.HTTPClient = own }}.happen(t)
		})
	}
}

// The cost of a useless answer is known.
func TestUnusableAnswerUsage(t *testing.T) {
	t.Parallel()
	x := exchange{serve: says(200, answer(`"message":{},"finish_reason":"length"`)),
		ask: func(ctx context.Context, c *Client) *failure.Call {
			got, m := c.model.ask(ctx, question())
			if got.Usage.PromptTokens != 11 || got.Usage.CompletionTokens != 7 || got.Text != "" || !got.CutOff {
				t.Errorf("got %+v", got)
			}
			return m
		}}
	if m := x.happen(t); m == nil || m.Cause != cutOff {
		t.Errorf("got %+v", m)
	}
}

func FuzzResponseOfAFailure(f *testing.F) {
	f.Add("37", "6m0s", []byte(failing("insufficient_quota")))
	f.Add("Mon, 02 Mar 2026 10:00:00 GMT", "NaN", []byte(`{"error":{"code":[1]}}`))
	f.Add("-1e999", "-9999999h", []byte(`{"error":null}`))
	f.Fuzz(func(t *testing.T, header, reset string, body []byte) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			h := http.Header{name: {header}, "X-Ratelimit-Reset-Tokens": {reset}, "Date": {reset}}
			if d := askedToWait(h, 429, parseRefusal(body), time.Now()); d < 0 || d > maxWait {
				t.Errorf("got %v", d)
			}
		}
		if c := parseRefusal(body).code(400); c != "" && !slices.Contains(codes, c) {
			t.Errorf("got %q", c)
		}
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	var cases []failuretest.Exchange[exchange]
	for _, x := range failures() {
		cases = append(cases, failuretest.Exchange[exchange]{Name: x.name, With: x.exchange,
			Kind: x.kind, Want: x.want, Wait: x.wait, Refused: strings.Contains(x.want, "denied access")})
	}
	failuretest.Run(t, table, secrets, cases, func(t *testing.T, x failuretest.Exchange[exchange]) (*failure.Call, []any) {
		return x.With.happen(t), nil
	})
}

var secrets = []string{secretKey, secretDocument, secretHeader, secretResponse}

func TestConfigHidesKey(t *testing.T) {
	t.Parallel()
	c := Config{APIKey: secretKey, Model: "m"}
	client := must.Get(New(Config{APIKey: secretKey, Model: "m", EmbeddingModel: "e"}))(t)
	for _, v := range []any{c, &c, client, client.Model(), client.Embedder()} {
		if found := failuretest.Leaks(secrets, v); len(found) > 0 {
			t.Errorf("%T: found %q", v, found)
		}
	}
}

// On a connection that is kept, net/http logs unsolicited bytes; TestMain would
// find them.
func TestTrailingBytesUnlogged(t *testing.T) {
	t.Parallel()
	body := answer(`"message":{"content":"{}"},"finish_reason":"stop"`)
	raw := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(body), body, secretResponse)
	if m := (exchange{serve: failuretest.Hijacked(raw, false)}).happen(t); m != nil {
		t.Errorf("got %+v", *m)
	}
}

package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

const (
	goodAnswer = `{"matches":[{"candidate":2,"confidence":"high","reasoning":"ä"}]}`
	retryAfter = 7 * time.Second
)

// apiError checks the client's view of a fault that is an error of the API.
func apiError(status int, kind, code, after string) func(*testing.T, seen) {
	return func(t *testing.T, got seen) {
		message, gotKind, _, gotCode, err := got.refused()
		if err != nil || got.status != status || gotKind != kind || gotCode != code || got.header.Get("Retry-After") != after {
			t.Errorf("%d, Retry-After %q, %s, %v", got.status, got.header.Get("Retry-After"), got.body, err)
		}
		if !strings.Contains(message, "scripted") {
			t.Errorf("%q does not say that it is scripted", message)
		}
	}
}

// htmlPage checks its view of a proxy's error.
func htmlPage(status int) func(*testing.T, seen) {
	return func(t *testing.T, got seen) {
		if got.status != status || got.header.Get("Content-Type") != "text/html" || !strings.HasPrefix(string(got.body), "<html>") {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	}
}

// finished checks its view of an answer.
func finished(reason, content string) func(*testing.T, seen) {
	return func(t *testing.T, got seen) {
		c := got.completion(t)
		if len(c.Choices) != 1 || c.Choices[0].FinishReason != reason || *c.Choices[0].Message.Content != content || c.Choices[0].Message.Refusal != nil {
			t.Errorf("%s", got.body)
		}
		if c.Usage.CompletionTokens != tokens(content) {
			t.Errorf("%d tokens for %q", c.Usage.CompletionTokens, content)
		}
	}
}

func failed(with error) func(*testing.T, seen) {
	return func(t *testing.T, got seen) {
		if !errors.Is(got.err, with) {
			t.Errorf("%v, want %v", got.err, with)
		}
	}
}

// shows has the check of each fault.
var shows = map[Fault]func(*testing.T, seen){
	RateLimitSeconds:   apiError(429, "requests", "rate_limit_exceeded", "7"),
	RateLimitDate:      apiError(429, "requests", "rate_limit_exceeded", "Mon, 02 Mar 2026 10:00:08 GMT"),
	rateLimitBare:      apiError(429, "requests", "rate_limit_exceeded", ""),
	QuotaExhausted:     apiError(429, "insufficient_quota", "insufficient_quota", ""),
	errorHTML:          htmlPage(500),
	badGateway:         htmlPage(502),
	Unavailable:        apiError(503, "server_error", "", "7"),
	requestTimeout:     apiError(408, "server_error", "request_timeout", ""),
	conflict:           apiError(409, invalidRequest, "conflict", ""),
	ContextLength:      apiError(400, invalidRequest, "context_length_exceeded", ""),
	BadRequest:         apiError(400, invalidRequest, "invalid_value", ""),
	Unauthorized:       apiError(401, invalidRequest, "invalid_api_key", ""),
	Forbidden:          apiError(403, "request_forbidden", "unsupported_country_region_territory", ""),
	NotFound:           apiError(404, invalidRequest, "model_not_found", ""),
	connectionReset:    failed(syscall.ECONNRESET),
	connectionClosed:   failed(io.EOF),
	HangBeforeHeaders:  failed(context.Canceled),
	HangInBody:         failed(context.Canceled),
	emptyContent:       finished("stop", ""),
	FinishLength:       finished("length", goodAnswer[:len(goodAnswer)/2]),
	FinishFilter:       finished("content_filter", goodAnswer[:len(goodAnswer)/2]),
	AnswerBreaksSchema: finished("stop", `{"unexpected":true}`),
	answerUnlisted: finished("stop", `{"matches":[{"candidate":2,"confidence":"high","reasoning":"ä"},`+
		`{"candidate":4,"confidence":"high","reasoning":"Scripted fault: this candidate was not listed."}]}`),
	answerDuplicate: finished("stop", `{"matches":[{"candidate":2,"confidence":"high","reasoning":"ä"},`+
		`{"candidate":2,"confidence":"low","reasoning":"Scripted fault: this candidate is named twice."}]}`),
	errorEmptyObject: func(t *testing.T, got seen) {
		if got.status != 500 || string(got.body) != "{}" {
			t.Errorf("%d %s", got.status, got.body)
		}
	},
	TruncatedJSON: func(t *testing.T, got seen) {
		if err := json.Unmarshal(got.body, new(any)); got.err != nil || got.status != 200 || err == nil || err.Error() != "unexpected end of JSON input" {
			t.Errorf("%d, %v: %s", got.status, got.err, got.body)
		}
	},
	emptyChoices: func(t *testing.T, got seen) {
		if c := got.completion(t); len(c.Choices) != 0 || !strings.Contains(string(got.body), `"choices":[]`) {
			t.Errorf("%s", got.body)
		}
	},
	Refusal: func(t *testing.T, got seen) {
		c := got.completion(t)
		if !strings.Contains(string(got.body), `"content":null`) || c.Choices[0].Message.Refusal == nil || *c.Choices[0].Message.Refusal == "" {
			t.Errorf("%s", got.body)
		}
	},
	AnswerNoJSON: func(t *testing.T, got seen) {
		if text := got.content(t); json.Valid([]byte(text)) || !strings.Contains(text, "scripted") {
			t.Errorf("%s", text)
		}
	},
	HugeBody: func(t *testing.T, got seen) {
		if len(got.body) < 10_000_000 || got.content(t) != goodAnswer {
			t.Errorf("%d bytes", len(got.body))
		}
	},
}

func TestFaultEffects(t *testing.T) {
	t.Parallel()
	wrong := prompt("goes wrong", "one", "two", "three")
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			check := shows[kind]
			if check == nil {
				t.Fatal("the table has no check of it")
			}
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			r := newRig(t, Options{
				Mind:       script(scriptLine{Answers: []string{goodAnswer}}),
				Faults:     Ordered(Order{Contains: "wrong", Faults: []Fault{kind}}),
				RetryAfter: retryAfter - time.Millisecond, // rounded up
				Observe: func(c Call) {
					if c.Fault == HangBeforeHeaders {
						giveUp()
					}
				},
			})
			check(t, r.sendUntilBody(ctx, giveUp, chatBody(wrong, nil)))
			if got := r.ask(wrong).content(t); got != goodAnswer {
				t.Errorf("the second time %s", got)
			}
			if got := r.ask("goes well").content(t); got != goodAnswer {
				t.Errorf("another question: %s", got)
			}
			r.wantNoted(kind)
		})
	}
}

// sendUntilBody gives up when the first bytes of a body are there and then no
// more come.
func (r *rig) sendUntilBody(ctx context.Context, giveUp func(), body string) seen {
	r.t.Helper()
	request := must.Get(http.NewRequestWithContext(ctx, http.MethodPost, r.URL()+"/chat/completions", strings.NewReader(body)))(r.t)
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return seen{err: err}
	}
	defer response.Body.Close()
	if calls := r.Calls(); calls[0].Fault == HangInBody {
		half := make([]byte, response.ContentLength/2)
		if _, err := io.ReadFull(response.Body, half); err != nil {
			return seen{err: err}
		}
		giveUp()
	}
	text, err := io.ReadAll(response.Body)
	return seen{response.StatusCode, response.Header, text, err}
}

// wantNoted checks the record of a fault and two good calls.
func (r *rig) wantNoted(kind Fault) {
	r.t.Helper()
	if got := r.Faults(); len(got) != 1 || got[kind] != 1 {
		r.t.Errorf("faults %v", got)
	}
	calls, sum := r.Calls(), Usage{}
	for i, call := range calls {
		want := NoFault
		if i == 0 {
			want = kind
		}
		if call.Fault != want || call.Billed != rowOf(want).billed || call.Billed != (call.Usage != Usage{}) {
			r.t.Errorf("call %d is noted as %+v", i, call)
		}
		sum = sum.plus(call.Usage)
	}
	if len(calls) != 3 || calls[0].Question != calls[1].Question || calls[1].Question == calls[2].Question || calls[1].N != 1 || r.Usage() != sum {
		r.t.Errorf("noted as %+v, usage %v", calls, r.Usage())
	}
}

func TestEmbeddingFaults(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		if kind == HangBeforeHeaders || kind == HangInBody {
			continue // as for a chat
		}
		r := newRig(t, Options{Faults: Ordered(Order{Contains: "x", Faults: []Fault{kind}})})
		got := r.embed("x", "y")
		good := got.err == nil && got.status == http.StatusOK && json.Valid(got.body) && len(got.vectors(t)) == 2 && len(got.body) < 1<<20
		if chatOnly := rowOf(kind).chat; good != chatOnly {
			t.Errorf("%s: %d, %v: %.200s", kind, got.status, got.err, got.body)
		} else if happened := r.Faults()[kind] == 1; happened == chatOnly {
			t.Errorf("%s is counted %v", kind, r.Faults())
		}
		if got := r.embed("x", "y").vectors(t); len(got) != 2 {
			t.Errorf("after %s: %d vectors", kind, len(got))
		}
	}
}

// TestFaultsOfEmptyAnswers: the answer has none, and the question lists no
// candidates.
func TestFaultsOfEmptyAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Faults: Ordered(Order{Faults: []Fault{answerUnlisted, answerDuplicate}})})
	for _, want := range [][]int{{1}, {1, 1}} {
		got := r.ask("x").content(t)
		m, ok := readMatches(got)
		if !ok || len(m.Matches) != len(want) || m.Matches[0].Candidate != want[0] {
			t.Errorf("%s, want candidates %v", got, want)
		}
	}
}

func TestCloseEndsHangs(t *testing.T) {
	t.Parallel()
	for _, kind := range []Fault{HangBeforeHeaders, HangInBody} {
		hangs := make(chan struct{})
		r := newRig(t, Options{Faults: Ordered(Order{Faults: []Fault{kind}}), Observe: func(Call) { close(hangs) }})
		answer := make(chan seen, 1)
		go func() { answer <- r.ask("x") }()
		<-hangs
		r.Close()
		if got := <-answer; got.err == nil {
			t.Errorf("%s: %d %s, want an error", kind, got.status, got.body)
		}
		if calls := r.Calls(); len(calls) != 1 || !calls[0].Billed || calls[0].Answer == "" {
			t.Errorf("%s: %+v", kind, calls)
		}
		r.Close() // again
	}
}

func TestContextStopsServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := must.Get(Start(ctx, Options{}))(t)
	cancel()
	<-server.stop
	server.Close()
	host := strings.TrimSuffix(strings.TrimPrefix(server.URL(), "http://"), "/v1")
	if _, err := net.Dial("tcp", host); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, want a refused connection", err)
	}
}

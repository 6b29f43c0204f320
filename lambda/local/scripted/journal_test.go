package scripted

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAnswerIsMarked(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Mind: script(scriptLine{Answers: []string{goodAnswer}})})
	got := r.ask("x")
	c := got.completion(t)
	if c.Object != "chat.completion" || c.Model != "gpt-4o-mini" || c.Created != r.clock.Now().Unix() || !strings.HasPrefix(c.ID, "chatcmpl-scripted-") {
		t.Errorf("%s", got.body)
	}
	if len(c.Choices) != 1 || c.Choices[0].Index != 0 || *c.Choices[0].Message.Role != "assistant" || c.Choices[0].FinishReason != "stop" ||
		!strings.Contains(string(got.body), `"refusal":null`) {
		t.Errorf("%s", got.body)
	}
	if got.header.Get("X-Scripted") != "no real model was asked" || got.header.Get("Date") != "Mon, 02 Mar 2026 10:00:00 GMT" {
		t.Errorf("%v", got.header)
	}
	if again := r.ask("x").completion(t); again.ID == c.ID {
		t.Errorf("two calls have the id %s", c.ID)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "ääää": 2, "東京": 2} {
		if got := tokens(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	r := newRig(t, Options{Mind: script(scriptLine{Answers: []string{`{"a":1}`}})})
	c := r.ask("abcde").completion(t)
	prompt := tokens(systemText) + 2
	if want := (Usage{prompt, 2, prompt + 2}); c.Usage != want || r.Usage() != want {
		t.Errorf("usage %+v, in all %+v, want %+v", c.Usage, r.Usage(), want)
	}
}

func TestAnswerIsTruncated(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Mind: script(scriptLine{Answers: []string{`"äääääää"`}})})
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		for limit, want := range map[int]string{1: `"ä`, 2: `"äää`, 4: `"äääääää"`} {
			got := r.send(t.Context(), http.MethodPost, "/v1/chat/completions", chatBody("x", func(f fields) { f[name] = limit }), nil).completion(t)
			reason := map[bool]string{true: "stop", false: "length"}[limit == 4]
			if choice := got.Choices[0]; *choice.Message.Content != want || choice.FinishReason != reason || got.Usage.CompletionTokens > limit {
				t.Errorf("%s %d: %q, %s, %d tokens", name, limit, *choice.Message.Content, choice.FinishReason, got.Usage.CompletionTokens)
			}
		}
	}
}

func TestEarlyCallIsViolation(t *testing.T) {
	t.Parallel()
	for kind, wait := range map[Fault]time.Duration{
		RateLimitSeconds: 3 * time.Second,
		Unavailable:      3 * time.Second,
		RateLimitDate:    2750 * time.Millisecond, // the clock is at a quarter of a second
	} {
		r := newRig(t, Options{Faults: Ordered(Order{Contains: "x", Faults: []Fault{kind}}), RetryAfter: 2500 * time.Millisecond})
		at := r.clock.Now()
		r.ask("x")
		r.ask("another question")
		r.embed("x")
		r.clock.advance(wait - time.Millisecond)
		r.ask("x")
		r.clock.advance(time.Millisecond)
		r.ask("x")
		got := r.Violations()
		if len(got) != 1 || got[0].Question != r.Calls()[0].Question || !got[0].NotBefore.Equal(at.Add(wait)) ||
			!got[0].At.Equal(at.Add(wait-time.Millisecond)) {
			t.Errorf("%s: %+v, want one a millisecond before %v", kind, got, at.Add(wait))
		}
	}
}

func TestOnlyRetryAfterViolates(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Faults: Ordered(Order{Faults: []Fault{rateLimitBare, badGateway, QuotaExhausted}})})
	for range 4 {
		r.ask("x")
	}
	if got := r.Violations(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestCallsOmitTexts(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		r := newRig(t, Options{Mind: script(scriptLine{Answers: []string{goodAnswer}}), KeepText: keep})
		r.ask("lamp 4711")
		r.clock.advance(time.Second)
		r.ask("lamp 4711")
		r.send(t.Context(), http.MethodPost, "/v1/chat/completions", chatBody("lamp 4711", func(f fields) { f["seed"] = "lamp 4711" }), nil)
		calls := r.Calls()
		if got := fmt.Sprintf("%+v", calls); strings.Contains(got, "4711") != keep || strings.Contains(got, "candidate") != keep {
			t.Errorf("keep %v: %s", keep, got)
		}
		if len(calls) != 3 || calls[1].N != 1 || calls[1].At.Sub(calls[0].At) != time.Second || calls[0].Answer != calls[1].Answer ||
			calls[0].Path != "/v1/chat/completions" || calls[2].Refused == "" {
			t.Errorf("%+v", calls)
		}
	}
}

func TestBusiest(t *testing.T) {
	t.Parallel()
	const together = 5
	var waiting sync.WaitGroup
	waiting.Add(together)
	r := newRig(t, Options{
		Mind: func(Question) string {
			waiting.Done()
			waiting.Wait() // for the others
			return goodAnswer
		},
	})
	var clients sync.WaitGroup
	for i := range together {
		clients.Go(func() { r.ask(fmt.Sprint(i)) })
	}
	clients.Wait()
	if got := r.Busiest(); got != together {
		t.Errorf("%d at once, want %d", got, together)
	}
}

func TestBusiestOfSerialCalls(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Faults: Random(3, 0.5, conflict, connectionReset, connectionClosed, TruncatedJSON)})
	for i := range 200 {
		r.ask(fmt.Sprint(i))
	}
	if got := r.Busiest(); got != 1 {
		t.Errorf("%d at once, want 1", got)
	}
}

func TestLatencyIsSeeded(t *testing.T) {
	t.Parallel()
	spread := Latency{Min: time.Second, Max: 3 * time.Second, Seed: 9}
	seen := map[time.Duration]bool{}
	for i := range 500 {
		q := Question{User: fmt.Sprint(i / 2), N: i % 2}
		got := spread.of(q)
		if got != spread.of(q) || got < spread.Min || got > spread.Max {
			t.Fatalf("%v, %v", got, spread.of(q))
		}
		seen[got] = true
	}
	if len(seen) < 490 {
		t.Errorf("%d of 500 differ", len(seen))
	}
	if got := (Latency{Min: time.Second}).of(Question{}); got != time.Second {
		t.Errorf("a fixed one is %v", got)
	}
}

func TestClientEndsLatency(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	noted := make(chan Call, 1)
	r := newRig(t, Options{Latency: Latency{Min: time.Hour}, Observe: func(c Call) { noted <- c }})
	go func() {
		r.awaitCall()
		giveUp()
	}()
	if got := r.send(ctx, http.MethodPost, "/v1/chat/completions", chatBody("x", nil), nil); got.err == nil {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := <-noted; got.Status != 0 || got.Billed || got.Question == "" {
		t.Errorf("noted as %+v", got)
	}
}

// awaitCall returns when a call has arrived.
func (r *rig) awaitCall() {
	for r.Busiest() == 0 {
		runtime.Gosched()
	}
}

func TestCloseEndsLatency(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Latency: Latency{Min: time.Hour}})
	done := make(chan seen, 1)
	go func() { done <- r.ask("x") }()
	r.awaitCall()
	r.Close()
	if got := <-done; got.err == nil {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestNewIsHandler(t *testing.T) {
	t.Parallel()
	busy, closing := make(chan struct{}), make(chan struct{})
	s := New(Options{
		Faults: Ordered(Order{Faults: []Fault{HangBeforeHeaders}}),
		Mind: func(Question) string {
			close(busy)
			<-closing
			for range 1000 { // Close has the time to return too early
				runtime.Gosched()
			}
			return goodAnswer
		},
	})
	if s.URL() != "" {
		t.Errorf("its URL is %s", s.URL())
	}
	aborted := make(chan any, 1)
	go func() {
		defer func() { aborted <- recover() }()
		request := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(chatBody("x", nil)))
		request.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(httptest.NewRecorder(), request)
	}()
	<-busy
	close(closing)
	s.Close()
	if got := s.Calls(); len(got) != 1 {
		t.Errorf("Close leaves a call behind: %+v", got)
	}
	if got := <-aborted; got != http.ErrAbortHandler {
		t.Errorf("it ends with %v", got)
	}
}

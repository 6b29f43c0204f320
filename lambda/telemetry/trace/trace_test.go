package trace

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// Without an endpoint nothing is allocated, and no method minds.
func TestOffAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts the allocations of the whole process
	ctx, off := context.Background(), New(Config{}, "match", "dev")
	if off != nil {
		t.Fatal("there is a tracer without an endpoint")
	}
	if n := testing.AllocsPerRun(100, func() {
		ctx, span := Start(With(ctx, off), "publish", Producer)
		_, process := Continue(ctx, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "process")
		span.Set("a", "b")
		span.SetInt("n", 1)
		span.Fail("x")
		process.Add("claim", time.Time{}, "")
		span.End()
		if _, on := placeOf(span.In(ctx)); on || Traceparent(ctx) != "" || off.Flush(ctx) != nil {
			t.Error("it is on")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTraceparent(t *testing.T) {
	t.Parallel()
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for text, want := range map[string]bool{
		"00-" + id + "-" + span + "-01":                      true,
		"00-" + id + "-" + span + "-00":                      true,
		"cc-" + id + "-" + span + "-01-what-the-future-adds": true,
		"":                                   false,
		"ff-" + id + "-" + span + "-01":      false,
		"00-" + id + "-" + span + "-01-more": false,
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":           false,
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":             false,
		"00-" + strings.ToUpper(id) + "-" + span + "-01":               false,
		"00-" + id + "-" + span:                                        false,
		"00-" + id[:30] + "-" + span + "-01":                           false,
		"0x-" + id + "-" + span + "-01":                                false,
		"00-" + id + "-" + strings.Replace(span, "7", "\n", 1) + "-01": false,
	} {
		p, ok := parse(text)
		if ok != want || ok && p.sampled != strings.Contains(text, "-01") {
			t.Errorf("%q: got %t, %+v", text, ok, p)
		}
		if ok && strings.HasPrefix(text, "00") && Traceparent(context.WithValue(t.Context(), placeKey{}, &p)) != text {
			t.Errorf("%q is written as %q", text, Traceparent(context.WithValue(t.Context(), placeKey{}, &p)))
		}
	}
}

// collected returns a tracer, and the bodies that its collector got.
func collected(t *testing.T, status int, c Config) (*Tracer, *[]string) {
	t.Helper()
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.Header.Get("X-Key")+" "+r.Header.Get("Content-Type")+" "+r.URL.Path+" "+string(body))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "SECRET")
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL + "/v1/traces"
	return New(c, "match", "prod"), &bodies
}

// The collector gets OTLP's JSON, as its page describes it, and the headers.
func TestFlushSendsOTLP(t *testing.T) {
	t.Parallel()
	tracer, bodies := collected(t, 200, Config{Share: 1, Header: http.Header{"X-Key": {"k"}}})
	ctx, invocation := Start(With(t.Context(), tracer), "match", Server)
	_, process := Continue(ctx, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "process")
	process.SetInt("n", 7)
	process.Set("empty", "")
	process.Fail("it failed")
	process.begin = time.Unix(1, 2)
	process.End()
	process.end = time.Unix(3, 4)
	must.OK(t, tracer.Flush(t.Context()))
	must.OK(t, tracer.Flush(t.Context())) // nothing is left
	got, sent := strings.CutPrefix(strings.Join(*bodies, ""), "k application/json /v1/traces ")
	if !sent {
		t.Fatalf("got %q", *bodies)
	}
	want := `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"match"}},` +
		`{"key":"service.namespace","value":{"stringValue":"matchbook"}},{"key":"deployment.environment.name","value":{"stringValue":"prod"}}]},` +
		`"scopeSpans":[{"scope":{"name":"matchbook"},"spans":[{"attributes":[{"key":"n","value":{"intValue":"7"}}],` +
		`"endTimeUnixNano":"3000000004","kind":5,"links":[{"spanId":"` + Traceparent(ctx)[36:52] + `","traceId":"` + Traceparent(ctx)[3:35] + `"}],` +
		`"name":"process","parentSpanId":"b7ad6b7169203331","spanId":"` + Traceparent(process.In(ctx))[36:52] + `",` +
		`"startTimeUnixNano":"1000000002","status":{"code":2,"message":"it failed"},"traceId":"0af7651916cd43dd8448eb211c80319c"}]}]}]}`
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	invocation.End()
}

// What a collector refuses, or what is too much, is lost with a word about it, and without the response.
func TestFlushFailures(t *testing.T) {
	t.Parallel()
	refusing, _ := collected(t, 503, Config{Share: 1})
	accepting, _ := collected(t, 200, Config{Share: 1})
	away, _ := collected(t, 200, Config{Share: 1})
	away.config.URL = "http://127.0.0.1:1/v1/traces"
	ended, cancel := context.WithDeadline(t.Context(), time.Now().Add(spare))
	defer cancel()
	for _, tc := range []struct {
		tracer *Tracer
		ctx    context.Context
		spans  int
		want   string
	}{
		{refusing, t.Context(), 1, "1 spans: refused by the collector (HTTP 503)"},
		{away, t.Context(), 2, "2 spans: missing answer from the collector"},
		{accepting, ended, 1, "1 spans: missing answer from the collector"},
		{accepting, t.Context(), maxSpans + 3, "3 spans: more than 4096 at once"},
	} {
		for range tc.spans {
			_, s := Start(With(t.Context(), tc.tracer), "x", Internal)
			s.End()
		}
		if err := tc.tracer.Flush(tc.ctx); err == nil || err.Error() != tc.want {
			t.Errorf("got %v, want %s", err, tc.want)
		}
		must.OK(t, tc.tracer.Flush(t.Context()))
	}
}

// A trace begun here is recorded by the share; others as their publisher decided.
func TestShare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		share  float64
		parent string
		want   int
	}{{0, "", 0}, {1, "", 1}, {0, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 1},
		{1, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", 0}} {
		tracer := New(Config{URL: "http://localhost", Share: tc.share}, "match", "dev")
		ctx, s := Continue(With(t.Context(), tracer), tc.parent, "process")
		s.End()
		if len(tracer.ended) != tc.want || !strings.HasSuffix(Traceparent(ctx), map[int]string{0: "-00", 1: "-01"}[tc.want]) {
			t.Errorf("%+v: %d spans, %s", tc, len(tracer.ended), Traceparent(ctx))
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for want, env := range map[string][3]string{
		"": {"", "PLANTED", "PLANTED"},
		"OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL like http://localhost:4318":                                                        {"localhost:4317", "", ""},
		"OTEL_EXPORTER_OTLP_HEADERS: expected a list like key=value,other=value":                                                        {"https://x", "PLANTED", ""},
		"OTEL_EXPORTER_OTLP_ENDPOINT: must be https, because OTEL_EXPORTER_OTLP_HEADERS may have a key":                                 {"http://x:4318", "key=PLANTED", "1"},
		"OTEL_TRACES_SAMPLER_ARG: expected a share from 0 to 1":                                                                         {"http://localhost:4318", "", "PLANTED"},
		"OTEL_EXPORTER_OTLP_HEADERS: expected a list like key=value,other=value\nOTEL_TRACES_SAMPLER_ARG: expected a share from 0 to 1": {"http://x", "a b=c", "2"},
	} {
		_, err := Load(func(name string) string {
			return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": env[0], "OTEL_EXPORTER_OTLP_HEADERS": env[1], "OTEL_TRACES_SAMPLER_ARG": env[2]}[name]
		})
		if got := textOf(err); got != want {
			t.Errorf("%q: got %q, want %q", env, got, want)
		}
	}
	c, err := Load(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://otlp.example.com/x/", "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20abc, b=c=d",
			"OTEL_TRACES_SAMPLER_ARG": "0.25"}[name]
	})
	if err != nil || c.URL != "https://otlp.example.com/x/v1/traces" || c.Share != 0.25 || c.Header.Get("authorization") != "Basic abc" || c.Header.Get("b") != "c=d" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

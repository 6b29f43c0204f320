package acceptance_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/telemetry/trace"
)

// collector takes spans as a collector of OpenTelemetry does, and refuses all else.
type collector struct {
	t     *testing.T
	mu    sync.Mutex
	spans []otlpSpan
	text  strings.Builder
}

// The members of OTLP that the functions may send.
type (
	otlpSpan struct {
		TraceID, SpanID, ParentSpanID      string
		Name                               string
		Kind                               int
		StartTimeUnixNano, EndTimeUnixNano string
		Attributes                         []otlpAttribute
		Status                             struct {
			Code    int
			Message string
		}
		Links   []struct{ TraceID, SpanID string }
		service string
	}
	otlpAttribute struct {
		Key   string
		Value struct{ StringValue, IntValue *string }
	}
	otlpRequest struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []otlpAttribute }
			ScopeSpans []struct {
				Scope struct{ Name string }
				Spans []otlpSpan
			}
		}
	}
)

func (s otlpSpan) value(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key && a.Value.StringValue != nil {
			return *a.Value.StringValue
		}
	}
	return ""
}

func startCollector(t *testing.T) (c *collector, url string) {
	t.Helper()
	c = &collector{t: t}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return c, server.URL
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	var request otlpRequest
	if err := decoder.Decode(&request); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
		r.Header.Get("Content-Type") != "application/json" {
		c.t.Errorf("%s %s: %v in %s", r.Method, r.URL.Path, err, body)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(body)
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				s.service = otlpSpan{Attributes: resource.Resource.Attributes}.value("service.name")
				c.spans = append(c.spans, s)
			}
		}
	}
	_, _ = io.WriteString(w, "{}")
}

// under returns the only span of this name and parent, with its times checked.
func (c *collector) under(parent otlpSpan, service, name string) (found otlpSpan) {
	c.t.Helper()
	n := 0
	for _, s := range c.spans {
		if s.TraceID == parent.TraceID && s.ParentSpanID == parent.SpanID && s.service == service && s.Name == name {
			found, n = s, n+1
		}
	}
	begin, err1 := strconv.ParseInt(found.StartTimeUnixNano, 10, 64)
	end, err2 := strconv.ParseInt(found.EndTimeUnixNano, 10, 64)
	if n != 1 || err1 != nil || err2 != nil || end < begin || len(found.TraceID) != 32 || len(found.SpanID) != 16 {
		c.t.Fatalf("%d spans %s of %s below %s: %+v in %+v", n, name, service, parent.Name, found, c.spans)
	}
	return found
}

// A document's trace goes from its publisher through the message, the claim and the question to
// the model, to its settlement, and has no word of the document.
func TestTraceToSettlement(t *testing.T) {
	t.Parallel()
	collected, url := startCollector(t)
	l := newModelLine(t, 1, scripted.Options{Mind: func(scripted.Question) string { return choosing("high") }}, func(c *local.FunctionConfig) {
		c.Env = append(c.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+url)
	})
	g := l.groups(1, rand.New(rand.NewPCG(1, 1)), nil)[0]
	for _, id := range []int{0, 1} { // untraced: these have a trace of their own
		l.publish(g.ids()[id])
		l.drain(g.ids())
	}

	tracer := trace.New(must.Get(trace.Load(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url}[name]
	}))(t), "publisher", "test")
	ctx, root := trace.Start(trace.With(t.Context(), tracer), "import", trace.Internal)
	must.OK(t, l.Publish().Publish(ctx, g.ids()[2:]))
	root.End()
	must.OK(t, tracer.Flush(ctx))
	l.finish()
	l.end()

	imported := collected.under(otlpSpan{TraceID: trace.Traceparent(ctx)[3:35]}, "publisher", "import")
	sent := collected.under(collected.under(imported, "publisher", "publish"), "publisher", "send")
	processed := collected.under(sent, "match", "process")
	collected.under(processed, "match", "claim")
	asked := collected.under(processed, "match", "chat")
	// The first invoice has to ask, too: its message comes from the second's work.
	collected.under(collected.under(processed, "match", "send"), "match", "process")
	for _, want := range []struct{ got, want string }{
		{processed.value("matchbook.row.id"), g.second.String()}, {processed.value("matchbook.tenant.id"), testTenant.String()},
		{processed.value("matchbook.result"), "succeeded"}, {processed.value("matchbook.action"), "ack"},
		{strings.Fields(asked.value("gen_ai.request.model"))[0][:12], "gpt-4.1-mini"},
	} {
		if want.got != want.want {
			t.Errorf("got %q, want %q", want.got, want.want)
		}
	}
	if len(processed.Links) != 1 || !slices.ContainsFunc(collected.spans, func(s otlpSpan) bool {
		return s.Name == "match" && s.SpanID == processed.Links[0].SpanID && s.value("faas.invocation_id") != ""
	}) {
		t.Errorf("no invocation is linked: %+v", processed.Links)
	}
	for _, word := range []string{g.name, "EUR", "L0000", modelKey} {
		if strings.Contains(collected.text.String(), word) {
			t.Errorf("a span has %s", word)
		}
	}
}

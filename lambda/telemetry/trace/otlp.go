package trace

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// flushFor limits a flush, because the invocation waits for it. spare is left of the
// invocation's time.
const (
	flushFor = 2 * time.Second
	spare    = 300 * time.Millisecond
)

// Flush sends the ended spans. Spans not accepted are lost; the error says so, without a word of
// the response. A nil Tracer does nothing.
func (t *Tracer) Flush(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	spans, lost := t.ended, t.lost
	t.ended, t.lost = nil, 0
	t.mu.Unlock()
	if len(spans) == 0 {
		return nil
	}
	left := flushFor
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline)-spare)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), left)
	defer cancel()
	if err := t.send(ctx, spans); err != nil {
		return fmt.Errorf("%d spans: %w", len(spans)+lost, err)
	}
	if lost > 0 {
		return fmt.Errorf("%d spans: more than %d at once", lost, maxSpans)
	}
	return nil
}

// client makes a connection per request, because one kept over a frozen time may have died.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (t *Tracer) send(ctx context.Context, spans []*Span) error {
	body, err := json.Marshal(t.request(spans))
	if err != nil {
		return errors.New("not encodable")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.config.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("invalid address of the collector")
	}
	maps.Copy(r.Header, t.config.Header)
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return errors.New("missing answer from the collector") // without err, which quotes the address
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("refused by the collector (HTTP %d)", resp.StatusCode)
	}
	return nil
}

// The types below are OTLP's JSON: ids are hexadecimal, and numbers of 64 bits are texts. See
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
type (
	object    map[string]any
	attribute struct {
		name  string
		value any // string or int64
	}
)

// MarshalJSON writes a KeyValue.
func (a attribute) MarshalJSON() ([]byte, error) {
	value := object{"stringValue": a.value}
	if n, ok := a.value.(int64); ok {
		value = object{"intValue": strconv.FormatInt(n, 10)}
	}
	return json.Marshal(object{"key": a.name, "value": value})
}

// request returns an ExportTraceServiceRequest.
func (t *Tracer) request(spans []*Span) object {
	list := make([]object, len(spans))
	for i, s := range spans {
		list[i] = s.object()
	}
	resource := []attribute{{"service.name", t.service}, {"service.namespace", "matchbook"}, {"deployment.environment.name", t.stage}}
	return object{"resourceSpans": []object{{
		"resource":   object{"attributes": resource},
		"scopeSpans": []object{{"scope": object{"name": "matchbook"}, "spans": list}},
	}}}
}

func (s *Span) object() object {
	o := object{"traceId": hex.EncodeToString(s.trace[:]), "spanId": hex.EncodeToString(s.span[:]), "name": s.name, "kind": s.kind,
		"startTimeUnixNano": nanoseconds(s.begin), "endTimeUnixNano": nanoseconds(s.end)}
	if s.parent != [8]byte{} {
		o["parentSpanId"] = hex.EncodeToString(s.parent[:])
	}
	if len(s.attributes) > 0 {
		o["attributes"] = s.attributes
	}
	if s.failed != "" {
		o["status"] = object{"code": 2, "message": s.failed}
	}
	if s.link != nil {
		o["links"] = []object{{"traceId": hex.EncodeToString(s.link.trace[:]), "spanId": hex.EncodeToString(s.link.span[:])}}
	}
	return o
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

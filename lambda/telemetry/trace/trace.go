// Package trace records the way of a message from its publisher to its settlement as spans, and
// sends them to a collector of OpenTelemetry (OTLP over HTTP, as JSON). Trace contexts travel
// in the message attribute traceparent, in W3C's form.
//
// Tracing is off unless there is an endpoint: then no context has a Tracer, Start returns a nil
// Span, and neither allocates. There is never a goroutine; Flush sends the spans at the end of
// an invocation. It isn't the OpenTelemetry SDK, because that adds megabytes to each function.
//
// Attributes must be ids, numbers and words of our own, never text of a customer, a question or
// an answer.
package trace

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kind is the role of a span, with OTLP's numbers.
type Kind int

// The kinds of spans.
const (
	Internal Kind = iota + 1
	Server        // an invocation
	Client        // a call of another service
	Producer      // sends messages
	Consumer      // processes a message
)

// maxSpans limits the spans kept between two flushes. Further ones are dropped.
const maxSpans = 4096

// Tracer collects ended spans until Flush. It is safe for concurrent use.
type Tracer struct {
	config  Config
	service string
	stage   string

	mu    sync.Mutex
	ended []*Span
	lost  int
}

// New returns a Tracer for the named service; nil without an endpoint.
func New(c Config, service, stage string) *Tracer {
	if c.URL == "" {
		return nil
	}
	return &Tracer{config: c, service: service, stage: stage}
}

// place is the position of a context in a trace.
type place struct {
	tracer  *Tracer
	trace   [16]byte // zero: none yet
	span    [8]byte
	sampled bool
}

type placeKey struct{}

func placeOf(ctx context.Context) (place, bool) {
	p, ok := ctx.Value(placeKey{}).(*place)
	if !ok {
		return place{}, false
	}
	return *p, true
}

// With returns a context with the tracer; ctx itself without one.
func With(ctx context.Context, t *Tracer) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, placeKey{}, &place{tracer: t})
}

// Span is a step of a trace. All methods of a nil Span do nothing.
type Span struct {
	place
	parent     [8]byte // zero: none
	link       *place
	name       string
	kind       Kind
	begin, end time.Time
	attributes []attribute
	failed     string // a sentence; empty: no error
}

// Start starts a span below the context's, and returns a context with it. Without a tracer it
// returns ctx and nil.
func Start(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	p, on := placeOf(ctx)
	if !on {
		return ctx, nil
	}
	s := &Span{place: p, parent: p.span, name: name, kind: kind, begin: time.Now()}
	fill(s.span[:])
	if s.trace == [16]byte{} {
		fill(s.trace[:])
		s.sampled = rand.Float64() < p.tracer.config.Share
	}
	return s.In(ctx), s
}

// Continue starts a span for a message: below its publisher's, if the message has a valid
// traceparent, with a link to the span of the context.
func Continue(ctx context.Context, traceparent, name string) (context.Context, *Span) {
	own, on := placeOf(ctx)
	if !on {
		return ctx, nil
	}
	if remote, ok := parse(traceparent); ok {
		remote.tracer = own.tracer
		ctx = context.WithValue(ctx, placeKey{}, &remote)
	}
	ctx, s := Start(ctx, name, Consumer)
	if own.trace != s.trace && own.trace != [16]byte{} {
		link := own // own itself must stay off the heap
		s.link = &link
	}
	return ctx, s
}

func fill(id []byte) {
	for at := 0; at < len(id); at += 8 {
		binary.BigEndian.PutUint64(id[at:], rand.Uint64())
	}
}

// Set adds an attribute. An empty value isn't added.
func (s *Span) Set(name, value string) {
	if s != nil && value != "" {
		s.attributes = append(s.attributes, attribute{name, value})
	}
}

// SetInt adds a number.
func (s *Span) SetInt(name string, value int) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{name, int64(value)})
	}
}

// Fail marks the span as failed. The reason must be safe to log; empty is no failure.
func (s *Span) Fail(reason string) {
	if s != nil {
		s.failed = reason
	}
}

// End ends the span.
func (s *Span) End() {
	if s == nil || !s.sampled {
		return
	}
	s.end = time.Now()
	t := s.tracer
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ended) >= maxSpans {
		t.lost++
		return
	}
	t.ended = append(t.ended, s)
}

// In returns a context below the span.
func (s *Span) In(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, placeKey{}, &s.place)
}

// Add adds an ended step below the span, such as one shared by several messages.
func (s *Span) Add(name string, begin time.Time, failed string) {
	if s == nil {
		return
	}
	step := &Span{place: s.place, parent: s.span, name: name, kind: Internal, begin: begin, failed: failed}
	fill(step.span[:])
	step.End()
}

// Traceparent returns the context's position in W3C's form, for a message; empty without one.
func Traceparent(ctx context.Context) string {
	p, on := placeOf(ctx)
	if !on || p.trace == [16]byte{} {
		return ""
	}
	flags := 0
	if p.sampled {
		flags = 1
	}
	return fmt.Sprintf("00-%x-%x-%02x", p.trace, p.span, flags)
}

// parse reads a traceparent; see https://www.w3.org/TR/trace-context/#traceparent-header. A
// later version may have further parts.
func parse(text string) (p place, ok bool) {
	parts := strings.Split(text, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 {
		return p, false
	}
	flags := make([]byte, 1)
	if !decode(parts[0], make([]byte, 1)) || !decode(parts[1], p.trace[:]) || !decode(parts[2], p.span[:]) || !decode(parts[3], flags) ||
		p.trace == [16]byte{} || p.span == [8]byte{} {
		return place{}, false
	}
	p.sampled = flags[0]&1 == 1
	return p, true
}

// decode reads lower-case hexadecimal digits, as many as fill the bytes.
func decode(digits string, into []byte) bool {
	if len(digits) != 2*len(into) || strings.Trim(digits, "0123456789abcdef") != "" {
		return false
	}
	for i := range into {
		n, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
		if err != nil {
			return false
		}
		into[i] = byte(n)
	}
	return true
}

// Package telemetry is what a function tells of itself: lines of JSON that name
// the invocation, and metrics, which it counts wherever something ends, is
// refused or is paid for.
package telemetry

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/metric"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// localStage is the stage where no deployment names one.
const localStage = "local"

// Telemetry is what a function tells of itself: lines of JSON for people, and
// metrics. Every line says which function of which stage, and during an
// invocation its request and its trace, whoever writes it.
type Telemetry struct {
	Log     *slog.Logger
	Metrics *metric.Set
	current *atomic.Pointer[[]slog.Attr]
	metrics io.Writer
}

// New is that of the function with this name. Lambda forwards what is
// written to stdout and to stderr alike; CloudWatch finds metrics in both.
func New(env func(name string) string, function string, metrics, log io.Writer) *Telemetry {
	stage := env(manifest.EnvStage)
	if !IsStage(stage) {
		stage = localStage // a wrong one is the configuration's to report
	}
	current := &atomic.Pointer[[]slog.Attr]{}
	handler := invocationHandler{slog.NewJSONHandler(log, nil), current}
	return &Telemetry{
		Log:     slog.New(handler).With("function", function, "stage", stage),
		Metrics: metric.New(stage, function),
		current: current, metrics: metrics,
	}
}

// IsStage keeps what is a dimension of metrics from being anything: a letter,
// then letters, digits and hyphens, 32 in all at most.
func IsStage(name string) bool {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	other := func(r rune) bool { return !letter(r) && r != '-' && (r < '0' || r > '9') }
	return name != "" && len(name) <= 32 && letter(rune(name[0])) && !strings.ContainsFunc(name, other)
}

// SetDefault has whatever others log become lines of the same form. What comes
// through package log is of aws-lambda-go, and is an error.
func (t *Telemetry) SetDefault() {
	slog.SetDefault(t.Log)
	slog.SetLogLoggerLevel(slog.LevelError)
}

// Handler is a Lambda handler whose lines name the invocation, and whose
// metrics are told at its end, also if it panics.
func (t *Telemetry) Handler(function any) lambda.Handler {
	return told{t, lambda.NewHandler(function)}
}

type told struct {
	*Telemetry
	handler lambda.Handler
}

// Invoke implements lambda.Handler.
func (t told) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if attrs := invocation(ctx); lambdacontext.MaxConcurrency() == 1 {
		t.current.Store(&attrs) // until the next one: aws-lambda-go logs what came of this one
	}
	defer func() {
		if err := t.Metrics.Flush(t.metrics, time.Now()); err != nil {
			t.Log.ErrorContext(ctx, "metrics were lost", "reason", err.Error())
		}
	}()
	return t.handler.Invoke(ctx, payload)
}

// invocation is what every line of an invocation says; nil outside of one.
func invocation(ctx context.Context) (attrs []slog.Attr) {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		attrs = append(attrs, slog.String("request_id", lc.AwsRequestID))
	}
	header, _ := ctx.Value("x-amzn-trace-id").(string) // where aws-lambda-go puts it
	if root := xrayRoot(header); root != "" {
		attrs = append(attrs, slog.String("trace_id", traceID(root)), slog.String("xray_trace_id", root))
	}
	return attrs
}

// xrayRoot is the trace that a header such as
// Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1
// names; empty if it has not that form.
func xrayRoot(header string) string {
	for part := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root="); ok && traceID(root) != "" {
			return root
		}
	}
	return ""
}

// traceID is the same trace as W3C writes it, in 32 hexadecimal digits.
func traceID(root string) string {
	parts := strings.Split(root, "-")
	if len(parts) != 3 || parts[0] != "1" || len(parts[1]) != 8 || len(parts[2]) != 24 {
		return ""
	}
	id := strings.ToLower(parts[1] + parts[2])
	if strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

// invocationHandler adds to each line what it belongs to: the invocation of
// its context or, as most lines have none, the one that is running. Lambda
// runs one at a time in a process, unless it says otherwise. It does what
// lambdacontext.NewLogHandler does for lines with a context only.
type invocationHandler struct {
	slog.Handler
	current *atomic.Pointer[[]slog.Attr]
}

func (h invocationHandler) Handle(ctx context.Context, r slog.Record) error {
	attrs := invocation(ctx)
	if running := h.current.Load(); attrs == nil && running != nil {
		attrs = *running
	}
	r = r.Clone()
	r.AddAttrs(attrs...)
	return h.Handler.Handle(ctx, r)
}

func (h invocationHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return invocationHandler{h.Handler.WithAttrs(attrs), h.current}
}

func (h invocationHandler) WithGroup(name string) slog.Handler {
	return invocationHandler{h.Handler.WithGroup(name), h.current}
}

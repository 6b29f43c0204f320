// Package telemetry writes a function's logs and metrics: JSON lines with the ids of the
// invocation, and counts of deliveries, repairs, refusals and model calls. See package emf for
// the format of the metrics.
//
// Use these attributes in every log line: id for the row, tenant, attempt and delivery where
// known, and reason for an error, as a sentence safe to log (failure.Of(err).Text). Never log
// an error as it is, because a driver's error may quote a customer's data.
package telemetry

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/telemetry/emf"
	"matchbook/lambda/telemetry/trace"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

const localStage = "local"

// Telemetry has the logger and the metrics of a function. Every line has the function and the
// stage, and during an invocation the ids of its request and its trace, whichever package
// writes it.
type Telemetry struct {
	Log     *slog.Logger
	Metrics *emf.Set
	Tracer  *trace.Tracer // nil: no tracing
	name    string
	stage   string
	current *atomic.Pointer[[]slog.Attr]
	metrics io.Writer
}

// New returns the Telemetry of the named function. You may use stdout or stderr for metrics
// and log, since Lambda forwards both, and CloudWatch finds metrics in either.
func New(env func(name string) string, function string, metrics, log io.Writer) *Telemetry {
	stage := env(variable.Stage)
	if !IsStage(stage) {
		stage = localStage // package setup reports an invalid one
	}
	current := &atomic.Pointer[[]slog.Attr]{}
	handler := invocationHandler{slog.NewJSONHandler(log, nil), current}
	return &Telemetry{
		Log:     slog.New(handler).With("function", function, "stage", stage),
		Metrics: emf.New(stage, function), name: function, stage: stage,
		current: current, metrics: metrics,
	}
}

// IsStage reports whether name is valid as a stage, which becomes a dimension of metrics. It
// must have at most 32 letters, digits and hyphens, and begin with a letter.
func IsStage(name string) bool {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	other := func(r rune) bool { return !letter(r) && r != '-' && (r < '0' || r > '9') }
	return name != "" && len(name) <= 32 && letter(rune(name[0])) && !strings.ContainsFunc(name, other)
}

// SetDefault makes t.Log the default logger, so that lines of other packages look the same. It
// logs lines of package log as errors, because they come from aws-lambda-go.
func (t *Telemetry) SetDefault() {
	slog.SetDefault(t.Log)
	slog.SetLogLoggerLevel(slog.LevelError)
}

// Handler returns a Lambda handler that adds the ids of the invocation to all log lines, and
// writes the metrics at its end, even after a panic.
func (t *Telemetry) Handler(function any) lambda.Handler {
	return observed{t, lambda.NewHandler(function)}
}

type observed struct {
	*Telemetry
	handler lambda.Handler
}

// Invoke implements lambda.Handler.
func (t observed) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	ctx, end := t.begin(ctx)
	defer end()
	return t.handler.Invoke(ctx, payload)
}

// Trace turns tracing on, unless the configuration is empty.
func (t *Telemetry) Trace(c trace.Config) { t.Tracer = trace.New(c, t.name, t.stage) }

// begin stores the ids of an invocation, and begins its trace. You must call end after it to
// write its metrics and to send its spans.
func (t *Telemetry) begin(ctx context.Context) (_ context.Context, end func()) {
	ctx, span := trace.Start(trace.With(ctx, t.Tracer), t.name, trace.Server)
	if lc, ok := lambdacontext.FromContext(ctx); ok && span != nil {
		span.Set("faas.invocation_id", lc.AwsRequestID)
	}
	if attrs := invocation(ctx); lambdacontext.MaxConcurrency() == 1 {
		t.current.Store(&attrs) // kept after the end, because aws-lambda-go logs this invocation's error later
	}
	return ctx, func() {
		span.End()
		if err := t.Tracer.Flush(ctx); err != nil {
			t.Log.WarnContext(ctx, "spans lost", "reason", err.Error())
		}
		if err := t.Metrics.Flush(t.metrics, time.Now()); err != nil {
			t.Log.ErrorContext(ctx, "metrics lost", "reason", err.Error())
		}
	}
}

// HTTP does the same for requests as Handler does for events. It doesn't buffer responses.
func (t *Telemetry) HTTP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := t.begin(r.Context())
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// invocation returns the attributes for the lines of an invocation; nil outside of one.
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

// xrayRoot returns the root of a header such as
// Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1; empty if the
// header is invalid.
func xrayRoot(header string) string {
	for part := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root="); ok && traceID(root) != "" {
			return root
		}
	}
	return ""
}

// traceID returns the W3C form of a root, 32 hexadecimal digits; empty if it is invalid.
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

// invocationHandler adds the ids of an invocation to each line: from the line's context, or
// from the running invocation, since most lines have no context. Lambda runs one at a time in
// a process, unless MaxConcurrency is more than 1. lambdacontext.NewLogHandler handles only
// lines with a context.
type invocationHandler struct {
	slog.Handler
	current *atomic.Pointer[[]slog.Attr]
}

// Handle adds the ids to a copy of the record.
func (h invocationHandler) Handle(ctx context.Context, r slog.Record) error {
	attrs := invocation(ctx)
	if running := h.current.Load(); attrs == nil && running != nil {
		attrs = *running
	}
	r = r.Clone()
	r.AddAttrs(attrs...)
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler with additional attributes.
func (h invocationHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return invocationHandler{h.Handler.WithAttrs(attrs), h.current}
}

// WithGroup returns a handler that puts all further attributes, even the ids, into a group.
func (h invocationHandler) WithGroup(name string) slog.Handler {
	return invocationHandler{h.Handler.WithGroup(name), h.current}
}

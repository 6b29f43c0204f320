// Package telemetry writes the logs and the metrics of a function: lines of JSON
// with the ids of the invocation, and counts of deliveries, repairs, refusals
// and model calls. Package emf has the format of the metrics.
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

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// localStage is the stage if no deployment names one.
const localStage = "local"

// Telemetry has the logger and the metrics of a function. Every line contains
// the function and the stage, and during an invocation the ids of its request
// and its trace, whichever package writes it.
type Telemetry struct {
	Log     *slog.Logger
	Metrics *emf.Set
	current *atomic.Pointer[[]slog.Attr]
	metrics io.Writer
}

// New returns the Telemetry of the function with this name. Lambda forwards
// stdout and stderr alike; CloudWatch finds metrics in both.
func New(env func(name string) string, function string, metrics, log io.Writer) *Telemetry {
	stage := env(variable.Stage)
	if !IsStage(stage) {
		stage = localStage // package setup reports a wrong one
	}
	current := &atomic.Pointer[[]slog.Attr]{}
	handler := invocationHandler{slog.NewJSONHandler(log, nil), current}
	return &Telemetry{
		Log:     slog.New(handler).With("function", function, "stage", stage),
		Metrics: emf.New(stage, function),
		current: current, metrics: metrics,
	}
}

// IsStage reports whether the name may be a stage, which is a dimension of
// metrics: a letter, then letters, digits and hyphens, 32 in all at most.
func IsStage(name string) bool {
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	other := func(r rune) bool { return !letter(r) && r != '-' && (r < '0' || r > '9') }
	return name != "" && len(name) <= 32 && letter(rune(name[0])) && !strings.ContainsFunc(name, other)
}

// SetDefault gives the lines of other packages the same form. Lines of package
// log come from aws-lambda-go, and are errors.
func (t *Telemetry) SetDefault() {
	slog.SetDefault(t.Log)
	slog.SetLogLoggerLevel(slog.LevelError)
}

// Handler returns a Lambda handler whose lines name the invocation, and whose
// metrics are written at its end, also if it panics.
func (t *Telemetry) Handler(function any) lambda.Handler {
	return observed{t, lambda.NewHandler(function)}
}

type observed struct {
	*Telemetry
	handler lambda.Handler
}

// Invoke implements lambda.Handler.
func (t observed) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer t.begin(ctx)()
	return t.handler.Invoke(ctx, payload)
}

// begin notes the ids of an invocation. end writes its metrics.
func (t *Telemetry) begin(ctx context.Context) (end func()) {
	if attrs := invocation(ctx); lambdacontext.MaxConcurrency() == 1 {
		t.current.Store(&attrs) // until the next one: aws-lambda-go logs the error of this one
	}
	return func() {
		if err := t.Metrics.Flush(t.metrics, time.Now()); err != nil {
			t.Log.ErrorContext(ctx, "metrics were lost", "reason", err.Error())
		}
	}
}

// HTTP does for requests what Handler does for events. A response is passed on as
// it is written.
func (t *Telemetry) HTTP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer t.begin(r.Context())()
		next.ServeHTTP(w, r)
	})
}

// invocation returns the attributes of every line of an invocation; nil outside
// of one.
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
// Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;
// empty if it does not have that form.
func xrayRoot(header string) string {
	for part := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root="); ok && traceID(root) != "" {
			return root
		}
	}
	return ""
}

// traceID returns the W3C form of a root, 32 hexadecimal digits.
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

// invocationHandler adds the ids of an invocation to each line: of the line's
// context or, as most lines have none, of the running invocation. Lambda runs
// one at a time in a process, unless MaxConcurrency is more than 1.
// lambdacontext.NewLogHandler does the same for lines with a context only.
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

// WithAttrs returns a handler that adds these attributes as well.
func (h invocationHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return invocationHandler{h.Handler.WithAttrs(attrs), h.current}
}

// WithGroup returns a handler whose further attributes, the ids too, are in a group.
func (h invocationHandler) WithGroup(name string) slog.Handler {
	return invocationHandler{h.Handler.WithGroup(name), h.current}
}

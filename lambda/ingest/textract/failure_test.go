package textract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"

	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// exchange is one way to fail.
type exchange struct {
	name   string
	serve  http.HandlerFunc
	api    API // instead of the client
	within func(context.Context) (context.Context, context.CancelFunc)
	short  bool // our own timeout
	closed bool // no server listens

	kind    failure.Kind
	want    string
	wait    time.Duration
	refused bool
}

func (x exchange) happen(t *testing.T) *failure.Call {
	t.Helper()
	s := newServer(t)
	s.serve = x.serve
	r := &reader{api: client(s.url), timeout: 10 * time.Second}
	if x.short {
		r.timeout = 100 * time.Millisecond
	}
	if x.closed {
		r.api = client("http://127.0.0.1:1")
	}
	if x.api != nil {
		r.api = x.api
	}
	page, _ := pages{40}.Render(t.Context(), 1, 300)
	content, err := encode(page, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	_, failed := r.detect(failuretest.Context(t, x.within), content)
	s.mutex.Lock() // a call that was given up may still be served
	defer s.mutex.Unlock()
	if len(s.formats) > 1 {
		t.Errorf("%s: called %d times", x.name, len(s.formats))
	}
	return failed
}

// broken is an API that fails with this error before it calls.
type broken struct{ error }

func (b broken) DetectDocumentText(context.Context, *textract.DetectDocumentTextInput, ...func(*textract.Options)) (
	*textract.DetectDocumentTextOutput, error) {
	return nil, b.error
}

// uncredentialed is the error of credentials that another service refuses.
func uncredentialed() error {
	response := &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Retry-After": {"30"}}}
	refused := &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: response}, Err: errors.New(secretText)}
	return &smithy.OperationError{ServiceID: textract.ServiceID, OperationName: "DetectDocumentText",
		Err: fmt.Errorf("get identity: %w",
			&smithy.OperationError{ServiceID: "ec2imds", OperationName: "GetMetadata", Err: refused})}
}

func failures() []exchange {
	const (
		permanent = failure.Permanent
		busy      = "Textract has too many requests (HTTP "
		denied    = "Textract denied access (HTTP "
		bad       = "Textract cannot read the image of a page (HTTP "
		stale     = "Textract takes the credentials or the clock for stale (HTTP 400, "
		noAnswer  = "Textract's answer cannot be read"
		part      = "Textract's answer is incomplete"
		noWay     = "the connection to Textract failed"
	)
	begun := "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"Blocks"
	return []exchange{
		// throttling
		{name: "throughput", serve: says(400, "ProvisionedThroughputExceededException", ""),
			want: busy + "400, ProvisionedThroughputExceededException)"},
		{name: "throttled", serve: says(400, "ThrottlingException", "", "Retry-After", "9"),
			want: busy + "400, ThrottlingException)", wait: 9 * time.Second},
		{name: "limit", serve: says(400, "LimitExceededException", ""), want: busy + "400, LimitExceededException)"},
		{name: "429", serve: says(429, "", secretText), want: busy + "429)"},

		// credentials
		{name: "access denied", serve: says(400, "AccessDeniedException", ""), kind: permanent, refused: true,
			want: denied + "400, AccessDeniedException)"},
		{name: "unknown key", serve: says(400, "UnrecognizedClientException", ""), kind: permanent, refused: true,
			want: denied + "400, UnrecognizedClientException)"},
		{name: "403", serve: says(403, secretText, ""), kind: permanent, refused: true, want: denied + "403)"},
		{name: "expired", serve: says(400, "ExpiredTokenException", ""), want: stale + "ExpiredTokenException)"},
		{name: "no credentials", api: broken{uncredentialed()},
			want: "there are no AWS credentials to call Textract with"},

		// the page
		{name: "bad document", serve: says(400, "BadDocumentException", ""), kind: permanent,
			want: bad + "400, BadDocumentException)"},
		{name: "unsupported", serve: says(400, "UnsupportedDocumentException", ""), kind: permanent,
			want: bad + "400, UnsupportedDocumentException)"},
		{name: "parameter", serve: says(400, "com.amazonaws.textract#InvalidParameterException", ""), kind: permanent,
			want: bad + "400, InvalidParameterException)"},
		{name: "unknown code", serve: says(400, secretText, "", "Retry-After", "5"), kind: permanent,
			want: bad + "400)"},
		{name: "too large", serve: says(400, "DocumentTooLargeException", ""), kind: permanent,
			want: "the image of a page is too large for Textract (HTTP 400, DocumentTooLargeException)"},

		// the service
		{name: "internal", serve: says(500, "InternalServerError", ""),
			want: "Textract failed (HTTP 500, InternalServerError)"},
		{name: "internal with status 400", serve: says(400, "InternalServerError", ""),
			want: "Textract failed (HTTP 400, InternalServerError)"},
		{name: "502 with HTML", serve: says(502, "", "<html>"+secretText), want: "Textract failed (HTTP 502)"},
		{name: "503", serve: says(503, "ServiceUnavailable", "", "Retry-After", "3"),
			want: "Textract failed (HTTP 503, ServiceUnavailable)", wait: 3 * time.Second},
		{name: "408", serve: says(408, "", "{}"), want: "Textract asks for a repeat (HTTP 408)"},
		{name: "redirect", serve: says(307, "", "", "Location", "/"+secretKey),
			want: "Textract neither answered nor failed (HTTP 307)"},

		// the connection
		{name: "nobody listens", closed: true, want: noWay},
		{name: "reset", serve: failuretest.Hijacked("", true), want: noWay},
		{name: "no HTTP", serve: failuretest.Hijacked(secretText, false), want: noWay},
		{name: "closed in the body", serve: failuretest.Hijacked(begun, false), want: noAnswer},
		{name: "slow", serve: failuretest.Hangs(""), short: true, want: "Textract took too long"},
		{name: "deadline of the caller", serve: failuretest.Hangs(""), within: failuretest.Deadline,
			want: "out of time"},
		{name: "stopped", serve: failuretest.Hangs(""), within: failuretest.Stopped,
			want: "stopped before it was done"},
		{name: "before the call", api: broken{errors.New(secretText)},
			want: "unexpected error of Textract (*errors.errorString)"},

		// the answer
		{name: "HTML", serve: says(200, "", "<html>"+secretText), want: noAnswer},
		{name: "other JSON", serve: says(200, "", `{"Blocks":"`+secretKey+`"}`), want: noAnswer},
		{name: "nothing", serve: says(200, "", "{}"), want: part},
		{name: "no place", serve: says(200, "", answer(`{"BlockType":"LINE","Text":"`+secretKey+`","Confidence":9}`)),
			want: part},
		{name: "no text", serve: says(200, "", answer(`{"BlockType":"LINE","Confidence":9,`+
			`"Geometry":{"BoundingBox":{}}}`)), want: part},
	}
}

func TestEachFailureHasOneKindAWaitAndASafeSentence(t *testing.T) {
	t.Parallel()
	var cases []failuretest.Case
	for _, x := range failures() {
		cases = append(cases, failuretest.Case{Name: x.name, Fail: func(t *testing.T) (*failure.Call, []any) {
			return x.happen(t), nil
		}, Want: failure.Error{Kind: x.kind, Sentence: x.want, RetryAfter: x.wait, Refused: x.refused}})
	}
	failuretest.Run(t, table, []string{secretKey, secretText, "Hidden <invoice>"}, cases)
}

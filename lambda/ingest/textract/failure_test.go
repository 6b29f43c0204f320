package textract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"

	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

type exchange = failuretest.Exchange[API] // nil for the client

func call(t *testing.T, x exchange) (*failure.Call, []any) {
	t.Helper()
	s := newServer(t)
	s.serve = x.Serve
	r := &reader{api: client(s.url), timeout: cmp.Or(x.Timeout(), 10*time.Second)}
	if x.Closed {
		r.api = client(x.URL(t))
	}
	if x.With != nil {
		r.api = x.With
	}
	page, _ := pages{40}.Render(t.Context(), 1, 300)
	content, err := encode(page, maxBytes)
	must.OK(t, err)
	_, failed := r.detect(failuretest.Context(t, x.Within), content)
	s.mutex.Lock() // a call that was given up may still be served
	defer s.mutex.Unlock()
	if len(s.formats) > 1 {
		t.Errorf("%s: called %d times", x.Name, len(s.formats))
	}
	return failed, nil
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
		busy      = "too many requests to Textract (HTTP "
		denied    = "Textract denied access (HTTP "
		bad       = "Textract cannot read the page image (HTTP "
		stale     = "Textract rejected the request: expired credentials or clock skew (HTTP 400, "
		noAnswer  = "invalid response from Textract"
		part      = "Textract's answer is incomplete"
	)
	begun := "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"Blocks"
	cases := []exchange{
		// throttling
		{Name: "throughput", Serve: says(400, "ProvisionedThroughputExceededException", ""),
			Want: busy + "400, ProvisionedThroughputExceededException)"},
		{Name: "throttled", Serve: says(400, "ThrottlingException", "", "Retry-After", "9"),
			Want: busy + "400, ThrottlingException)", Wait: 9 * time.Second},
		{Name: "limit", Serve: says(400, "LimitExceededException", ""), Want: busy + "400, LimitExceededException)"},
		{Name: "429", Serve: says(429, "", secretText), Want: busy + "429)"},

		// credentials
		{Name: "access denied", Serve: says(400, "AccessDeniedException", ""), Kind: permanent, Refused: true,
			Want: denied + "400, AccessDeniedException)"},
		{Name: "unknown key", Serve: says(400, "UnrecognizedClientException", ""), Kind: permanent, Refused: true,
			Want: denied + "400, UnrecognizedClientException)"},
		{Name: "403", Serve: says(403, secretText, ""), Kind: permanent, Refused: true, Want: denied + "403)"},
		{Name: "expired", Serve: says(400, "ExpiredTokenException", ""), Want: stale + "ExpiredTokenException)"},
		{Name: "no credentials", With: broken{uncredentialed()},
			Want: "cannot get AWS credentials for Textract"},

		// the page
		{Name: "bad document", Serve: says(400, "BadDocumentException", ""), Kind: permanent,
			Want: bad + "400, BadDocumentException)"},
		{Name: "unsupported", Serve: says(400, "UnsupportedDocumentException", ""), Kind: permanent,
			Want: bad + "400, UnsupportedDocumentException)"},
		{Name: "parameter", Serve: says(400, "com.amazonaws.textract#InvalidParameterException", ""), Kind: permanent,
			Want: bad + "400, InvalidParameterException)"},
		{Name: "unknown code", Serve: says(400, secretText, "", "Retry-After", "5"), Kind: permanent,
			Want: bad + "400)"},
		{Name: "too large", Serve: says(400, "DocumentTooLargeException", ""), Kind: permanent,
			Want: "page image is too large for Textract (HTTP 400, DocumentTooLargeException)"},

		// the service
		{Name: "internal", Serve: says(500, "InternalServerError", ""),
			Want: "Textract failed (HTTP 500, InternalServerError)"},
		{Name: "internal with status 400", Serve: says(400, "InternalServerError", ""),
			Want: "Textract failed (HTTP 400, InternalServerError)"},
		{Name: "502 with HTML", Serve: says(502, "", "<html>"+secretText), Want: "Textract failed (HTTP 502)"},
		{Name: "503", Serve: says(503, "ServiceUnavailable", "", "Retry-After", "3"),
			Want: "Textract failed (HTTP 503, ServiceUnavailable)", Wait: 3 * time.Second},
		{Name: "408", Serve: says(408, "", "{}"), Want: "Textract asked to retry (HTTP 408)"},
		{Name: "redirect", Serve: says(307, "", "", "Location", "/"+secretKey),
			Want: "unexpected status from Textract (HTTP 307)"},

		// the connection
		{Name: "closed in the body", Serve: failuretest.Hijacked(begun, false), Want: noAnswer},
		{Name: "before the call", With: broken{errors.New(secretText)},
			Want: "unexpected error of Textract (*errors.errorString)"},

		// the answer
		{Name: "HTML", Serve: says(200, "", "<html>"+secretText), Want: noAnswer},
		{Name: "other JSON", Serve: says(200, "", `{"Blocks":"`+secretKey+`"}`), Want: noAnswer},
		{Name: "nothing", Serve: says(200, "", "{}"), Want: part},
		{Name: "no place", Serve: says(200, "", answer(`{"BlockType":"LINE","Text":"`+secretKey+`","Confidence":9}`)),
			Want: part},
		{Name: "no text", Serve: says(200, "", answer(`{"BlockType":"LINE","Confidence":9,`+
			`"Geometry":{"BoundingBox":{}}}`)), Want: part},
	}
	return append(cases, failuretest.Connections[API]("Textract", secretText)...)
}

func TestFailureTable(t *testing.T) {
	t.Parallel()
	failuretest.Run(t, table, []string{secretKey, secretText, "Hidden <invoice>"}, failures(), call)
}

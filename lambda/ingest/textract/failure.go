package textract

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"

	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// maxWait is the longest wait that is accepted: a queue cannot hide a message
// for longer.
const maxWait = 12 * time.Hour

var (
	errIncomplete = errors.New("an answer without its parts")
	errForeign    = errors.New("another service failed, before Textract was called")
)

// met looks into an error of the SDK. A response of another service, one that
// gives out credentials, is not one of Textract.
func met(err, ended error) *failure.Call {
	c := &failure.Call{Ended: ended, Network: err}
	var inner *smithy.OperationError
	foreign := false
	for next := err; errors.As(next, &inner); next = inner.Err {
		foreign = inner.ServiceID != textract.ServiceID
	}
	if foreign {
		c.Cause = errForeign
		return c
	}
	var api interface{ ErrorCode() string } // smithy.APIError
	if errors.As(err, &api) {
		c.Code = api.ErrorCode()
	}
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.Response != nil && response.Response.Response != nil {
		c.Status = response.HTTPStatusCode()
		c.Wait, _ = failure.RetryAfter(response.Response.Header, time.Now(), maxWait)
	}
	return c
}

// table classifies the calls that brought no lines. Codes come first: Textract
// reports most faults with status 400.
var table = failure.Table{Service: "Textract", Codes: codes, Rows: []failure.Row{
	{Name: "too many requests", Match: answered(http.StatusTooManyRequests, "ProvisionedThroughputExceededException",
		"ThrottlingException", "Throttling", "LimitExceededException"),
		Kind: failure.Transient, Sentence: "Textract has too many requests"},
	{Name: "stale signature", Match: code("ExpiredToken", "ExpiredTokenException", "RequestExpired"),
		Kind: failure.Transient, Sentence: "Textract takes the credentials or the clock for stale"},
	{Name: "failed", Match: failed,
		Kind: failure.Transient, Sentence: "Textract failed"},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout),
		Kind: failure.Transient, Sentence: "Textract asks for a repeat"},
	{Name: "denied", Match: answered(http.StatusForbidden, "AccessDeniedException", "UnrecognizedClientException",
		"InvalidSignatureException", "IncompleteSignature", "SubscriptionRequiredException"),
		Kind: failure.Permanent, Sentence: "Textract denied access", Refused: true},
	{Name: "too large", Match: answered(http.StatusRequestEntityTooLarge, "DocumentTooLargeException"),
		Kind: failure.Permanent, Sentence: "the image of a page is too large for Textract"},
	{Name: "bad document", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "Textract cannot read the image of a page"},
	{Name: "redirect", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "Textract neither answered nor failed"},

	{Name: "stopped", Match: (*failure.Call).Stopped,
		Kind: failure.Transient, Sentence: "stopped before it was done"},
	{Name: "out of time", Match: (*failure.Call).OutOfTime,
		Kind: failure.Transient, Sentence: "out of time"},
	{Name: "no credentials", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errForeign) },
		Kind: failure.Transient, Sentence: "there are no AWS credentials to call Textract with"},
	{Name: "too slow", Match: (*failure.Call).TimedOut,
		Kind: failure.Transient, Sentence: "Textract took too long"},
	{Name: "answer that cannot be read", Match: func(c *failure.Call) bool { return c.Status != 0 },
		Kind: failure.Transient, Sentence: "Textract's answer cannot be read"},
	{Name: "incomplete", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errIncomplete) },
		Kind: failure.Transient, Sentence: "Textract's answer is incomplete"},
	{Name: "no connection", Match: func(c *failure.Call) bool {
		var send *smithyhttp.RequestSendError
		return errors.As(c.Network, &send)
	}, Kind: failure.Transient, Sentence: "the connection to Textract failed"},
}}

// failed reports whether Textract is at fault, also with another status than
// 5xx.
func failed(c *failure.Call) bool {
	return c.ServerError() || code("InternalServerError", "InternalFailure", "ServiceUnavailable")(c)
}

func code(these ...string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return slices.Contains(these, c.Code) }
}

func answered(status int, codes ...string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return c.Status == status || slices.Contains(codes, c.Code) }
}

// codes may be part of a sentence; any other text may hold anything. They come
// from DetectDocumentText and from AWS's list for all of its services.
var codes = []string{
	"AccessDeniedException", "BadDocumentException", "DocumentTooLargeException", "InternalServerError",
	"InvalidParameterException", "InvalidS3ObjectException", "ProvisionedThroughputExceededException",
	"ThrottlingException", "UnsupportedDocumentException", "LimitExceededException",
	"ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InternalFailure", "InvalidSignatureException",
	"RequestExpired", "ServiceUnavailable", "SubscriptionRequiredException", "Throttling",
	"UnrecognizedClientException", "ValidationException",
}

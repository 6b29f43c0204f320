package textract

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/awscall"
)

// maxWait is the longest accepted wait, because a queue can't hide a message for longer.
const maxWait = 12 * time.Hour

var errIncomplete = errors.New("missing parts of an answer")

// table classifies failed calls. Codes must come first, because Textract reports most faults
// with status 400.
var table = failure.Table{Service: "Textract", Codes: codes, Rows: slices.Concat([]failure.Row{
	{Name: "too many requests", Match: awscall.Answered(http.StatusTooManyRequests, "ProvisionedThroughputExceededException",
		"ThrottlingException", "Throttling", "LimitExceededException"),
		Kind: failure.Transient, Sentence: "too many requests to Textract"},
	{Name: "stale signature", Match: awscall.Code("ExpiredToken", "ExpiredTokenException", "RequestExpired"),
		Kind: failure.Transient, Sentence: "Textract rejected the request: expired credentials or clock skew"},
	{Name: "failed", Match: failed,
		Kind: failure.Transient, Sentence: "Textract failed", Away: true},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout),
		Kind: failure.Transient, Sentence: "Textract asked to retry"},
	{Name: "denied", Match: awscall.Answered(http.StatusForbidden, "AccessDeniedException", "UnrecognizedClientException",
		"InvalidSignatureException", "IncompleteSignature", "SubscriptionRequiredException"),
		Kind: failure.Permanent, Sentence: "Textract denied access", Refused: true},
	{Name: "too large", Match: awscall.Answered(http.StatusRequestEntityTooLarge, "DocumentTooLargeException"),
		Kind: failure.Permanent, Sentence: "page image is too large for Textract"},
	{Name: "bad document", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "Textract cannot read the page image"},
	{Name: "incomplete", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errIncomplete) },
		Kind: failure.Transient, Sentence: "Textract's answer is incomplete"},
}, awscall.Rest("Textract"))}

// failed reports whether Textract is at fault, whether the status is 5xx or not.
func failed(c *failure.Call) bool {
	return c.ServerError() || awscall.Code("InternalServerError", "InternalFailure", "ServiceUnavailable")(c)
}

// codes are safe to use in a sentence; any other text may hold anything. See
// DetectDocumentText and AWS's list for all of its services.
var codes = []string{
	"AccessDeniedException", "BadDocumentException", "DocumentTooLargeException", "InternalServerError",
	"InvalidParameterException", "InvalidS3ObjectException", "ProvisionedThroughputExceededException",
	"ThrottlingException", "UnsupportedDocumentException", "LimitExceededException",
	"ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InternalFailure", "InvalidSignatureException",
	"RequestExpired", "ServiceUnavailable", "SubscriptionRequiredException", "Throttling",
	"UnrecognizedClientException", "ValidationException",
}

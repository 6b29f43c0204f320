package email

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

var (
	errUnconfirmed = errors.New("a success without the mail's id")
	errForeign     = errors.New("another service failed, before SES was called")
)

// met looks into an error of the SDK. A response of another service, one that
// gives out credentials, is not one of SES.
func met(err, ended error) *failure.Call {
	c := &failure.Call{Ended: ended, Network: err}
	var inner *smithy.OperationError
	foreign := false
	for next := err; errors.As(next, &inner); next = inner.Err {
		foreign = inner.ServiceID != sesv2.ServiceID
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
		c.Wait, _ = failure.RetryAfter(response.Response.Header, time.Now(), notify.MaxWait)
	}
	return c
}

// table classifies the mails that SES did not accept. Codes come first: SES
// reports most faults with status 400. A permanent failure needs a person: an
// identity, a policy or an address has to be corrected.
var table = failure.Table{Service: "SES", Codes: codes, Rows: []failure.Row{
	{Name: "too many requests", Match: answered(http.StatusTooManyRequests,
		"TooManyRequestsException", "LimitExceededException", "Throttling", "ThrottlingException"),
		Kind: failure.Transient, Sentence: "SES has too many mails"},
	{Name: "paused", Match: code("SendingPausedException"),
		Kind: failure.Transient, Sentence: "SES has paused the account's mails"},
	{Name: "stale signature", Match: code("ExpiredToken", "ExpiredTokenException", "RequestExpired"),
		Kind: failure.Transient, Sentence: "SES takes the credentials or the clock for stale"},
	{Name: "rejected", Match: code("MessageRejected"),
		Kind: failure.Permanent, Sentence: "SES rejected the mail"},
	{Name: "sender not verified", Match: code("MailFromDomainNotVerifiedException"),
		Kind: failure.Permanent, Sentence: "SES has not verified the sender's domain", Refused: true},
	{Name: "suspended", Match: code("AccountSuspendedException"),
		Kind: failure.Permanent, Sentence: "SES has suspended the account", Refused: true},
	{Name: "SES failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "SES failed"},
	{Name: "try again", Match: answered(http.StatusRequestTimeout, "ConcurrentModificationException"),
		Kind: failure.Transient, Sentence: "SES asks for the mail again"},
	{Name: "denied", Match: answered(http.StatusForbidden, "AccessDeniedException", "NotAuthorized"),
		Kind: failure.Permanent, Sentence: "SES denied access", Refused: true},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "SES refused the mail"},
	{Name: "redirect", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "SES neither answered nor failed"},

	{Name: "stopped", Match: (*failure.Call).Stopped,
		Kind: failure.Transient, Sentence: "stopped before it was done"},
	{Name: "out of time", Match: (*failure.Call).OutOfTime,
		Kind: failure.Transient, Sentence: "out of time"},
	{Name: "no credentials", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errForeign) },
		Kind: failure.Transient, Sentence: "there are no AWS credentials to ask SES with"},
	{Name: "too slow", Match: (*failure.Call).TimedOut,
		Kind: failure.Transient, Sentence: "SES took too long"},
	{Name: "answer that cannot be read", Match: func(c *failure.Call) bool { return c.Status != 0 },
		Kind: failure.Transient, Sentence: "SES's answer cannot be read"},
	{Name: "unconfirmed", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errUnconfirmed) },
		Kind: failure.Transient, Sentence: "SES did not confirm the mail"},
	{Name: "no connection", Match: func(c *failure.Call) bool {
		var send *smithyhttp.RequestSendError
		return errors.As(c.Network, &send)
	}, Kind: failure.Transient, Sentence: "the connection to SES failed"},
}}

func code(these ...string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return slices.Contains(these, c.Code) }
}

func answered(status int, codes ...string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return c.Status == status || slices.Contains(codes, c.Code) }
}

// codes may be part of a sentence; any other text may hold anything. They come
// from SendEmail and from AWS's list for all of its services.
var codes = []string{
	"AccountSuspendedException", "BadRequestException", "InternalServiceErrorException", "LimitExceededException",
	"MailFromDomainNotVerifiedException", "MessageRejected", "NotFoundException", "SendingPausedException",
	"TooManyRequestsException",
	"AccessDeniedException", "ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId",
	"InvalidSignatureException", "NotAuthorized", "RequestExpired", "ServiceUnavailable", "SignatureDoesNotMatch",
	"Throttling", "ThrottlingException", "UnrecognizedClientException", "ValidationException",
}

package email

import (
	"errors"
	"net/http"
	"slices"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/awscall"
)

var errUnconfirmed = errors.New("missing mail id in a success")

// table classifies the mails that SES did not accept. Codes come first: SES
// reports most faults with status 400. A permanent failure needs a person: an
// identity, a policy or an address has to be corrected.
var table = failure.Table{Service: "SES", Codes: codes, Rows: slices.Concat([]failure.Row{
	{Name: "too many requests", Match: awscall.Answered(http.StatusTooManyRequests,
		"TooManyRequestsException", "LimitExceededException", "Throttling", "ThrottlingException"),
		Kind: failure.Transient, Sentence: "too many mails to SES"},
	{Name: "paused", Match: awscall.Code("SendingPausedException"),
		Kind: failure.Transient, Sentence: "SES has paused the account's mails"},
	{Name: "stale signature", Match: awscall.Code("ExpiredToken", "ExpiredTokenException", "RequestExpired"),
		Kind: failure.Transient, Sentence: "SES rejected the request: expired credentials or clock skew"},
	{Name: "rejected", Match: awscall.Code("MessageRejected"),
		Kind: failure.Permanent, Sentence: "SES rejected the mail"},
	{Name: "sender not verified", Match: awscall.Code("MailFromDomainNotVerifiedException"),
		Kind: failure.Permanent, Sentence: "SES has not verified the sender's domain", Refused: true},
	{Name: "suspended", Match: awscall.Code("AccountSuspendedException"),
		Kind: failure.Permanent, Sentence: "SES has suspended the account", Refused: true},
	{Name: "SES failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "SES failed"},
	{Name: "try again", Match: awscall.Answered(http.StatusRequestTimeout, "ConcurrentModificationException"),
		Kind: failure.Transient, Sentence: "SES asked for a retry"},
	{Name: "denied", Match: awscall.Answered(http.StatusForbidden, "AccessDeniedException", "NotAuthorized"),
		Kind: failure.Permanent, Sentence: "SES denied access", Refused: true},
	{Name: "any other 4xx", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "SES refused the mail"},
	{Name: "unconfirmed", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errUnconfirmed) },
		Kind: failure.Transient, Sentence: "SES did not confirm the mail"},
}, awscall.Rest("SES"))}

// codes are safe to use in a sentence; any other text may contain anything. They come from
// SendEmail and from AWS's list for all services.
var codes = []string{
	"AccountSuspendedException", "BadRequestException", "InternalServiceErrorException", "LimitExceededException",
	"MailFromDomainNotVerifiedException", "MessageRejected", "NotFoundException", "SendingPausedException",
	"TooManyRequestsException",
	"AccessDeniedException", "ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId",
	"InvalidSignatureException", "NotAuthorized", "RequestExpired", "ServiceUnavailable", "SignatureDoesNotMatch",
	"Throttling", "ThrottlingException", "UnrecognizedClientException", "ValidationException",
}

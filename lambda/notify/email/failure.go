package email

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// mishap is what went wrong with a mail. It never leaves this package: its
// error may hold anything, and is only looked at.
type mishap struct {
	status      int           // of the answer; 0 if there was none
	code        string        // of SES or of what guards it
	wait        time.Duration // what SES asks for
	ended       error         // of the caller's context, if that is why
	err         error         // of the SDK
	unconfirmed bool          // a success without the mail's id
	foreign     bool          // another service failed, before SES was asked
}

// met looks into an error of the SDK. An answer of another service, one that
// gives out credentials, is none of SES.
func met(err, ended error) *mishap {
	m := &mishap{ended: ended, err: err}
	var inner *smithy.OperationError
	for next := err; errors.As(next, &inner); next = inner.Err {
		m.foreign = inner.ServiceID != sesv2.ServiceID
	}
	if m.foreign {
		return m
	}
	var api interface{ ErrorCode() string } // smithy.APIError
	if errors.As(err, &api) {
		m.code = api.ErrorCode()
	}
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.Response != nil && response.Response.Response != nil {
		m.status = response.HTTPStatusCode()
		m.wait = notify.RetryAfter(response.Response.Header, time.Now())
	}
	return m
}

// row is a line of the table.
type row struct {
	name     string
	match    func(*mishap) bool
	kind     failure.Kind
	sentence string
	refused  bool // our credentials, or what they are allowed
}

// table says what each mishap means; the first row that fits decides. Codes
// come first: SES says most of what is wrong with status 400. A permanent
// failure is for people to mend: an identity, a policy, an address.
var table = []row{
	{name: "too many requests", match: answered(http.StatusTooManyRequests,
		"TooManyRequestsException", "LimitExceededException", "Throttling", "ThrottlingException"),
		kind: failure.Transient, sentence: "SES has too many mails"},
	{name: "paused", match: code("SendingPausedException"),
		kind: failure.Transient, sentence: "SES has paused the account's mails"},
	{name: "stale signature", match: code("ExpiredToken", "ExpiredTokenException", "RequestExpired"),
		kind: failure.Transient, sentence: "SES takes the credentials or the clock for stale"},
	{name: "rejected", match: code("MessageRejected"),
		kind: failure.Permanent, sentence: "SES rejected the mail"},
	{name: "sender not verified", match: code("MailFromDomainNotVerifiedException"),
		kind: failure.Permanent, sentence: "SES has not verified the sender's domain", refused: true},
	{name: "suspended", match: code("AccountSuspendedException"),
		kind: failure.Permanent, sentence: "SES has suspended the account", refused: true},
	{name: "SES failed", match: func(m *mishap) bool { return m.status/100 == 5 },
		kind: failure.Transient, sentence: "SES failed"},
	{name: "try again", match: answered(http.StatusRequestTimeout, "ConcurrentModificationException"),
		kind: failure.Transient, sentence: "SES wants to be told again"},
	{name: "denied", match: answered(http.StatusForbidden, "AccessDeniedException", "NotAuthorized"),
		kind: failure.Permanent, sentence: "SES denied access", refused: true},
	{name: "any other 4xx", match: func(m *mishap) bool { return m.status/100 == 4 },
		kind: failure.Permanent, sentence: "SES refused the mail"},
	{name: "redirect", match: func(m *mishap) bool { return m.status != 0 && m.status/100 != 2 },
		kind: failure.Transient, sentence: "SES neither answered nor failed"},

	{name: "stopped", match: func(m *mishap) bool { return errors.Is(m.ended, context.Canceled) },
		kind: failure.Transient, sentence: "stopped before it was done"},
	{name: "out of time", match: func(m *mishap) bool { return errors.Is(m.ended, context.DeadlineExceeded) },
		kind: failure.Transient, sentence: "out of time"},
	{name: "no credentials", match: func(m *mishap) bool { return m.foreign },
		kind: failure.Transient, sentence: "there are no AWS credentials to ask SES with"},
	{name: "too slow", match: func(m *mishap) bool {
		var n net.Error
		return errors.As(m.err, &n) && n.Timeout()
	}, kind: failure.Transient, sentence: "SES took too long"},
	{name: "answer that is none", match: func(m *mishap) bool { return m.status != 0 },
		kind: failure.Transient, sentence: "SES's answer cannot be read"},
	{name: "unconfirmed", match: func(m *mishap) bool { return m.unconfirmed },
		kind: failure.Transient, sentence: "SES did not confirm the mail"},
	{name: "no connection", match: func(m *mishap) bool {
		var send *smithyhttp.RequestSendError
		return errors.As(m.err, &send)
	}, kind: failure.Transient, sentence: "the connection to SES failed"},
}

func code(these ...string) func(*mishap) bool {
	return func(m *mishap) bool { return slices.Contains(these, m.code) }
}

func answered(status int, codes ...string) func(*mishap) bool {
	return func(m *mishap) bool { return m.status == status || slices.Contains(codes, m.code) }
}

// classify decides about a mishap. No error of it is wrapped.
func classify(table []row, m *mishap) *failure.Error {
	for _, r := range table {
		if !r.match(m) {
			continue
		}
		e := &failure.Error{Kind: r.kind, Sentence: r.sentence + m.detail(), Refused: r.refused}
		if r.kind == failure.Transient {
			e.RetryAfter = m.wait
		}
		return e
	}
	err := m.err
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return &failure.Error{Kind: failure.Transient, Sentence: fmt.Sprintf("unexpected error of SES (%T)", err)}
}

// detail is all that is told of an answer that was no success.
func (m *mishap) detail() string {
	switch {
	case m.status == 0 || m.status/100 == 2:
		return ""
	case !slices.Contains(codes, m.code):
		return fmt.Sprintf(" (HTTP %d)", m.status)
	}
	return fmt.Sprintf(" (HTTP %d, %s)", m.status, m.code)
}

// codes may be told; any other text may hold anything. They are those of
// SendEmail and those that AWS has for all of its services.
var codes = []string{
	"AccountSuspendedException", "BadRequestException", "InternalServiceErrorException", "LimitExceededException",
	"MailFromDomainNotVerifiedException", "MessageRejected", "NotFoundException", "SendingPausedException", "TooManyRequestsException",
	"AccessDeniedException", "ExpiredToken", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId",
	"InvalidSignatureException", "NotAuthorized", "RequestExpired", "ServiceUnavailable", "SignatureDoesNotMatch",
	"Throttling", "ThrottlingException", "UnrecognizedClientException", "ValidationException",
}

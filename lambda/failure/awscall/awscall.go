// Package awscall reads the errors of the AWS SDK as failed calls, and has the rows shared by
// the tables of AWS's services. Use it in an adapter for one of them.
package awscall

import (
	"errors"
	"slices"
	"time"

	"matchbook/lambda/failure"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

var errForeign = errors.New("unexpected error of another service before the call")

// Read returns an error of the SDK as a Call; ended is the error of the caller's context.
// service is the ServiceID of the SDK's package. The response of any other service, such as a
// source of credentials, doesn't count as one of this service.
func Read(service string, err, ended error, longest time.Duration) *failure.Call {
	c := &failure.Call{Ended: ended, Network: err}
	var inner *smithy.OperationError
	foreign := false
	for next := err; errors.As(next, &inner); next = inner.Err {
		foreign = inner.ServiceID != service
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
		c.Wait, _ = failure.RetryAfter(response.Response.Header, time.Now(), longest)
	}
	return c
}

// Code returns a Match for responses with one of these codes.
func Code(these ...string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return slices.Contains(these, c.Code) }
}

// Answered returns a Match for responses with the status, or one of the codes.
func Answered(status int, codes ...string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return c.Status == status || slices.Contains(codes, c.Code) }
}

// Rest returns the last rows of a table: for a redirect, and for calls without a readable
// response. The rows for codes must precede these and the rows for a status, because AWS
// reports most faults with status 400.
func Rest(service string) []failure.Row {
	return []failure.Row{
		{Name: "redirect", Match: (*failure.Call).ErrorStatus,
			Kind: failure.Transient, Sentence: "unexpected status from " + service},

		{Name: "stopped", Match: (*failure.Call).Stopped,
			Kind: failure.Transient, Sentence: "stopped before it was done"},
		{Name: "out of time", Match: (*failure.Call).OutOfTime,
			Kind: failure.Transient, Sentence: "out of time"},
		{Name: "no credentials", Match: func(c *failure.Call) bool { return errors.Is(c.Cause, errForeign) },
			Kind: failure.Transient, Sentence: "cannot get AWS credentials for " + service},
		{Name: "too slow", Match: (*failure.Call).TimedOut,
			Kind: failure.Transient, Sentence: service + " took too long", Away: true},
		{Name: "answer that cannot be read", Match: func(c *failure.Call) bool { return c.Status != 0 },
			Kind: failure.Transient, Sentence: "invalid response from " + service},
		{Name: "no connection", Match: func(c *failure.Call) bool {
			var send *smithyhttp.RequestSendError
			return errors.As(c.Network, &send)
		}, Kind: failure.Transient, Sentence: "connection to " + service + " failed", Away: true},
	}
}

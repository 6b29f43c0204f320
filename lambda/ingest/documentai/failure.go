package documentai

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/failure"
)

const (
	maxAnswer = 64 << 20 // bytes; fifteen dense pages need a few
	maxError  = 64 << 10
	maxWait   = 12 * time.Hour // since a queue can't hide a message for longer
)

// fault is a fault of a received answer.
type fault int

const (
	notDecodable fault = iota
	otherPages
	malformed
)

// Error implements error, so that a fault can be the cause of a failure.Call.
func (fault) Error() string { return "fault" }

// errToken marks the failures of the token server.
var errToken = errors.New("missing token")

// send sends a request and returns the body of a 2xx response.
func send(web *http.Client, r *http.Request, code func([]byte) (string, time.Duration)) ([]byte, *failure.Call) {
	ctx := r.Context()
	resp, err := web.Do(r)
	if err != nil {
		return nil, &failure.Call{Ended: ctx.Err(), Network: err}
	}
	defer resp.Body.Close()
	c := &failure.Call{Status: resp.StatusCode}
	if resp.StatusCode/100 != 2 { // the status decides, even if the body breaks off
		body, _ := failure.ReadBody(resp.Body, maxError)
		c.Code, c.Wait = code(body)
		if wait, ok := failure.RetryAfter(resp.Header, time.Now(), maxWait); ok {
			c.Wait = wait
		}
		return nil, c
	}
	body, err := failure.ReadBody(resp.Body, maxAnswer)
	if err != nil {
		c.Ended, c.Network = ctx.Err(), err
		return nil, c
	}
	return body, nil
}

// errorCode returns the reason of an error, otherwise its status, and the wait it asks for.
func errorCode(body []byte) (code string, wait time.Duration) {
	var e struct {
		Error struct {
			Status  string `json:"status"`
			Details []struct {
				Type   string `json:"@type"`
				Reason string `json:"reason"`
				Delay  string `json:"retryDelay"` // 30s
			} `json:"details"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &e) // without JSON the code is empty
	code = e.Error.Status
	for _, d := range e.Error.Details {
		switch strings.TrimPrefix(d.Type, "type.googleapis.com/google.rpc.") {
		case "ErrorInfo":
			if slices.Contains(codes, d.Reason) {
				code = d.Reason
			}
		case "RetryInfo":
			wait, _ = failure.ParseWait(strings.TrimSuffix(d.Delay, "s"), time.Second, maxWait)
		}
	}
	return code, wait
}

func tokenCode(body []byte) (string, time.Duration) {
	var e struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &e)
	return e.Error, 0
}

const pageLimit = "PAGE_LIMIT_EXCEEDED"

// codes are safe to use in a sentence; any other text may hold anything. They are the codes of
// google.rpc, the reasons for a refusal, and the errors of OAuth.
var codes = []string{
	"ABORTED", "ALREADY_EXISTS", "CANCELLED", "DATA_LOSS", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "INTERNAL",
	"INVALID_ARGUMENT", "NOT_FOUND", "OUT_OF_RANGE", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED",
	"UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN",
	"ACCESS_TOKEN_EXPIRED", "BILLING_DISABLED", "CONSUMER_INVALID", "IAM_PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED",
	"SERVICE_DISABLED", pageLimit,
	"invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "unauthorized_client",
}

func code(this string) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return c.Code == this }
}

func is(cause error) func(*failure.Call) bool {
	return func(c *failure.Call) bool { return errors.Is(c.Cause, cause) }
}

// table classifies failed requests.
var table = failure.Table{Service: "Document AI", Codes: codes, Rows: slices.Concat([]failure.Row{
	{Name: "too many requests", Match: failure.Status(http.StatusTooManyRequests),
		Kind: failure.Transient, Sentence: "too many requests to Document AI"},
	{Name: "failed", Match: (*failure.Call).ServerError,
		Kind: failure.Transient, Sentence: "Document AI failed", Away: true},
	{Name: "try again", Match: failure.Status(http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly,
		statusCancelled), Kind: failure.Transient, Sentence: "Document AI asked to retry"},
	{Name: "no token", Match: func(c *failure.Call) bool { return is(errToken)(c) && c.ClientError() },
		Kind: failure.Permanent, Sentence: "Google rejected the service account's key", Refused: true},
	{Name: "denied", Match: failure.Status(http.StatusUnauthorized, http.StatusForbidden),
		Kind: failure.Permanent, Sentence: "Document AI denied access", Refused: true},
	{Name: "no processor", Match: failure.Status(http.StatusNotFound),
		Kind: failure.Permanent, Sentence: "unknown Document AI processor"},
	{Name: "too large", Match: failure.Status(http.StatusRequestEntityTooLarge),
		Kind: failure.Permanent, Sentence: "file is too large for Document AI"},
	{Name: "too many pages", Match: code(pageLimit),
		Kind: failure.Permanent, Sentence: "file has too many pages for one request to Document AI"},
	{Name: "not ready", Match: code("FAILED_PRECONDITION"),
		Kind: failure.Permanent, Sentence: "Document AI processor is disabled or not deployed"},
	{Name: "bad document", Match: (*failure.Call).ClientError,
		Kind: failure.Permanent, Sentence: "Document AI cannot read the file"},
	{Name: "redirect", Match: (*failure.Call).ErrorStatus,
		Kind: failure.Transient, Sentence: "unexpected status from Document AI"},
}, failure.Unanswered("Document AI"), []failure.Row{
	{Name: "bad token", Match: is(errToken),
		Kind: failure.Transient, Sentence: "Google's answer is missing the token for Document AI"},
	{Name: "no JSON", Match: is(notDecodable),
		Kind: failure.Transient, Sentence: "Document AI's answer cannot be decoded"},
	{Name: "other pages", Match: is(otherPages),
		Kind: failure.Transient, Sentence: "Document AI's answer has other pages than the request"},
	{Name: "malformed", Match: is(malformed),
		Kind: failure.Transient, Sentence: "Document AI's answer has a line without text or place"},
})}

const statusCancelled = 499

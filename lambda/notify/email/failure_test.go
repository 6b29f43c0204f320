package email

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/notifytest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const (
	transient = failure.Transient
	permanent = failure.Permanent

	secretFrom = "hidden.sender@example.com"
	secretTo   = "hidden.first@example.com"
	secretName = "Hidden Second"
	secretBody = "Hidden <answer> & \"naïve\""
	secretKey  = "HiddenAccessKey"
)

var secrets = []string{secretFrom, secretTo, secretName, secretBody, "Hidden <answer>", secretKey, "hidden.second"}

// client is a real one, of a server here.
func client(url string) *sesv2.Client {
	return sesv2.New(sesv2.Options{
		Region: "eu-central-1", BaseEndpoint: &url,
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			}},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: secretKey, SecretAccessKey: secretKey}, nil
		}),
	})
}

func config() Config {
	return Config{From: "Matchbook <" + secretFrom + ">",
		To: secretTo + ", " + secretName + " <hidden.second@example.com>"}
}

type exchange = failuretest.Exchange[func(*sesv2.Client) API] // nil for the client

func post(t *testing.T, x exchange) (*failure.Call, []any) {
	t.Helper()
	serve, asked := x.Serve, atomic.Int32{}
	x.Serve = func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			t.Errorf("%s: asked again", x.Name)
		}
		serve(w, r)
	}
	c, sdk := config(), client(x.URL(t))
	c.Timeout = x.Timeout()
	var api API = sdk
	if x.With != nil {
		api = x.With(sdk)
	}
	s := must.Get(New(api, c))(t)
	return s.post(failuretest.Context(t, x.Within), s.input(notifytest.Messages()["one"])), []any{s, struct{ s *Sender }{s}}
}

// says makes a response like SES's; code is the type of the error.
func says(status int, code, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if code != "" {
			w.Header().Set("X-Amzn-Errortype", code)
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func refuses(status int, code string, headers ...string) http.HandlerFunc {
	message, _ := json.Marshal("Email address is not verified: " + secretTo + " " + secretBody)
	return says(status, code, `{"message":`+string(message)+`}`, headers...)
}

// broken is an API that fails before it asks.
type broken struct{ *sesv2.Client }

func (broken) SendEmail(context.Context, *sesv2.SendEmailInput, ...func(*sesv2.Options)) (*sesv2.SendEmailOutput,
	error) {
	return nil, fmt.Errorf("operation error SESv2: %w", errors.New(secretBody))
}

// uncredentialed is an API whose credentials another service refuses.
type uncredentialed struct{ *sesv2.Client }

func (uncredentialed) SendEmail(context.Context, *sesv2.SendEmailInput,
	...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error) {
	answer := &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Retry-After": {"30"}}}}, Err: errors.New(secretBody)}
	return nil, &smithy.OperationError{ServiceID: sesv2.ServiceID, OperationName: "SendEmail",
		Err: fmt.Errorf("get identity: %w",
			&smithy.OperationError{ServiceID: "ec2imds", OperationName: "GetMetadata", Err: answer})}
}

func mailed(w http.ResponseWriter, r *http.Request) { says(200, "", `{"MessageId":"1"}`)(w, r) }

func failures() []exchange {
	const (
		busy     = "too many mails to SES"
		stale    = "SES rejected the request: expired credentials or clock skew"
		denied   = "SES denied access (HTTP 403, "
		refused  = "SES refused the mail"
		noAnswer = "invalid response from SES"
	)
	cases := []exchange{
		{Name: "429", Serve: refuses(429, "TooManyRequestsException"), Want: busy +
			" (HTTP 429, TooManyRequestsException)"},
		{Name: "429 with seconds", Serve: refuses(429, secretBody, "Retry-After", "30"), Want: busy + " (HTTP 429)",
			Wait: 30 * time.Second},
		{Name: "429 with nonsense", Serve: refuses(429, "", "Retry-After", secretTo), Want: busy + " (HTTP 429)"},
		{Name: "throttled with status 400", Serve: refuses(400, "Throttling"), Want: busy + " (HTTP 400, Throttling)"},
		{Name: "limit", Serve: refuses(400, "LimitExceededException"), Want: busy +
			" (HTTP 400, LimitExceededException)"},
		{Name: "paused", Serve: refuses(400, "SendingPausedException"),
			Want: "SES has paused the account's mails (HTTP 400, SendingPausedException)"},
		{Name: "token expired", Serve: refuses(403, "ExpiredTokenException"), Want: stale +
			" (HTTP 403, ExpiredTokenException)"},
		{Name: "rejected", Serve: refuses(400, "MessageRejected", "Retry-After", "30"), Kind: permanent,
			Want: "SES rejected the mail (HTTP 400, MessageRejected)"},
		{Name: "not verified", Serve: refuses(400, "MailFromDomainNotVerifiedException:http://internal.amazon.com/"),
			Kind: permanent,
			Want: "SES has not verified the sender's domain (HTTP 400, MailFromDomainNotVerifiedException)"},
		{Name: "suspended", Serve: refuses(400, "AccountSuspendedException"), Kind: permanent,
			Want: "SES has suspended the account (HTTP 400, AccountSuspendedException)"},
		{Name: "bad request", Serve: refuses(400, "BadRequestException"), Kind: permanent, Want: refused +
			" (HTTP 400, BadRequestException)"},
		{Name: "not found", Serve: refuses(404, "NotFoundException"), Kind: permanent, Want: refused +
			" (HTTP 404, NotFoundException)"},
		{Name: "400 of something", Serve: refuses(400, secretName), Kind: permanent, Want: refused + " (HTTP 400)"},
		{Name: "access denied", Serve: refuses(403, "AccessDeniedException"), Kind: permanent, Want: denied +
			"AccessDeniedException)"},
		{Name: "signature", Serve: refuses(403, "SignatureDoesNotMatch"), Kind: permanent, Want: denied +
			"SignatureDoesNotMatch)"},
		{Name: "408", Serve: refuses(408, ""), Want: "SES asked for a retry (HTTP 408)"},
		{Name: "500", Serve: refuses(500, "InternalServiceErrorException"),
			Want: "SES failed (HTTP 500, InternalServiceErrorException)"},
		{Name: "502 with HTML", Serve: says(502, "", "<html>"+secretBody), Want: "SES failed (HTTP 502)"},
		{Name: "503 with seconds", Serve: refuses(503, "ServiceUnavailable", "Retry-After", "7"),
			Want: "SES failed (HTTP 503, ServiceUnavailable)", Wait: 7 * time.Second},
		{Name: "redirect", Serve: says(307, "", "", "Location", "/"+secretBody),
			Want: "unexpected status from SES (HTTP 307)"},
		{Name: "200 with HTML", Serve: says(200, "", "<html>"+secretBody), Want: noAnswer},
		{Name: "200 with other JSON", Serve: says(200, "", `{"MessageId":["`+secretTo+`"]}`), Want: noAnswer},
		{Name: "200 with nothing", Serve: says(200, "", `{}`), Want: "SES did not confirm the mail"},
		{Name: "closed in the body", Serve: failuretest.Hijacked("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{\"Mess", false), Want: noAnswer},
		{Name: "no credentials", Serve: mailed, With: func(c *sesv2.Client) API { return uncredentialed{c} },
			Want: "cannot get AWS credentials for SES"},
		{Name: "before it asks", Serve: mailed, With: func(c *sesv2.Client) API { return broken{c} },
			Want: "unexpected error of SES (*errors.errorString)"},
	}
	return append(cases, failuretest.Connections[func(*sesv2.Client) API]("SES", secretBody)...)
}

func TestSend(t *testing.T) {
	t.Parallel()
	m := notifytest.Messages()["one-hostile"]
	var got struct {
		FromEmailAddress string
		Destination      struct{ ToAddresses []string }
		Content          struct {
			Simple struct {
				Subject struct{ Data, Charset string }
				Body    struct {
					Text, Html struct{ Data, Charset string }
				}
			}
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.URL.Path != "/v2/email/outbound-emails" {
			t.Errorf("got %v for %s", err, r.URL)
		}
		mailed(w, r)
	}))
	t.Cleanup(server.Close)
	s := must.Get(New(client(server.URL), Config{From: "Müller <ops@example.com>", To: "a@example.com,B <b@example.com>"}))(t)
	if err := notify.Sender(s).Send(t.Context(), m); err != nil || s.Channel() != "email" {
		t.Fatal(err)
	}
	if got.FromEmailAddress != "=?utf-8?q?M=C3=BCller?= <ops@example.com>" ||
		!slices.Equal(got.Destination.ToAddresses, []string{"<a@example.com>", `"B" <b@example.com>`}) {
		t.Errorf("got %+v", got)
	}
	mail := got.Content.Simple
	for what, pair := range map[string][2]string{
		"subject": {mail.Subject.Data, subject(m)}, "text": {mail.Body.Text.Data, notify.Text(m)},
		"HTML":     {mail.Body.Html.Data, html(m)},
		"charsets": {mail.Subject.Charset + mail.Body.Text.Charset + mail.Body.Html.Charset, "UTF-8UTF-8UTF-8"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", what, pair[0], pair[1])
		}
	}
}

func TestSendFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(refuses(429, "TooManyRequestsException", "Retry-After", "5"))
	t.Cleanup(server.Close)
	s := must.Get(New(client(server.URL), config()))(t)
	want := failure.Failure{Kind: transient, Text: "too many mails to SES (HTTP 429, TooManyRequestsException)",
		RetryAfter: 5 * time.Second}
	if got := failure.Of(s.Send(t.Context(), notifytest.Messages()["test"])); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInvalidConfig(t *testing.T) {
	t.Parallel()
	const (
		noFrom = "sender: expected addresses like ops@example.com, Team <team@example.com>"
		noTo   = "recipients: expected addresses like ops@example.com, Team <team@example.com>"
	)
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{config(), ""},
		{Config{From: secretFrom, To: strings.Repeat(secretTo+", ", 49) + secretTo}, ""},
		{Config{From: secretFrom, To: strings.Repeat(secretTo+", ", 50) + secretTo}, "recipients: expected at most 50"},
		{Config{}, noFrom + "\n" + noTo},
		{Config{From: secretFrom + "," + secretTo, To: secretTo}, "sender: expected one address"},
		{Config{From: secretFrom, To: "hidden.second"}, noTo},
		{Config{From: secretFrom, To: secretTo + ",,"}, ""},
		{Config{From: secretFrom, To: secretTo + "; " + secretFrom}, noTo},
		{Config{From: secretFrom + "\r\nBcc: " + secretTo, To: secretTo}, noFrom},
		{Config{From: secretFrom, To: "hidden.second@müller.example"},
			"recipients: unsupported by SES: an address must be ASCII (use a domain's ASCII form)"},
		{Config{From: secretFrom, To: secretTo, Timeout: -1}, "timeout must not be negative"},
	} {
		s, err := New(&sesv2.Client{}, tc.c)
		failuretest.Configured(t, secrets, tc.c, s, err, tc.want)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	cases := failures()
	for i, x := range cases {
		cases[i].Refused = slices.ContainsFunc([]string{"denied access", "not verified", "suspended the account"},
			func(s string) bool { return strings.Contains(x.Want, s) })
	}
	failuretest.Run(t, table, secrets, cases, post)
}

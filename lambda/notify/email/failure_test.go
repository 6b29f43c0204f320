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

// exchange is a server that does something with a mail.
type exchange struct {
	name    string
	serve   http.HandlerFunc
	api     func(*sesv2.Client) API
	within  func(context.Context) (context.Context, context.CancelFunc)
	short   bool // our own timeout
	unbound bool // no server listens

	kind failure.Kind
	want string
	wait time.Duration
}

func (x exchange) happen(t *testing.T) (*Sender, *failure.Call) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			t.Errorf("%s: asked again", x.name)
		}
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client leaves
		x.serve(w, r)
	}))
	t.Cleanup(server.Close)
	if x.unbound {
		server.Close()
	}
	c := config()
	if x.short {
		c.Timeout = 100 * time.Millisecond
	}
	var api API = client(server.URL)
	if x.api != nil {
		api = x.api(client(server.URL))
	}
	s, err := New(api, c)
	if err != nil {
		t.Fatal(err)
	}
	ctx := failuretest.Context(t, x.within)
	return s, s.post(ctx, s.input(notifytest.Messages()["one"]))
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
		busy     = "SES has too many mails"
		stale    = "SES takes the credentials or the clock for stale"
		denied   = "SES denied access (HTTP 403, "
		refused  = "SES refused the mail"
		noAnswer = "SES's answer cannot be read"
		noWay    = "the connection to SES failed"
	)
	return []exchange{
		{name: "429", serve: refuses(429, "TooManyRequestsException"), want: busy +
			" (HTTP 429, TooManyRequestsException)"},
		{name: "429 with seconds", serve: refuses(429, secretBody, "Retry-After", "30"), want: busy + " (HTTP 429)",
			wait: 30 * time.Second},
		{name: "429 with nonsense", serve: refuses(429, "", "Retry-After", secretTo), want: busy + " (HTTP 429)"},
		{name: "throttled with status 400", serve: refuses(400, "Throttling"), want: busy + " (HTTP 400, Throttling)"},
		{name: "limit", serve: refuses(400, "LimitExceededException"), want: busy +
			" (HTTP 400, LimitExceededException)"},
		{name: "paused", serve: refuses(400, "SendingPausedException"),
			want: "SES has paused the account's mails (HTTP 400, SendingPausedException)"},
		{name: "token expired", serve: refuses(403, "ExpiredTokenException"), want: stale +
			" (HTTP 403, ExpiredTokenException)"},
		{name: "rejected", serve: refuses(400, "MessageRejected", "Retry-After", "30"), kind: permanent,
			want: "SES rejected the mail (HTTP 400, MessageRejected)"},
		{name: "not verified", serve: refuses(400, "MailFromDomainNotVerifiedException:http://internal.amazon.com/"),
			kind: permanent,
			want: "SES has not verified the sender's domain (HTTP 400, MailFromDomainNotVerifiedException)"},
		{name: "suspended", serve: refuses(400, "AccountSuspendedException"), kind: permanent,
			want: "SES has suspended the account (HTTP 400, AccountSuspendedException)"},
		{name: "bad request", serve: refuses(400, "BadRequestException"), kind: permanent, want: refused +
			" (HTTP 400, BadRequestException)"},
		{name: "not found", serve: refuses(404, "NotFoundException"), kind: permanent, want: refused +
			" (HTTP 404, NotFoundException)"},
		{name: "400 of something", serve: refuses(400, secretName), kind: permanent, want: refused + " (HTTP 400)"},
		{name: "access denied", serve: refuses(403, "AccessDeniedException"), kind: permanent, want: denied +
			"AccessDeniedException)"},
		{name: "signature", serve: refuses(403, "SignatureDoesNotMatch"), kind: permanent, want: denied +
			"SignatureDoesNotMatch)"},
		{name: "408", serve: refuses(408, ""), want: "SES asks for the mail again (HTTP 408)"},
		{name: "500", serve: refuses(500, "InternalServiceErrorException"),
			want: "SES failed (HTTP 500, InternalServiceErrorException)"},
		{name: "502 with HTML", serve: says(502, "", "<html>"+secretBody), want: "SES failed (HTTP 502)"},
		{name: "503 with seconds", serve: refuses(503, "ServiceUnavailable", "Retry-After", "7"),
			want: "SES failed (HTTP 503, ServiceUnavailable)", wait: 7 * time.Second},
		{name: "redirect", serve: says(307, "", "", "Location", "/"+secretBody),
			want: "SES neither answered nor failed (HTTP 307)"},
		{name: "200 with HTML", serve: says(200, "", "<html>"+secretBody), want: noAnswer},
		{name: "200 with other JSON", serve: says(200, "", `{"MessageId":["`+secretTo+`"]}`), want: noAnswer},
		{name: "200 with nothing", serve: says(200, "", `{}`), want: "SES did not confirm the mail"},
		{name: "closed", serve: failuretest.Hijacked("", false), want: noWay},
		{name: "no HTTP", serve: failuretest.Hijacked(secretBody, false), want: noWay},
		{name: "closed in the body", serve: failuretest.Hijacked("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{\"Mess", false), want: noAnswer},
		{name: "refused", serve: mailed, unbound: true, want: noWay},
		{name: "slow", serve: failuretest.Hangs(""), short: true, want: "SES took too long"},
		{name: "deadline of the caller", serve: failuretest.Hangs(""), within: failuretest.Deadline,
			want: "out of time"},
		{name: "stopped", serve: failuretest.Hangs(""), within: failuretest.Stopped,
			want: "stopped before it was done"},
		{name: "no credentials", serve: mailed, api: func(c *sesv2.Client) API { return uncredentialed{c} },
			want: "there are no AWS credentials to ask SES with"},
		{name: "before it asks", serve: mailed, api: func(c *sesv2.Client) API { return broken{c} },
			want: "unexpected error of SES (*errors.errorString)"},
	}
}

func TestAMailIsSent(t *testing.T) {
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
	s, err := New(client(server.URL), Config{From: "Müller <ops@example.com>", To: "a@example.com,B <b@example.com>"})
	if err != nil {
		t.Fatal(err)
	}
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

func TestAFailureIsAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(refuses(429, "TooManyRequestsException", "Retry-After", "5"))
	t.Cleanup(server.Close)
	s, err := New(client(server.URL), config())
	if err != nil {
		t.Fatal(err)
	}
	want := failure.Failure{Kind: transient, Text: "SES has too many mails (HTTP 429, TooManyRequestsException)",
		RetryAfter: 5 * time.Second}
	if got := failure.Of(s.Send(t.Context(), notifytest.Messages()["test"])); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAWrongConfigurationIsReportedWithoutItsValues(t *testing.T) {
	t.Parallel()
	const (
		noFrom = "the sender: no list of addresses such as ops@example.com, Team <team@example.com>"
		noTo   = "the recipients: no list of addresses such as ops@example.com, Team <team@example.com>"
	)
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{config(), ""},
		{Config{From: secretFrom, To: strings.Repeat(secretTo+", ", 49) + secretTo}, ""},
		{Config{From: secretFrom, To: strings.Repeat(secretTo+", ", 50) + secretTo}, "the recipients: more than 50"},
		{Config{}, noFrom + "\n" + noTo},
		{Config{From: secretFrom + "," + secretTo, To: secretTo}, "the sender: not one address"},
		{Config{From: secretFrom, To: "hidden.second"}, noTo},
		{Config{From: secretFrom, To: secretTo + ",,"}, ""},
		{Config{From: secretFrom, To: secretTo + "; " + secretFrom}, noTo},
		{Config{From: secretFrom + "\r\nBcc: " + secretTo, To: secretTo}, noFrom},
		{Config{From: secretFrom, To: "hidden.second@müller.example"},
			"the recipients: an address that is not ASCII, which SES does not take (a domain has an ASCII form)"},
		{Config{From: secretFrom, To: secretTo, Timeout: -1}, "the timeout is negative"},
	} {
		s, err := New(&sesv2.Client{}, tc.c)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tc.want || (s == nil) != (err != nil) {
			t.Errorf("got %q, want %q", got, tc.want)
		}
		if found := failuretest.Leaks(secrets, tc.c, &tc.c, s, got); len(found) > 0 {
			t.Errorf("found: %q", found)
		}
	}
}

func TestEachFailureHasOneKindAWaitAndASafeSentence(t *testing.T) {
	t.Parallel()
	var cases []failuretest.Case
	for _, x := range failures() {
		refused := slices.ContainsFunc([]string{"denied access", "not verified", "suspended the account"},
			func(s string) bool { return strings.Contains(x.want, s) })
		cases = append(cases, failuretest.Case{Name: x.name, Fail: func(t *testing.T) (*failure.Call, []any) {
			s, failed := x.happen(t)
			return failed, []any{s, struct{ s *Sender }{s}}
		}, Want: failure.Error{Kind: x.kind, Sentence: x.want, RetryAfter: x.wait, Refused: refused}})
	}
	failuretest.Run(t, table, secrets, cases)
}

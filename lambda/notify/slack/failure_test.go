package slack

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/notifytest"
)

const (
	transient = failure.Transient
	permanent = failure.Permanent
	// The last part of a webhook's path is the secret; the other is a possible
	// text of an answer. Each has characters that are escaped.
	secretPath = "/services/T0HIDDEN/B0HIDDEN/Xx~Hidden+815"
	secretBody = "Hidden <answer> & \"naïve\""
)

var secrets = []string{secretPath, "T0HIDDEN", "Xx~Hidden+815", secretBody, "Hidden <answer>"}

type exchange = failuretest.Exchange[struct{}]

func post(t *testing.T, x exchange) (*failure.Call, []any) {
	t.Helper()
	s := must.Get(New(Config{WebhookURL: x.URL(t) + secretPath, Timeout: x.Timeout()}))(t)
	return s.post(failuretest.Context(t, x.Within), []byte("{}")), []any{s, *s, struct{ s Sender }{*s}}
}

func failures() []exchange {
	const (
		busy     = "too many messages to Slack (HTTP 429)"
		notOK    = "unexpected response from Slack: expected ok"
		brokeOff = "Slack's answer broke off"
		noWay    = "unknown webhook or channel at Slack"
		mayNot   = "Slack forbids this webhook to post"
	)
	cases := []exchange{
		{Name: "429 with seconds", Serve: failuretest.Says(429, "rate_limited", "Retry-After", "30"),
			Want: "too many messages to Slack (HTTP 429, rate_limited)", Wait: 30 * time.Second},
		{Name: "429 without", Serve: failuretest.Says(429, secretBody), Want: busy},
		{Name: "429 with nonsense", Serve: failuretest.Says(429, secretBody, "Retry-After", secretBody), Want: busy},
		{Name: "429 with a date", Serve: failuretest.Says(429, "", "Retry-After", "Mon, 02 Mar 2026 10:01:00 GMT",
			"Date", "Mon, 02 Mar 2026 10:00:00 GMT"), Want: busy, Wait: time.Minute},
		{Name: "500", Serve: failuretest.Says(500, "rollup_error"), Want: "Slack failed (HTTP 500, rollup_error)"},
		{Name: "502 with HTML", Serve: failuretest.Says(502, "<html>"+secretBody), Want: "Slack failed (HTTP 502)"},
		{Name: "503 with seconds", Serve: failuretest.Says(503, "", "Retry-After", "7"),
			Want: "Slack failed (HTTP 503)", Wait: 7 * time.Second},
		{Name: "408", Serve: failuretest.Says(408, ""), Want: "Slack asked for a retry (HTTP 408)"},
		{Name: "400", Serve: failuretest.Says(400, "invalid_payload"), Kind: permanent,
			Want: "Slack refused the message (HTTP 400, invalid_payload)"},
		{Name: "400 of something", Serve: failuretest.Says(400, secretBody, "Retry-After", "7"), Kind: permanent,
			Want: "Slack refused the message (HTTP 400)"},
		{Name: "401", Serve: failuretest.Says(401, ""), Kind: permanent, Want: mayNot + " (HTTP 401)"},
		{Name: "403", Serve: failuretest.Says(403, "action_prohibited\n"), Kind: permanent, Want: mayNot +
			" (HTTP 403, action_prohibited)"},
		{Name: "404", Serve: failuretest.Says(404, "no_service"), Kind: permanent, Want: noWay +
			" (HTTP 404, no_service)"},
		{Name: "410", Serve: failuretest.Says(410, "channel_is_archived"), Kind: permanent, Want: noWay +
			" (HTTP 410, channel_is_archived)"},
		{Name: "413", Serve: failuretest.Says(413, ""), Kind: permanent, Want: "Slack refused the message (HTTP 413)"},
		{Name: "redirect", Serve: failuretest.Says(302, "ok", "Location", "/"+secretBody),
			Want: "unexpected status from Slack (HTTP 302)"},
		{Name: "200 with HTML", Serve: failuretest.Says(200, "<html>"+secretBody), Want: notOK},
		{Name: "200 with nothing", Serve: failuretest.Says(200, ""), Want: notOK},
		{Name: "200, not quite ok", Serve: failuretest.Says(200, "okay"), Want: notOK},
		{Name: "204", Serve: failuretest.Says(204, ""), Want: notOK},
		{Name: "huge", Serve: failuretest.Says(200, "ok"+strings.Repeat(" ", 10<<20)),
			Want: "Slack's answer is too large"},
		{Name: "huge 500", Serve: failuretest.Says(500, strings.Repeat("x", 10<<20)), Want: "Slack failed (HTTP 500)"},
		{Name: "closed in the body", Serve: failuretest.Hijacked("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no",
			false), Want: brokeOff},
		{Name: "429 closed in the body", Serve: failuretest.Hijacked("HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: 9\r\n\r\no", true), Want: busy, Wait: 3 * time.Second},
		{Name: "slow in the body", Serve: failuretest.Hangs("o"), Short: true, Want: "Slack took too long"},
		{Name: "deadline of the caller, in the body", Serve: failuretest.Hangs("o"), Within: failuretest.Deadline,
			Want: "out of time"},
	}
	return append(cases, failuretest.Connections[struct{}]("Slack", secretBody)...)
}

func TestSend(t *testing.T) {
	t.Parallel()
	m := notifytest.Messages()["one"]
	for _, body := range []string{"ok", "ok\n"} {
		var posted atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			posted.Add(1)
			got, _ := io.ReadAll(r.Body)
			if string(got) != string(render(m)) || r.Method != http.MethodPost || r.URL.Path != secretPath ||
				r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("got %s %s %v %s", r.Method, r.URL, r.Header, got)
			}
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(server.Close)
		s := must.Get(New(Config{WebhookURL: " " + server.URL + secretPath + "\n"}))(t)
		if err := notify.Sender(s).Send(t.Context(), m); err != nil || posted.Load() != 1 || s.Channel() != "slack" {
			t.Errorf("%q: got %v after %d posts", body, err, posted.Load())
		}
	}
}

func TestSendFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(failuretest.Says(429, "", "Retry-After", "5"))
	t.Cleanup(server.Close)
	s := must.Get(New(Config{WebhookURL: server.URL}))(t)
	want := failure.Failure{Kind: transient, Text: "too many messages to Slack (HTTP 429)",
		RetryAfter: 5 * time.Second}
	if got := failure.Of(s.Send(t.Context(), notifytest.Messages()["test"])); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNoRedirect(t *testing.T) {
	t.Parallel()
	failuretest.NoRedirect(t, func(serve http.HandlerFunc) *failure.Call {
		call, _ := post(t, exchange{Serve: serve})
		return call
	})
}

func TestInvalidConfig(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{Config{WebhookURL: "https://hooks.slack.com" + secretPath}, ""},
		{Config{WebhookURL: "http://localhost:9" + secretPath}, ""},
		{Config{WebhookURL: "http://[::1]:9" + secretPath}, ""},
		{Config{}, "invalid webhook URL: expected https"},
		{Config{WebhookURL: secretPath}, "invalid webhook URL: expected https"},
		{Config{WebhookURL: "https://h ost" + secretPath}, "invalid webhook URL: expected https"},
		{Config{WebhookURL: "https://:443" + secretPath}, "invalid webhook URL: expected https"},
		{Config{WebhookURL: "ftp://hooks.slack.com" + secretPath}, "invalid webhook URL: expected https"},
		{Config{WebhookURL: "http://hooks.slack.com" + secretPath},
			"webhook URL must be https, because its URL would be readable in transit"},
		{Config{WebhookURL: "https://T0HIDDEN:x@hooks.slack.com"}, "webhook URL must not have a user or a fragment"},
		{Config{WebhookURL: "https://hooks.slack.com#T0HIDDEN"}, "webhook URL must not have a user or a fragment"},
		{Config{WebhookURL: "https://hooks.slack.com" + secretPath, Timeout: -1}, "timeout must not be negative"},
	} {
		s, err := New(tc.c)
		failuretest.Configured(t, secrets, tc.c, s, err, tc.want)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	cases := failures()
	for i, x := range cases {
		cases[i].Refused = strings.Contains(x.Want, "webhook")
	}
	failuretest.Run(t, table, secrets, cases, post)
}

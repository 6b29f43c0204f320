package slack

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/failuretest"
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

// exchange is a server that does something with a message.
type exchange struct {
	name    string
	serve   http.HandlerFunc
	within  func(context.Context) (context.Context, context.CancelFunc)
	short   bool // our own timeout
	unbound bool // no server listens

	kind failure.Kind
	want string
	wait time.Duration
}

func (x exchange) happen(t *testing.T) (*Sender, *failure.Call) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client leaves
		x.serve(w, r)
	}))
	t.Cleanup(server.Close)
	if x.unbound {
		server.Close()
	}
	c := Config{WebhookURL: server.URL + secretPath}
	if x.short {
		c.Timeout = 100 * time.Millisecond
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx := failuretest.Context(t, x.within)
	return s, s.post(ctx, []byte("{}"))
}

func failures() []exchange {
	const (
		busy     = "Slack has too many messages (HTTP 429)"
		notOK    = "Slack did not answer ok"
		broken   = "the connection to Slack failed"
		brokeOff = "Slack's answer broke off"
		tooSlow  = "Slack took too long"
		noWay    = "Slack knows no such webhook or channel"
		mayNot   = "Slack does not let the webhook write"
	)
	cases := []exchange{
		{name: "429 with seconds", serve: failuretest.Says(429, "rate_limited", "Retry-After", "30"),
			want: "Slack has too many messages (HTTP 429, rate_limited)", wait: 30 * time.Second},
		{name: "429 without", serve: failuretest.Says(429, secretBody), want: busy},
		{name: "429 with nonsense", serve: failuretest.Says(429, secretBody, "Retry-After", secretBody), want: busy},
		{name: "429 with a date", serve: failuretest.Says(429, "", "Retry-After", "Mon, 02 Mar 2026 10:01:00 GMT",
			"Date", "Mon, 02 Mar 2026 10:00:00 GMT"), want: busy, wait: time.Minute},
		{name: "500", serve: failuretest.Says(500, "rollup_error"), want: "Slack failed (HTTP 500, rollup_error)"},
		{name: "502 with HTML", serve: failuretest.Says(502, "<html>"+secretBody), want: "Slack failed (HTTP 502)"},
		{name: "503 with seconds", serve: failuretest.Says(503, "", "Retry-After", "7"),
			want: "Slack failed (HTTP 503)", wait: 7 * time.Second},
		{name: "408", serve: failuretest.Says(408, ""), want: "Slack asks for the message again (HTTP 408)"},
		{name: "400", serve: failuretest.Says(400, "invalid_payload"), kind: permanent,
			want: "Slack refused the message (HTTP 400, invalid_payload)"},
		{name: "400 of something", serve: failuretest.Says(400, secretBody, "Retry-After", "7"), kind: permanent,
			want: "Slack refused the message (HTTP 400)"},
		{name: "401", serve: failuretest.Says(401, ""), kind: permanent, want: mayNot + " (HTTP 401)"},
		{name: "403", serve: failuretest.Says(403, "action_prohibited\n"), kind: permanent, want: mayNot +
			" (HTTP 403, action_prohibited)"},
		{name: "404", serve: failuretest.Says(404, "no_service"), kind: permanent, want: noWay +
			" (HTTP 404, no_service)"},
		{name: "410", serve: failuretest.Says(410, "channel_is_archived"), kind: permanent, want: noWay +
			" (HTTP 410, channel_is_archived)"},
		{name: "413", serve: failuretest.Says(413, ""), kind: permanent, want: "Slack refused the message (HTTP 413)"},
		{name: "redirect", serve: failuretest.Says(302, "ok", "Location", "/"+secretBody),
			want: "Slack neither answered nor failed (HTTP 302)"},
		{name: "200 with HTML", serve: failuretest.Says(200, "<html>"+secretBody), want: notOK},
		{name: "200 with nothing", serve: failuretest.Says(200, ""), want: notOK},
		{name: "200, not quite ok", serve: failuretest.Says(200, "okay"), want: notOK},
		{name: "204", serve: failuretest.Says(204, ""), want: notOK},
		{name: "huge", serve: failuretest.Says(200, "ok"+strings.Repeat(" ", 10<<20)),
			want: "Slack's answer is too large"},
		{name: "huge 500", serve: failuretest.Says(500, strings.Repeat("x", 10<<20)), want: "Slack failed (HTTP 500)"},
		{name: "closed", serve: failuretest.Hijacked("", false), want: broken},
		{name: "reset", serve: failuretest.Hijacked("", true), want: broken},
		{name: "no HTTP", serve: failuretest.Hijacked(secretBody, false), want: broken},
		{name: "closed in the body", serve: failuretest.Hijacked("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no",
			false), want: brokeOff},
		{name: "429 closed in the body", serve: failuretest.Hijacked("HTTP/1.1 429 No\r\nRetry-After: 3\r\nContent-Length: 9\r\n\r\no", true), want: busy, wait: 3 * time.Second},
		{name: "refused", serve: failuretest.Says(200, "ok"), unbound: true, want: broken},
		{name: "slow", serve: failuretest.Hangs(""), short: true, want: tooSlow},
		{name: "slow in the body", serve: failuretest.Hangs("o"), short: true, want: tooSlow},
		{name: "deadline of the caller", serve: failuretest.Hangs(""), within: failuretest.Deadline,
			want: "out of time"},
		{name: "deadline of the caller, in the body", serve: failuretest.Hangs("o"), within: failuretest.Deadline,
			want: "out of time"},
		{name: "stopped", serve: failuretest.Hangs(""), within: failuretest.Stopped,
			want: "stopped before it was done"},
	}
	return cases
}

func TestAMessageIsPosted(t *testing.T) {
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
		s, err := New(Config{WebhookURL: " " + server.URL + secretPath + "\n"})
		if err != nil {
			t.Fatal(err)
		}
		if err := notify.Sender(s).Send(t.Context(), m); err != nil || posted.Load() != 1 || s.Channel() != "slack" {
			t.Errorf("%q: got %v after %d posts", body, err, posted.Load())
		}
	}
}

func TestAFailureIsAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(failuretest.Says(429, "", "Retry-After", "5"))
	t.Cleanup(server.Close)
	s, err := New(Config{WebhookURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	want := failure.Failure{Kind: transient, Text: "Slack has too many messages (HTTP 429)",
		RetryAfter: 5 * time.Second}
	if got := failure.Of(s.Send(t.Context(), notifytest.Messages()["test"])); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		if _, m := (exchange{serve: failuretest.Says(status, "ok", "Location", other.URL)}).happen(t); m == nil ||
			m.Status != status {
			t.Errorf("got %+v, want a failure with status %d", m, status)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d messages reached the other host", n)
	}
}

func TestAWrongConfigurationIsReportedWithoutItsValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		c    Config
		want string
	}{
		{Config{WebhookURL: "https://hooks.slack.com" + secretPath}, ""},
		{Config{WebhookURL: "http://localhost:9" + secretPath}, ""},
		{Config{WebhookURL: "http://[::1]:9" + secretPath}, ""},
		{Config{}, "the webhook is not an https URL"},
		{Config{WebhookURL: secretPath}, "the webhook is not an https URL"},
		{Config{WebhookURL: "https://h ost" + secretPath}, "the webhook is not an https URL"},
		{Config{WebhookURL: "https://:443" + secretPath}, "the webhook is not an https URL"},
		{Config{WebhookURL: "ftp://hooks.slack.com" + secretPath}, "the webhook is not an https URL"},
		{Config{WebhookURL: "http://hooks.slack.com" + secretPath},
			"the webhook is not https: its URL would be readable on its way"},
		{Config{WebhookURL: "https://T0HIDDEN:x@hooks.slack.com"}, "the webhook's URL holds a user or a fragment"},
		{Config{WebhookURL: "https://hooks.slack.com#T0HIDDEN"}, "the webhook's URL holds a user or a fragment"},
		{Config{WebhookURL: "https://hooks.slack.com" + secretPath, Timeout: -1}, "the timeout is negative"},
	} {
		s, err := New(tc.c)
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
		cases = append(cases, failuretest.Case{Name: x.name, Fail: func(t *testing.T) (*failure.Call, []any) {
			s, failed := x.happen(t)
			return failed, []any{s, *s, struct{ s Sender }{*s}}
		}, Want: failure.Error{Kind: x.kind, Sentence: x.want, RetryAfter: x.wait, Refused: strings.Contains(x.want, "webhook")}})
	}
	failuretest.Run(t, table, secrets, cases)
}

// Package slack tells failures in a Slack channel, by an incoming webhook. It
// says what every answer of Slack means, in one table (failure.go).
//
// The webhook's URL is the secret: whoever has it may write to the channel. It
// is in no error, no log and nothing that prints a Config or a Sender, and no
// redirect carries a message elsewhere.
//
// A message is text to Slack, whoever wrote it: & < > are escaped, which is
// what Slack wants and all that it takes, so that no sentence and no tenant's
// name mentions a channel or a person (<!channel>, <@U012>) or disguises a
// link. What only formats, such as *, is left alone.
package slack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"matchbook/lambda/notify"
)

const (
	defaultTimeout = 5 * time.Second
	maxBody        = 4 << 10 // bytes of an answer: Slack says a word
)

var errTooLarge = errors.New("larger than the limit")

// Config says where to write.
type Config struct {
	// WebhookURL is https://hooks.slack.com/services/...; any server that takes
	// the same messages will do. It is https, but on this machine.
	WebhookURL string `json:"-"`
	// Timeout is for a message, from the connection to the end of the answer;
	// 0 is 5 s.
	Timeout time.Duration
}

// Format keeps the URL out of whatever prints a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "slack.Config") }

// Sender implements notify.Sender.
type Sender struct {
	client *http.Client
	// A function, for there is no verb that prints what one holds.
	webhook func() string
}

// New checks the configuration, without a request; the error holds no value
// of it.
func New(c Config) (*Sender, error) {
	u, err := url.Parse(strings.TrimSpace(c.WebhookURL))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the webhook is no https URL") // without err, which quotes it
	}
	if u.Scheme == "http" && !isLocal(u.Hostname()) {
		return nil, errors.New("the webhook is not https: its URL would be readable on its way")
	}
	if u.User != nil || u.Fragment != "" {
		return nil, errors.New("the webhook's URL holds a user or a fragment")
	}
	if c.Timeout < 0 {
		return nil, errors.New("the timeout is negative")
	}
	webhook := u.String()
	return &Sender{
		client: &http.Client{
			Timeout:       cmp.Or(c.Timeout, defaultTimeout),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			// A connection per message: a kept one may have died while the function
			// was frozen, and net/http logs what arrives on one that waits. No
			// Proxy: the one of the environment is not asked for.
			Transport: &http.Transport{DisableKeepAlives: true},
		},
		webhook: func() string { return webhook },
	}, nil
}

// isLocal reports whether the host is this machine, where a receiver for
// trials and tests may listen.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Format keeps the URL out of whatever prints a Sender.
func (*Sender) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "slack.Sender") }

// Channel implements notify.Sender.
func (*Sender) Channel() string { return "slack" }

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Message) error {
	if mishap := s.post(ctx, render(m)); mishap != nil {
		return classify(table, mishap)
	}
	return nil
}

// post reads the answer to its end: 200 alone is what any page would say.
func (s *Sender) post(ctx context.Context, message []byte) *mishap {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.webhook(), bytes.NewReader(message))
	if err != nil {
		return &mishap{network: err}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := s.client.Do(req)
	if err != nil {
		return &mishap{ended: ctx.Err(), network: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	said := strings.TrimSpace(string(body))
	m := &mishap{status: resp.StatusCode, code: code(said), wait: notify.RetryAfter(resp.Header, time.Now())}
	switch {
	case resp.StatusCode/100 != 2: // its status decides, even if the body breaks off
		return m
	case err != nil:
		m.ended, m.network = ctx.Err(), err
		return m
	case said != "ok":
		return m
	}
	return nil
}

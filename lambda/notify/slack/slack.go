// Package slack sends failures to a Slack channel, by an incoming webhook. It
// classifies every answer of Slack in one table (failure.go).
//
// The webhook's URL is the secret: with it, anyone may write to the channel. No
// error, log or printed Config or Sender contains it, and no redirect carries a
// message elsewhere.
//
// A message is text to Slack, whatever its origin: & < > are escaped, as Slack
// asks, and nothing else may be, so that no sentence and no tenant's name
// mentions a channel or a person (<!channel>, <@U012>) or disguises a link.
// Characters that only format, such as *, are left alone.
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

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"
)

const (
	defaultTimeout = 5 * time.Second
	maxBody        = 4 << 10 // bytes of an answer: Slack sends a word
)

// Config holds the address of the channel.
type Config struct {
	// WebhookURL is https://hooks.slack.com/services/...; any server that
	// accepts the same messages will do. It must be https, except on this
	// machine.
	WebhookURL string `json:"-"`
	// Timeout is for a message, from the connection to the end of the answer;
	// 0 is 5 s.
	Timeout time.Duration
}

// Format keeps the URL out of every way to print a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "slack.Config") }

// Sender implements notify.Sender.
type Sender struct {
	client *http.Client
	// A function, because no verb prints the values that one holds.
	webhook func() string
}

// New checks the configuration, without a request; the error contains none of
// its values.
func New(c Config) (*Sender, error) {
	u, err := url.Parse(strings.TrimSpace(c.WebhookURL))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the webhook is not an https URL") // without err, which quotes it
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
			// was frozen, and net/http logs bytes that arrive on an idle one. No
			// Proxy: the environment's proxy is not used.
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

// Format keeps the URL out of every way to print a Sender.
func (*Sender) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "slack.Sender") }

// Channel implements notify.Sender.
func (*Sender) Channel() string { return "slack" }

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Message) error {
	if failed := s.post(ctx, render(m)); failed != nil {
		return table.Classify(failed)
	}
	return nil
}

// post reads the answer to its end: any page answers 200, but only Slack "ok".
func (s *Sender) post(ctx context.Context, message []byte) *failure.Call {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.webhook(), bytes.NewReader(message))
	if err != nil {
		return &failure.Call{Network: err}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := s.client.Do(req)
	if err != nil {
		return &failure.Call{Ended: ctx.Err(), Network: err}
	}
	defer resp.Body.Close()
	body, err := failure.ReadBody(resp.Body, maxBody)
	said := strings.TrimSpace(string(body))
	wait, _ := failure.RetryAfter(resp.Header, time.Now(), notify.MaxWait)
	c := &failure.Call{Status: resp.StatusCode, Code: code(said), Wait: wait}
	switch {
	case resp.StatusCode/100 != 2: // its status decides, even if the body breaks off
		return c
	case err != nil:
		c.Ended, c.Network = ctx.Err(), err
		return c
	case said != "ok":
		return c
	}
	return nil
}

// Package slack sends failures to a Slack channel, by an incoming webhook. One table
// classifies every answer of Slack (see failure.go).
//
// The webhook's URL is a secret, because anyone with it may write to the channel. So no error,
// log or printed Config or Sender contains it, and no redirect is followed.
//
// A message is untrusted text: it escapes & < >, as Slack requires, and must not escape
// anything else, so that no sentence and no tenant's name mentions a channel or a person
// (<!channel>, <@U012>) or disguises a link. Formatting characters, such as *, stay as they
// are.
package slack

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"
)

const maxBody = 4 << 10 // bytes of an answer: Slack sends one word

// Config holds the channel's address.
type Config struct {
	// WebhookURL is https://hooks.slack.com/services/..., or any server that accepts the same
	// messages. It must be https, except on this machine.
	WebhookURL string `json:"-"`
	// Timeout limits a message, from the connection to the end of the answer; 0 is 5 s.
	Timeout time.Duration
}

// Format hides the URL, however you print a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "slack.Config") }

// Sender implements notify.Sender. It is safe for concurrent use.
type Sender struct{ hook notify.Hook }

// New checks the configuration, without a request. The error never quotes its values.
func New(c Config) (*Sender, error) {
	hook, err := notify.NewHook(c.WebhookURL, "its URL would be readable in transit", c.Timeout)
	if err != nil {
		return nil, err
	}
	return &Sender{hook}, nil
}

// Format hides the URL, however you print a Sender.
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

// post reads the answer to its end, because any page may answer 200, but only Slack "ok".
func (s *Sender) post(ctx context.Context, message []byte) *failure.Call {
	resp, failed := s.hook.Post(ctx, message, map[string]string{"Content-Type": "application/json; charset=utf-8"})
	if failed != nil {
		return failed
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

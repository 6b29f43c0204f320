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
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"
)

const maxBody = 4 << 10 // bytes of an answer: Slack sends a word

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
type Sender struct{ hook notify.Hook }

// New checks the configuration, without a request; the error contains none of
// its values.
func New(c Config) (*Sender, error) {
	hook, err := notify.NewHook(c.WebhookURL, "its URL would be readable on its way", c.Timeout)
	if err != nil {
		return nil, err
	}
	return &Sender{hook}, nil
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

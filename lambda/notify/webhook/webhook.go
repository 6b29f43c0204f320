// Package webhook sends parcels to a receiver over HTTP. A request has the parcel's
// JSON, its id as the idempotency key, and a signature that Verify checks
// (signature.go). The package classifies every answer in one table
// (failure.go).
//
// The URL may hold a secret, and the key is one: no error, log or printed Config
// or Receiver contains them. No redirect carries a parcel elsewhere. The body of an
// answer is not read: its status decides.
package webhook

import (
	"context"
	"fmt"
	"io"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/outbox"
)

const (
	maxWait   = time.Hour // that a receiver may ask for
	minSecret = 16        // bytes
)

// Config holds the address of the receiver and the key of its signatures.
type Config struct {
	// URL must be https, except on this machine.
	URL string `json:"-"`
	// Secret is the key that the receiver knows too, 16 bytes or more.
	Secret string `json:"-"`
	// Timeout is for a parcel, from the connection to the answer; 0 is 5 s.
	Timeout time.Duration
}

// Format keeps the secrets out of every way to print a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhook.Config") }

// Receiver implements outbox.Receiver.
type Receiver struct {
	hook   notify.Hook
	now    func() time.Time
	secret func() string // a function, because no verb prints the values that one holds
}

// New checks the configuration, without a request; the error contains none of
// its values.
func New(c Config) (*Receiver, error) {
	hook, err := notify.NewHook(c.URL, "its parcels would be readable on their way", c.Timeout)
	if err != nil {
		return nil, err
	}
	if len(c.Secret) < minSecret {
		return nil, fmt.Errorf("the secret has fewer than %d bytes: a short one can be guessed", minSecret)
	}
	return &Receiver{hook, time.Now, func() string { return c.Secret }}, nil
}

// Format keeps the secrets out of every way to print a Receiver.
func (*Receiver) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhook.Receiver") }

// Send posts a parcel once, and returns nil if the receiver has accepted it. Its
// error is a *failure.Error. A transient one may hide that the parcel did arrive.
func (r *Receiver) Send(ctx context.Context, p outbox.Parcel) error {
	if failed := r.post(ctx, p.ID.String(), p.Body); failed != nil {
		return table.Classify(failed)
	}
	return nil
}

func (r *Receiver) post(ctx context.Context, key string, body []byte) *failure.Call {
	resp, failed := r.hook.Post(ctx, body, map[string]string{"Content-Type": "application/json", "User-Agent": "matchbook",
		KeyHeader: key, SignatureHeader: sign(r.secret(), r.now(), body)})
	if failed != nil {
		return failed
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return nil
	}
	wait, _ := failure.RetryAfter(resp.Header, r.now(), maxWait)
	return &failure.Call{Status: resp.StatusCode, Wait: wait}
}

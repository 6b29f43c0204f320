// Package webhook sends parcels to a receiver over HTTP. A request has the parcel's JSON, its
// id as the idempotency key, and a signature, in the headers of Standard Webhooks
// (standardwebhooks.com), so that a receiver can verify it with a ready library. One table
// classifies every answer (see failure.go).
//
// The URL may contain a secret, and the key is one, so no error, log or printed Config or
// Receiver shows them, and no redirect is followed. Only the status of an answer counts; its
// body isn't read.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/outbox"
)

const maxWait = time.Hour // the longest accepted Retry-After

// Config holds the receiver's address and the key for signatures.
type Config struct {
	// URL must be https, except on this machine.
	URL string `json:"-"`
	// Secret is shared with the receiver: whsec_ and the base64 of 24 to 64 bytes. While you
	// replace it, give the new and the old one, separated by a space: both sign.
	Secret string `json:"-"`
	// Timeout limits a parcel, from the connection to the answer; 0 is 5 s.
	Timeout time.Duration
}

// Format hides the secrets, however you print a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhook.Config") }

// Receiver implements outbox.Receiver.
type Receiver struct {
	hook notify.Hook
	now  func() time.Time
	keys func() [][]byte // a function, because no verb prints its variables
}

// New checks the configuration, without a request. The error never quotes its values.
func New(c Config) (*Receiver, error) {
	hook, err := notify.NewHook(c.URL, "its parcels would be readable in transit", c.Timeout)
	if err != nil {
		return nil, err
	}
	keys, err := keysOf(c.Secret)
	if err != nil {
		return nil, err
	}
	return &Receiver{hook, time.Now, func() [][]byte { return keys }}, nil
}

// Format hides the secrets, however you print a Receiver.
func (*Receiver) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "webhook.Receiver") }

// Send posts a parcel once, and returns nil if the receiver accepted it. Otherwise it returns
// a *failure.Error, joined with outbox.ErrGone after status 410. If it is transient, the parcel
// may still have arrived.
func (r *Receiver) Send(ctx context.Context, p outbox.Parcel) error {
	failed := r.post(ctx, p.ID.String(), p.Body)
	if failed == nil {
		return nil
	}
	err := table.Classify(failed)
	if failed.Status == http.StatusGone {
		return errors.Join(err, outbox.ErrGone)
	}
	return err
}

func (r *Receiver) post(ctx context.Context, id string, body []byte) *failure.Call {
	header := sign(r.keys(), id, r.now(), body)
	header["Content-Type"], header["User-Agent"] = "application/json", "matchbook"
	resp, failed := r.hook.Post(ctx, body, header)
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

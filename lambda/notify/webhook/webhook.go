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
	"matchbook/lambda/notify/outbox"
)

const (
	defaultTimeout = 5 * time.Second
	maxWait        = time.Hour // that a receiver may ask for
	minSecret      = 16        // bytes
	maxHeaders     = 64 << 10  // bytes of an answer's
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
	client *http.Client
	now    func() time.Time
	// Functions, because no verb prints the values that one holds.
	url    func() string
	secret func() string
}

// New checks the configuration, without a request; the error contains none of
// its values.
func New(c Config) (*Receiver, error) {
	u, err := url.Parse(strings.TrimSpace(c.URL))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the webhook is not an https URL") // without err, which quotes it
	}
	switch {
	case u.Scheme == "http" && !isLocal(u.Hostname()):
		return nil, errors.New("the webhook is not https: its parcels would be readable on their way")
	case u.User != nil || u.Fragment != "":
		return nil, errors.New("the webhook's URL holds a user or a fragment")
	case len(c.Secret) < minSecret:
		return nil, fmt.Errorf("the secret has fewer than %d bytes: a short one can be guessed", minSecret)
	case c.Timeout < 0:
		return nil, errors.New("the timeout is negative")
	}
	address, secret := u.String(), c.Secret
	return &Receiver{
		client: &http.Client{
			Timeout:       cmp.Or(c.Timeout, defaultTimeout),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			// A connection for each parcel: a kept one may have died while the function was
			// frozen, and net/http logs bytes that arrive on an idle one. No Proxy: the
			// environment's proxy is not used.
			Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaders},
		},
		now:    time.Now,
		url:    func() string { return address },
		secret: func() string { return secret },
	}, nil
}

// isLocal reports whether the host is this machine, where a receiver for trials
// and tests may listen.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url(), bytes.NewReader(body))
	if err != nil {
		return &failure.Call{Network: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "matchbook")
	req.Header.Set(KeyHeader, key)
	req.Header.Set(SignatureHeader, sign(r.secret(), r.now(), body))
	resp, err := r.client.Do(req)
	if err != nil {
		return &failure.Call{Ended: ctx.Err(), Network: err}
	}
	_ = resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		return nil
	}
	wait, _ := failure.RetryAfter(resp.Header, r.now(), maxWait)
	return &failure.Call{Status: resp.StatusCode, Wait: wait}
}

package notify

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
)

const (
	hookTimeout = 5 * time.Second
	maxHeaders  = 64 << 10 // bytes of an answer's
)

// Hook is a URL to which messages are posted. It is a secret: no error and no way to
// print a Hook shows it, and no redirect carries a message elsewhere.
type Hook struct {
	client *http.Client
	// A function, because no verb prints the values that one holds.
	url func() string
}

// NewHook checks a URL, without a request; the error contains nothing of it. The URL
// must be https, except on this machine: readable completes the reason. The timeout is
// for a message, from the connection to the end of the answer; 0 is 5 s.
func NewHook(address, readable string, timeout time.Duration) (Hook, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return Hook{}, errors.New("the webhook is not an https URL") // without err, which quotes it
	}
	ip := net.ParseIP(u.Hostname()) // a receiver for trials and tests may listen on this machine
	isLocal := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.Scheme == "http" && !isLocal:
		return Hook{}, fmt.Errorf("the webhook is not https: %s", readable)
	case u.User != nil || u.Fragment != "":
		return Hook{}, errors.New("the webhook's URL holds a user or a fragment")
	case timeout < 0:
		return Hook{}, errors.New("the timeout is negative")
	}
	return Hook{url: u.String, client: &http.Client{
		Timeout:       cmp.Or(timeout, hookTimeout),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// A connection for each message: a kept one may have died while the function was
		// frozen, and net/http logs bytes that arrive on an idle one. No Proxy: the
		// environment's proxy is not used.
		Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaders},
	}}, nil
}

// Post posts a message once. The failed Call, without an answer, is nil when there is
// one, which the caller closes.
func (h Hook) Post(ctx context.Context, message []byte, header map[string]string) (*http.Response, *failure.Call) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url(), bytes.NewReader(message))
	if err != nil {
		return nil, &failure.Call{Network: err}
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, &failure.Call{Ended: ctx.Err(), Network: err}
	}
	return resp, nil
}

// Format keeps the URL out of every way to print a Hook.
func (Hook) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "notify.Hook") }

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
	maxHeaders  = 64 << 10 // bytes of an answer's headers
)

// Hook is a URL to post messages to. It is a secret, so no error and no way to print a Hook
// shows it, and no redirect is followed.
type Hook struct {
	client *http.Client
	// A function, because no verb prints its variables.
	url func() string
}

// NewHook checks a URL, without a request. It must be https, except on this machine; use
// readable to complete the reason in the error. The error never quotes the URL. timeout limits
// one message, from the connection to the end of the answer; 0 is 5 s.
func NewHook(address, readable string, timeout time.Duration) (Hook, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return Hook{}, errors.New("invalid webhook URL: expected https") // without err, since it quotes the URL
	}
	ip := net.ParseIP(u.Hostname()) // tests and trials may use a receiver on this machine
	isLocal := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.Scheme == "http" && !isLocal:
		return Hook{}, fmt.Errorf("webhook URL must be https, because %s", readable)
	case u.User != nil || u.Fragment != "":
		return Hook{}, errors.New("webhook URL must not have a user or a fragment")
	case timeout < 0:
		return Hook{}, errors.New("timeout must not be negative")
	}
	return Hook{url: u.String, client: &http.Client{
		Timeout:       cmp.Or(timeout, hookTimeout),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// One connection for each message: a kept one may have died while the function was
		// frozen, and net/http logs bytes that arrive on an idle one. No Proxy, so that the
		// environment's isn't used.
		Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaders},
	}}, nil
}

// Post posts a message once. It returns either a response, and you must close its body, or a
// Call.
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

// Format hides the URL, however you print a Hook.
func (Hook) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "notify.Hook") }

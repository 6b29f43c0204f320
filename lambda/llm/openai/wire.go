package openai

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
)

const (
	maxBody      = 4 << 20  // bytes of an answer, decompressed
	maxErrorBody = 64 << 10 // bytes of an error response; see refusal
)

// wire is the library's HTTP client. It reads every response to its end, and keeps the bodies
// of failures from the library, because the library's errors print them. It returns all errors
// as *failure.Call.
type wire struct {
	client *http.Client
	key    *key
	add    string // members for the front of the request, each followed by a comma
}

// Do sends a request of the library. A response other than 2xx is an error.
func (w *wire) Do(req *http.Request) (*http.Response, error) {
	if err := w.complete(req); err != nil {
		return nil, &failure.Call{Cause: err}
	}
	used := w.key.put(req.Header)
	resp, refused := w.send(req)
	if refused != nil && keyRefused(refused) && w.key.renewed(req.Context(), used) {
		resp, refused = w.again(req)
	}
	if refused != nil {
		return nil, refused
	}
	defer resp.Body.Close()
	body, err := failure.ReadBody(resp.Body, maxBody)
	if err != nil {
		return nil, &failure.Call{Status: resp.StatusCode, Ended: req.Context().Err(), Network: err}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// send sends the request. It returns only 2xx responses.
func (w *wire) send(req *http.Request) (*http.Response, *failure.Call) {
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, &failure.Call{Ended: req.Context().Err(), Network: err}
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, failed(resp)
	}
	return resp, nil
}

// again sends the request with the current key. It is still the same try, because the question
// wasn't asked yet.
func (w *wire) again(req *http.Request) (*http.Response, *failure.Call) {
	again := req.Clone(req.Context())
	var err error
	if again.Body, err = req.GetBody(); err != nil {
		return nil, &failure.Call{Cause: err}
	}
	w.key.put(again.Header)
	return w.send(again)
}

// keyRefused reports whether the server refused the key. Gemini uses HTTP 400
// (github.com/continuedev/continue/issues/10290), gateways 403.
func keyRefused(c *failure.Call) bool {
	return c.Status == http.StatusUnauthorized || c.Status == http.StatusForbidden || c.Code == badGoogleKey
}

// complete adds the members that the library can't send.
func (w *wire) complete(req *http.Request) error {
	if w.add == "" {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil || len(body) == 0 || body[0] != '{' {
		return errors.New("expected a JSON object as the library's request")
	}
	body = slices.Concat([]byte("{"+w.add), body[1:])
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, err = req.GetBody()
	return err
}

// failed turns a response other than 2xx into an error. Its status decides, even if the body
// breaks off.
func failed(resp *http.Response) *failure.Call {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	said := parseRefusal(body)
	return &failure.Call{
		Status: resp.StatusCode,
		Code:   said.code(resp.StatusCode),
		Wait:   askedToWait(resp.Header, resp.StatusCode, said, time.Now()),
	}
}

// httpClient follows no redirect, because that would carry the question, and Azure's key (in a
// header not known to net/http as a secret), to another host.
func httpClient(c Config) *http.Client {
	client := http.Client{Transport: transport()}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Timeout = cmp.Or(c.Timeout, client.Timeout, defaultTimeout)
	return &client
}

// transport makes a connection per request. A kept one may have died while the function was
// frozen, at the cost of a try and its wait, and a handshake is short compared with an answer.
// Also, net/http logs bytes that arrive on an idle connection.
func transport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		DisableKeepAlives:   true,
		// No Proxy, so that the environment's isn't used. No HTTP/2, since DialContext without
		// ForceAttemptHTTP2 turns it off.
	}
}

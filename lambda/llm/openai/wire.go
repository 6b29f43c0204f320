package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
)

const (
	maxBody      = 4 << 20  // bytes of an answer, unpacked
	maxErrorBody = 64 << 10 // bytes of a failure's; only the code is read
)

// wire is the library's HTTP client. It reads every response to its end, and
// keeps bodies of failures away from the library, whose errors print them.
// All its errors are of the type *failure.Call.
type wire struct {
	client *http.Client
	key    *key
	add    string // members for the front of the request, each with its comma
}

// Do sends a request of the library. A response other than 2xx is an error.
func (w *wire) Do(req *http.Request) (*http.Response, error) {
	if err := w.complete(req); err != nil {
		return nil, &failure.Call{Cause: err}
	}
	resp, err := w.send(req)
	if err != nil {
		return nil, &failure.Call{Ended: req.Context().Err(), Network: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, failed(resp)
	}
	body, err := failure.ReadBody(resp.Body, maxBody)
	if err != nil {
		return nil, &failure.Call{Status: resp.StatusCode, Ended: req.Context().Err(), Network: err}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// send sends the request; once more if its key was refused and there is another
// one by now. That is still the same try: the question was not asked yet.
func (w *wire) send(req *http.Request) (*http.Response, error) {
	used := w.key.put(req.Header)
	resp, err := w.client.Do(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !w.key.renewed(req.Context(), used) {
		return resp, err
	}
	_ = resp.Body.Close()
	again := req.Clone(req.Context())
	if again.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	w.key.put(again.Header)
	return w.client.Do(again)
}

// complete adds the members that the library cannot send.
func (w *wire) complete(req *http.Request) error {
	if w.add == "" {
		return nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil || len(body) == 0 || body[0] != '{' {
		return errors.New("the library's request is not a JSON object")
	}
	body = slices.Concat([]byte("{"+w.add), body[1:])
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, err = req.GetBody()
	return err
}

// failed turns a response other than 2xx into an error. Its status decides,
// even if the body breaks off.
func failed(resp *http.Response) *failure.Call {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return &failure.Call{
		Status: resp.StatusCode,
		Code:   code(body),
		Wait:   askedToWait(resp.Header, resp.StatusCode, time.Now()),
	}
}

// codes are the error codes that a sentence may contain; any other may hold
// anything.
var codes = []string{
	"insufficient_quota", "billing_hard_limit_reached", "rate_limit_exceeded",
	"invalid_api_key", "context_length_exceeded", "content_filter",
	"model_not_found", "DeploymentNotFound", "unsupported_parameter", "unsupported_value",
}

// code finds a known error code in the body of a failure: OpenAI's is at
// error.code, and sometimes in error.type only.
func code(body []byte) string {
	var answer struct {
		Error struct{ Code, Type any }
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	for _, said := range []any{answer.Error.Code, answer.Error.Type} {
		if s, ok := said.(string); ok && slices.Contains(codes, s) {
			return s
		}
	}
	return ""
}

// httpClient follows no redirect: it would carry the question, and Azure's key
// (in a header that net/http does not treat as a secret), to another host.
func httpClient(c Config) *http.Client {
	client := http.Client{Transport: transport()}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Timeout = cmp.Or(c.Timeout, client.Timeout, defaultTimeout)
	return &client
}

// transport makes a connection per request. A kept one may have died while the
// function was frozen, which costs a try and its wait; a handshake is short
// next to an answer. And net/http logs bytes that arrive on an idle connection.
func transport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		DisableKeepAlives:   true,
		// No Proxy: the environment's proxy is not used. No HTTP/2: DialContext
		// without ForceAttemptHTTP2 leaves it off.
	}
}

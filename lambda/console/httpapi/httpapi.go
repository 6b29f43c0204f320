// Package httpapi serves an http.Handler from a Lambda function behind an HTTP API of API
// Gateway. It reads events of payload format 2.0, and answers with whole responses, because
// API Gateway can't stream.
//
// Use an HTTP API if a function must know its own URL: the API's exists before the function. A
// function URL doesn't.
package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// MaxBody is the size of the largest body that certainly arrives, in bytes: an event has at most 6
// MB, and a body in it is Base64.
const MaxBody = 4 << 20

// Function is a Lambda handler for events of an HTTP API.
type Function func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// Wrap returns a Function serving h. Requests carry the URL used by the browser,
// https://HOST/path, with the API's host. A panic of h ends the invocation.
func Wrap(h http.Handler) Function {
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		r, err := request(ctx, e)
		if err != nil { // not from an HTTP API
			return events.APIGatewayV2HTTPResponse{}, err
		}
		w := &response{header: http.Header{}}
		h.ServeHTTP(w, r)
		return w.event(), nil
	}
}

func request(ctx context.Context, e events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	var body io.Reader = strings.NewReader(e.Body)
	if e.IsBase64Encoded {
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	address, err := url.ParseRequestURI(e.RawPath)
	if err != nil {
		address = &url.URL{Path: e.RawPath} // the event's path is decoded
	}
	address.Scheme, address.Host, address.RawQuery = "https", e.RequestContext.DomainName, e.RawQueryString
	r, err := http.NewRequestWithContext(ctx, e.RequestContext.HTTP.Method, address.String(), body)
	if err != nil {
		return nil, err
	}
	for name, value := range e.Headers {
		r.Header.Set(name, value)
	}
	if len(e.Cookies) > 0 { // this format keeps them apart
		r.Header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	r.RequestURI, r.RemoteAddr = address.RequestURI(), e.RequestContext.HTTP.SourceIP
	return r, nil
}

// response is an http.ResponseWriter keeping everything in memory.
type response struct {
	header http.Header
	sent   http.Header // frozen by WriteHeader
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader keeps the first status and the headers.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write appends to the body.
func (w *response) Write(part []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(part)
}

// event returns the response. The body is always Base64, because it may be a picture.
func (w *response) event() events.APIGatewayV2HTTPResponse {
	w.WriteHeader(http.StatusOK)
	e := events.APIGatewayV2HTTPResponse{StatusCode: w.status, Headers: map[string]string{}, IsBase64Encoded: true,
		Body: base64.StdEncoding.EncodeToString(w.body.Bytes()), Cookies: w.sent["Set-Cookie"]}
	for name, values := range w.sent {
		if name != "Set-Cookie" {
			e.Headers[name] = strings.Join(values, ",")
		}
	}
	e.Headers["Content-Type"] = cmp.Or(e.Headers["Content-Type"], http.DetectContentType(w.body.Bytes()))
	return e
}

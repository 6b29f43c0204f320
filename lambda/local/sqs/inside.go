package sqs

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// insideURL is the endpoint of a client within the process. Nothing resolves it.
const insideURL = "http://queues.invalid"

// Client returns an SDK client for s within the process. Its requests take no port, so no other
// program on the machine can send messages.
func (s *Server) Client() *sqs.Client {
	options := NewClient(insideURL).Options()
	options.HTTPClient = &http.Client{Transport: inside{s}}
	return sqs.New(options)
}

// inside hands a request to a handler as if it came over HTTP. The request's context ends the
// handler's too, as a closed connection would.
type inside struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (h inside) RoundTrip(r *http.Request) (response *http.Response, err error) {
	w := &recorded{header: http.Header{}, status: http.StatusOK}
	defer func() {
		if abort := recover(); abort == http.ErrAbortHandler { //nolint:errorlint // the value of net/http
			response, err = nil, fmt.Errorf("%s: connection lost", r.URL.Host)
		} else if abort != nil {
			panic(abort)
		}
	}()
	if r.Body != nil {
		defer r.Body.Close()
	}
	seen := r.Clone(r.Context())
	seen.Host = r.URL.Host // as net/http sets it for a server
	h.ServeHTTP(w, seen)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w.header.Set("Content-Length", strconv.Itoa(w.body.Len()))
	return &http.Response{Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r}, nil
}

// recorded is an http.ResponseWriter in memory.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorded) Header() http.Header { return w.header }

func (w *recorded) WriteHeader(status int) { w.status = status }

func (w *recorded) Write(p []byte) (int, error) { return w.body.Write(p) }

package lambdahost

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

const responseTooLarge = "Function.ResponseSizeTooLarge"

// api returns the Runtime API of one environment, and the part of the Extensions API used by
// lambda.WithEnableSIGTERM. https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
func (e *environment) api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", e.serveNext)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", e.serveResponse)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", e.serveError)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", e.serveInitError)
	mux.HandleFunc("POST /2020-01-01/extension/register", e.serveRegister)
	mux.HandleFunc("GET /2020-01-01/extension/event/next", e.serveExtensionNext)
	return mux
}

// postedError is an error as posted by a runtime and shown by Lambda.
type postedError struct {
	Message string `json:"errorMessage"`
	Type    string `json:"errorType"`
}

// serveNext blocks until there is an invocation.
func (e *environment) serveNext(w http.ResponseWriter, r *http.Request) {
	e.ask()
	var inv *invocation
	select {
	case inv = <-e.work:
	case <-r.Context().Done():
		return
	}
	e.handOut(inv)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:"+region+":000000000000:function:"+e.cfg.Name)
	h.Set("Lambda-Runtime-Trace-Id", traceID(inv))
	_, _ = w.Write(inv.payload) // on failure the process has ended, or will time out
}

// traceID returns an unsampled id, because local traces aren't collected.
func traceID(inv *invocation) string {
	hex := strings.ReplaceAll(inv.id, "-", "")
	return fmt.Sprintf("Root=1-%x-%s;Sampled=0", inv.deadline.Unix(), hex[:24])
}

func (e *environment) serveResponse(w http.ResponseWriter, r *http.Request) {
	if to := e.stream(r.PathValue("id")); to != nil {
		e.accept(w, r, nil, passOn(to, r))
		return
	}
	body, failed := readResponse(w, r)
	e.accept(w, r, body, failed)
}

// stream returns the destination of a running invocation's streamed response, or nil.
func (e *environment) stream(id string) *io.PipeWriter {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running == nil || e.running.id != id {
		return nil
	}
	return e.running.stream
}

// passOn copies a response as it arrives. It must read to the end even if nothing takes the
// rest.
func passOn(to *io.PipeWriter, r *http.Request) *FunctionError {
	if r.Header.Get("Content-Type") != urlResponseType {
		return &FunctionError{Type: "Runtime.InvalidResponse", Message: "invalid content type of the response: expected " + urlResponseType}
	}
	_, err := io.Copy(to, r.Body)
	if errors.Is(err, io.ErrClosedPipe) {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err != nil {
		return &FunctionError{Type: "Runtime.TruncatedResponse", Message: "read response: " + err.Error()}
	}
	return trailedError(r)
}

// readResponse reads a response. If the handler's reader failed after the first bytes, the
// error is in the trailers.
func readResponse(w http.ResponseWriter, r *http.Request) ([]byte, *FunctionError) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &FunctionError{Type: responseTooLarge,
			Message: "Response payload size exceeded maximum allowed payload size (" + strconv.Itoa(maxPayload) +
				" bytes)."}
	case err != nil:
		return nil, &FunctionError{Type: "Runtime.TruncatedResponse", Message: "read response: " + err.Error()}
	}
	if failed := trailedError(r); failed != nil {
		return nil, failed
	}
	return body, nil
}

// trailedError returns the error in the trailers of a fully read response, or nil.
func trailedError(r *http.Request) *FunctionError {
	kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type")
	if kind == "" {
		return nil
	}
	// An undecodable message stays empty; the type still shows the failure.
	posted, _ := base64.StdEncoding.DecodeString(r.Trailer.Get("Lambda-Runtime-Function-Error-Body"))
	return parseError(posted, kind)
}

func (e *environment) serveError(w http.ResponseWriter, r *http.Request) {
	e.accept(w, r, nil, readError(w, r))
}

func (e *environment) serveInitError(w http.ResponseWriter, r *http.Request) {
	select {
	case e.initError <- readError(w, r):
	default: // the first one is the cause
	}
	writeStatus(w, http.StatusAccepted, "")
}

// accept answers the request's invocation, or reports an unknown one.
func (e *environment) accept(w http.ResponseWriter, r *http.Request, body []byte, failed *FunctionError) {
	switch {
	case !e.settle(r.PathValue("id"), body, failed):
		writeStatus(w, http.StatusBadRequest, "InvalidRequestID")
	case failed != nil && failed.Type == responseTooLarge:
		writeStatus(w, http.StatusRequestEntityTooLarge, responseTooLarge)
	default:
		writeStatus(w, http.StatusAccepted, "")
	}
}

// settle answers a running invocation. It returns false for an unknown id.
func (e *environment) settle(id string, body []byte, failed *FunctionError) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	inv := e.running
	if inv == nil || inv.id != id {
		return false
	}
	inv.body, inv.err = body, failed
	e.running, e.settling = nil, inv
	close(inv.answered)
	return true
}

func readError(w http.ResponseWriter, r *http.Request) *FunctionError {
	// Losing an unreadable part costs some text, but the failure is still reported.
	body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	return parseError(body, r.Header.Get("Lambda-Runtime-Function-Error-Type"))
}

// parseError parses a posted error. kind is used if the error lacks a type.
func parseError(body []byte, kind string) *FunctionError {
	var posted postedError
	if json.Unmarshal(body, &posted) != nil {
		posted.Message = string(body)
	}
	return &FunctionError{Type: cmp.Or(posted.Type, kind, "Unhandled"), Message: posted.Message, payload: body}
}

func (e *environment) serveRegister(w http.ResponseWriter, _ *http.Request) {
	e.extended.Store(true)
	w.Header().Set("Lambda-Extension-Identifier", uuid.NewString())
	writeJSON(w, http.StatusOK, map[string]string{
		"functionName": e.cfg.Name, "functionVersion": "$LATEST", "handler": "bootstrap"})
}

// serveExtensionNext never responds, because the extension for SIGTERM registers for no
// events.
func (e *environment) serveExtensionNext(_ http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
}

// writeStatus writes the status and, for an error, its type.
func writeStatus(w http.ResponseWriter, status int, kind string) {
	if kind == "" {
		writeJSON(w, status, map[string]string{"status": "OK"})
		return
	}
	writeJSON(w, status, postedError{Message: http.StatusText(status), Type: kind})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

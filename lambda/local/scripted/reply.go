package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// ending is the way to send a reply.
type ending int

const (
	complete   ending = iota
	hang              // nothing is sent until the client gives up or the server closes
	hangInside        // likewise, after the headers and half of the body
	reset             // the connection is reset before any header
	closed            // the connection is closed before any header
)

// reply is the response to a call, and its entry in the record.
type reply struct {
	status      int
	contentType string // "" means JSON
	retryAfter  string // the header
	body        []byte
	ending      ending

	notBefore time.Time // end of the Retry-After
	content   string    // the model's content or refusal
	usage     Usage
	fault     Fault
	billed    bool
}

// write sends the reply. It returns when the client has read it or is gone, or stop is closed.
func (r reply) write(w http.ResponseWriter, request *http.Request, now time.Time, stop <-chan struct{}) {
	wait := func() {
		select {
		case <-request.Context().Done():
		case <-stop:
		}
		panic(http.ErrAbortHandler) // makes net/http close the connection
	}
	switch r.ending {
	case hang:
		wait()
	case reset:
		resetConnection(w)
	case closed:
		panic(http.ErrAbortHandler)
	}
	header := w.Header()
	header.Set("Date", now.UTC().Format(http.TimeFormat)) // reference for a date in Retry-After
	header.Set("Content-Type", cmp.Or(r.contentType, "application/json"))
	header.Set("Content-Length", strconv.Itoa(len(r.body)))
	header.Set("X-Scripted", "no real model was asked")
	if r.retryAfter != "" {
		header.Set("Retry-After", r.retryAfter)
	}
	w.WriteHeader(r.status)
	if r.ending != hangInside {
		_, _ = w.Write(r.body) // the client may be gone
		return
	}
	_, _ = w.Write(r.body[:len(r.body)/2])
	_ = http.NewResponseController(w).Flush()
	wait()
}

// resetConnection makes the client see a reset. TCP sends one when a socket with a linger of
// zero is closed.
func resetConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // not TCP: at least close it
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close() // nothing left to send
	panic(http.ErrAbortHandler)
}

// refusal is an error in the API's form.
type refusal struct {
	status  int
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

const invalidRequest = "invalid_request_error"

// refuse builds a refusal; "" for param or code becomes null.
func refuse(status int, kind, param, code, format string, args ...any) *refusal {
	r := &refusal{status: status, Type: kind, Message: "(scripted) " + fmt.Sprintf(format, args...)}
	if param != "" {
		r.Param = &param
	}
	if code != "" {
		r.Code = &code
	}
	return r
}

// invalid is a refusal with status 400.
func invalid(param, code, format string, args ...any) *refusal {
	return refuse(http.StatusBadRequest, invalidRequest, param, code, format, args...)
}

func (r *refusal) reply() reply {
	return reply{status: r.status, body: []byte(marshal(map[string]any{"error": r}))}
}

var errNotScripted = invalid("messages", "not_scripted", "No answer is scripted for this question.")

// marshal encodes strings, numbers and structs of them, so it never fails.
func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("scripted: encode: %v", err))
	}
	return string(text)
}

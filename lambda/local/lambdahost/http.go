package lambdahost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
)

// maxPayload is Lambda's limit for the payload and for the answer of a
// synchronous invocation, in bytes.
const maxPayload = 6 << 20

var invocationsPath = regexp.MustCompile(`^/2015-03-31/functions/([^/]+)/invocations$`)

// ServeHTTP answers POST /2015-03-31/functions/function/invocations, the URL of
// AWS's Runtime Interface Emulator (the function's own name does too): status
// 200 and the function's answer, or, with the header X-Amz-Function-Error, its
// error {"errorType", "errorMessage"}; status 429 when it is throttled.
func (f *Function) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := invocationsPath.FindStringSubmatch(r.URL.Path)
	switch {
	case path == nil, path[1] != "function" && path[1] != f.cfg.Name:
		refuse(w, http.StatusNotFound, "ResourceNotFoundException", "function not found: "+r.URL.Path)
		return
	case r.Method != http.MethodPost:
		refuse(w, http.StatusMethodNotAllowed, "InvalidRequestContentException", "method not allowed: "+r.Method)
		return
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "RequestTooLargeException", err.Error())
		return
	}
	if len(bytes.TrimSpace(payload)) == 0 {
		payload = []byte("{}") // as Lambda does for a test without an event
	}
	if !json.Valid(payload) {
		refuse(w, http.StatusBadRequest, "InvalidRequestContentException", "could not parse request body into json")
		return
	}
	body, err := f.Invoke(r.Context(), payload)
	writeInvocation(w, body, err)
}

func writeInvocation(w http.ResponseWriter, body []byte, err error) {
	var failed *FunctionError
	switch {
	case errors.Is(err, ErrThrottled):
		refuse(w, http.StatusTooManyRequests, "TooManyRequestsException", err.Error())
		return
	case errors.As(err, &failed):
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		body = failed.json()
	case err != nil:
		refuse(w, http.StatusInternalServerError, "ServiceException", err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amz-Executed-Version", "$LATEST")
	_, _ = w.Write(body) // a caller that has gone gets no answer
}

// json is the error as Lambda shows it to the caller: as the function posted
// it, stack trace and all, where it did.
func (e *FunctionError) json() []byte {
	if json.Valid(e.payload) {
		return e.payload
	}
	b, _ := json.Marshal(postedError{Message: e.Message, Type: e.Type})
	return b
}

// refuse answers with an error of the Lambda API, in the form its SDKs read.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("X-Amzn-Errortype", kind)
	writeJSON(w, status, map[string]string{"Type": "User", "message": message})
}

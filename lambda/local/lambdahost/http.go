package lambdahost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
)

// maxPayload is Lambda's limit in bytes for the payload and the response of a synchronous
// invocation.
const maxPayload = 6 << 20

var invocationsPath = regexp.MustCompile(`^/2015-03-31/functions/([^/]+)/invocations$`)

// ServeHTTP handles POST /2015-03-31/functions/function/invocations, the URL used by AWS's
// Runtime Interface Emulator; the function's name works too. It responds with status 200 and
// the function's response, or {"errorType", "errorMessage"} with the header
// X-Amz-Function-Error; or with status 429 when throttled.
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
	_, _ = w.Write(body) // the caller may be gone
}

// json returns the error in Lambda's form: exactly as posted by the function, including the
// stack trace, if it posted JSON.
func (e *FunctionError) json() []byte {
	if json.Valid(e.payload) {
		return e.payload
	}
	b, _ := json.Marshal(postedError{Message: e.Message, Type: e.Type})
	return b
}

// refuse writes a Lambda API error in the form expected by the SDKs.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("X-Amzn-Errortype", kind)
	writeJSON(w, status, map[string]string{"Type": "User", "message": message})
}

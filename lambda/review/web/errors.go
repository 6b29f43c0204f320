package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
)

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a client that has gone needs no answer
}

func writeError(w http.ResponseWriter, status int, sentence string) {
	writeJSON(w, status, map[string]string{"error": sentence})
}

const noReview = "there is no such review, or the token is not for it, or has expired"

// notFound answers for every reason alike: whoever asks learns nothing about ids.
func notFound(w http.ResponseWriter, r *http.Request) {
	if !wantsPage(r) {
		writeError(w, http.StatusNotFound, noReview)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte("There is no such review, or the link has expired. Ask for a new link.\n"))
}

// fail answers for an error of the store. The log has the error's sentence, the
// client has not.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, operation string, err error) {
	switch {
	case errors.Is(err, job.ErrNotFound):
		notFound(w, r)
	case r.Context().Err() != nil: // the client has gone
	default:
		h.Log.Error("a request failed", "route", r.Pattern, "reason", failure.Of(failure.At(operation, err)).Text)
		w.Header().Set("Retry-After", "5")
		writeError(w, http.StatusServiceUnavailable, "the review cannot be read or changed now: try again later")
	}
}

// jsonErrors answers in JSON where the mux has no handler for a path or a method.
func jsonErrors(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		status := statusOnly{ResponseWriter: w}
		refusal.ServeHTTP(&status, r)
		sentence := "there is no such path"
		if status.code == http.StatusMethodNotAllowed {
			sentence = "the method is not one of " + w.Header().Get("Allow")
		}
		writeError(w, status.code, sentence)
	})
}

// statusOnly keeps the status, and drops the body.
type statusOnly struct {
	http.ResponseWriter
	code int
}

// WriteHeader keeps the status.
func (w *statusOnly) WriteHeader(code int) { w.code = code }

// Write drops the body.
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }

// wantsPage reports whether a browser asks for something to show.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

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
	_ = json.NewEncoder(w).Encode(value) // ignored: the client is gone
}

func writeError(w http.ResponseWriter, status int, sentence string) {
	writeJSON(w, status, map[string]string{"error": sentence})
}

const noReview = "review not found, or the token is for another review or has expired"

// notFound gives one answer for every reason, so that callers learn nothing about ids.
func notFound(w http.ResponseWriter, r *http.Request) {
	if !wantsPage(r) {
		writeError(w, http.StatusNotFound, noReview)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte("Review not found, or the link has expired. Ask for a new link.\n"))
}

// fail answers an error of the store. Only the log gets the error's text.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, operation string, err error) {
	switch {
	case errors.Is(err, job.ErrNotFound):
		notFound(w, r)
	case r.Context().Err() != nil: // the client is gone
	default:
		h.Log.Error("request failed", "route", r.Pattern, "reason", failure.Of(failure.At(operation, err)).Text)
		w.Header().Set("Retry-After", "5")
		writeError(w, http.StatusServiceUnavailable, "review unavailable; retry later")
	}
}

// jsonErrors answers in JSON for an unknown path or method.
func jsonErrors(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		status := statusOnly{ResponseWriter: w}
		refusal.ServeHTTP(&status, r)
		sentence := "unknown path"
		if status.code == http.StatusMethodNotAllowed {
			sentence = "unsupported method; use " + w.Header().Get("Allow")
		}
		writeError(w, status.code, sentence)
	})
}

type statusOnly struct {
	http.ResponseWriter
	code int
}

// WriteHeader keeps the status.
func (w *statusOnly) WriteHeader(code int) { w.code = code }

// Write drops the body.
func (w *statusOnly) Write(b []byte) (int, error) { return len(b), nil }

func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

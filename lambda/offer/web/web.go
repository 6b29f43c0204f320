// Package web takes users' answers to offers over HTTP.
//
//	POST /offers/feedback    {"answers": [{user_id, candidate_id, answer, at}]}: 200 {stored, refused}
//
// A request must carry a token of the tenant. The valid answers are stored, also if others are
// refused; a request sent again changes nothing.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/webguard"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// Store keeps answers.
type Store interface {
	// AddFeedback returns the indexes of answers by or about users unknown to the tenant.
	AddFeedback(ctx context.Context, tenant uuid.UUID, list []offer.Feedback) (unknown []int, err error)
}

// Config configures the handler.
type Config struct {
	Store  Store
	Tenant func(*http.Request) (uuid.UUID, error) // of the request's token
	Log    *slog.Logger
}

// Limits of a request.
const (
	maxBody    = 1 << 20 // bytes
	maxAnswers = 1000
)

type request struct {
	Answers []answer `json:"answers"`
}

type answer struct {
	User      string        `json:"user_id"`
	Candidate string        `json:"candidate_id"`
	Answer    roster.Answer `json:"answer"`
	At        time.Time     `json:"at"`
}

type response struct {
	Stored  int       `json:"stored"`
	Refused []refused `json:"refused"`
}

type refused struct {
	Index  int    `json:"index"` // in the request, from 0
	Reason string `json:"reason"`
}

// New returns the handler of all paths.
func New(c Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /offers/feedback", c.feedback)
	return webguard.Handler(webguard.Config{Policy: "default-src 'none'", Refuse: writeError, Log: c.Log}, mux)
}

func (c Config) feedback(w http.ResponseWriter, r *http.Request) {
	tenant, err := c.Tenant(r)
	if err != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeError(w, http.StatusUnauthorized, "missing or invalid tenant token")
		return
	}
	in, status, err := decode(w, r)
	if err != nil {
		writeError(w, status, err.Error())
		return
	}
	out := response{Refused: []refused{}}
	var list []offer.Feedback
	var places []int
	for i, a := range in.Answers {
		f, err := a.read()
		if err != nil {
			out.Refused = append(out.Refused, refused{i, err.Error()})
			continue
		}
		list, places = append(list, f), append(places, i)
	}
	unknown, err := c.Store.AddFeedback(r.Context(), tenant, list)
	if err != nil {
		c.Log.Error("storing answers failed", "tenant", tenant, "reason", failure.Of(err).Text)
		writeError(w, http.StatusServiceUnavailable, "cannot store answers now; try again")
		return
	}
	for _, n := range unknown {
		out.Refused = append(out.Refused, refused{places[n], "unknown user or candidate"})
	}
	out.Stored = len(list) - len(unknown)
	slices.SortFunc(out.Refused, func(a, b refused) int { return a.Index - b.Index })
	write(w, http.StatusOK, out)
}

func decode(w http.ResponseWriter, r *http.Request) (in request, status int, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return in, http.StatusUnsupportedMediaType, errors.New("Content-Type must be application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err = d.Decode(&in)
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("expected a single JSON value")
		}
	}
	switch large := (*http.MaxBytesError)(nil); {
	case errors.As(err, &large):
		return in, http.StatusRequestEntityTooLarge, errors.New("request too large: at most 1 MB")
	case err != nil:
		return in, http.StatusBadRequest, errors.New("invalid JSON body: expected answers, each with user_id, candidate_id, answer, at")
	case len(in.Answers) == 0 || len(in.Answers) > maxAnswers:
		return in, http.StatusUnprocessableEntity, errors.New("answers: expected 1 to 1000")
	}
	return in, 0, nil
}

func (a answer) read() (f offer.Feedback, err error) {
	f = offer.Feedback{Answer: a.Answer, At: a.At}
	if f.User, err = uuid.Parse(a.User); err != nil {
		return f, errors.New("user_id: expected a UUID")
	}
	if f.Candidate, err = uuid.Parse(a.Candidate); err != nil {
		return f, errors.New("candidate_id: expected a UUID")
	}
	if !slices.Contains(roster.Answers(), a.Answer) {
		return f, errors.New("answer: expected accepted, declined, met, blocked or reported")
	}
	return f, nil
}

func writeError(w http.ResponseWriter, status int, sentence string) {
	write(w, status, map[string]string{"error": sentence})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// Package web shows reviews to browsers and to other programs over HTTP: it starts
// them, streams their findings, stops them, and has a page for people.
//
//	POST /reviews                     starts a review: 202 {id, token, page}
//	GET  /reviews/{id}                the review as JSON; the page for a browser
//	GET  /reviews/{id}/page           the page
//	GET  /reviews/{id}/text           the contract, UTF-8; offsets are its bytes
//	GET  /reviews/{id}/findings       after=SEQ: the findings that follow
//	GET  /reviews/{id}/events         after=SEQ: the same and the progress, as they come
//	GET  /reviews/{id}/report         HTML
//	POST /reviews/{id}/cancel         202 {status}
//	POST /reviews/{id}/retry          202 {status}: goes on with what has no result
//
// Each request carries a token of the review or of its tenant (Tokens), as
// "Authorization: Bearer" or as ?token=. A review that does not exist and a token
// that is not for it have the same answer, 404. Starting one takes a token of the
// tenant. Errors are {"error": "..."}.
//
// # The stream
//
// Events are server-sent: finding, whose id is the finding's sequence number,
// progress with the review's counts, and one end with its status, also for a client
// that comes when all is over. A stream ends after Config.StreamFor, before the time
// limit of the function; the client connects again with Last-Event-ID, as EventSource
// does by itself, and misses nothing. Each stream is one loop in its request, which
// reads the store: there is no state in the process, and nothing is left behind.
package web

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"matchbook/lambda/internal/webguard"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// Control stops reviews and lets them go on.
type Control interface {
	// Cancel is idempotent.
	Cancel(ctx context.Context, id uuid.UUID) (record.Status, error)
	// Retry returns the chunks whose messages have to be sent; record.ErrStopping
	// while chunks of a cancelled review are at work.
	Retry(ctx context.Context, id uuid.UUID) ([]job.Stamped, error)
}

// Config is what the handler works with.
type Config struct {
	Reviews report.Store
	Control Control
	Starter Starter    // nil: no review is started here
	Texts   Texts      // of documents; nil: a request has the text
	Sender  job.Sender // of the messages of Retry
	Tokens  *Tokens
	Log     *slog.Logger

	StreamFor time.Duration // a stream's length at most; 0 is 4 minutes
	Poll      time.Duration // between two looks at the store; 0 is 700 ms
	Heartbeat time.Duration // between two signs of life; 0 is 10 s
	Reconnect time.Duration // after which a client connects again; 0 is 1 s
	Streams   int           // at once in this process; 0 is 64
}

// handler is a Config with its defaults.
type handler struct {
	Config
	streams chan struct{}
}

// New returns the handler of all paths.
func New(c Config) http.Handler {
	c.StreamFor = cmp.Or(c.StreamFor, 4*time.Minute)
	c.Poll = cmp.Or(c.Poll, 700*time.Millisecond)
	c.Heartbeat = cmp.Or(c.Heartbeat, 10*time.Second)
	c.Reconnect = cmp.Or(c.Reconnect, time.Second)
	h := &handler{Config: c, streams: make(chan struct{}, cmp.Or(c.Streams, 64))}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reviews", h.start)
	mux.HandleFunc("GET /reviews/page.js", asset("text/javascript; charset=utf-8", script))
	mux.HandleFunc("GET /reviews/page.css", asset("text/css; charset=utf-8", style))
	mux.HandleFunc("GET /reviews/{id}", h.authorised(h.review))
	mux.HandleFunc("GET /reviews/{id}/page", h.authorised(h.page))
	mux.HandleFunc("GET /reviews/{id}/text", h.authorised(h.text))
	mux.HandleFunc("GET /reviews/{id}/findings", h.authorised(h.findings))
	mux.HandleFunc("GET /reviews/{id}/events", h.authorised(h.events))
	mux.HandleFunc("GET /reviews/{id}/report", h.authorised(h.report))
	mux.HandleFunc("POST /reviews/{id}/cancel", h.authorised(h.cancel))
	mux.HandleFunc("POST /reviews/{id}/retry", h.authorised(h.retry))
	return webguard.Handler(webguard.Config{Policy: policy, Refuse: writeError, Log: c.Log}, jsonErrors(mux))
}

// policy lets the page load its own two files and call its own site, nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// authorised calls next with the review of the path, if the token is for it.
func (h *handler) authorised(next func(http.ResponseWriter, *http.Request, record.Job)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := uuid.Parse(r.PathValue("id"))
		granted, denied := h.Tokens.of(r)
		if err != nil || denied != nil || !granted.allows(id) {
			notFound(w, r)
			return
		}
		review, err := h.Reviews.Job(r.Context(), id)
		switch {
		case err != nil:
			h.fail(w, r, "read a review", err)
		case review.TenantID != granted.tenant:
			notFound(w, r)
		default:
			next(w, r, review)
		}
	}
}

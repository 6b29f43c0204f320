// Package web is the HTTP interface of reviews: use it to start them, stream their findings,
// stop and retry them, and to show them on a page.
//
//	POST /reviews                     starts a review: 202 {id, token, page}
//	GET  /reviews/{id}                the review as JSON; the page for a browser
//	GET  /reviews/{id}/page           the page
//	GET  /reviews/{id}/text           the contract, UTF-8; offsets are its bytes
//	GET  /reviews/{id}/findings       heaviest first; severity=, analyst=, state=: some of them;
//	                                  after=SEQ: later ones, as they came
//	POST /reviews/{id}/findings/{f}   acts on a finding, F3 or its seq: 200, or 409 if it changed
//	GET  /reviews/{id}/events         after=SEQ: later findings and progress, live
//	GET  /reviews/{id}/report         HTML
//	GET  /reviews/{id}/certificate    each question about each part
//	POST /reviews/{id}/cancel         202 {status}
//	POST /reviews/{id}/retry          202 {status}: resumes the unread chunks
//
// Each request must carry a token of the review or its tenant (see Tokens), as "Authorization:
// Bearer"; a review's also as ?token=. Starting a review needs the tenant's. An unknown review and a token
// for another one get the same answer, 404, so that ids can't be probed. Errors are {"error":
// "..."}.
//
// # The stream
//
// The server-sent events are finding, with the finding's sequence number as its id; progress,
// with the review's counts; and one end, with its status, also for clients connecting after
// the end. A stream closes after Config.StreamFor, before the function's timeout. The client
// must then reconnect with Last-Event-ID, as EventSource does by itself, and misses nothing. A
// stream is one loop in its request, polling the store, so the process keeps no state.
package web

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"matchbook/lambda/internal/webguard"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// Control stops and resumes reviews, and takes people's actions.
type Control interface {
	// Cancel returns the new status. It must be idempotent.
	Cancel(ctx context.Context, id uuid.UUID) (record.Status, error)
	// Act stores a person's action about a finding. It returns record.ErrChanged or
	// record.ErrObsolete for one that comes too late.
	Act(ctx context.Context, id uuid.UUID, finding record.Ref, q record.Request) (record.Disposition, error)
	// Retry returns the chunks to send messages for. It returns record.ErrStopping while a
	// cancelled review's chunks are still running.
	Retry(ctx context.Context, id uuid.UUID) ([]job.Stamped, error)
}

// Quota counts the reviews of a tenant that haven't ended.
type Quota interface {
	OpenReviews(ctx context.Context, tenant uuid.UUID) (int, error)
}

// mostOpen bounds these, so that no tenant fills the queue that all share.
const mostOpen = 100

// Config configures the handler. Zero durations and a zero Streams mean the defaults.
type Config struct {
	Reviews report.Store
	Control Control
	Starter Starter    // nil: reviews can't be started here
	Texts   Texts      // of documents; nil: requests must carry the text
	Sender  job.Sender // of Retry's messages
	Tokens  *Tokens
	Quota   Quota  // nil: no limit
	Person  string // suggested as the name of whoever acts on the page; may be empty
	Log     *slog.Logger

	StreamFor time.Duration // longest stream; 0 is 4 minutes
	Poll      time.Duration // interval of reading the store; 0 is 700 ms
	Heartbeat time.Duration // interval of keep-alives; 0 is 10 s
	Reconnect time.Duration // a client's wait before reconnecting; 0 is 1 s
	Streams   int           // open streams of this process; 0 is 64
}

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
	mux.HandleFunc("POST /reviews/{id}/findings/{finding}", h.authorised(h.act))
	mux.HandleFunc("GET /reviews/{id}/events", h.authorised(h.events))
	mux.HandleFunc("GET /reviews/{id}/report", h.authorised(h.report))
	mux.HandleFunc("GET /reviews/{id}/certificate", h.authorised(h.certificate))
	mux.HandleFunc("POST /reviews/{id}/cancel", h.authorised(h.cancel))
	mux.HandleFunc("POST /reviews/{id}/retry", h.authorised(h.retry))
	return webguard.Handler(webguard.Config{Policy: policy, Refuse: writeError, Log: c.Log}, jsonErrors(mux))
}

// policy lets the page load its two files and call its site, nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// authorised calls next with the review in the path, if the token is for it.
func (h *handler) authorised(next func(http.ResponseWriter, *http.Request, record.Job)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := uuid.Parse(r.PathValue("id"))
		granted, denied := h.Tokens.of(r)
		if denied != nil && !errors.Is(denied, errToken) {
			h.fail(w, r, "check a token", denied)
			return
		}
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

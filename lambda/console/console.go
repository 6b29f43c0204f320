// Package console shows documents in a browser and records people's decisions.
//
//	GET  /                        overview of a tenant
//	GET  /documents               list by state and type; q=: search
//	GET  /documents/{id}          a document; notifications link here
//	POST /documents/{id}/match    matches it again; must have reason, seen, form
//	POST /documents/{id}/findings/{review}/{seq}  acts on a finding of a contract's review; must have action, seen, form
//	GET  /documents/{id}/pages/{n}  the image of a page of its file
//	GET  /documents/{id}/next     redirects to the next file that waits for a person
//	POST /documents/{id}/check    what is wrong with typed values, as JSON; stores nothing
//	POST /documents/{id}/finish   stores typed values, and settles why a person had to look; must have form, seen; sure
//	POST /documents/{id}/read     reads its file again; must have form, seen; fresh
//	POST /documents/{id}/dismiss  it is no business document; must have form, seen, reason
//	POST /documents/{id}/note     comments, or assigns; must have do, form, text or assignee
//	POST /documents/{id}/invoice  approves, holds, disputes or withdraws; must have action, reason, form, seen
//	POST /documents/{id}/divide   the documents of its file begin at these pages; must have form, seen; begin
//	POST /files                   takes files into the tenant's inbox
//	GET  /status                  the state of all workloads of a tenant, with failed and stuck rows
//	GET  /todo                    what waits in the tenants of the person, the oldest first; kind=, tenant=, assigned=
//	GET  /open                    everything waiting for people, most valuable first; assigned=
//	GET  /invoices                three-way matches by state and verdict; state=, of=
//	POST /invoices                acts on several of them; must have do, form, tick, reason
//	GET  /tolerances              of the three-way match, with their changes; supplier=: in a form
//	POST /tolerances              changes one; must have do, supplier, its values, reason, form, seen
//	GET  /offers                  failed jobs of match offers, and the sets of a date; date=, user=
//	POST /offers                  publishes failed jobs again, also with the profiles of now; must have do, form, tick, reason
//	GET  /offers/{job}            a set with a reason for each candidate; candidate=
//	GET  /todo.csv, /open.csv, /documents.csv, /invoices.csv  the list with these parameters as a CSV file
//	POST /open                    acts on several things of a kind; must have kind, do, form, tick; reason, verdict
//	GET  /open/next               redirects to the next question after a place: after, left
//	GET  /pairs/{a}/{b}           two documents side by side, with the evidence; from=: its place in /open
//	POST /pairs/{a}/{b}           decides; must have verdict and seen; note, from
//
// You must put the handler behind a gate of package login: it identifies the person of each
// request, refuses forms of other sites, and sets the headers. A page shows one tenant, in
// which the person must have a role. A document of another tenant gets the same 404 as an
// unknown one, so that ids can't be probed.
//
// Forms need the role operator; a viewer gets 403. A form carries the state seen by the
// person. If it's stale, the answer is 409 with the current state, and nothing is written. A
// form sent twice acts once.
//
// Pages work without a script. The one at /console.js highlights, checks while a person types, and
// takes dropped files; no page has another. Every text of a document is cleaned and cut, by package explain or
// here, and escaped by html/template.
package console

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Config configures the console.
type Config struct {
	DB     *postgres.DB
	Prices *cost.ModelPrices // nil: the built-in ones
	Sender job.Sender        // of published documents; nil: left to the sweep
	Reads  job.Sender        // of files to read; nil: left to the sweep
	Offers job.Sender        // of jobs of match offers; nil: left to the sweep
	Files  blob.Store        // of files and the images of their pages; nil: neither is shown, and none is taken
	// MaxUpload is the size of the largest upload, in bytes; 0 is the size of the largest file.
	MaxUpload int64
	Log       *slog.Logger
	Time      time.Duration // limit for each page; 0 is 10 s
}

type handler struct {
	Config
	matches *matches.Store
	reports report.Reader
}

// New returns the handler of all paths. It fails only if the built-in prices can't be read.
func New(c Config) (http.Handler, error) {
	if c.Prices == nil {
		var err error
		if c.Prices, err = cost.ReadModelPrices(""); err != nil {
			return nil, err
		}
	}
	c.Time = cmp.Or(c.Time, 10*time.Second)
	h := &handler{c, matches.New(c.DB), report.From(c.DB)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /console.css", serveStyle)
	mux.HandleFunc("GET /console.js", serveScript)
	mux.HandleFunc("GET /{$}", h.page(h.overview))
	mux.HandleFunc("GET /documents", h.page(h.documents))
	mux.HandleFunc("GET /documents/{id}", h.page(h.document))
	mux.HandleFunc("GET /documents/{id}/pages/{page}", h.page(h.pageImage))
	mux.HandleFunc("GET /documents/{id}/next", h.page(h.nextFile))
	mux.HandleFunc("POST /documents/{id}/check", h.page(h.check))
	mux.HandleFunc("POST /documents/{id}/finish", h.page(h.correct))
	mux.HandleFunc("POST /documents/{id}/read", h.page(h.readAgain))
	mux.HandleFunc("POST /documents/{id}/dismiss", h.page(h.dismiss))
	mux.HandleFunc("POST /documents/{id}/divide", h.page(h.divide))
	mux.HandleFunc("POST /documents/{id}/invoice", h.page(h.settleInvoice))
	mux.HandleFunc("POST /files", h.page(h.upload))
	mux.HandleFunc("GET /invoices", h.page(h.invoices))
	mux.HandleFunc("POST /invoices", h.page(h.actOnInvoices))
	mux.HandleFunc("GET /invoices.csv", h.page(h.invoiceSheet))
	mux.HandleFunc("GET /offers", h.page(h.offers))
	mux.HandleFunc("POST /offers", h.page(h.actOnOffers))
	mux.HandleFunc("GET /offers/{job}", h.page(h.explainOffers))
	mux.HandleFunc("GET /tolerances", h.page(h.tolerances))
	mux.HandleFunc("POST /tolerances", h.page(h.setTolerance))
	mux.HandleFunc("GET /status", h.page(h.status))
	mux.HandleFunc("POST /documents/{id}/note", h.page(h.note))
	mux.HandleFunc("GET /todo", h.page(h.todo))
	mux.HandleFunc("GET /todo.csv", h.page(h.todoSheet))
	mux.HandleFunc("GET /open", h.page(h.open))
	mux.HandleFunc("GET /open.csv", h.page(h.openSheet))
	mux.HandleFunc("GET /documents.csv", h.page(h.documentSheet))
	mux.HandleFunc("POST /open", h.page(h.actOnMany))
	mux.HandleFunc("GET /open/next", h.page(h.nextQuestion))
	mux.HandleFunc("GET /pairs/{a}/{b}", h.page(h.pair))
	mux.HandleFunc("POST /pairs/{a}/{b}", h.page(h.decide))
	mux.HandleFunc("POST /documents/{id}/match", h.page(h.publish))
	mux.HandleFunc("POST /documents/{id}/settle/{other}", h.page(h.settle))
	mux.HandleFunc("POST /documents/{id}/findings/{review}/{seq}", h.page(h.actOnFinding))
	mux.HandleFunc("/", h.page(func(*visit) error { return errNotFound }))
	return mux, nil
}

// visit is a person's request.
type visit struct {
	*http.Request
	w      http.ResponseWriter
	person login.Person
	tenant report.Tenant     // shown by the page; zero: none
	typed  map[string]string // values that were not stored, by path; see desk
	flaws  []flaw            // of these
}

// Errors of a visit. See fail for the answers.
var (
	errNotFound   = errors.New("not found")
	errNoTenant   = errors.New("missing tenant")
	errNoOperator = errors.New("must be an operator")
	errBadForm    = errors.New("invalid form")
)

// page calls next for the person of a request, and answers its error.
func (h *handler) page(next func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), h.Time)
		defer cancel()
		v := &visit{Request: r.WithContext(ctx), w: w}
		var known bool
		if v.person, known = login.From(ctx); !known {
			h.fail(v, errors.New("missing person: use the console behind a login gate"))
			return
		}
		if err := next(v); err != nil {
			h.fail(v, err)
		}
	}
}

// fail answers an error. Only the log gets its text.
func (h *handler) fail(v *visit, err error) {
	switch {
	case errors.Is(err, errNotFound):
		h.message(v, http.StatusNotFound, "Not found", "This page does not exist, or you may not see it.")
	case errors.Is(err, errNoOperator):
		h.message(v, http.StatusForbidden, "Not allowed", "You may only read these documents. Ask an operator to change them.")
	case errors.Is(err, errBadForm):
		h.message(v, http.StatusBadRequest, "Not understood", "The form is incomplete. Go back, reload the page, and try again.")
	case errors.Is(err, errNoTenant):
		h.message(v, http.StatusOK, "Nothing here yet", "No documents have arrived yet, or none you may see.")
	default:
		h.Log.Error("page failed", "route", v.Pattern, "reason", failure.Of(failure.At("show a page", err)).Text)
		v.w.Header().Set("Retry-After", "5")
		h.message(v, http.StatusServiceUnavailable, "Not available now", "The page is not available now. Try again in a moment.")
	}
}

// choose sets the page's tenant: the one in the query, otherwise the person's first.
func (h *handler) choose(v *visit) error {
	ids, all := v.person.Tenants()
	if text := v.FormValue("tenant"); text != "" {
		id, err := document.ParseID(text)
		if err != nil || id == uuid.Nil || v.person.Role(id) == login.None {
			return errNotFound
		}
		ids, all = []uuid.UUID{id}, false
	}
	if all {
		ids = nil
	}
	found, err := h.reports.Tenants(v.Context(), ids, 1)
	switch {
	case err != nil:
		return err
	case len(found) == 1:
		v.tenant = found[0]
		return nil
	case v.FormValue("tenant") != "":
		return errNotFound
	}
	return errNoTenant
}

// admit returns the documents named in the path. They must be the person's, in one tenant.
func (h *handler) admit(v *visit, names ...string) (ids []uuid.UUID, err error) {
	for _, name := range names {
		id, err := document.ParseID(v.PathValue(name))
		if err != nil {
			return nil, errNotFound
		}
		ids = append(ids, id)
	}
	found, err := h.reports.Summaries(v.Context(), ids)
	if err != nil {
		return nil, err
	}
	if len(found) != len(names) ||
		slices.ContainsFunc(found, func(s report.Summary) bool { return s.TenantID != found[0].TenantID }) {
		return nil, errNotFound
	}
	return ids, h.enter(v, found[0].TenantID)
}

// enter sets the page's tenant, in which the person must have a role.
func (h *handler) enter(v *visit, tenant uuid.UUID) error {
	if v.person.Role(tenant) == login.None {
		return errNotFound
	}
	tenants, err := h.reports.Tenants(v.Context(), []uuid.UUID{tenant}, 1)
	switch {
	case err != nil:
		return err
	case len(tenants) != 1:
		return errNotFound
	}
	v.tenant = tenants[0]
	return nil
}

func (h *handler) reader(v *visit) *explain.Reader {
	return explain.Sharing(v.Context(), h.DB, h.matches)
}

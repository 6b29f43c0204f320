// Package console shows documents to people in a browser, and takes their decisions.
//
//	GET  /                        overview of a tenant
//	GET  /documents               list by state and type; q=: search
//	GET  /documents/{id}          a document: the link in every notification
//	POST /documents/{id}/match    matches it again: reason, seen, form
//	GET  /open                    what waits for people, the most valuable first
//	GET  /open/next               leads to the question behind a place: after, left
//	GET  /pairs/{a}/{b}           two documents side by side, with the evidence; from=: its place
//	POST /pairs/{a}/{b}           decides: verdict, note, seen, from
//
// New returns the handler. It belongs behind a gate of package login, which knows the
// person of each request, refuses forms of other sites, and sets the headers. A page
// shows one tenant, for which the person has a role. A document of another tenant and
// one that does not exist have the same answer, 404.
//
// An operator of the tenant acts by forms; a viewer gets 403. A form has the state that
// the person saw: if it has changed, the answer is 409 with the state of now, and nothing
// is written. A form that is sent twice acts once.
//
// Pages are complete when they leave the server: they have no script. All texts of
// documents are cleaned and cut, by package explain or here, and escaped by
// html/template.
package console

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Config is what the console works with.
type Config struct {
	DB     *postgres.DB
	Prices *cost.ModelPrices // nil: those that are built in
	Sender job.Sender        // of documents that are published; nil: the sweep sends the messages
	Log    *slog.Logger
	Time   time.Duration // for each page: 10 s
}

// handler is a Config with its defaults.
type handler struct {
	Config
	reports report.Reader
}

// New returns the handler of all paths.
func New(c Config) (http.Handler, error) {
	if c.Prices == nil {
		var err error
		if c.Prices, err = cost.ReadModelPrices(""); err != nil {
			return nil, err
		}
	}
	c.Time = cmp.Or(c.Time, 10*time.Second)
	h := &handler{Config: c, reports: report.From(c.DB)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /console.css", serveStyle)
	mux.HandleFunc("GET /{$}", h.page(h.overview))
	mux.HandleFunc("GET /documents", h.page(h.documents))
	mux.HandleFunc("GET /documents/{id}", h.page(h.document))
	mux.HandleFunc("GET /open", h.page(h.open))
	mux.HandleFunc("GET /open/next", h.page(h.nextQuestion))
	mux.HandleFunc("GET /pairs/{a}/{b}", h.page(h.pair))
	mux.HandleFunc("POST /pairs/{a}/{b}", h.page(h.decide))
	mux.HandleFunc("POST /documents/{id}/match", h.page(h.publish))
	mux.HandleFunc("/", h.page(func(*visit) error { return errNotFound }))
	return mux, nil
}

// visit is a request of a person.
type visit struct {
	*http.Request
	w      http.ResponseWriter
	person login.Person
	tenant report.Tenant // that the page is about; zero: none
}

// Errors of a visit, as answers.
var (
	errNotFound   = errors.New("not found")
	errNoTenant   = errors.New("there is no tenant yet")
	errNoOperator = errors.New("the person is no operator")
	errBadForm    = errors.New("a form that is not ours")
)

// page calls next for the person of a request, and answers its error.
func (h *handler) page(next func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), h.Time)
		defer cancel()
		v := &visit{Request: r.WithContext(ctx), w: w}
		var known bool
		if v.person, known = login.From(ctx); !known {
			h.fail(v, errors.New("a request without a person: no gate is before the console"))
			return
		}
		if err := next(v); err != nil {
			h.fail(v, err)
		}
	}
}

// fail answers an error. The log has its sentence, the page has not.
func (h *handler) fail(v *visit, err error) {
	switch {
	case errors.Is(err, errNotFound):
		h.message(v, http.StatusNotFound, "Not found", "There is no such page, or it is not for you.")
	case errors.Is(err, errNoOperator):
		h.message(v, http.StatusForbidden, "Not allowed", "You may read these documents. An operator of the tenant may change them.")
	case errors.Is(err, errBadForm):
		h.message(v, http.StatusBadRequest, "Not understood", "The form is not complete. Go back, load the page again, and try once more.")
	case errors.Is(err, errNoTenant):
		h.message(v, http.StatusOK, "Nothing here yet", "The database has no documents yet, or none that you may see.")
	default:
		h.Log.Error("a page failed", "route", v.Pattern, "reason", failure.Of(failure.At("show a page", err)).Text)
		v.w.Header().Set("Retry-After", "5")
		h.message(v, http.StatusServiceUnavailable, "Not available now", "The page cannot be made now. Try again in a moment.")
	}
}

// choose finds the tenant of a page: the one that the address names, or the first one
// of the person.
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

// admit finds the documents that the path names, which belong to one tenant.
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
	if len(found) != len(names) || v.person.Role(found[0].TenantID) == login.None ||
		slices.ContainsFunc(found, func(s report.Summary) bool { return s.TenantID != found[0].TenantID }) {
		return nil, errNotFound
	}
	tenants, err := h.reports.Tenants(v.Context(), []uuid.UUID{found[0].TenantID}, 1)
	switch {
	case err != nil:
		return nil, err
	case len(tenants) != 1:
		return nil, errNotFound
	}
	v.tenant = tenants[0]
	return ids, nil
}

// reader reads documents for the visit.
func (h *handler) reader(v *visit) *explain.Reader { return explain.NewReader(v.Context(), h.DB) }

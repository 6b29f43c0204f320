package console

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

//go:embed pages/*.html
var pages embed.FS

//go:embed console.css
var style []byte

//go:embed console.js
var script []byte

// views are the pages, each inside the frame.
var views = func() map[string]*template.Template {
	frame := template.Must(template.New("frame.html").Funcs(words).
		ParseFS(pages, "pages/frame.html", "pages/parts.html", "pages/desk.html", "pages/threeway.html"))
	all := make(map[string]*template.Template)
	for _, name := range []string{"message", "overview", "documents", "document", "open", "pair", "uploaded",
		"invoices", "tolerances", "offers", "offer", "status", "todo"} {
		all[name] = template.Must(template.Must(frame.Clone()).ParseFS(pages, "pages/"+name+".html"))
	}
	return all
}()

// maxWords bounds the texts of findings, in characters.
const maxWords = 1_500

// words are the template functions.
var words = template.FuncMap{
	"clean": func(s string) string { return term.Clean(s, term.MaxValue) },
	"words": func(s string) string { return term.Clean(s, maxWords) },
	"fresh": uuid.NewString, // for a form, so that it acts once
	"day":   func(t time.Time) string { return t.UTC().Format("2006-01-02") },
	"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
	"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"typed": func(t document.Type) string {
		if t == "" {
			return "no type"
		}
		return t.Words()
	},
	"label": func(t document.Type, number, file string, id uuid.UUID) string {
		return term.Label(t, cmp.Or(number, file), id)
	},
	"state":    stateWords,
	"thousand": func(n int) template.HTML { return data(strconv.Itoa(n), thousands(n)) },
	"score":    func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) },
	"points":   func(n int) string { return fmt.Sprintf("%+d", n) },
	"place":    waitingPlace,
	"verdicts": func(kind string) []string { return warning.Kind(kind).Verdicts() },
	"short":    term.Short,
	"amount":   shownAmount,
	"date":     shownDate,
	"lines":    func(s string) []string { return strings.Split(s, "\n") },
	"list":     func(s []string) string { return strings.Join(s, ", ") },
}

// data is a number for console.js to show as the person's locale does.
func data(value, shown string) template.HTML {
	return template.HTML(`<data value="` + value + `">` + shown + `</data>`) //nolint:gosec // both are digits
}

// shownAmount returns a clean amount with two decimals, and any other text unchanged.
func shownAmount(s string) any {
	if !decimal.MatchString(s) {
		return s
	}
	return data(s, amount(s))
}

var isDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// shownDate returns a clean date of a document for console.js, and any other text unchanged.
func shownDate(s string) any {
	if !isDate.MatchString(s) {
		return s
	}
	return template.HTML(`<time datetime="` + s + `">` + s + `</time>`) //nolint:gosec // digits
}

func stateWords(state string) string {
	if state == "" || state == "none" {
		return "not queued"
	}
	return strings.ReplaceAll(state, "-", " ")
}

// thousands formats a number with separators: 1,234,567.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// maxTenants bounds the list of tenants to choose from.
const maxTenants = 200

// frame is the content shared by all pages.
type frame struct {
	Title   string
	Section string // in the navigation
	Person  login.Person
	Tenant  report.Tenant
	Tenants []report.Tenant // to choose from, if more than one
	Query   url.Values      // of the URL
	Acts    bool            // the person may act for the tenant
	Uploads int64           // size of the largest upload, in bytes; 0: none is taken
	Counts  tenantCounts
	Body    any
}

func (h *handler) show(v *visit, status int, name, title string, body any) error {
	f := frame{Title: title, Section: name, Person: v.person, Tenant: v.tenant, Query: v.URL.Query(), Body: body}
	if v.tenant.ID != uuid.Nil {
		f.Acts = v.acts()
		if f.Acts && h.Files != nil {
			f.Uploads = h.maxUpload()
		}
		ids, _ := v.person.Tenants()
		var err error
		if f.Counts, err = h.counts(v, v.tenant.ID); err != nil {
			return err
		}
		if f.Tenants, err = h.reports.Tenants(v.Context(), ids, maxTenants); err != nil {
			return err
		}
	}
	return write(v.w, status, name, f)
}

func write(w http.ResponseWriter, status int, name string, f frame) error {
	var page bytes.Buffer
	if err := views[name].Execute(&page, f); err != nil {
		return fmt.Errorf("execute template %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // ignored: the client is gone
	return nil
}

// message answers with a title and a sentence.
func (h *handler) message(v *visit, status int, title, sentence string) {
	f := frame{Title: title, Section: "message", Person: v.person, Body: sentence}
	if err := write(v.w, status, "message", f); err != nil {
		h.Log.Error("render page failed", "reason", err.Error())
	}
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(style)
}

func serveScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(script)
}

// With returns the URL's query with a value changed and the place dropped, to start over.
func (f frame) With(name, value string) string {
	q := url.Values{"tenant": {f.Tenant.ID.String()}}
	for _, kept := range []string{"state", "type", "q", "by", "kind", "of", "assigned"} {
		if values := f.Query[kept]; len(values) > 0 && values[0] != "" {
			q.Set(kept, values[0])
		}
	}
	q.Set(name, value)
	if value == "" {
		q.Del(name)
	}
	return "?" + q.Encode()
}

// Here returns the query of the list shown, from its place on.
func (f frame) Here() string {
	q, _ := url.ParseQuery(strings.TrimPrefix(f.With("", ""), "?"))
	for _, kept := range []string{"after", "all"} {
		if f.Query.Get(kept) != "" {
			q.Set(kept, f.Query.Get(kept))
		}
	}
	return "?" + q.Encode()
}

// At returns the query selecting the tenant.
func (f frame) At() string { return "?tenant=" + f.Tenant.ID.String() }

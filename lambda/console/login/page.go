package login

import (
	_ "embed" // the page
	"html/template"
	"net/http"
)

// Page is a page for people without a session.
type Page struct {
	Title string
	Text  []string // paragraphs
	Link  string   // URL; empty: no link
	Label string   // of the link
}

var (
	//go:embed page.html
	shell string
	//go:embed page.css
	style []byte

	shellTemplate = template.Must(template.New("page").Parse(shell))
)

// Show writes a page.
func (g *Gate) Show(w http.ResponseWriter, status int, p Page) { show(w, status, p) }

func show(w http.ResponseWriter, status int, p Page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = shellTemplate.Execute(w, p) // ignored: the client is gone
}

func refuse(w http.ResponseWriter, status int, sentence string) {
	show(w, status, Page{Title: http.StatusText(status), Text: []string{sentence}, Link: "/", Label: "Go to the overview"})
}

func withoutRole(p Person) Page {
	return Page{Title: "You have no role", Text: []string{
		"You are logged in as " + p.Name + ", but your groups give no access to this console.",
		"Ask its administrator for a group such as matchbook-viewer, then log in again."}}
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(style)
}

package login

import (
	_ "embed" // the page
	"html/template"
	"net/http"
)

// Page is a page for people who are not logged in.
type Page struct {
	Title string
	Text  []string // paragraphs
	Link  string   // its address; empty: none
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
	_ = shellTemplate.Execute(w, p) // a client that has gone needs no answer
}

func refuse(w http.ResponseWriter, status int, sentence string) {
	show(w, status, Page{Title: http.StatusText(status), Text: []string{sentence}, Link: "/", Label: "To the overview"})
}

func withoutRole(p Person) Page {
	return Page{Title: "You have no role", Text: []string{
		"You are known as " + p.Name + ", and belong to no group that gives access to this console.",
		"Ask its administrator for a group such as matchbook-viewer, and log in again."}}
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(style)
}

package web

import (
	"bytes"
	_ "embed" // the page
	"html/template"
	"net/http"

	"matchbook/lambda/review/record"
)

// The page is a shell; its script fills it from the stream. There is no build step.
var (
	//go:embed page.html
	shell string
	//go:embed page.js
	script []byte
	//go:embed page.css
	style []byte

	shellTemplate = template.Must(template.New("page").Parse(shell))
)

func (h *handler) page(w http.ResponseWriter, _ *http.Request, j record.Job) {
	var page bytes.Buffer
	if err := shellTemplate.Execute(&page, viewOf(j)); err != nil {
		h.Log.Error("the page cannot be written", "reason", err.Error())
		writeError(w, http.StatusInternalServerError, "an error of Matchbook: its log has more")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes())
}

// asset serves a file of the page. It is the same for all reviews, and needs no
// token.
func asset(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(content)
	}
}

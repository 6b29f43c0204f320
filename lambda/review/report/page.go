package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"html/template"
)

//go:embed page.css
var css string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// HTML returns the report as a self-contained page: it loads nothing and runs no script.
func HTML(r Review) ([]byte, error) {
	hash := sha256.Sum256([]byte(css))
	var page bytes.Buffer
	err := pageTemplate.Execute(&page, struct {
		view
		Style  template.CSS
		Policy string
	}{viewOf(r), template.CSS(css), //nolint:gosec // built in
		"default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"})
	return page.Bytes(), err
}

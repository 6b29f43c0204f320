package email

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"matchbook/lambda/notify"
)

const maxSubject = 150 // characters

// subject returns a single line, because a line end would end the header.
func subject(m notify.Message) string {
	s := "Matchbook: " + m.Title()
	if m.Count == 1 {
		s += ": " + m.Failures[0].Error
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	if all := []rune(s); len(all) > maxSubject {
		return string(all[:maxSubject-1]) + "…"
	}
	return s
}

// page builds HTML from texts and escapes each. It doesn't use html/template, because that
// calls methods by name, so the linker would keep all methods, 5 MB of the function.
type page struct{ strings.Builder }

// line writes a line; each %s is a text.
func (p *page) line(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, t := range texts {
		escaped[i] = escaper.Replace(t)
	}
	fmt.Fprintf(p, format+"\n", escaped...)
}

// escaper escapes the special characters of texts and of attributes in double quotes; NUL
// can't occur in HTML.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\ufffd")

// html renders the same contents as notify.Text.
func html(m notify.Message) string {
	p := &page{}
	p.line("<!DOCTYPE html>")
	p.line(`<html lang="en">`)
	p.line(`<head><meta charset="utf-8"><title>%s</title></head>`, m.Title())
	p.line(`<body style="font-family: sans-serif; color: #222">`)
	p.line("<h2>%s</h2>", m.Title())
	if m.Count == 1 {
		p.line("<p>%s</p>", m.Failures[0].Error)
	}
	p.line(`<table cellpadding="4">`)
	for _, f := range m.Facts() {
		p.line(`<tr><th align="left">%s</th><td>%s</td></tr>`, f.Name, f.Value)
	}
	p.line("</table>")
	if m.Count > 1 {
		p.failures(m)
	}
	if strings.HasPrefix(m.Link, "https://") || strings.HasPrefix(m.Link, "http://") {
		p.line(`<p><a href="%s">%s</a></p>`, m.Link, m.LinkText())
	}
	p.line("</body>")
	p.line("</html>")
	return p.String()
}

func (p *page) failures(m notify.Message) {
	for _, f := range m.Failures {
		p.line("<p><b>%s</b><br>%s</p>", f.Heading(), f.Error)
	}
	if m.Rest() > 0 {
		p.line("<p>and %s more</p>", strconv.Itoa(m.Rest()))
	}
}

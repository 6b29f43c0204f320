package email

import (
	_ "embed"
	"html/template"
	"strings"
	"unicode"

	"matchbook/lambda/notify"
)

const maxSubject = 150 // characters

// subject is one line, whatever is in the message: an end of a line would end
// the header.
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

//go:embed mail.html.tmpl
var page string

var pageTemplate = template.Must(template.New("mail").Parse(page))

// html says what notify.Text says.
func html(m notify.Message) string {
	var b strings.Builder
	// It fails only where the template asks a Message for what it has not,
	// which the tests would find.
	_ = pageTemplate.Execute(&b, m)
	return b.String()
}

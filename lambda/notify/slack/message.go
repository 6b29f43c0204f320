package slack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"

	"matchbook/lambda/notify"
)

// Slack's limits, in characters. Because Slack does not document how it counts, these count
// after escaping, in UTF-16 units, and so never too few.
const (
	maxHeader = 150
	maxText   = 3000
	maxField  = 2000
	maxFields = 10 // per section
)

// payload is the body of a message. Links aren't unfurled, because Slack would request a
// preview from the admin pages.
type payload struct {
	Text        string  `json:"text"` // for phones and clients without blocks
	Blocks      []block `json:"blocks"`
	UnfurlLinks bool    `json:"unfurl_links"`
	UnfurlMedia bool    `json:"unfurl_media"`
}

type block struct {
	Type     string `json:"type"`
	Text     *text  `json:"text,omitempty"`
	Fields   []text `json:"fields,omitempty"`
	Elements []text `json:"elements,omitempty"`
}

// text is verbatim in mrkdwn, so that Slack doesn't turn words into links or mentions.
type text struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// render makes the body of a message: 5 blocks for one failure, at most 10 for a digest; Slack
// allows 50.
func render(m notify.Message) []byte {
	p := payload{Text: escape(summary(m), maxText)}
	p.Blocks = append(p.Blocks, block{Type: "header",
		Text: &text{Type: "plain_text", Text: escape(m.Title(), maxHeader)}})
	if m.Count == 1 && m.Failures[0].Error != "" {
		p.Blocks = append(p.Blocks, section(escape(m.Failures[0].Error, maxText)))
	}
	p.Blocks = append(p.Blocks, facts(m))
	if m.Count > 1 {
		p.Blocks = append(p.Blocks, list(m)...)
	}
	if l := link(m); l != "" {
		p.Blocks = append(p.Blocks, section(l))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(p) // can't fail: a payload has only texts and lists
	return b.Bytes()
}

func summary(m notify.Message) string {
	if first := m.Failures[0].Error; first != "" && m.Count == 1 {
		return m.Title() + ": " + first
	}
	return m.Title()
}

func mrkdwn(escaped string) text { return text{Type: "mrkdwn", Text: escaped, Verbatim: true} }

func section(escaped string) block {
	t := mrkdwn(escaped)
	return block{Type: "section", Text: &t}
}

func facts(m notify.Message) block {
	b := block{Type: "section"}
	for _, f := range m.Facts() {
		if len(b.Fields) < maxFields {
			name := "*" + escape(f.Name, maxHeader) + "*\n"
			b.Fields = append(b.Fields, mrkdwn(name+escape(f.Value, maxField-len(name))))
		}
	}
	return b
}

// list shows the failures listed in a digest, and counts the rest.
func list(m notify.Message) (blocks []block) {
	for _, f := range m.Failures {
		heading := "*" + escape(f.Heading(), maxText/2) + "*\n"
		blocks = append(blocks, section(heading+escape(f.Error, maxText-units(heading))))
	}
	if m.Rest() > 0 {
		blocks = append(blocks, block{Type: "context", Elements: []text{mrkdwn(fmt.Sprintf("and %d more", m.Rest()))}})
	}
	return blocks
}

// link makes a link, not a button, because a button reports its click to an app. A webhook has
// none, so Slack would show a warning.
func link(m notify.Message) string {
	if m.Link == "" {
		return ""
	}
	address := strings.ReplaceAll(m.Link, "|", "%7C")
	l := "<" + escape(address, math.MaxInt) + "|" + escape(m.LinkText(), maxHeader) + ">"
	if units(l) > maxText {
		return "" // half an address is useless
	}
	return l
}

var escapes = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;"}

// escape escapes s, cut to limit, but never within an escape.
func escape(s string, limit int) string {
	var b strings.Builder
	n, fits := 0, 0 // units of b; bytes of it with room for the ellipsis
	for _, r := range s {
		piece, ok := escapes[r]
		if !ok {
			piece = string(r)
		}
		n += units(piece)
		if n > limit {
			return b.String()[:fits] + "…"
		}
		b.WriteString(piece)
		if n < limit {
			fits = b.Len()
		}
	}
	return b.String()
}

func units(s string) (n int) {
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

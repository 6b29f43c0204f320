package docx

import (
	"bytes"
	"encoding/xml"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// stretch is a stretch of the text with its place.
type stretch struct {
	at, n int
	place
}

// place is the place of a text in the main part, from byte raw. The bytes of a whole can't be
// told apart: a character's entity, a tab, or the text of a note at its reference. Otherwise there
// are as many here as there.
type place struct {
	raw, size      int
	whole          bool
	run, paragraph *node // nil for added text, such as the number of a paragraph
}

// composed is the text under construction: clean as package chunk wants it, in the composed form
// of Unicode, so that its offsets stay valid.
type composed struct {
	text      []byte
	stretches []stretch
	full      bool // over the limit, so that the rest is missing
}

// add appends text from a place.
func (c *composed) add(s string, p place) {
	if s != "" && len(c.text) > 0 && !norm.NFC.PropertiesString(s).BoundaryBefore() {
		s, p = c.join(s, p)
	}
	for s != "" && !norm.NFC.IsNormalString(s) {
		n := norm.NFC.NextBoundaryInString(s, true)
		var part place
		part, p = p.cut(n)
		if composed := norm.NFC.String(s[:n]); composed != s[:n] {
			part.whole = true
			c.append(composed, part)
		} else {
			c.append(composed, part)
		}
		s = s[n:]
	}
	c.append(s, p)
}

// cut divides a place after n bytes of its text.
func (p place) cut(n int) (before, after place) {
	if p.whole {
		return p, p
	}
	before, after = p, p
	before.size, after.raw, after.size = n, p.raw+n, p.size-n
	return before, after
}

// join composes the start of s with the last character, even if that is in another run, and
// returns the rest.
func (c *composed) join(s string, p place) (string, place) {
	from := max(0, norm.NFC.LastBoundary(c.text))
	n := norm.NFC.NextBoundaryInString(s, true)
	part, rest := p.cut(n)
	joined := norm.NFC.String(string(c.text[from:]) + s[:n])
	if last := string(c.text[from:]); strings.HasPrefix(joined, last) {
		c.append(joined[len(last):], part)
		return s[n:], rest
	}
	for k := len(c.stretches) - 1; k >= 0 && c.stretches[k].at+c.stretches[k].n > from; k-- {
		last := &c.stretches[k]
		keep := max(0, from-last.at)
		last.place, part = last.cut(keep)
		if last.n = keep; keep == 0 {
			c.stretches = c.stretches[:k]
		}
	}
	c.text, part.whole = c.text[:from], true
	c.append(joined, part)
	return s[n:], rest
}

func (c *composed) append(s string, p place) {
	at := len(c.text)
	if c.full = c.full || at+len(s) > maxText; c.full {
		return
	}
	c.text = append(c.text, s...)
	if p.run == nil || s == "" {
		return
	}
	if k := len(c.stretches) - 1; k >= 0 {
		last := &c.stretches[k]
		switch next := last.raw + last.size; {
		case last.run != p.run || last.at+last.n != at || last.whole != p.whole:
		case p.whole && last.raw == p.raw:
			last.n += len(s)
			return
		case !p.whole && next == p.raw:
			last.n, last.size = last.n+len(s), last.size+len(s)
			return
		}
	}
	c.stretches = append(c.stretches, stretch{at, len(s), p})
}

// piece is a part of an element's text, with its place.
type piece struct {
	text string
	place
}

// pieces returns the text of an element without elements. White space at the edges counts only
// if the element says so.
func pieces(n *node) (found []piece) {
	from, to := n.edges()
	raw := n.raw[from:to]
	if bytes.IndexByte(raw, '<') >= 0 { // a comment or CDATA, which no word processor writes
		return []piece{{visible(plain(raw)), place{raw: n.start, size: n.end - n.start, whole: true}}}
	}
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		var text string
		if r == '&' {
			size = bytes.IndexByte(raw[i:], ';') + 1
			text = visible(plain(raw[i : i+size]))
		} else {
			text = visible(string(raw[i : i+size]))
		}
		whole := len(text) != size || r == '&'
		if last := len(found) - 1; last >= 0 && !whole && !found[last].whole && found[last].raw+found[last].size == from+i {
			found[last].text += text
			found[last].size += size
		} else if text != "" {
			found = append(found, piece{text, place{raw: from + i, size: size, whole: whole}})
		}
		i += size
	}
	return found
}

// edges returns the bytes of an element's text that count.
func (n *node) edges() (from, to int) {
	from, to = n.inner, n.outer
	space := func(i int) bool { return !n.spaces && from < to && bytes.IndexByte([]byte(" \t\r\n"), n.raw[i]) >= 0 }
	for space(from) {
		from++
	}
	for space(to - 1) {
		to--
	}
	return from, to
}

// plain returns the text of valid XML without elements.
func plain(raw []byte) string {
	d := xml.NewDecoder(strings.NewReader("<t>" + string(raw) + "</t>"))
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		if text, ok := token.(xml.CharData); ok {
			b.Write(text)
		}
	}
}

// visible returns what a person sees of a text: without control and invisible characters.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029', r == '\u0085', r == '\v', r == '\f':
			return ' '
		case r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// within returns the stretches with text from start to end.
func (c *composed) within(start, end int) []stretch {
	from := sort.Search(len(c.stretches), func(i int) bool { return c.stretches[i].at+c.stretches[i].n > start })
	to := sort.Search(len(c.stretches), func(i int) bool { return c.stretches[i].at >= end })
	return c.stretches[from:max(from, to)]
}

// bytes returns the place of what a stretch has of the text from start to end.
func (s stretch) bytes(start, end int) (from, to int) {
	if s.whole {
		return s.raw, s.raw + s.size
	}
	return s.raw + max(0, start-s.at), s.raw + min(s.n, end-s.at)
}

// paragraph returns the stretches of the first paragraph with text from start.
func (c *composed) paragraph(start int) []stretch {
	found := c.within(start, len(c.text))
	for i, s := range found {
		if s.paragraph != found[0].paragraph {
			return found[:i]
		}
	}
	return found
}

package chunk

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/charmap"
)

var pageStart = lazy.Regexp(`(?is)^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b`)

// textOfHTML returns the text of a page that a reader sees: blocks as paragraphs, headings with
// the marks of Markdown, lists with their numbers, the cells of a row on one line. It leaves out
// scripts and whatever is hidden. Struck text is marked.
func textOfHTML(raw []byte) (string, error) {
	var in io.Reader = bytes.NewReader(raw)
	if !utf8.Valid(raw) {
		encoding, err := encodingOf(raw)
		if err != nil {
			return "", err
		}
		in = encoding.NewDecoder().Reader(in)
	}
	root, err := html.Parse(in)
	if err != nil {
		return "", err
	}
	p := &htmlPage{}
	p.children(root)
	return p.String(), nil
}

// encodings has the encodings of a page that isn't UTF-8, by their declared names. Package charset of
// x/net knows all, and would add the tables of East Asia to a function.
var encodings = map[string]*charmap.Charmap{
	"": charmap.Windows1252, "utf-8": charmap.Windows1252, "iso-8859-1": charmap.Windows1252, "latin1": charmap.Windows1252,
	"us-ascii":     charmap.Windows1252,
	"windows-1252": charmap.Windows1252, "iso-8859-2": charmap.ISO8859_2, "windows-1250": charmap.Windows1250,
	"iso-8859-9": charmap.Windows1254, "windows-1254": charmap.Windows1254, "iso-8859-15": charmap.ISO8859_15,
	"windows-1251": charmap.Windows1251, "windows-1253": charmap.Windows1253,
}

var declared = lazy.Regexp(`(?i)<meta[^>]+charset\s*=\s*["']?([a-z0-9_-]+)`)

func encodingOf(raw []byte) (*charmap.Charmap, error) {
	name := ""
	if m := declared().FindSubmatch(raw[:min(len(raw), 1024)]); m != nil {
		name = strings.ToLower(string(m[1]))
	}
	if known := encodings[name]; known != nil {
		return known, nil
	}
	return nil, fmt.Errorf("unknown encoding %.40q: save the page as UTF-8", name)
}

// htmlPage writes the text of a page.
type htmlPage struct {
	strings.Builder
	newlines int  // wanted before the next word
	space    bool // wanted before the next word
	cell     bool // the next word begins a cell next to another one
	glued    bool // the next word stays on the line, whatever block it begins
	previous int  // start of the previous cell of the row; -1: none
	pre      bool
	lists    []htmlList
}

type htmlList struct {
	mark string // 1, a, A, i, I; empty for bullets
	next int
	step int
}

// children writes what is inside an element. The parser bounds the depth: it refuses more than
// 512 open elements.
func (p *htmlPage) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			p.text(c.Data)
		case html.ElementNode:
			if !concealed(c) {
				p.element(c)
			}
		}
	}
}

var unseen = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Head: true, atom.Template: true, atom.Noscript: true,
	atom.Svg: true, atom.Math: true, atom.Iframe: true, atom.Object: true, atom.Select: true, atom.Audio: true, atom.Video: true,
	atom.Canvas: true}

var hides = lazy.Regexp(`(?i)(?:^|;)\s*(?:display\s*:\s*none|` +
	`visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|!|$))`)

func concealed(n *html.Node) bool {
	_, hidden := attribute(n, "hidden")
	style, _ := attribute(n, "style")
	return hidden || unseen[n.DataAtom] || hides().MatchString(style)
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// around is the number of line ends around an element.
var around = map[atom.Atom]int{atom.P: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2, atom.Ul: 2, atom.Ol: 2,
	atom.Table: 2, atom.Blockquote: 2, atom.Pre: 2, atom.Hr: 2, atom.Dl: 2, atom.Article: 2, atom.Section: 2, atom.Header: 2,
	atom.Footer: 2, atom.Figure: 2, atom.Form: 2, atom.Fieldset: 2, atom.Div: 1, atom.Li: 1, atom.Tr: 1, atom.Dt: 1, atom.Dd: 1,
	atom.Caption: 1, atom.Main: 1, atom.Address: 1, atom.Aside: 2}

func (p *htmlPage) element(n *html.Node) {
	lines := around[n.DataAtom]
	if lines == 2 && (n.DataAtom == atom.Ul || n.DataAtom == atom.Ol) && len(p.lists) > 0 {
		lines = 1 // a list in a list
	}
	p.end(lines)
	switch n.DataAtom {
	case atom.Br:
		p.newlines++
	case atom.Ol, atom.Ul:
		p.list(n)
	case atom.Li:
		p.item(n)
	case atom.Tr:
		before := p.previous
		p.previous = -1
		p.children(n)
		p.previous = before
	case atom.Td, atom.Th:
		p.tableCell(n)
	case atom.Pre, atom.Textarea:
		before := p.pre
		p.pre = true
		p.children(n)
		p.pre = before
	case atom.Del, atom.S, atom.Strike:
		p.text(" [struck: ")
		p.children(n)
		p.text("] ")
	default:
		if level := strings.TrimPrefix(n.Data, "h"); lines == 2 && len(level) == 1 && level >= "1" && level <= "6" {
			p.text(strings.Repeat("#", int(level[0]-'0')) + " ")
		}
		p.children(n)
	}
	p.end(lines)
}

// tableCell writes a cell, next to the previous one if that is a line, such as a clause's number.
func (p *htmlPage) tableCell(n *html.Node) {
	if p.previous >= 0 && p.previous < p.Len() {
		p.cell = !strings.Contains(strings.TrimLeft(p.String()[p.previous:], "\n"), "\n")
		p.glued = p.cell
	}
	p.previous = p.Len()
	p.children(n)
}

func (p *htmlPage) end(lines int) { p.newlines = max(p.newlines, lines) }

func (p *htmlPage) list(n *html.Node) {
	l := htmlList{next: 1, step: 1}
	if n.DataAtom == atom.Ol {
		l.mark = "1"
		switch kind, _ := attribute(n, "type"); kind {
		case "a", "A", "i", "I":
			l.mark = kind
		}
		l.next = attributeNumber(n, "start", 1)
		if _, ok := attribute(n, "reversed"); ok {
			l.step = -1
		}
	}
	p.lists = append(p.lists, l)
	p.children(n)
	p.lists = p.lists[:len(p.lists)-1]
}

func attributeNumber(n *html.Node, name string, otherwise int) int {
	value, _ := attribute(n, name)
	if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i > -10_000 && i < 10_000 {
		return i
	}
	return otherwise
}

func (p *htmlPage) item(n *html.Node) {
	mark := "- "
	if last := len(p.lists) - 1; last >= 0 && p.lists[last].mark != "" {
		l := &p.lists[last]
		l.next = attributeNumber(n, "value", l.next)
		mark = counted(l.mark, l.next) + " "
		l.next += l.step
	}
	p.text(mark)
	p.glued, p.space = true, true
	p.children(n)
}

// counted returns a list's number: "3." or "(c)", as contracts write them.
func counted(mark string, n int) string {
	switch {
	case n < 1 || mark == "1" || mark != "i" && mark != "I" && n > 26:
		return fmt.Sprintf("%d.", n)
	case mark == "a":
		return "(" + string(rune('a'+n-1)) + ")"
	case mark == "A":
		return string(rune('A'+n-1)) + "."
	case mark == "i":
		return "(" + strings.ToLower(romanNumber(n)) + ")"
	}
	return romanNumber(n) + "."
}

func romanNumber(n int) string {
	if n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, step := range []struct {
		value int
		digit string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"},
		{5, "V"}, {4, "IV"}, {1, "I"}} {
		for n >= step.value {
			b.WriteString(step.digit)
			n -= step.value
		}
	}
	return b.String()
}

// text writes words with single spaces, or preformatted text as it is.
func (p *htmlPage) text(s string) {
	if p.pre {
		p.separate()
		p.WriteString(s)
		return
	}
	for _, c := range s {
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\u00a0':
			p.space = true
		default:
			p.separate()
			p.WriteRune(c)
		}
	}
}

// separate writes what stands between two words.
func (p *htmlPage) separate() {
	switch {
	case p.Len() == 0:
	case p.newlines > 0 && !p.glued:
		p.WriteString(strings.Repeat("\n", min(p.newlines, 2)))
	case p.cell:
		p.WriteString("  ")
	case p.space:
		p.WriteString(" ")
	}
	p.newlines, p.space, p.cell, p.glued = 0, false, false, false
}

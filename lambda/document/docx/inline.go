package docx

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// inline reads the content of a paragraph, or of an element in one.
func (r *reader) inline(n, props *node) {
	kids := n.kids
	if n.name == "mc:AlternateContent" {
		kids = n.chosen()
	}
	for _, k := range kids {
		switch k.name {
		case "w:r":
			r.run(k, props)
		case "w:ins", "w:del", "w:moveFrom", "w:moveTo":
			r.tracked(k, func() { r.inline(k, props) })
		case "m:oMath", "m:oMathPara":
			r.formula(k)
		case "w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr", "w:rt":
		case "w:t": // outside of a run: no word processor shows it
		default:
			if !r.mark(k) {
				r.inline(k, props)
			}
		}
	}
}

// maxQuote is the length of a commented text to keep, in bytes, because hostile comments overlap.
const maxQuote = 1_000

// mark takes a mark of a comment.
func (r *reader) mark(k *node) bool {
	id := k.attr("w:id")
	switch k.name {
	case "w:commentRangeStart":
		r.open[id] = len(r.doc.text.text)
	case "w:commentRangeEnd":
		if from, ok := r.open[id]; ok {
			text := string(r.doc.text.text[from:min(len(r.doc.text.text), from+maxQuote)])
			quote := strings.TrimSpace(strings.ToValidUTF8(text, ""))
			r.quoted[id] = Comment{Quote: quote, Start: from + strings.Index(text, quote)}
			delete(r.open, id)
		}
	case "w:commentReference":
		if _, ok := r.quoted[id]; !ok {
			r.quoted[id] = Comment{Start: len(r.doc.text.text)}
		}
	default:
		return false
	}
	return true
}

func (r *reader) formula(n *node) {
	own := r.unit == nil
	if own {
		r.unit = &place{n.start, n.end - n.start, true, n, r.paragraph}
	}
	n.below(func(k *node) bool {
		if k.name == "m:t" {
			r.texts(k, nil)
		}
		return true
	})
	if own {
		r.unit = nil
	}
}

// run reads a run. Text of another kind of content has the whole of it as its place.
func (r *reader) run(n, props *node) {
	style := n.kid("w:rPr")
	before := r.hidden
	r.hidden = r.hidden || r.styles.hidden(style, props)
	r.formatted(style.kid("w:rPrChange"), n)
	for _, k := range n.kids {
		r.content(n, k, props)
	}
	r.hidden = before
}

// characters are elements that stand for a character.
var characters = map[string]string{
	"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:softHyphen": "",
}

func (r *reader) content(run, k, props *node) {
	at := place{k.start, k.end - k.start, true, run, r.paragraph}
	if kind := k.attr("w:type"); kind == "page" || kind == "column" { // ends no more than a line
		if r.lead == nil && r.gap == "" && !r.isGone() {
			r.gap = "\n"
		}
		return
	}
	if char, ok := characters[k.name]; ok {
		r.emit(char, at)
		return
	}
	switch k.name {
	case "w:t":
		r.texts(k, run)
	case "w:delText":
		if r.isGone() {
			r.texts(k, run)
		}
	case "w:sym":
		r.emit(symbol(k.attr("w:char")), at)
	case "w:fldChar":
		r.field(k, at)
	case "w:instrText", "w:delInstrText":
		r.code(k)
	case "w:footnoteReference":
		r.emit(r.note(k, "footnote", r.where(at)), at)
	case "w:endnoteReference":
		r.emit(r.note(k, "endnote", r.where(at)), at)
	case "w:rPr", "w:footnoteRef", "w:endnoteRef", "w:annotationRef", "w:separator", "w:continuationSeparator":
	default:
		if !r.mark(k) {
			r.complex(k, props, r.where(at))
		}
	}
}

// where returns the place of text, which is the reference for text of a note.
func (r *reader) where(at place) place {
	if r.unit != nil {
		return *r.unit
	}
	return at
}

// complex reads content with elements: drawings with text boxes, phonetic guides, objects.
func (r *reader) complex(k, props *node, at place) {
	k.below(func(k *node) bool {
		switch k.name {
		case "w:txbxContent":
			if !r.isGone() && !r.invisible() {
				r.waiting = append(r.waiting, aside{"", k, at})
			}
			return false
		case "pic:pic", "v:imagedata":
			r.left["picture"]++
		case "c:chart", "dgm:relIds":
			r.left["diagram"]++
		case "w:object":
			r.left["embedded object"]++
			return false
		case "w:rt":
			return false
		case "w:r":
			own := r.unit
			r.unit = &at
			r.run(k, props)
			r.unit = own
			return false
		}
		return true
	})
}

func (r *reader) texts(n, run *node) {
	for _, p := range pieces(n) {
		p.run, p.paragraph = run, r.paragraph
		r.emit(p.text, p.place)
	}
}

// invisible reports whether text read now is a field's code or hidden.
func (r *reader) invisible() bool {
	for _, f := range r.codes {
		if f.code {
			return true
		}
	}
	return r.hidden
}

// emit takes text from a place.
func (r *reader) emit(s string, at place) {
	switch {
	case s == "":
		return
	case r.isGone():
		r.record(s)
		return
	case r.invisible():
		if r.hidden {
			r.left["character of hidden text"] += utf8.RuneCountInString(s)
		}
		return
	}
	if r.lead != nil {
		r.begin()
	}
	if s, at = r.trimmed(s, at); s == "" {
		return
	}
	r.fill()
	r.record(s)
	if r.unit != nil {
		at = *r.unit
	}
	r.doc.text.add(s, at)
}

// label writes a number or bullet, with one space after it, however wide its gap is.
func (r *reader) label(s string) {
	r.ours(s)
	r.gap, r.labeled = " ", true
}

// trimmed drops white space after a label, as other programs write the gap of notes.
func (r *reader) trimmed(s string, at place) (string, place) {
	if !r.labeled {
		return s, at
	}
	rest := strings.TrimLeft(s, " \t")
	r.labeled = rest == ""
	if !at.whole {
		at.raw, at.size = at.raw+len(s)-len(rest), len(rest)
	}
	return rest, at
}

// ours writes text that the document doesn't have as such.
func (r *reader) ours(s string) {
	if s != "" && !r.isGone() {
		r.fill()
		r.doc.text.add(visible(s), place{})
	}
}

func (r *reader) fill() {
	if len(r.doc.text.text) > 0 {
		r.doc.text.add(r.gap, place{})
	}
	r.gap = ""
}

// symbols are the characters of symbol fonts that contracts use: Wingdings' boxes and Symbol's
// signs.
var symbols = map[int64]string{
	0x6f: "☐", 0x71: "☐", 0xa8: "☐", 0x78: "☒", 0xfd: "☒", 0xfe: "☑", 0xfc: "✓", 0xfb: "✗", 0xb7: "•", 0xa7: "•",
	0xa3: "≤", 0xb3: "≥", 0xb1: "±", 0xb4: "×", 0xb0: "°", 0xd2: "®", 0xd3: "©", 0xd4: "™", 0xe0: "→", 0x2d: "-",
}

func symbol(code string) string {
	n, err := strconv.ParseInt(code, 16, 32)
	if err != nil || n == 0 {
		return ""
	}
	if n < 0xf000 {
		return visible(string(rune(n)))
	}
	if s, ok := symbols[n-0xf000]; ok {
		return s
	}
	return "\ufffd"
}

package docx

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// reader walks through the document.
type reader struct {
	doc     *Document
	styles  styles
	lists   map[string]*instance
	notes   map[string]*node // by kind and id
	remarks []*node          // comments
	left    map[string]int   // counts of what was left out
	open    map[string]int   // starts of comments
	quoted  map[string]Comment

	gap       string // white space before the next text
	labeled   bool   // the next text follows a number, so that its own white space is dropped
	lead      *node  // properties of the paragraph that has not begun yet
	joined    bool   // the next paragraph continues this one
	paragraph *node  // of the main part
	unit      *place // of everything read now, if it stands elsewhere: notes, boxes
	tables    int
	counted   [2]int // footnotes and endnotes
	waiting   []aside
	valid     map[*node]bool // field characters with partners
	codes     []*field
	hidden    bool
	change    *change // of the text read now
	last      *change // that may go on, since no text followed
	changes   []*change
}

// aside is a note or a text box, read after the paragraph that has it.
type aside struct {
	label string
	node  *node
	unit  place
}

const (
	newParagraph = "\n\n"
	maxRow       = 160 // characters of a row on one line
	maxHeading   = 120
)

// blocks reads what stands below each other: paragraphs and tables.
func (r *reader) blocks(n *node) {
	kids := n.kids
	if n.name == "mc:AlternateContent" {
		kids = n.chosen()
	}
	for _, k := range kids {
		switch k.name {
		case "w:p":
			r.readParagraph(k)
		case "w:tbl":
			r.table(k)
		case "w:altChunk", "w:subDoc":
			r.left["embedded document"]++
		case "w:ins", "w:del", "w:moveFrom", "w:moveTo":
			r.tracked(k, func() { r.blocks(k) })
		case "w:sdt", "w:sdtContent", "w:customXml", "w:smartTag", "mc:AlternateContent":
			r.blocks(k)
		default:
			r.mark(k)
		}
		if r.tables == 0 && r.unit == nil {
			r.flush()
		}
	}
}

// flush reads the notes and boxes of what was read, and the notes in them.
func (r *reader) flush() {
	for len(r.waiting) > 0 {
		next := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.gap = newParagraph
		r.unit = &next.unit
		if next.label != "" {
			r.label(next.label)
		}
		lead := next.label == ""
		for _, k := range next.node.kids {
			if !lead && k.name == "w:p" { // the label is its number
				r.joined, lead = true, true
			}
			r.blocks(&node{kids: []*node{k}})
		}
		r.gap = newParagraph
		r.unit, r.joined = nil, false
	}
}

func (r *reader) readParagraph(p *node) {
	if r.unit == nil {
		r.paragraph = p
	}
	props := p.kid("w:pPr")
	mark := props.kid("w:rPr")
	if !r.joined {
		r.lead, r.labeled = props, false
		if props == nil {
			r.lead = &node{}
		}
	}
	r.joined = false
	r.formatted(props.kid("w:pPrChange"), p)
	r.inline(p, props)
	hidden, _ := mark.on("w:vanish")
	gone := hidden || r.isGone() // in a deleted row
	for _, name := range []string{"w:ins", "w:moveTo", "w:del", "w:moveFrom"} {
		if k := mark.kid(name); k != nil {
			gone = gone || name == "w:del" || name == "w:moveFrom"
			r.tracked(k, func() { r.record("\n") })
		}
	}
	switch {
	case !gone && r.lead != nil:
		r.begin() // an empty paragraph counts, too
	case gone:
		r.joined = r.lead == nil
		r.lead = nil
		return
	}
	r.gap = newParagraph
}

// begin writes the number of the paragraph before its first text.
func (r *reader) begin() {
	props := r.lead
	r.lead = nil
	if in, at, ok := r.styles.numbered(props, r.lists); ok {
		if label := in.next(at); label != "" {
			r.label(label)
			return
		}
	}
	if n := r.styles.outline(props); n > 0 && n <= 6 && r.isShort() {
		r.ours(strings.Repeat("#", n) + " ")
	}
}

// isShort reports whether the paragraph read now is short enough for a heading, because some
// contracts set whole clauses in a heading's style.
func (r *reader) isShort() bool {
	n := utf8.RuneCountInString(wordsOf(r.paragraph))
	return r.unit == nil && n > 0 && n <= maxHeading
}

// table reads a short row as a line with tabs, and a longer one cell below cell.
func (r *reader) table(t *node) {
	r.tables++
	r.gap = newParagraph
	r.joined = false
	before, gap := len(r.doc.text.text), r.gap
	t.below(func(k *node) bool {
		switch k.name {
		case "w:tr":
			r.row(k)
			return false
		case "w:tblPr", "w:tblGrid":
			return false
		}
		return true
	})
	r.gap = gap // without a text, else a blank line
	if len(r.doc.text.text) > before {
		r.gap = newParagraph
	}
	r.tables--
}

func (r *reader) row(row *node) {
	for _, change := range []string{"w:del", "w:ins"} {
		if k := row.kid("w:trPr", change); k != nil {
			plain := *row
			plain.kids = without(row.kids, "w:trPr")
			r.tracked(&node{name: k.name, attrs: k.attrs}, func() { r.row(&plain) })
			return
		}
	}
	var cells []*node
	row.below(func(k *node) bool {
		if k.name == "w:tc" {
			cells = append(cells, k)
		}
		return k.name != "w:tc" && k.name != "w:trPr"
	})
	line := isLine(row, cells)
	before := len(r.doc.text.text)
	for _, c := range cells {
		r.cell(c, line)
	}
	if line && len(r.doc.text.text) > before {
		r.gap = "\n"
	}
}

func (r *reader) cell(c *node, line bool) {
	before, gap := len(r.doc.text.text), r.gap
	if k := c.kid("w:tcPr", "w:cellDel"); k != nil {
		r.tracked(k, func() { r.blocks(c) })
	} else {
		r.blocks(c)
	}
	switch {
	case len(r.doc.text.text) == before:
		r.gap = gap
	case line:
		r.gap = "\t"
	}
}

func isLine(row *node, cells []*node) bool {
	if utf8.RuneCountInString(wordsOf(row)) > maxRow {
		return false
	}
	for _, c := range cells {
		texts := 0
		nested := false
		c.below(func(k *node) bool {
			nested = nested || k.name == "w:tbl"
			if k.name == "w:p" && wordsOf(k) != "" {
				texts++
			}
			return k.name != "w:p"
		})
		if nested || texts > 1 {
			return false
		}
	}
	return true
}

func without(kids []*node, name string) (kept []*node) {
	for _, k := range kids {
		if k.name != name {
			kept = append(kept, k)
		}
	}
	return kept
}

// note queues the note of a reference, and returns the reference's mark.
func (r *reader) note(ref *node, kind string, unit place) string {
	id := kind + ref.attr("w:id")
	n := r.notes[id]
	if n == nil || r.isGone() {
		return ""
	}
	delete(r.notes, id) // a note that refers to itself is read once
	label := ""
	if custom := ref.attr("w:customMarkFollows"); custom == "" || custom == "0" {
		count, as := &r.counted[0], strconv.Itoa
		if kind == "endnote" {
			count, as = &r.counted[1], func(n int) string { return strings.ToLower(roman(n)) }
		}
		*count++
		label = "[" + as(*count) + "]"
	}
	r.waiting = append(r.waiting, aside{label, n, unit})
	return label
}

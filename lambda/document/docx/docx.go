// Package docx reads contracts from Word documents (DOCX), and writes comments and tracked
// insertions back into them.
//
// Read returns the text with all tracked changes accepted, numbers of paragraphs included, and
// lists the changes and comments apart. Each byte of the text has its place in the main part, so
// that Annotate puts a comment at exactly the words that it is about. Annotate changes nothing
// else: it inserts bytes into the main part, and copies the other parts as they are packed.
//
// A paragraph is followed by a blank line. A short row of a table is one line with tabs, a long
// one becomes the paragraphs of its cells. Notes and text boxes follow the paragraph that has them.
// Hidden text, headers, footers and pictures are left out, and LeftOut says so.
//
// The document may be hostile. Sizes, depth and counts are bounded, entities refused, and no
// reference leads out of the file. Errors never contain its text.
package docx

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"matchbook/lambda/internal/plural"
)

// Document is a Word document that was read.
type Document struct {
	Text     string // UTF-8, composed, without control characters
	Changes  []Change
	Comments []Comment
	LeftOut  []string // such as "2 pictures"; empty if everything was read

	archive *archive
	root    *node // of the main part
	text    composed
}

// ChangeKind is the kind of a tracked change.
type ChangeKind string

// The kinds of tracked changes. Only the text of the first two kinds is in Document.Text.
const (
	Inserted  ChangeKind = "inserted"
	MovedHere ChangeKind = "moved here"
	Deleted   ChangeKind = "deleted"
	MovedAway ChangeKind = "moved away"
	Formatted ChangeKind = "formatted"
)

// Change is a tracked change.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	Author string     `json:"author"`
	Date   string     `json:"date"` // as in the file: RFC 3339, often without a meaningful zone
	Text   string     `json:"text"`
	Start  int        `json:"start_offset"` // in the accepted text
}

// Comment is a comment that the document already has.
type Comment struct {
	Author string `json:"author"`
	Date   string `json:"date"`
	Text   string `json:"text"`
	Quote  string `json:"quote"` // the commented text; empty for a point
	Start  int    `json:"start_offset"`
}

// Read reads a Word document. An error is for its sender, and names the way.
func Read(r io.ReaderAt, size int64) (*Document, error) {
	a, err := open(r, size)
	if err != nil {
		return nil, err
	}
	main, err := a.part(a.main)
	if err != nil {
		return nil, err
	}
	if main.kid("w:body") == nil {
		return nil, errNoWord
	}
	d := &Document{archive: a, root: main}
	rd := reader{doc: d, notes: map[string]*node{}, left: map[string]int{}, open: map[string]int{}, quoted: map[string]Comment{}}
	if err := rd.parts(); err != nil {
		return nil, err
	}
	rd.fields(main)
	rd.blocks(main.kid("w:body"))
	rd.flush()
	if d.text.full {
		return nil, errLarge
	}
	d.Text = string(d.text.text)
	rd.finish()
	return d, nil
}

// parts reads the parts that the main one needs.
func (r *reader) parts() error {
	a := r.doc.archive
	read := map[string]*node{}
	for _, kind := range []string{"styles", "numbering", "footnotes", "endnotes", "comments"} {
		name := a.links[kind]
		if name == "" {
			continue
		}
		n, err := a.part(name)
		if err != nil {
			return err
		}
		if n == nil {
			r.left["missing part, "+kind]++
		}
		read[kind] = n
	}
	r.styles = readStyles(read["styles"])
	r.lists = numbering(read["numbering"])
	for _, kind := range []string{"footnote", "endnote"} {
		for _, n := range read[kind+"s"].all("w:" + kind) {
			r.notes[kind+n.attr("w:id")] = n
			r.fields(n)
		}
	}
	r.remarks = read["comments"].all("w:comment")
	for _, name := range a.more {
		raw, err := a.read(name)
		if err != nil {
			return err
		}
		if anyText.Match(raw) {
			r.left["header or footer"]++
		}
	}
	return nil
}

// anyText finds text in a header, without parsing it.
var anyText = regexp.MustCompile(`t(?: [^>]*)?>\s*[^<\s]`)

// finish lists the comments and what was left out.
func (r *reader) finish() {
	for _, c := range r.changes {
		c.Text = string(c.text)
		r.doc.Changes = append(r.doc.Changes, c.Change)
	}
	for _, n := range r.remarks {
		c := r.quoted[n.attr("w:id")]
		c.Author, c.Date, c.Text = visible(n.attr("w:author")), visible(n.attr("w:date")), strings.TrimSpace(wordsOf(n))
		r.doc.Comments = append(r.doc.Comments, c)
	}
	for _, of := range [][2]string{
		{"picture", "pictures"}, {"diagram", "diagrams"}, {"embedded object", "embedded objects"},
		{"embedded document", "embedded documents"}, {"header or footer", "headers and footers"},
		{"character of hidden text", "characters of hidden text"},
	} {
		if n := r.left[of[0]]; n > 0 {
			r.doc.LeftOut = append(r.doc.LeftOut, plural.Of(n, of[0], of[1]))
			delete(r.left, of[0])
		}
	}
	for _, kind := range []string{"styles", "numbering", "footnotes", "endnotes", "comments"} {
		if r.left["missing part, "+kind] > 0 {
			r.doc.LeftOut = append(r.doc.LeftOut, fmt.Sprintf("%s: missing part", kind))
		}
	}
}

// wordsOf returns the text of a comment or header, one line for each paragraph.
func wordsOf(n *node) string {
	var b strings.Builder
	n.below(func(k *node) bool {
		switch k.name {
		case "w:p":
			b.WriteByte('\n')
		case "w:t", "m:t":
			for _, p := range pieces(k) {
				b.WriteString(p.text)
			}
		case "w:tab", "w:br", "w:cr":
			b.WriteByte(' ')
		case "w:pPr", "w:del", "w:moveFrom":
			return false
		}
		return true
	})
	return strings.TrimSpace(b.String())
}

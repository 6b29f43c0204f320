package docx

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Note is a comment to add, about the text from Start to End, with a line for each paragraph. One
// about no text stands at the document's beginning. Insert is wording to insert, as a tracked
// change, after the text's paragraph; it may be empty.
type Note struct {
	Start, End   int
	Text, Insert string
}

// Annotate writes the document with notes by an author. All other bytes of the main part and all
// other parts stay as they are. Word has no comments on notes, boxes and formulas, so those stand
// at their reference and quote the text.
func (d *Document) Annotate(w io.Writer, author string, at time.Time, notes []Note) error {
	e, err := d.edit(author, at)
	if err != nil {
		return err
	}
	for _, n := range notes {
		e.note(n)
	}
	changed := map[string][]byte{d.archive.main: e.main.bytes()}
	if _, err := parse(d.archive.main, changed[d.archive.main]); err != nil {
		return fmt.Errorf("writing comments: %w", err)
	}
	if len(notes) > 0 {
		if err := e.addComments(changed); err != nil {
			return err
		}
	}
	return d.archive.write(w, changed)
}

// write copies the file with changed parts, which may be new.
func (a *archive) write(w io.Writer, changed map[string][]byte) error {
	out := zip.NewWriter(w)
	if err := out.SetComment(a.zip.Comment); err != nil {
		return err
	}
	put := func(name string, modified time.Time) error {
		part, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
		if err == nil {
			_, err = part.Write(changed[name])
		}
		delete(changed, name)
		return err
	}
	for _, f := range a.zip.File {
		var err error
		if name := named(changed, f.Name); name != "" {
			changed[f.Name] = changed[name]
			err = put(f.Name, f.Modified)
			delete(changed, name)
		} else {
			err = out.Copy(f)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if err := put(name, time.Time{}); err != nil {
			return err
		}
	}
	return out.Close()
}

// named returns a changed part's name; names of parts ignore case.
func named(changed map[string][]byte, name string) string {
	for k := range changed {
		if strings.EqualFold(k, name) {
			return k
		}
	}
	return ""
}

// editor collects what to insert.
type editor struct {
	doc      *Document
	main     *patch
	comments *patch // nil without comments
	text     strings.Builder
	used     map[int]bool // ids
	last     int
	by       string // attributes of author and date
	done     map[string]bool
}

func (d *Document) edit(author string, at time.Time) (*editor, error) {
	e := &editor{doc: d, main: newPatch(d.root), used: map[int]bool{}, done: map[string]bool{},
		by: fmt.Sprintf(` w:author="%s" w:date="%s"`, escape(author), at.UTC().Format(time.RFC3339))}
	name := d.archive.links["comments"]
	old, err := d.archive.part(name)
	if err != nil {
		return nil, err
	}
	if old != nil {
		e.comments = newPatch(old)
	}
	for _, n := range []*node{d.root, old} {
		n.each(func(k *node) {
			if id, err := strconv.Atoi(k.attr("w:id")); err == nil {
				e.used[id] = true
			}
		})
	}
	return e, nil
}

func (e *editor) id() int {
	for e.last++; e.used[e.last]; {
		e.last++
	}
	return e.last
}

// note adds a comment, and its wording.
func (e *editor) note(n Note) {
	d := e.doc
	n.Start, n.End = max(0, n.Start), min(n.End, len(d.Text))
	found := d.text.within(n.Start, n.End)
	if len(found) == 0 { // about no text, or about a number, which is Word's
		found = d.text.paragraph(n.Start)
		n.Start, n.End = 0, len(d.Text)
	}
	id := e.id()
	e.comment(id, n, elsewhere(found))
	if len(found) == 0 {
		return
	}
	first, last := found[0], found[0]
	from, to := first.bytes(n.Start, n.End)
	for _, s := range found[1:] { // notes stand at an earlier byte
		start, end := s.bytes(n.Start, n.End)
		if start < from {
			first, from = s, start
		}
		if end > to {
			last, to = s, end
		}
	}
	mark := fmt.Sprintf(`%s w:id="%d"/>`, e.main.space, id)
	start := e.main.cut(first.run, from)
	start.starts += "<w:commentRangeStart" + mark
	end := e.main.cut(last.run, to)
	end.ends += "<w:commentRangeEnd" + mark
	e.main.after(last, end).ends += "<w:r" + e.main.space + `><w:commentReference w:id="` + strconv.Itoa(id) + `"/></w:r>`
	e.insert(last, n.Insert)
}

// elsewhere reports whether some of a text isn't where its comment stands.
func elsewhere(found []stretch) bool {
	return slices.ContainsFunc(found, func(s stretch) bool { return s.whole && s.n > utf8.UTFMax })
}

// insert adds wording at the end of a paragraph, because an earlier place could be within a
// sentence.
func (e *editor) insert(s stretch, text string) {
	key := fmt.Sprint(s.paragraph.start, " ", text)
	if text == "" || e.done[key] {
		return
	}
	e.done[key] = true
	form := ""
	if props := s.run.kid("w:rPr"); props != nil {
		form = plainForm(props)
	}
	e.main.at(s.paragraph.outer).inserts += fmt.Sprintf(`<w:ins%s w:id="%d"%s><w:r>%s<w:t xml:space="preserve"> %s</w:t></w:r></w:ins>`,
		e.main.space, e.id(), e.by, form, escape(strings.TrimSpace(visible(text))))
}

// plainForm returns a run's form without the tracked changes of it.
func plainForm(props *node) string {
	if k := props.kid("w:rPrChange"); k != nil {
		return string(props.raw[props.start:k.start]) + string(props.raw[k.end:props.end])
	}
	return string(props.raw[props.start:props.end])
}

// comment writes a comment's element.
func (e *editor) comment(id int, n Note, quoted bool) {
	space := ""
	if e.comments != nil {
		space = e.comments.space
	}
	fmt.Fprintf(&e.text, `<w:comment%s w:id="%d"%s w:initials="M">`, space, id, e.by)
	text := n.Text
	if quoted {
		text += "\n“" + strings.Join(strings.Fields(e.doc.Text[n.Start:n.End]), " ") + "”"
	}
	ref := "<w:r><w:annotationRef/></w:r>"
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&e.text, `<w:p>%s<w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>`, ref, escape(visible(line)))
		ref = ""
	}
	e.text.WriteString("</w:comment>")
}

func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer never fails
	return b.String()
}

const (
	typesPart    = "[Content_Types].xml"
	commentsType = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
	packageSpace = "http://schemas.openxmlformats.org/package/2006/"
)

// addComments adds the comments to their part, which it creates if it's missing.
func (e *editor) addComments(changed map[string][]byte) error {
	a := e.doc.archive
	name := a.links["comments"]
	if e.comments != nil {
		e.comments.at(e.comments.root.outer).ends += e.text.String()
		changed[name] = e.comments.bytes()
		return nil
	}
	if name == "" {
		for i := 0; name == "" || a.files[strings.ToLower(name)] != nil; i++ {
			name = path.Join(path.Dir(a.main), "comments"+strings.Repeat("M", i)+".xml")
		}
		if err := e.relate(changed, name); err != nil {
			return err
		}
	}
	changed[name] = fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:comments xmlns:w="%s">%s</w:comments>`, mainSpace(e.doc.root), e.text.String())
	types, err := a.part(typesPart)
	if err != nil {
		return err
	}
	for _, o := range types.all("?:Override") {
		if strings.EqualFold(o.attr("PartName"), "/"+name) {
			return nil
		}
	}
	return e.declare(changed, typesPart, "Types", "content-types",
		fmt.Sprintf(`<Override xmlns="%scontent-types" PartName="/%s" ContentType="%s"/>`,
			packageSpace, escape(name), commentsType))
}

// relate makes a part the comments of the main part.
func (e *editor) relate(changed map[string][]byte, name string) error {
	kind := "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
	if strings.Contains(mainSpace(e.doc.root), "purl.oclc.org") {
		kind = "http://purl.oclc.org/ooxml/officeDocument/relationships/comments"
	}
	return e.declare(changed, relsOf(e.doc.archive.main), "Relationships", "relationships",
		fmt.Sprintf(`<Relationship xmlns="%srelationships" Id="rIdMatchbook" Type="%s" Target="/%s"/>`, packageSpace, kind, escape(name)))
}

// declare adds an element to a part of the package, which may be missing.
func (e *editor) declare(changed map[string][]byte, name, root, space, element string) error {
	n, err := e.doc.archive.part(name)
	if err != nil {
		return err
	}
	if n == nil {
		changed[name] = fmt.Appendf(nil, `<%s xmlns="%s%s">%s</%s>`, root, packageSpace, space, element, root)
		return nil
	}
	p := newPatch(n)
	p.at(n.outer).ends += element
	changed[name] = p.bytes()
	return nil
}

// mainSpace returns the namespace of a part's elements.
func mainSpace(root *node) string {
	return cmp.Or(root.space, "http://schemas.openxmlformats.org/wordprocessingml/2006/main")
}

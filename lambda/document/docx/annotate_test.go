package docx

import (
	"archive/zip"
	"bytes"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"

	"golang.org/x/text/unicode/norm"
)

var noon = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

func annotated(t *testing.T, d *Document, notes ...Note) []byte {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, d.Annotate(&b, "Match & book", noon, notes))
	return b.Bytes()
}

// at returns a note about the first place of a quote.
func at(t *testing.T, d *Document, quote, insert string) Note {
	t.Helper()
	i := strings.Index(d.Text, quote)
	if i < 0 || quote == "" {
		t.Fatalf("%q is not in %q", quote, d.Text)
	}
	return Note{i, i + len(quote), "HIGH: look\nTwo <lines>", insert}
}

var (
	deletion = regexp.MustCompile(`(?s)<w:(del|moveFrom) .*?</w:(del|moveFrom)>|<w:instrText.*?</w:instrText>|<w:rt>.*?</w:rt>`)
	shown    = regexp.MustCompile(`<(?:w|m):t(?: [^>]*)?>([^<]*)</(?:w|m):t>|<w:(tab|br|noBreakHyphen)/>`)
)

// between returns the text that a comment's marks enclose, as a reader of the bare XML sees it.
func between(t *testing.T, data []byte, id string) string {
	t.Helper()
	doc := partOf(t, data, "word/document.xml")
	_, rest, ok := strings.Cut(doc, `<w:commentRangeStart w:id="`+id+`"/>`)
	inside, _, closed := strings.Cut(rest, `<w:commentRangeEnd w:id="`+id+`"/>`)
	if !ok || !closed || strings.Count(doc, `<w:commentReference w:id="`+id+`"/>`) != 1 {
		t.Fatalf("comment %s is not marked in %s", id, doc)
	}
	var b strings.Builder
	for _, m := range shown.FindAllStringSubmatch(deletion.ReplaceAllString(inside, ""), -1) {
		b.WriteString(html.UnescapeString(m[1]) + map[string]string{"tab": "\t", "br": "\n", "noBreakHyphen": "-"}[m[2]])
	}
	return b.String()
}

func partOf(t *testing.T, data []byte, name string) string {
	t.Helper()
	z := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	return string(must.Get(io.ReadAll(must.Get(z.Open(name))(t)))(t))
}

// lastID is the id of the only comment by us.
var lastID = regexp.MustCompile(`<w:comment w:id="(\d+)" w:author="Match &amp; book"`)

func squeezed(s string) string {
	return norm.NFC.String(strings.NewReplacer("\u00ad", "", "\u200b", "").Replace(strings.Join(strings.Fields(s), "")))
}

func TestCommentsQuote(t *testing.T) {
	t.Parallel()
	// What stands between the marks, if it isn't the quote: numbers and notes have no text there.
	marked := map[string]string{"numbers in legal style": "Except", "notes": "", "text boxes": "In the box.Twice.In the box."}
	for _, tc := range byHand {
		data := file(t, tc.body, tc.parts)
		before := read(t, data)
		out := annotated(t, before, at(t, before, tc.quote, "Our  words."))
		after := read(t, out)
		id := lastID.FindStringSubmatch(partOf(t, out, "word/comments.xml"))[1]
		want, ok := marked[tc.name]
		if !ok {
			want = tc.quote
		}
		if got := between(t, out, id); squeezed(got) != squeezed(want) {
			t.Errorf("%s: the marks enclose %q, want %q", tc.name, got, want)
		}
		if got := strings.ReplaceAll(after.Text, " Our  words.", ""); got != before.Text || got == after.Text {
			t.Errorf("%s: the text changed:\ngot  %q\nfrom %q", tc.name, after.Text, before.Text)
		}
		if n := len(after.Changes) - len(before.Changes); n != 1 || len(after.Comments) != len(before.Comments)+1 {
			t.Errorf("%s: %d new changes; comments %+v", tc.name, n, after.Comments)
		}
	}
}

// Small texts, and what a comment on a part of them encloses.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ runs, want, quote string }{
		{`<r><t>a&amp;&lt;b</t></r>`, "a&<b", "<b"}, {`<r><t>a&amp;&lt;b</t></r>`, "a&<b", "a&"}, {`<r><tab/><tab/><t>a</t></r><r><t>b</t></r>`, "\t\tab", "\ta"},
		{"<r><t>re\u0301sume\u0301 x</t></r>", "résumé x", "ré"}, {"<r><t>re\u0301sume\u0301 x</t></r>", "résumé x", "ésum"},
		{`<r><t>a</t><br type="page"/><t>b</t></r><r><br type="page"/></r>`, "a\nb", "b"}, {`<r><t>a</t><delText>ghost</delText></r>`, "a", "a"},
	} {
		d := read(t, file(t, "<p>"+tc.runs+"</p>", nil))
		out := annotated(t, d, at(t, d, tc.quote, ""))
		if got := between(t, out, "1"); d.Text != tc.want || norm.NFC.String(got) != tc.quote {
			t.Errorf("%q: the marks enclose %q, want %q", d.Text, got, tc.quote)
		}
	}
}

// Between the halves of a run everything else is kept: its form, white space, tabs, entities.
func TestRunsSplit(t *testing.T) {
	t.Parallel()
	data := file(t, `<p><r rsidR="1"><rPr><b/><rPrChange id="1" author="A"><rPr/></rPrChange></rPr><t> one two </t><tab/><t>&lt;three&gt; four </t></r></p>`, nil)
	d := read(t, data)
	if d.Text != "one two\t<three> four" {
		t.Fatalf("got %q", d.Text)
	}
	out := annotated(t, d, at(t, d, "two\t<three", "Five."), at(t, d, "three>", ""), Note{Text: "About all"})
	const open, mark, end, ref = `<w:r w:rsidR="1"><w:rPr><w:b/><w:rPrChange w:id="1" w:author="A"><w:rPr/></w:rPrChange></w:rPr>`, `<w:commentRangeStart w:id=`, `<w:commentRangeEnd w:id=`, `/><w:r><w:commentReference w:id=`
	const keep = `<w:t xml:space="preserve">`
	want := `<w:p>` + mark + `"5"/>` + open + keep + `one </w:t></w:r>` + mark + `"2"/>` + open + keep + `two</w:t><w:tab/>` + keep + `&lt;</w:t></w:r>` + mark + `"4"/>` +
		open + keep + `three</w:t></w:r>` + end + `"2"` + ref + `"2"/></w:r>` + open + keep + `&gt;</w:t></w:r>` + end + `"4"` + ref + `"4"/></w:r>` +
		open + keep + ` four</w:t></w:r>` + end + `"5"` + ref + `"5"/></w:r>` +
		`<w:ins w:id="3" w:author="Match &amp; book" w:date="2026-11-02T12:00:00Z"><w:r><w:rPr><w:b/></w:rPr>` + keep + ` Five.</w:t></w:r></w:ins></w:p>`
	if got := partOf(t, out, "word/document.xml"); !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// In an insertion, a link or a control the reference stands after it, or it would vanish with it.
func TestReferenceAfterInsertion(t *testing.T) {
	t.Parallel()
	d := read(t, file(t, `<p><ins id="1" author="A"><r><t>new words</t></r></ins><r><t>.</t></r></p>`, nil))
	got := partOf(t, annotated(t, d, at(t, d, "new", "")), "word/document.xml")
	want := `new</w:t></w:r><w:commentRangeEnd w:id="2"/><w:r><w:t xml:space="preserve"> words</w:t></w:r></w:ins><w:r><w:commentReference w:id="2"/></w:r><w:r><w:t>.`
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOtherPartsKept(t *testing.T) {
	t.Parallel()
	data := file(t, `<p><r><t>One.</t></r></p>`, map[string]string{"header": "<p/>", "styles": ""})
	data = append(data[:len(data)-2], "\x04\x00kept"...) // a comment of the ZIP
	d := read(t, data)
	out := annotated(t, d, at(t, d, "One", "Two."), at(t, d, "One.", "Two."))
	if strings.Count(partOf(t, out, "word/document.xml"), "Two.") != 1 {
		t.Error("one wording is inserted twice")
	}
	old, now := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t), must.Get(zip.NewReader(bytes.NewReader(out), int64(len(out))))(t)
	if now.Comment != "kept" || len(now.File) != len(old.File)+1 {
		t.Errorf("comment %q, %d parts of %d", now.Comment, len(now.File), len(old.File))
	}
	for _, f := range old.File {
		was, is := partOf(t, data, f.Name), partOf(t, out, f.Name)
		switch f.Name {
		case "word/document.xml":
		case "[Content_Types].xml", "word/_rels/document.xml.rels":
			if i := strings.LastIndex(was, "</"); !strings.HasPrefix(is, was[:i]) || !strings.HasSuffix(is, was[i:]) || !strings.Contains(is, "/word/comments.xml") {
				t.Errorf("%s: %s", f.Name, is)
			}
		default:
			if was != is {
				t.Errorf("%s: changed", f.Name)
			}
		}
	}
}

// A quote that goes on in a note encloses the text from the reference on, which is earlier.
func TestQuoteIntoNote(t *testing.T) {
	t.Parallel()
	d := read(t, file(t, `<p><r><t>Price</t></r><r><footnoteReference id="2"/></r><r><t xml:space="preserve"> and term.</t></r></p>`,
		map[string]string{"footnotes": `<footnote id="2"><p><r><t>Plus tax.</t></r></p></footnote>`}))
	out := annotated(t, d, at(t, d, "term.\n\n[1] Plus tax.", ""))
	if got := between(t, out, "1"); got != " and term." || !strings.Contains(partOf(t, out, "word/comments.xml"), "“term. [1] Plus tax.”") {
		t.Errorf("the marks enclose %q", got)
	}
}

func TestNoNotesNoChange(t *testing.T) {
	t.Parallel()
	data := file(t, `<p><r><t>One.</t></r></p>`, nil)
	out := annotated(t, read(t, data))
	if was, is := partOf(t, data, "word/document.xml"), partOf(t, out, "word/document.xml"); was != is {
		t.Errorf("got %s", is)
	}
}

// Comments are added to those of the document, also under other prefixes, and without any text.
func TestCommentsAdded(t *testing.T) {
	t.Parallel()
	const main = `<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><r><t>Strict text</t></r></p></body></document>`
	const rel = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/comments" Target="c.xml"/></Relationships>`
	d := read(t, packed(t, map[string]string{"doc.xml": main, "_rels/.rels": strings.Replace(relsXML, "word/document", "doc", 1), "_rels/doc.xml.rels": rel,
		"c.xml": `<x:comments xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main" />`, "[Content_Types].xml": typesXML}))
	got := read(t, annotated(t, d, at(t, d, "text", "More.")))
	if len(got.Comments) != 1 || got.Comments[0].Quote != "text" || got.Comments[0].Text != "HIGH: look\nTwo <lines>" || got.Text != "Strict text More." {
		t.Errorf("got %+v of %q", got.Comments, got.Text)
	}
	empty := read(t, file(t, "<p/>", nil))
	if got := read(t, annotated(t, empty, Note{Text: "Nothing here"})); len(got.Comments) != 1 {
		t.Errorf("got %+v", got.Comments)
	}
}

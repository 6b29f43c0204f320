package docx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/chunk"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tc := range byHand {
		d := read(t, file(t, tc.body, tc.parts))
		if d.Text != tc.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tc.name, d.Text, tc.want)
		}
		if got := strings.Join(d.LeftOut, ", "); got != tc.left {
			t.Errorf("%s: left out %q, want %q", tc.name, got, tc.left)
		}
	}
}

func madeFile(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile("testdata/made/" + name + ".docx"))(t)
}

func TestTextOfLibreOffice(t *testing.T) {
	t.Parallel()
	for _, tc := range made {
		if got := read(t, madeFile(t, tc.name)).Text; got != tc.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tc.name, got, tc.want)
		}
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]Change{
		"tracked changes": {
			{Deleted, "Ann", "2026-03-01T10:00:00Z", "100", 11}, {Inserted, "Ben", "2026-03-02T09:30:00Z", "120", 11},
			{Deleted, "Ann", "2026-03-03T08:00:00Z", " net", 14}, {Deleted, "Ann", "2026-03-01T10:00:00Z", "Gone.\n", 29},
			{Deleted, "Ann", "2026-03-01T10:00:00Z", "\n", 35},
		},
		"moves and deleted rows": {
			{MovedAway, "Ann", "2026-03-01T10:00:00Z", "It moved.", 0}, {Deleted, "Ben", "2026-03-01T10:00:00Z", "old", 9},
			{MovedHere, "Ann", "2026-03-01T10:00:00Z", "It moved.", 28},
		},
	} {
		for _, tc := range byHand {
			if tc.name != name {
				continue
			}
			if got := read(t, file(t, tc.body, tc.parts)).Changes; !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %v\nwant %v", name, got, want)
			}
		}
	}
}

func TestFormatChanges(t *testing.T) {
	t.Parallel()
	got := read(t, file(t, `<p><pPr><pPrChange id="1" author="A" date="D"><pPr/></pPrChange></pPr><r><rPr><b/><rPrChange id="2" author="A" date="E"><rPr/></rPrChange></rPr><t>bold</t></r>`+
		`<ins id="3" author="B" date="E"><r><rPr><rPrChange id="4" author="A" date="E"><rPr/></rPrChange></rPr><t>er</t></r></ins></p>`, nil)).Changes
	want := []Change{{Formatted, "A", "D", "bolder", 0}, {Formatted, "A", "E", "bolder", 0}, {Inserted, "B", "E", "er", 4}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	for _, tc := range byHand {
		if tc.name != "comments that it has" {
			continue
		}
		want := []Comment{{"Ann", "2026-01-02T03:04:05Z", "Is it?\nCheck.", "bold", 2}, {"Ben", "", "Yes", "Next.", 15}}
		if got := read(t, file(t, tc.body, tc.parts)).Comments; !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		as, want string
		n        int
	}{
		{"decimal", "0", 0}, {"upperRoman", "MCMXCIX", 1999}, {"lowerRoman", "xlviii", 48}, {"upperRoman", "4000", 4000}, {"upperLetter", "Z", 26},
		{"lowerLetter", "ccc", 55}, {"lowerLetter", "0", 0}, {"decimalZero", "07", 7}, {"decimalZero", "12", 12}, {"ordinal", "11th", 11}, {"ordinal", "22nd", 22},
		{"ordinal", "103rd", 103}, {"ordinal", "1st", 1}, {"cardinalText", "Seventeen", 17}, {"cardinalText", "Forty-two", 42}, {"cardinalText", "Ninety", 90},
		{"ordinalText", "Thirtieth", 30}, {"ordinalText", "Twenty-first", 21}, {"ordinalText", "100", 100}, {"none", "", 3}, {"hebrew1", "4", 4},
	} {
		if got := format(tc.n, tc.as); got != tc.want {
			t.Errorf("%d as %s: got %q, want %q", tc.n, tc.as, got, tc.want)
		}
	}
	if got := padded(7, "001, 002, ..."); got != "007" {
		t.Errorf("got %q", got)
	}
}

// Strict documents have other namespaces, and prefixes are free.
func TestOtherNamespaces(t *testing.T) {
	t.Parallel()
	const body = `<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><body><p><pPr><outlineLvl x:val="0"/></pPr><r><t>Strict</t></r></p></body></document>`
	d := read(t, packed(t, map[string]string{"a/doc.xml": body, "_rels/.rels": strings.Replace(relsXML, "word/document.xml", "/a/doc.xml", 1)}))
	if d.Text != "# Strict" {
		t.Errorf("got %q", d.Text)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	utf16 := func(s string) string { return strings.Join(strings.Split(s, ""), "\x00") + "\x00" }
	doc := func(content string) string {
		return string(packed(t, map[string]string{"[Content_Types].xml": typesXML, "_rels/.rels": relsXML, "word/document.xml": content}))
	}
	valid := part("document", "<body><p><r><t>secret</t></r></p></body>")
	twice := strings.ReplaceAll(string(packed(t, map[string]string{"_rels/.rels": relsXML, "word/document.xml": valid, "word/documenT.xml": valid})), "documenT", "document")
	locked := []byte(doc(valid))
	bombs := map[string]string{"_rels/.rels": relsXML, "word/document.xml": valid}
	rels := ""
	for i := range 3 {
		name := fmt.Sprintf("h%d.xml", i)
		bombs["word/"+name] = strings.Repeat(" ", maxPart-1)
		rels += `<Relationship Type="x/header" Target="` + name + `"/>`
	}
	bombs["word/_rels/document.xml.rels"] = "<Relationships>" + rels + "</Relationships>"
	for i := range locked { // the flag of encryption, in the directory
		if bytes.HasPrefix(locked[i:], []byte("PK\x01\x02")) {
			locked[i+8] |= 1
		}
	}
	for name, tc := range map[string]struct{ data, want string }{
		"old Word":        {compound + strings.Repeat("\x00", 600) + utf16("WordDocument"), "an old office document; save it as PDF or DOCX"},
		"encrypted":       {compound + strings.Repeat("\x00", 600) + utf16("EncryptedPackage"), "encrypted Word document; remove its password"},
		"encrypted ZIP":   {string(locked), "encrypted Word document"},
		"no ZIP":          {"PK\x03\x04 and more", `damaged Word document ("ZIP")`},
		"cut off":         {doc(valid)[:300], `damaged Word document ("ZIP")`},
		"no main part":    {string(packed(t, map[string]string{"[Content_Types].xml": typesXML, "_rels/.rels": relsXML})), "missing main document"},
		"no body":         {doc(part("document", "")), "missing main document"},
		"a workbook":      {string(packed(t, map[string]string{"[Content_Types].xml": typesXML, "xl/workbook.xml": "<a/>"})), "missing main document"},
		"XML cut off":     {doc(valid[:len(valid)-9]), `damaged Word document ("word/document.xml"); open it in Word`},
		"an entity":       {doc(strings.Replace(valid, "secret", "&xxe;", 1)), "damaged"},
		"a document type": {doc(`<!DOCTYPE a [<!ENTITY a "b">]>` + valid), "damaged"},
		"two roots":       {doc(valid + valid), "damaged"},
		"deep":            {doc(part("document", "<body>"+strings.Repeat("<sdt>", 400)+strings.Repeat("</sdt>", 400)+"</body>")), "damaged"},
		"a bomb":          {doc(strings.Replace(valid, "secret", strings.Repeat(" ", maxPart), 1)), "too large"},
		"long numbers": {string(file(t, strings.Repeat(`<p><pPr><numPr><numId val="1"/></numPr></pPr></p>`, 9_000), map[string]string{"numbering": `<abstractNum abstractNumId="1"><lvl ilvl="0"><lvlText val="` +
			strings.Repeat("x", 2_000) + `"/></lvl></abstractNum><num numId="1"><abstractNumId val="1"/></num>`})), "too large"},
		"many bombs":     {string(packed(t, bombs)), "too large"},
		"twice one name": {twice, "damaged"},
		"empty":          {"", "damaged"},
	} {
		_, err := Read(strings.NewReader(tc.data), int64(len(tc.data)))
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
	if _, err := Read(nil, maxFile+1); !errors.Is(err, errLarge) {
		t.Errorf("got %v", err)
	}
}

// A part that the document names and doesn't have is told, since its text is missing.
func TestMissingParts(t *testing.T) {
	t.Parallel()
	d := read(t, packed(t, map[string]string{"_rels/.rels": relsXML, "word/document.xml": part("document", `<body><p><pPr><pStyle val="x"/><numPr><numId val="3"/></numPr></pPr><r><t>A</t><footnoteReference id="1"/></r></p></body>`),
		"word/_rels/document.xml.rels": strings.ReplaceAll(strings.ReplaceAll(relsXML, "officeDocument\"", "footnotes\""), "word/document.xml", "footnotes.xml")}))
	if got := fmt.Sprint(d.Text, d.LeftOut); got != "A[footnotes: missing part]" {
		t.Errorf("got %q", got)
	}
}

func TestGoneIsUncounted(t *testing.T) {
	t.Parallel()
	const item = `<p><pPr><numPr><numId val="1"/></numPr></pPr><r><t>x</t></r></p>`
	d := read(t, file(t, item+`<tbl><tr><trPr><del id="1" author="A"/></trPr><tc>`+item+`</tc></tr></tbl>`+item, map[string]string{"numbering": `<abstractNum abstractNumId="1"><lvl ilvl="0"><start val="1"/><lvlText val="%1)"/></lvl></abstractNum><num numId="1"><abstractNumId val="1"/></num>`}))
	if d.Text != "1) x\n\n2) x" {
		t.Errorf("got %q", d.Text)
	}
}

func TestNoteInItself(t *testing.T) {
	t.Parallel()
	d := read(t, file(t, `<p><r><t>A</t><footnoteReference id="1"/></r></p>`, map[string]string{"footnotes": `<footnote id="1"><p><r><t>B</t><footnoteReference id="1"/></r></p></footnote>`}))
	if d.Text != "A[1]\n\n[1] B" {
		t.Errorf("got %q", d.Text)
	}
}

func FuzzRead(f *testing.F) {
	for _, tc := range byHand {
		f.Add(tc.body, tc.parts["footnotes"], tc.parts["numbering"])
	}
	f.Fuzz(func(t *testing.T, body, notes, lists string) {
		data := file(t, body, map[string]string{"footnotes": notes, "numbering": lists})
		d, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		if clean, err := chunk.Clean([]byte(d.Text)); err == nil && clean != d.Text {
			t.Fatalf("not clean: %q", d.Text)
		}
		for _, s := range d.text.stretches {
			if s.raw < 0 || s.raw+s.size > len(d.root.raw) || s.at+s.n > len(d.Text) || !s.whole && string(d.root.raw[s.raw:s.raw+s.size]) != d.Text[s.at:s.at+s.n] {
				t.Fatalf("stretch %+v misses its place", s)
			}
		}
	})
}

package docx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// convert has LibreOffice open all files of a folder and write them in another format.
func convert(t *testing.T, program, folder, pattern, format string) {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(folder, pattern)))(t)
	args := append([]string{"--headless", "-env:UserInstallation=file://" + filepath.Join(folder, "profile"), "--convert-to", format, "--outdir", folder}, files...)
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// remark is a comment as LibreOffice sees it: what its marks enclose, without notes and boxes.
type remark struct{ author, text, enclosed string }

// remarksOf reads the comments of LibreOffice's own format, by their names, and the text that is
// inserted by their author.
func remarksOf(t *testing.T, path string) map[string]*remark {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(must.Get(os.ReadFile(path))(t)))
	found, open := map[string]*remark{}, map[string]bool{}
	write := func(s string) {
		for name := range open {
			found[name].enclosed += s
		}
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		must.OK(t, err)
		if text, ok := token.(xml.CharData); ok {
			write(string(text))
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "annotation":
			var a struct {
				Name    string   `xml:"name,attr"`
				Creator string   `xml:"creator"`
				Lines   []string `xml:"p"`
			}
			must.OK(t, d.DecodeElement(&a, &e))
			if a.Name == "" {
				a.Name = "point " + strconv.Itoa(len(found))
			} else {
				open[a.Name] = true
			}
			found[a.Name] = &remark{author: a.Creator, text: strings.Join(a.Lines, "\n")}
		case "annotation-end":
			delete(open, e.Attr[0].Value)
		case "note", "frame", "custom-shape", "tracked-changes":
			must.OK(t, d.Skip())
		}
	}
}

// pagesOf returns the text that LibreOffice renders, by another program.
func pagesOf(t *testing.T, reader *pdf.Reader, path string) string {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	doc := must.Get(reader.Open(t.Context(), bytes.NewReader(data), int64(len(data))))(t)
	defer doc.Close()
	var b strings.Builder
	for i := range doc.Pages() {
		b.WriteString(must.Get(doc.Text(t.Context(), i+1))(t).Text())
	}
	return squeezed(b.String())
}

func TestLibreOfficeOpens(t *testing.T) {
	testenv.OnlyThorough(t, "starts LibreOffice twice")
	t.Parallel()
	program := testenv.Program(t, "soffice", "apt-get install --no-install-recommends libreoffice-writer-nogui")
	// What the marks enclose, if it isn't the quote: numbers, notes and boxes have no text there,
	// LibreOffice shows deleted and hidden words, and computes fields again.
	enclosed := map[string]string{
		"numbers in legal style": "Except", "notes": "", "text boxes": "", "made-notes": "", "made-boxes": "",
		"tracked changes": "is 100120 net euros", "made-tracked": "within thirtysixty days", "made-signs": "Söhne paid twice “GmbH”",
		"fields": "of",
	}
	folder, want := t.TempDir(), map[string]string{}
	put := func(name string, data []byte, quote string) {
		d := read(t, data)
		must.OK(t, os.WriteFile(filepath.Join(folder, name+".docx"), annotated(t, d, at(t, d, quote, "Our words.")), 0o600))
		want[name] = quote
		if other, ok := enclosed[name]; ok {
			want[name] = other
		}
	}
	for _, tc := range byHand {
		put(tc.name, file(t, tc.body, tc.parts), tc.quote)
	}
	for _, tc := range made {
		put("made-"+tc.name, madeFile(t, tc.name), tc.quote)
	}
	convert(t, program, folder, "*.docx", "fodt")
	convert(t, program, folder, "made-*.docx", "pdf")
	reader := must.Get(pdf.New(pdf.Config{CacheDir: pdf.UserCache()}))(t)
	defer reader.Close()
	for name, quote := range want {
		ours := 0
		for _, r := range remarksOf(t, filepath.Join(folder, name+".fodt")) {
			if r.author != "Match & book" {
				continue
			}
			ours++
			if squeezed(r.enclosed) != squeezed(quote) || !strings.HasPrefix(r.text, "HIGH: look\nTwo <lines>") {
				t.Errorf("%s: LibreOffice reads %+v, want %q", name, r, quote)
			}
		}
		if ours != 1 {
			t.Errorf("%s: LibreOffice reads %d comments", name, ours)
		}
		if !strings.HasPrefix(name, "made-") {
			continue
		}
		if pages := pagesOf(t, reader, filepath.Join(folder, name+".pdf")); strings.Count(pages, "Ourwords.") != 1 {
			t.Errorf("%s: LibreOffice renders %q", name, pages)
		}
	}
}

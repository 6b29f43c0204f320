package ingestrun

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/database"

	"github.com/google/uuid"
)

// folder writes empty files.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must.OK(t, os.WriteFile(file, []byte(name), 0o600))
	}
	return dir
}

// What a folder has is a file, or named with the reason.
func TestFindFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t, "b.PDF", "a.xml", "sub/c.jpeg", "notes.md", ".hidden.pdf", ".git/d.pdf", "e.tif")
	for name, content := range map[string]string{"f.dat": "%PDF-1.7\n\x00", "g.docx": "PK\x03\x04\x00[Content_Types].xml\x00word/", "h": "", "i": "\x00\x01"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	must.OK(t, os.Symlink(dir, filepath.Join(dir, "j")))
	named := filepath.Join(dir, "notes.md")
	found, err := findFiles([]string{dir, named})
	if err != nil {
		t.Fatal(err)
	}
	var got, out []string
	for _, f := range found.files {
		got = append(got, f.Key)
		if _, err := os.Stat(f.Path); err != nil {
			t.Error(err)
		}
	}
	for _, l := range found.leftOut {
		out = append(out, filepath.Base(l.File)+": "+l.Reason)
	}
	if want := []string{"a.xml", "b.PDF", "e.tif", "f.dat", "sub/c.jpeg", "notes.md"}; !slices.Equal(got, want) || found.found != 13 {
		t.Errorf("got %q of %d, want %q", got, found.found, want)
	}
	want := []string{".git: hidden folder; give it by name to read it", ".hidden.pdf: hidden file; give it by name to read it",
		"g.docx: unsupported file type (a Word document); save it as a PDF and send that", "h: empty file; send it again",
		"i: unknown file type; send a PDF, PNG, JPEG, TIFF, WebP, XML or text file", "j: not a regular file",
		"notes.md: text with another extension than .txt, .xml or .eml; give it by name to read it"}
	if !slices.Equal(out, want) {
		t.Errorf("left out\n%s\nwant\n%s", strings.Join(out, "\n"), strings.Join(want, "\n"))
	}
	if _, err := findFiles([]string{folder(t, "notes.md")}); err == nil || !strings.Contains(err.Error(), "notes.md: text with another extension") {
		t.Errorf("got %v", err)
	}
}

func TestLargeFilesAreUnread(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large.pdf")
	must.OK(t, os.WriteFile(file, nil, 0o600))
	must.OK(t, os.Truncate(file, filetype.MaxBytes+1))
	data, _, refused, err := File{Path: file}.content()
	if err != nil || data != nil || !strings.Contains(refused, "file too large: 41 MB, limit 40 MB") {
		t.Errorf("got %d bytes, %q, %v", len(data), refused, err)
	}
	if _, err := upload(t.Context(), &shelf{}, uuid.New(), []File{{Path: file, Key: "large.pdf"}}, term.NewMeter(io.Discard)); err == nil {
		t.Error("it was uploaded")
	}
}

// shelf is a Store whose third write fails.
type shelf struct{ keys []string }

func (s *shelf) Write(_ context.Context, key string, file io.ReadSeeker) error {
	if len(s.keys) == 2 {
		return failure.Permanently("no room")
	}
	data, err := io.ReadAll(file)
	s.keys = append(s.keys, key+"="+string(data))
	return err
}

func TestUploadKeepsPaths(t *testing.T) {
	t.Parallel()
	dir, tenant, store := folder(t, "a.xml", "sub/a.xml", "z.xml"), uuid.UUID{15: 7}, &shelf{}
	found, err := findFiles([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	files := found.files
	n, err := upload(t.Context(), store, tenant, files, term.NewMeter(io.Discard))
	const inbox = "inbox/00000000-0000-0000-0000-000000000007/"
	if want := []string{inbox + "a.xml=a.xml", inbox + "sub/a.xml=sub/a.xml"}; !slices.Equal(store.keys, want) {
		t.Errorf("got %q, want %q", store.keys, want)
	}
	if n != 2 || err == nil || !strings.HasSuffix(err.Error(), "z.xml: no room") {
		t.Errorf("got %d, %v", n, err)
	}
	again := append(slices.Clone(files), File{Path: filepath.Join(dir, "sub", "a.xml"), Key: "a.xml"})
	if n, err := upload(t.Context(), &shelf{}, tenant, again, term.NewMeter(io.Discard)); n != 0 || err == nil || !strings.Contains(err.Error(), "would replace") {
		t.Errorf("two files of one key: got %d, %v", n, err)
	}
}

// It sets the environment, so that it is not parallel.
func TestChooseOCR(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	got, err := chooseOCR(t.Context(), "auto")
	if err != nil || got.Engine != "none" || !strings.Contains(got.Missing, "apt-get install tesseract-ocr tesseract-ocr-deu") {
		t.Errorf("auto: got %+v, %v", got, err)
	}
	if _, err := chooseOCR(t.Context(), "tesseract"); err == nil || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("tesseract: got %v", err)
	}
}

func TestFieldOrder(t *testing.T) {
	t.Parallel()
	want := []string{"number", "date", "supplier.name", "supplier.vat_id", "buyer.name", "references.0.number", "line_items.2.quantity",
		"line_items.2.amount", "line_items.10.quantity", "subtotal", "taxes.0.amount", "total", "payment_terms.due", "unknown"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, comparePaths)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{}`: "",
		`{"line_items":[{"amount":"40"},{"amount":"60.5"}],"subtotal":"100.50","tax":"19.10","total":"119.60"}`: "2 lines = subtotal 100.50; " +
			"subtotal 100.50 + tax 19.10 = total 119.60",
		`{"line_items":[{"amount":"40"}],"charges":[{"amount":"-2"}],"subtotal":"38","taxes":[{"amount":"1"},{"amount":"2"}],"total":"41"}`: "1 line and charges = subtotal 38.00; " +
			"subtotal 38.00 + taxes 3.00 = total 41.00",
		`{"line_items":[{"amount":"40"}],"subtotal":"41","total":"41"}`:             "1 line = 40.00, but the subtotal is 41.00; subtotal 41.00 = total 41.00",
		`{"line_items":[{"amount":"40"},{"sku":"x"}],"subtotal":"41","total":"42"}`: "subtotal 41.00 = 41.00, but the total is 42.00",
		`{"line_items":[{"amount":"40"}],"total":"40"}`:                             "",
	} {
		parsed := must.Get(document.Parse([]byte(data)))(t)
		var got []string
		for _, s := range sumsOf(parsed) {
			got = append(got, s.String())
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s: got %q, want %q", data, text, want)
		}
	}
}

func TestReportText(t *testing.T) {
	t.Parallel()
	id := uuid.UUID{15: 9}
	x := func(path, value, quote string, page int, trust extraction.Trust) Field {
		return Field{path, extraction.Field{Value: value, Quote: quote, Page: page, Trust: trust}}
	}
	r := &Report{OCR: OCR{"none", "the program tesseract is missing"}, LeftOut: []leftOut{{"e.docx", "unsupported"}},
		Accounting: accounting{Files: 4, Found: 4, LeftOut: 1, Opened: 1, Inside: 2, Completed: 1, Failed: 1, Same: 1, Documents: 3, Review: 1, Seconds: 1.25},
		width:      80,
		Files: []fileReport{
			{File: "a.pdf", Status: "completed", Documents: []documentReport{
				{ID: id, Type: document.Invoice, Number: "R-1", Pages: []int{1, 2}, Source: "gpt-x", currency: "EUR", Fields: []Field{
					x("number", "R-1", "R-1", 1, extraction.ModelAlone),
					x("total", "119", "119,00 \x1b[31mEUR", 2, extraction.Arithmetic)},
					Sums: []Sum{{"subtotal 100.00 + tax 19.00", "119.00", "total", "119.00", true}, {"taxes", "18.00", "tax", "19.00", false}}},
				{ID: id, Type: document.Invoice, Number: "R-2", Pages: []int{3}, Source: "rules", currency: "KWD",
					References: []document.Reference{{Type: "purchase-order", Number: "PO-7"}}, Fields: []Field{
						x("references.0.number", "PO-7", "PO-7", 3, extraction.Printed),
						x("line_items.0.description", "Lamp for the long table in the large hall on the first floor", "Lamp", 3, extraction.Printed),
						x("line_items.0.quantity", "2", "2", 3, extraction.Printed),
						x("line_items.0.unit", "C62", "pcs", 3, extraction.Printed),
						x("line_items.0.unit_price", "50.1255", "50.1255", 3, extraction.Printed),
						x("line_items.0.amount", "100.25", "100.25", 3, extraction.Arithmetic),
						x("line_items.1.description", "Freight", "Freight", 3, extraction.Arithmetic),
						x("line_items.1.amount", "7", "7.000", 3, extraction.Arithmetic)}},
				{ID: id, Source: "rules", Pages: []int{4}, Review: true, Reasons: []string{"the type of the document is unknown"}},
			}},
			{File: "b.pdf", Status: "failed", Error: "empty file; send it again"},
			{File: "c.pdf", Status: "same", SameAs: "a.pdf"},
			{File: "d.pdf", Status: "in-progress"},
		}}
	const want = `a.pdf
  invoice R-1 (pages 1, 2, read by the model gpt-x)
    number  R-1                   page 1  the model alone
    total   119.00  "119,00 EUR"  page 2  the sums agree
    lines were not read
    ok  subtotal 100.00 + tax 19.00 = total 119.00
    NO  taxes = 18.00, but the tax is 19.00
  invoice R-2 (page 3, read by rules)
    references.0.number  purchase order PO-7  page 3  a label names it
    line  description   quantity  unit    price   amount  page  trusted because
    1     Lamp for th…         2  C62   50.1255  100.250  3     a label names it
    2     Freight                                  7.000  3     the sums agree
  document of unknown type without a number (page 4, read by rules)

b.pdf
  FAILED  empty file; send it again

c.pdf
  same content as a.pdf

d.pdf
  IN-PROGRESS  no attempt has finished

FOR A PERSON
  document of unknown type without a number on page 4 of a.pdf
    - the type of the document is unknown
  b.pdf was not read
    - empty file; send it again

LEFT OUT   e.docx: unsupported
OCR        none: the program tesseract is missing
ACCOUNTING 4 files = 1 read + 1 failed + 1 unfinished + 1 the same as another
           4 found = 2 files + 1 left out + 1 container with 2 files
           3 documents, 1 of them for a person, 1.2 s
`
	if got := r.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMoneyDecimals(t *testing.T) {
	t.Parallel()
	for _, tc := range [][4]string{
		{"total", "119.5", "EUR", "119.50"}, {"total", "-119", "", "-119.00"}, {"total", "1000", "JPY", "1000"},
		{"taxes.0.base", "1.5", "KWD", "1.500"}, {"line_items.3.unit_price", "0.0375", "EUR", "0.0375"},
		{"line_items.3.quantity", "2", "EUR", "2"}, {"taxes.0.rate", "19", "EUR", "19"}, {"charges.0.tax_rate", "7", "EUR", "7"},
		{"number", "119", "EUR", "119"}, {"date", "2026-03-02", "EUR", "2026-03-02"}, {"total", "7", "XYZ", "7.00"},
	} {
		if got := shown(tc[0], tc[1], tc[2]); got != tc[3] {
			t.Errorf("%q: got %s", tc, got)
		}
	}
}

func field(path, value, quote string) Field {
	return Field{path, extraction.Field{Value: value, Quote: quote, Page: 1, Trust: extraction.Printed}}
}

// A reason links to the mark of the field it names, or to its page, or to the document.
func TestReasonsLink(t *testing.T) {
	t.Parallel()
	reasons := []string{"the supplier's name is missing", "the total is 7.00", "page 2 of 2 was not read", "the number of page 9", "lines"}
	v := fileView{fileReport: fileReport{File: "a.pdf", Error: "damaged"}, ID: "f1", Sheets: []sheetView{{ID: "f1-p2", Number: 2}},
		Documents: []documentView{{ID: "f1-d1", documentReport: documentReport{Type: document.Invoice, Review: true, Reasons: reasons},
			Fields: []fieldView{{Field: field("total", "7", "7"), ID: "f1-d1-1", Marked: true},
				{Field: field("number", "9", "9"), ID: "f1-d1-2"}, {Field: field("line_items.0.amount", "7", "7"), ID: "f1-d1-3"}}}}}
	got := v.person()
	if len(got) != 2 || got[0].Reasons[0] != (reason{"f1", "damaged"}) || got[1].Name != "invoice without a number in a.pdf" {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []string{"f1-d1", "f1-d1-1", "f1-p2", "f1-d1", "f1-d1"} {
		if r := got[1].Reasons[i]; r.ID != want || r.Text != reasons[i] {
			t.Errorf("got %v, want %s", r, want)
		}
	}
	if d := v.Documents[0]; len(d.Fields) != 2 || len(d.Lines.Rows) != 1 {
		t.Errorf("got %+v", d)
	}
}

// A program that was copied alone says what it lacks before it starts anything. It sets the
// environment, so that it is not parallel.
func TestCopiedProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said bytes.Buffer
	m := term.NewMeter(&said)
	defer m.Close()
	_, err := Options{OCR: "none", Database: database.Choice{}}.Read(t.Context(), []string{folder(t, "a.xml")}, func(string) string { return "" }, io.Discard, m)
	if err == nil || !strings.Contains(err.Error(), ": match, ingest;") || strings.Contains(said.String(), "PostgreSQL") {
		t.Errorf("got %v after %s", err, &said)
	}
}

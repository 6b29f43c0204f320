package ingestrun

import (
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

func TestFindFiles(t *testing.T) {
	t.Parallel()
	dir := folder(t, "b.PDF", "a.xml", "sub/c.jpeg", "notes.md", ".hidden.pdf", ".git/d.pdf", "e.tif")
	named := filepath.Join(dir, "notes.md")
	files, skipped, err := findFiles([]string{dir, named})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Key)
		if _, err := os.Stat(f.Path); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"a.xml", "b.PDF", "e.tif", "sub/c.jpeg", "notes.md"}; !slices.Equal(got, want) || skipped != 1 {
		t.Errorf("got %q and %d left out, want %q and 1", got, skipped, want)
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
	files, _, err := findFiles([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
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
	r := &Report{OCR: OCR{"none", "the program tesseract is missing"}, Accounting: accounting{Files: 4, Completed: 1, Failed: 1, Same: 1, Documents: 2, Review: 1, Seconds: 1.25},
		Files: []fileReport{
			{File: "a.pdf", Status: "completed", Documents: []documentReport{
				{ID: id, Type: document.Invoice, Number: "R-1", Pages: []int{1, 2}, Source: "gpt-x", Fields: []Field{
					{"number", extraction.Field{Value: "R-1", Quote: "R-1", Page: 1, Trust: extraction.ModelAlone}},
					{"total", extraction.Field{Value: "119", Quote: "119,00 \x1b[31mEUR", Page: 2, Trust: extraction.Arithmetic}}},
					Sums: []Sum{{"subtotal 100.00 + tax 19.00", "119.00", "total", "119.00", true}, {"taxes", "18.00", "tax", "19.00", false}}},
				{ID: id, Source: "rules", Review: true, Reasons: []string{"the type of the document is unknown"}},
			}},
			{File: "b.pdf", Status: "failed", Error: "empty file; send it again"},
			{File: "c.pdf", Status: "same", SameAs: "a.pdf"},
			{File: "d.pdf", Status: "in-progress"},
		}}
	const want = `a.pdf
  invoice R-1 (pages 1, 2, read by the model gpt-x)
    number  R-1                page 1  the model alone
    total   119  "119,00 EUR"  page 2  the sums agree
    lines were not read
    ok  subtotal 100.00 + tax 19.00 = total 119.00
    NO  taxes = 18.00, but the tax is 19.00
  document of unknown type 00000000-0000-0000-0000-000000000009 (read by rules)

b.pdf
  FAILED  empty file; send it again

c.pdf
  same content as a.pdf

d.pdf
  IN-PROGRESS  no attempt has finished

FOR A PERSON
  document of unknown type 00000000-0000-0000-0000-000000000009 in a.pdf
    - the type of the document is unknown

OCR        none: the program tesseract is missing
ACCOUNTING 4 files = 1 read + 1 failed + 1 unfinished + 1 the same as another
           2 documents, 1 of them for a person, 1.2 s
`
	if got := r.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/ingestrun"
	"matchbook/lambda/postgres/postgrestest"
)

const sampleFiles = "../../../testdata/files"

// expected is a document, as a person reads it in the file: its type and number,
// source and pages, then fields by their paths.
type expected struct {
	is     string
	fields string
}

// The files of testdata/files, written by hand. A field that is not listed may be
// there or not.
var expectedDocuments = map[string][]expected{
	"order-4711.xml": {{"purchase-order PO-2026-4711 einvoice []",
		`date=2026-03-02 currency=EUR supplier.vat_id=DE814562308 buyer.vat_id=DE255188404 subtotal=1000 tax=190 total=1190
		line_items.0.quantity=40 line_items.0.amount=800 line_items.1.quantity=4 line_items.1.unit_price=50 line_items.1.amount=200`}},
	"order-4720.xml": {{"purchase-order PO-2026-4720 einvoice []",
		`date=2026-03-04 supplier.vat_id=DE294711836 subtotal=1045.5 tax=198.65 total=1244.15 line_items.2.description=Anfahrt line_items.2.amount=45.5`}},
	"order-4731.xml": {{"purchase-order PO-2026-4731 einvoice []", `date=2026-03-05 supplier.vat_id=DE177302648 subtotal=562 tax=106.78 total=668.78`}},
	"order-4740.xml": {{"purchase-order PO-2026-4740 einvoice []", `date=2026-03-09 supplier.vat_id=DE306529178 subtotal=645 tax=122.55 total=767.55`}},
	"receipt-4711.txt": {{"goods-receipt WE-26-0311 rules [1]", `date=2026-03-10 references.0.number=PO-2026-4711
		line_items.0.quantity=40 line_items.1.quantity=4`}},
	"receipt-4740.txt": {{"goods-receipt WE-26-0327 rules [1]", `date=2026-03-20 references.0.number=PO-2026-4740 line_items.0.quantity=3`}},
	"invoice-with-xml.pdf": {{"invoice RE-2026-118 einvoice [1]",
		`date=2026-03-12 supplier.vat_id=DE814562308 supplier.iban=DE34200505501234567890 references.0.number=PO-2026-4711
		subtotal=1000 tax=190 total=1190 payment_terms.due=2026-04-11 line_items.0.quantity=40 line_items.1.unit_price=50`}},
	"invoice.pdf": {{"invoice BW-90017 rules [1]",
		`date=2026-03-18 supplier.vat_id=DE294711836 supplier.iban=DE62370400440532013777 references.0.number=PO-2026-4720
		subtotal=1045.5 tax=198.65 total=1244.15 payment_terms.due=2026-04-17
		line_items.0.quantity=1 line_items.0.amount=640 line_items.1.quantity=2 line_items.1.unit_price=180 line_items.2.description=Anfahrt`}},
	"two-invoices.pdf": {
		{"invoice G-501 rules [1]", `date=2026-03-23 supplier.vat_id=DE306529178 supplier.iban=DE68210501700012345678
			references.0.number=PO-2026-4740 subtotal=645 tax=122.55 total=767.55 payment_terms.due=2026-04-22 line_items.0.quantity=3`},
		{"invoice G-502 rules [2]", `date=2026-03-24 supplier.vat_id=DE306529178 references.0.number=PO-2026-4741
			subtotal=1290 tax=245.1 total=1535.1 payment_terms.due=2026-04-23 line_items.1.quantity=5 line_items.1.amount=310`},
	},
	"scan.jpg": {{"invoice 4402 rules [1]", `date=2026-03-20 supplier.vat_id=DE177302648 supplier.iban=DE44500105175407324931
		references.0.number=PO-2026-4731 subtotal=562 tax=106.78 total=668.78 payment_terms.due=2026-04-03`}},
}

// expectedFailures are the reasons of the files that cannot be read.
var expectedFailures = map[string]string{
	"broken.pdf": "PDF is damaged or incomplete; send it again, or print it to a new PDF",
}

// expectedMatches: each invoice belongs to the order that it cites, and so does each receipt. The
// order of G-502 is not there.
var expectedMatches = []string{"G-501 WE-26-0327", "PO-2026-4711 RE-2026-118", "PO-2026-4711 WE-26-0311", "PO-2026-4720 BW-90017",
	"PO-2026-4740 G-501", "PO-2026-4740 WE-26-0327", "RE-2026-118 WE-26-0311"}

func ingestJSON(t *testing.T, url string, wantCode int, args ...string) (r ingestrun.Report, raw string) {
	t.Helper()
	raw = ends(t, url, wantCode, append([]string{"ingest", "--json"}, args...)...)
	return decode[ingestrun.Report](t, raw), raw
}

// wantRead compares a report with what was written by hand.
func wantRead(t *testing.T, r ingestrun.Report, documents map[string][]expected, failures map[string]string) {
	t.Helper()
	for _, f := range r.Files {
		name := filepath.Base(f.File)
		if f.Error != failures[name] || (f.Error != "") != (f.Status == "failed") || f.Attempts != 1 {
			t.Errorf("%s: %s after %d attempts, %q, want %q", name, f.Status, f.Attempts, f.Error, failures[name])
		}
		if len(f.Documents) != len(documents[name]) {
			t.Errorf("%s: %d documents, want %d", name, len(f.Documents), len(documents[name]))
			continue
		}
		for i, want := range documents[name] {
			d := f.Documents[i]
			pages, _ := json.Marshal(d.Pages)
			if got := strings.Join([]string{string(d.Type), d.Number, d.Source, string(pages)}, " "); got != want.is || d.Review {
				t.Errorf("%s: got %s, for a person %v because of %q; want %s", name, got, d.Review, d.Reasons, want.is)
			}
			wantFields(t, name, d.Fields, want.fields)
			for _, s := range d.Sums {
				if !s.Agrees {
					t.Errorf("%s: %s", name, s)
				}
			}
		}
	}
	if n := len(documents) + len(failures); len(r.Files) != n {
		t.Errorf("%d files, want %d", len(r.Files), n)
	}
}

func wantFields(t *testing.T, name string, fields []ingestrun.Field, want string) {
	t.Helper()
	got := map[string]ingestrun.Field{}
	for _, f := range fields {
		got[f.Path] = f
	}
	for _, w := range strings.Fields(want) {
		path, value, _ := strings.Cut(w, "=")
		f := got[path]
		if f.Value != value || f.Trust == "" {
			t.Errorf("%s: %s is %q (%s), want %s", name, path, f.Value, f.Trust, value)
		}
		if f.Trust != "xml" && (f.Quote == "" || f.Page == 0) {
			t.Errorf("%s: %s has the quote %q on page %d", name, path, f.Quote, f.Page)
		}
	}
}

// wantMatched compares the matches, by the numbers of the two documents.
func wantMatched(t *testing.T, r ingestrun.Report, want []string) {
	t.Helper()
	numbers := map[string]string{}
	for _, d := range r.Matched.Documents {
		numbers[d.ID.String()] = d.Number
	}
	var got []string
	for _, m := range r.Matched.Matches {
		pair := []string{numbers[m.A.String()], numbers[m.B.String()]}
		slices.SortFunc(pair, func(a, b string) int {
			return cmp.Or(strings.Index("PO", b[:1])-strings.Index("PO", a[:1]), cmp.Compare(a, b))
		})
		got = append(got, strings.Join(pair, " "))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("matches: got %q, want %q", got, want)
	}
}

func needTesseract(t *testing.T) {
	t.Helper()
	testenv.Program(t, "tesseract", "apt-get install tesseract-ocr tesseract-ocr-deu")
}

func TestIngestSamples(t *testing.T) {
	t.Parallel()
	needTesseract(t)
	r, raw := ingestJSON(t, postgrestest.URL(t), cli.ExitFindings, sampleFiles, "--match")
	wantRead(t, r, expectedDocuments, expectedFailures)
	matches := append(slices.Clone(expectedMatches), "PO-2026-4731 4402")
	slices.Sort(matches)
	wantMatched(t, r, matches)
	if a := r.Accounting; a.Files != 11 || a.Completed != 10 || a.Failed != 1 || a.Documents != 11 || a.Review != 0 || r.OCR.Engine != "tesseract" {
		t.Errorf("accounting %+v, OCR %+v", a, r.OCR)
	}
	wantShape(t, raw)
}

// wantShape checks the names in the JSON, which other programs rely on.
func wantShape(t *testing.T, raw string) {
	t.Helper()
	keys := func(v any) string {
		object, _ := v.(map[string]any)
		return strings.Join(slices.Sorted(maps.Keys(object)), " ")
	}
	first := func(v any, name string) map[string]any {
		list, _ := v.(map[string]any)[name].([]any)
		object, _ := list[0].(map[string]any)
		return object
	}
	report := decode[map[string]any](t, raw)
	files, _ := report["files"].([]any)
	doc := first(files[1], "documents")
	for got, want := range map[string]string{
		keys(report):               "accounting files left_out matched ocr",
		keys(files[0]):             "attempts documents error file ingestion_id status",
		keys(files[1]):             "attempts documents file ingestion_id page_account status",
		keys(doc):                  "fields id needs_review number pages reasons references source sums type",
		keys(first(doc, "fields")): "box page path quote trust value",
		keys(first(doc, "sums")):   "agrees is of stated states",
		keys(report["matched"]):    "clusters documents matches open three_way warnings",
		keys(report["accounting"]): "completed containers documents failed files found in_containers left_out need_review pages pages_blank pages_not_read same seconds",
		keys(report["ocr"]):        "engine",
	} {
		if got != want {
			t.Errorf("names %q, want %q", got, want)
		}
	}
}

func TestIngestWithoutOCR(t *testing.T) {
	t.Parallel()
	url, page := postgrestest.URL(t), filepath.Join(t.TempDir(), "page.html")
	r, _ := ingestJSON(t, url, cli.ExitFindings, sampleFiles, "--match", "--ocr", "none", "--html", page)
	documents, failures := maps.Clone(expectedDocuments), maps.Clone(expectedFailures)
	delete(documents, "scan.jpg")
	failures["scan.jpg"] = "unreadable file: page 1: no text, and OCR is off (OCR=none)"
	wantRead(t, r, documents, failures)
	wantMatched(t, r, expectedMatches)
	if r.OCR.Engine != "none" || r.OCR.Missing != "--ocr none" {
		t.Errorf("OCR %+v", r.OCR)
	}
	wantPage(t, page)
	// The same files once more: the same documents, read again.
	again, _ := ingestJSON(t, url, cli.ExitFindings, sampleFiles, "--match", "--ocr", "none")
	wantMatched(t, again, expectedMatches)
	for i, f := range again.Files {
		if f.Status != r.Files[i].Status || f.Attempts != 2 || *f.Ingestion != *r.Files[i].Ingestion || len(f.Documents) != len(r.Files[i].Documents) {
			t.Errorf("%s: %+v, before %+v", f.File, f, r.Files[i])
		}
	}
}

// wantPage checks the page of --html: an image for each page that was read, and
// the place of each printed field.
func wantPage(t *testing.T, file string) {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	page := string(text)
	if got := strings.Count(page, `<image href="data:image/png;base64,`); got != 4 {
		t.Errorf("%d images, want those of the four pages of PDFs", got)
	}
	wantIn(t, page,
		"<title>total: 1244.15</title>", "<title>references.0.number: PO-2026-4741</title>", "<title>supplier.iban: DE62370400440532013777</title>",
		"<td>Bytewerk Software GmbH</td>", `<td class="quote">18.03.2026</td><td>1</td><td>a label names it</td>`,
		"3 lines = subtotal 1045.50", "PDF is damaged or incomplete", "No OCR: --ocr none")
	// The invoice number of invoice.pdf stands at 264 of 793, 288 of 1122 pixels.
	mark := regexp.MustCompile(`<rect id="[^"]+" x="264\.\d" y="287\.\d" width="\d\d\.\d" height="19\.\d"><title>number: BW-90017</title>`)
	if !mark.MatchString(page) {
		t.Error("the number of the invoice is not marked where it stands")
	}
	if external := regexp.MustCompile(`(?:src|href)="(?:https?:)?//|<script|@import`).FindString(page); external != "" {
		t.Errorf("the page is not complete in itself: %s", external)
	}
}

func TestIngestSameContent(t *testing.T) {
	t.Parallel()
	content := must.Get(os.ReadFile(filepath.Join(sampleFiles, "order-4711.xml")))(t)
	dir := clitest.Folder(t, map[string]string{"a.xml": string(content), "b.xml": string(content)})
	r, _ := ingestJSON(t, postgrestest.URL(t), cli.ExitOK, dir, "--tenant", oneTenant)
	if len(r.Files) != 2 || r.Files[1].Status != "same" || r.Files[1].SameAs != filepath.Join(dir, "a.xml") || r.Accounting.Documents != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestIngestFlags(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	wantRefused(t, "", "ingest", clitest.Refusals{
		{nil, "missing FILE or DIR"},
		{[]string{"/nowhere"}, "/nowhere not found"},
		{[]string{empty}, "missing files in " + empty + ": expected .pdf, .png, .jpg, .jpeg, .tif, .tiff, .webp, .xml, .txt, .zip, .eml, .p7m"},
		{[]string{sampleFiles, "--ocr", "magic"}, `--ocr: invalid value "magic": must be auto, tesseract or none`},
		{[]string{sampleFiles, "--tenant", "me"}, "--tenant: not a UUID"},
		{[]string{sampleFiles, "--model", "oracle"}, "unsupported --model oracle: it needs the true links of a corpus, and files have none"},
		{[]string{sampleFiles, "--model", "openai"}, "missing OPENAI_API_KEY or OPENAI_BASE_URL"},
		{[]string{sampleFiles, "--bucket", "docs"}, "missing --tenant"},
		{[]string{sampleFiles, "--bucket", "s3://docs/inbox"}, "--bucket: invalid bucket name: expected one such as my-bucket"},
		{[]string{sampleFiles, "--bucket", "docs", "--tenant", oneTenant, "--match"}, "--match and --bucket are mutually exclusive"},
	})
}

package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/taught"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

var today = time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)

// memory is a Store with one ingestion.
type memory struct {
	row       ingestion.Row
	documents []ingestion.Extracted
	chunks    []job.Stamped // of reviews, as Complete returns them
	fenceLost bool
}

func (m *memory) Ingestion(context.Context, uuid.UUID) (ingestion.Row, error) { return m.row, nil }

func (m *memory) Taught(context.Context, uuid.UUID, uuid.UUID, []string) ([]taught.Rule, error) {
	return nil, nil
}

func (m *memory) Transcribed(_ context.Context, _ job.Attempt, c ingestion.Checkpoint) error {
	if m.fenceLost {
		return job.ErrFenceLost
	}
	m.row.Transcription, m.row.Preprocessed = c.Transcription, c.Preprocessed
	return nil
}

func (m *memory) Complete(_ context.Context, _ job.Attempt, docs []ingestion.Extracted) (_, _ []job.Stamped, _ error) {
	m.documents = docs
	return nil, m.chunks, nil
}

type nobody struct{}

func (nobody) Send(context.Context, []job.Stamped) ([]uuid.UUID, error) { return nil, nil }

var parser = sync.OnceValues(func() (*pdf.Reader, error) {
	return pdf.New(pdf.Config{CacheDir: filepath.Join(os.TempDir(), "matchbook-pdfium"), Time: time.Hour, Total: time.Hour})
})

// rig reads one file.
type rig struct {
	*ingest.Ingester
	store *memory
	blobs blob.Store
}

func newRig(t *testing.T, name string) *rig {
	t.Helper()
	return newRigOf(t, filepath.Join("..", "..", "testdata", "files", name))
}

func newRigOf(t *testing.T, path string) *rig {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	return newRigWith(t, content)
}

func newRigWith(t *testing.T, content []byte) *rig {
	t.Helper()
	blobs := must.Get(blob.Open(t.Context(), "file://"+t.TempDir(), nil))(t)
	reader := must.Get(parser())(t)
	row := ingestion.Row{ID: uuid.New(), TenantID: uuid.New(), DocumentID: uuid.New(), FilePath: "documents/file"}
	must.OK(t, blobs.Write(t.Context(), row.FilePath, bytes.NewReader(content)))
	r := &rig{&ingest.Ingester{Blobs: blobs, PDFs: reader, NoOCR: "OCR=none", Sender: nobody{}, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return today }}, &memory{row: row}, blobs}
	r.Store = r.store
	return r
}

func (r *rig) ingest(t *testing.T) error {
	t.Helper()
	return r.Ingest(t.Context(), job.Attempt{ID: r.store.row.ID, Number: 1})
}

func text(docs []ingestion.Extracted) string {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "%s %s of %s from %s over %s %s, pages %v, by %s, valid %t", d.Type, d.Data.Number, d.Data.Date, d.Data.Supplier.Name,
			d.Data.Total.Fixed(), d.Data.Currency, d.Pages, d.Source, d.Valid)
		for _, r := range d.Reasons {
			fmt.Fprintf(&b, "; %s", r)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Written by hand from the files.
func TestFilesToDocuments(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"order-4711.xml":       "purchase-order PO-2026-4711 of 2026-03-02 from Nordlicht Bürobedarf GmbH over 1190.00 EUR, pages [], by einvoice, valid true\n",
		"invoice-with-xml.pdf": "invoice RE-2026-118 of 2026-03-12 from Nordlicht Bürobedarf GmbH over 1190.00 EUR, pages [1], by einvoice, valid true\n",
		"invoice.pdf":          "invoice BW-90017 of 2026-03-18 from Bytewerk Software GmbH over 1244.15 EUR, pages [1], by rules, valid true\n",
		"two-invoices.pdf": "invoice G-501 of 2026-03-23 from Glasbau Petersen GmbH over 767.55 EUR, pages [1], by rules, valid true\n" +
			"invoice G-502 of 2026-03-24 from Glasbau Petersen GmbH over 1535.10 EUR, pages [2], by rules, valid true\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, name)
			must.OK(t, r.ingest(t))
			if got := text(r.store.documents); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// An e-invoice and a scan do not wait for the parser, which is compiled for the
// first PDF: here there is none.
func TestOnlyPDFsNeedTheParser(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"order-4711.xml": "", "scan.jpg": "OCR is off (OCR=none)"} {
		r := newRig(t, name)
		r.PDFs = nil
		if err := r.ingest(t); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

func TestScanIsReadByOCR(t *testing.T) {
	t.Parallel()
	engine, err := tesseract.New(t.Context(), tesseract.Config{Time: time.Hour})
	if err != nil {
		testenv.Missing(t, err.Error()+": apt-get install tesseract-ocr tesseract-ocr-deu")
	}
	r := newRig(t, "scan.jpg")
	r.OCR = engine
	must.OK(t, r.ingest(t))
	want := "invoice 4402 of 2026-03-20 from Gärtnerei Sommer e. K. over 668.78 EUR, pages [1], by rules, valid true\n"
	if got := strings.ReplaceAll(text(r.store.documents), "e.K.", "e. K."); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	r.OCR = refusing{}
	if err := r.ingest(t); err != nil {
		t.Errorf("from the checkpoint: %v", err)
	}
	if !slices.Contains([]string{"ingestions/" + r.store.row.ID.String() + "/transcription.json"}, r.store.row.Transcription) {
		t.Errorf("the checkpoint is %s", r.store.row.Transcription)
	}
}

// refusing is an OCR that must not be called.
type refusing struct {
	ingest.OCR
}

// An attempt that lost its claim overwrites nothing of the attempt that has it.
func TestLostFenceStoresNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, "invoice.pdf")
	key := "ingestions/" + r.store.row.ID.String() + "/transcription.json"
	must.OK(t, r.blobs.Write(t.Context(), key, strings.NewReader("of the other attempt")))
	r.store.fenceLost = true
	if err := r.ingest(t); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("got %v", err)
	}
	if got, err := r.blobs.Read(t.Context(), key, 1000); err != nil || string(got) != "of the other attempt" {
		t.Errorf("the checkpoint is %q, %v", got, err)
	}
}

// A process that dies after the record of a checkpoint and before its file
// leaves a name of nothing: the file is transcribed again.
func TestMissingCheckpointFile(t *testing.T) {
	t.Parallel()
	r := newRig(t, "invoice.pdf")
	r.store.row.Transcription = "ingestions/" + r.store.row.ID.String() + "/transcription.json"
	if err := r.ingest(t); err != nil || len(r.store.documents) != 1 {
		t.Errorf("%d documents, %v", len(r.store.documents), err)
	}
	if _, err := r.blobs.Read(t.Context(), r.store.row.Transcription, 1<<20); err != nil {
		t.Error(err)
	}
}

// scannedPDF has pages of an image without text.
func scannedPDF(t *testing.T, pages int) []byte {
	t.Helper()
	image := must.Get(os.ReadFile(filepath.Join("..", "..", "testdata", "files", "scan.jpg")))(t)
	const draw = "595 0 0 842 0 0 cm /I Do"
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n"+
		"2 0 obj <</Type /Pages /Kids [%s] /Count %d>> endobj\n"+
		"4 0 obj <</Length %d>> stream\n%s\nendstream endobj\n"+
		"5 0 obj <</Type /XObject /Subtype /Image /Width 1239 /Height 1754 /ColorSpace /DeviceGray "+
		"/BitsPerComponent 8 /Filter /DCTDecode /Length %d>> stream\n%s\nendstream endobj\n",
		strings.Repeat("3 0 R ", pages), pages, len(draw), draw, len(image), image)
	b.WriteString("3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R " +
		"/Resources <</XObject <</I 5 0 R>>>>>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n")
	return b.Bytes()
}

// fixed is an OCR that reads the same on every page.
type fixed struct{ refusing }

func (fixed) Transcribe(_ context.Context, file transcript.Images) (t transcript.Transcription, err error) {
	t = transcript.Transcription{Engine: "fixed", Version: "1"}
	for n := range file.Pages() {
		t.Pages = append(t.Pages, transcript.Page{Number: n + 1, Quality: 1,
			Lines: []transcript.Line{{Text: "Invoice number 4402", Confidence: 1}}})
	}
	return t, nil
}

// A scan that failed for want of an OCR is read when there is one; what the OCR
// has read is not read again.
func TestOCRAddedLaterReadsScan(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, scannedPDF(t, 1))
	if err := r.ingest(t); err == nil || !strings.Contains(err.Error(), "OCR is off (OCR=none)") {
		t.Fatalf("without an OCR: %v", err)
	}
	r.OCR = fixed{}
	must.OK(t, r.ingest(t), "with an OCR")
	r.OCR = refusing{}
	if err := r.ingest(t); err != nil {
		t.Errorf("from the checkpoint: %v", err)
	}
	if d := r.store.documents; len(d) != 1 || d[0].Data.Number != "4402" {
		t.Errorf("got %s", text(d))
	}
}

// reviewer prepares reviews, and is the queue of their chunks.
type reviewer struct {
	err   error
	asked []string
	sent  []job.Stamped
}

func (r *reviewer) PrepareIngested(
	_ context.Context, tenantID, documentID uuid.UUID, name string, pages []transcript.Page,
) (record.New, error) {
	r.asked = append(r.asked, name)
	return record.New{TenantID: tenantID, DocumentID: documentID, Name: name, Text: pages[0].Text()}, r.err
}

func (r *reviewer) Send(_ context.Context, chunks []job.Stamped) ([]uuid.UUID, error) {
	r.sent = append(r.sent, chunks...)
	return nil, nil
}

const contractText = "Mietvertrag\nVertragsnummer: V-7\nDatum: 01.03.2026\nDie Miete ist am Ersten fällig.\n"

func TestContractStartsReview(t *testing.T) {
	t.Parallel()
	r, by := newRigWith(t, []byte(contractText)), &reviewer{}
	r.Reviewer, r.Chunks = by, by
	r.store.chunks = []job.Stamped{{ID: uuid.UUID{9}}}
	must.OK(t, r.ingest(t))
	got := r.store.documents[0].Review
	if got == nil || got.DocumentID != r.store.row.DocumentID || got.Name != "Contract V-7" || got.Text != contractText {
		t.Fatalf("got %+v of %s", got, text(r.store.documents))
	}
	if len(by.sent) != 1 || by.sent[0].ID != (uuid.UUID{9}) {
		t.Errorf("sent %v", by.sent)
	}
}

func TestUnreviewableContract(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, []byte(contractText))
	r.Reviewer = &reviewer{err: failure.Permanently("it is too long")}
	must.OK(t, r.ingest(t))
	d := r.store.documents[0]
	if d.Valid || d.Review != nil || !strings.Contains(strings.Join(d.Reasons, "; "), "contract not reviewed: it is too long") {
		t.Errorf("got %s", text(r.store.documents))
	}
	r = newRigWith(t, []byte(contractText))
	r.Reviewer = &reviewer{err: errors.New("the database is away")}
	if err := r.ingest(t); failure.Of(err).Kind != failure.Transient || r.store.documents != nil {
		t.Errorf("without a database: %v, %d documents", err, len(r.store.documents))
	}
}

func TestOnlyContractsAreReviewed(t *testing.T) {
	t.Parallel()
	r, by := newRig(t, "two-invoices.pdf"), &reviewer{}
	r.Reviewer, r.Chunks, r.Log = by, by, slog.New(slog.DiscardHandler)
	if err := r.ingest(t); err != nil || len(by.asked) > 0 || len(by.sent) > 0 {
		t.Errorf("%v, asked for %v, sent %v", err, by.asked, by.sent)
	}
}

func TestSettingOfOwnCompaniesIsUsed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"invoice.pdf", "invoice-with-xml.pdf"} {
		r := newRig(t, name)
		r.store.row.Own = []document.Party{{Name: "Bytewerk Software GmbH"}, {Name: "Nordlicht Bürobedarf GmbH"}}
		must.OK(t, r.ingest(t))
		d := r.store.documents[0]
		if d.Valid || name == "invoice.pdf" && d.Data.Supplier.Name == "Bytewerk Software GmbH" {
			t.Errorf("%s passes, from %s: %v", name, d.Data.Supplier.Name, d.Reasons)
		}
	}
}

// Each page has an image, also if it can't be read, and each quote its place on it. Measured by
// hand on invoice.pdf: the total is printed at two thirds of the page, at the right.
func TestPagesAreShown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"invoice.pdf": 1, "two-invoices.pdf": 2, "scan.jpg": 1, "order-4711.xml": 0} {
		r := newRig(t, name)
		_ = r.ingest(t) // without OCR a scan fails
		for n := 1; n <= want+1; n++ {
			data, err := r.blobs.Read(t.Context(), r.store.row.Image(n), 1<<20)
			if shown := bytes.HasPrefix(data, []byte("\x89PNG")); shown != (n <= want) {
				t.Errorf("%s: page %d: %d bytes, %v", name, n, len(data), err)
			}
		}
		if name != "invoice.pdf" {
			continue
		}
		if box := r.store.documents[0].Fields["total"].Box; box[0] < 0.5 || box[2] > 1 || box[0] >= box[2] || box[1] < 0.4 || box[3] > 0.8 || box[1] >= box[3] {
			t.Errorf("the total is at %v", box)
		}
	}
}

package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/testenv"
)

// scannedPDF has one page, an image without text.
func scannedPDF(t *testing.T) []byte {
	t.Helper()
	image, err := os.ReadFile(filepath.Join("..", "..", "testdata", "files", "scan.jpg"))
	testenv.Must(t, err)
	const draw = "595 0 0 842 0 0 cm /I Do"
	var b bytes.Buffer
	fmt.Fprintf(&b, "%%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n"+
		"2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n"+
		"3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "+
		"/Resources <</XObject <</I 5 0 R>>>>>> endobj\n"+
		"4 0 obj <</Length %d>> stream\n%s\nendstream endobj\n"+
		"5 0 obj <</Type /XObject /Subtype /Image /Width 1239 /Height 1754 /ColorSpace /DeviceGray "+
		"/BitsPerComponent 8 /Filter /DCTDecode /Length %d>> stream\n%s\nendstream endobj\n"+
		"trailer <</Root 1 0 R>>\n%%%%EOF\n", len(draw), draw, len(image), image)
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
func TestScanThatFailedWithoutOCRIsReadWhenThereIsOne(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, scannedPDF(t))
	if err := r.ingest(t); err == nil || !strings.Contains(err.Error(), "no OCR is configured (OCR=none)") {
		t.Fatalf("without an OCR: %v", err)
	}
	r.OCR = fixed{}
	testenv.Must(t, r.ingest(t), "with an OCR")
	r.OCR = refusing{}
	if err := r.ingest(t); err != nil {
		t.Errorf("from the checkpoint: %v", err)
	}
	if d := r.store.documents; len(d) != 1 || d[0].Data.Number != "4402" {
		t.Errorf("got %s", text(d))
	}
}

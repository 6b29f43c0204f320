package gate_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// sample is a PDF with the truth of its embedded XML.
type sample struct {
	name  string // path below the folder of invoices
	text  transcript.Transcription
	truth einvoice.Document // its Data is zero without an XML
}

// samples reads the shared invoices that are PDFs.
func samples(t *testing.T) (all []sample) {
	t.Helper()
	dir := testenv.Shared(t, "eval/ingestion/invoices")
	reader, err := pdf.New(pdf.Config{CacheDir: filepath.Join(os.TempDir(), "matchbook-pdfium")})
	must.OK(t, err)
	t.Cleanup(func() { _ = reader.Close() })
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".pdf") {
			s := sampleOf(t, reader, path)
			s.name, _ = filepath.Rel(dir, path)
			all = append(all, s)
		}
		return err
	})
	must.OK(t, err)
	return all
}

func sampleOf(t *testing.T, reader *pdf.Reader, path string) (s sample) {
	t.Helper()
	content, err := os.ReadFile(path)
	must.OK(t, err)
	file, err := reader.Open(t.Context(), bytes.NewReader(content), int64(len(content)))
	must.OK(t, err, path)
	defer file.Close()
	s.text = transcript.Transcription{Engine: pdf.Engine, Version: pdf.Version}
	for n := range file.Pages() {
		page, err := file.Text(t.Context(), n+1)
		must.OK(t, err, path)
		s.text.Pages = append(s.text.Pages, page)
	}
	if embedded, err := file.Embedded(t.Context()); err == nil && len(embedded) > 0 {
		s.truth, _ = einvoice.Read(bytes.NewReader(embedded[0].Content))
	}
	return s
}

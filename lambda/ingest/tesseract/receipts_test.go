package tesseract

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/internal/testenv"
)

// receipts returns the images of the shared receipts.
func receipts(t testing.TB) []string {
	t.Helper()
	images, _ := filepath.Glob(filepath.Join(testenv.Shared(t, "eval/ingestion/receipts/img"), "*.jpg"))
	if len(images) == 0 {
		t.Fatal("the folder of receipts is empty")
	}
	return images
}

func openImage(t testing.TB, path string) *scan.File {
	t.Helper()
	content, err := os.ReadFile(path)
	testenv.Must(t, err)
	f, err := scan.Open(bytes.NewReader(content), int64(len(content)))
	testenv.Must(t, err, path)
	return f
}

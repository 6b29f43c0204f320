package tesseract

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"matchbook/lambda/ingest/scan"
)

// receipts returns the images of the shared receipts.
func receipts(t testing.TB) []string {
	t.Helper()
	shared := cmp.Or(os.Getenv("MATCHBOOK_SHARED"), filepath.Join("..", "..", "..", "..", "shared"))
	images, _ := filepath.Glob(filepath.Join(shared, "eval", "ingestion", "receipts", "img", "*.jpg"))
	if len(images) == 0 {
		t.Skip("without receipts: set MATCHBOOK_SHARED to the folder that holds them")
	}
	return images
}

func openImage(t testing.TB, path string) *scan.File {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := scan.Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(path, err)
	}
	return f
}

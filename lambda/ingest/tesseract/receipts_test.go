package tesseract

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/skip"
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

// The fields are company, date, address and total of each receipt. What a second
// reading finds is logged, not demanded: the caller takes the better one.
func TestReceiptsAreRead(t *testing.T) {
	t.Parallel()
	skip.OneGoroutine(t) // the work is tesseract's, on ten receipts, twice on bad ones
	e, all := installed(t), receipts(t)
	fields, first, second, repaired := 0, 0, 0, 0
	for _, path := range all {
		file := openImage(t, path)
		a, err := e.Transcribe(context.Background(), file)
		if err != nil {
			t.Fatal(path, err)
		}
		b, err := e.Repair(context.Background(), file, a, 0.7)
		if err != nil {
			t.Fatal(path, err)
		}
		n, x, y := truth(t, path), found(t, path, a), found(t, path, b.Transcription)
		fields, first, second, repaired = fields+n, first+x, second+y, repaired+len(b.Images)
		t.Logf("%s: quality %.2f %v, %d of %d fields; repaired %v: quality %.2f, %d fields", filepath.Base(path),
			a.Quality(), a.Pages[0].Defects, x, n, len(b.Images) > 0, b.Transcription.Quality(), y)
	}
	t.Logf("%d receipts: %d of %d fields at first, %d repaired, then %d", len(all), first, fields, repaired, second)
	if first < 20 {
		t.Errorf("only %d of %d fields were read", first, fields)
	}
}

func truths(t testing.TB, path string) map[string]string {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(path), ".jpg") + ".json"
	content, err := os.ReadFile(filepath.Join(filepath.Dir(path), "..", "key", name))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	if err := json.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	return values
}

func truth(t testing.TB, path string) int { return len(truths(t, path)) }

// found counts the fields whose letters and digits stand in the text.
func found(t testing.TB, path string, read transcript.Transcription) int {
	t.Helper()
	text, n := bare(read.Text()), 0
	for _, value := range truths(t, path) {
		if strings.Contains(text, bare(value)) {
			n++
		}
	}
	return n
}

func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, s)
}

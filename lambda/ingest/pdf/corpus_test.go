package pdf

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// The invoices hold, counted with pdfinfo and pdfdetach of poppler: 20 PDFs of
// 26 pages, 19 of them with an embedded XML.
func TestInvoicesAreReadWhole(t *testing.T) {
	t.Parallel()
	reader := open(t, Config{})
	pages, withXML, words, found := 0, 0, 0, 0
	files := invoiceFiles(t)
	for _, file := range files {
		d := openFile(t, reader, file)
		pages += d.Pages()
		embedded, err := d.Embedded(context.Background())
		must.OK(t, err, file)
		if len(embedded) > 0 && bytes.Contains(embedded[0].Content, []byte("Invoice")) {
			withXML++
		}
		text := ""
		for n := range d.Pages() {
			page, err := d.Text(context.Background(), n+1)
			must.OK(t, err, file)
			text += page.Text()
		}
		d.Close()
		w, f := recall(file, text)
		words, found = words+w, found+f
	}
	t.Logf("%d PDFs, %d pages, %d with XML; %d of %d words of pdftotext", len(files), pages, withXML, found, words)
	if len(files) != 20 || pages != 26 || withXML != 19 {
		t.Errorf("got %d PDFs, %d pages, %d with XML; want 20, 26, 19", len(files), pages, withXML)
	}
	// The rest differs in where a word ends: "7 %" and "7%".
	if float64(found) < 0.99*float64(words) {
		t.Errorf("only %d of %d words of pdftotext were read", found, words)
	}
}

func invoiceFiles(t testing.TB) (files []string) {
	t.Helper()
	err := filepath.WalkDir(testenv.Shared(t, "eval/ingestion/invoices"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".pdf") {
			files = append(files, path)
		}
		return err
	})
	must.OK(t, err)
	return files
}

func openFile(t testing.TB, r *Reader, path string) *Document {
	t.Helper()
	content, err := os.ReadFile(path)
	must.OK(t, err)
	d, err := r.Open(context.Background(), bytes.NewReader(content), int64(len(content)))
	must.OK(t, err, path)
	return d
}

// recall counts the words that pdftotext reads, and those of them in text; none
// where it is not installed.
func recall(path, text string) (words, found int) {
	out, err := exec.Command("pdftotext", path, "-").Output()
	if err != nil {
		return 0, 0
	}
	have := map[string]int{}
	for _, w := range strings.Fields(text) {
		have[w]++
	}
	for _, w := range strings.Fields(string(out)) {
		words++
		if have[w] > 0 {
			have[w]--
			found++
		}
	}
	return words, found
}

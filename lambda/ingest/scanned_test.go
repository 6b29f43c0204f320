package ingest_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	scans "matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// sheets are the pages of the repository's invoices, each with its document as read from print.
var sheets = []struct {
	file string
	page int
	want string
}{
	{"invoice.pdf", 1, "BW-90017 2026-03-18 1244.15"},
	{"invoice-with-xml.pdf", 1, "RE-2026-118 2026-03-12 1190.00"},
	{"two-invoices.pdf", 2, "G-502 2026-03-24 1535.10"},
}

// Printed, laid into the scanner in any direction and scanned: number, date and total are right
// or for a person, and nine of ten are right.
func TestScansAtAnyAngleAreRight(t *testing.T) {
	t.Parallel()
	engine, err := tesseract.New(t.Context(), tesseract.Config{Time: time.Hour})
	if err != nil {
		testenv.Missing(t, err.Error()+": apt-get install tesseract-ocr tesseract-ocr-deu")
	}
	angles, resolutions, from := []float64{0, 90, 180, 270, 1, -1, 2, -2, 3, -4, 5, -5}, []int{300, 200, 150}, sheets
	if !testenv.Thorough() {
		angles, resolutions, from = []float64{270, -4}, resolutions[1:2], sheets[:1]
	}
	var right, people, all atomic.Int64
	t.Run("scans", func(t *testing.T) {
		for _, s := range from {
			for _, dpi := range resolutions {
				drawn := draw(t, s.file, s.page, dpi)
				for _, angle := range angles {
					t.Run(fmt.Sprintf("%s %d dpi %v degrees", s.file, dpi, angle), func(t *testing.T) {
						t.Parallel()
						r := newRigWith(t, lying(t, drawn, angle))
						r.OCR = engine
						must.OK(t, r.ingest(t))
						d := r.store.documents[0]
						all.Add(1)
						switch got := fmt.Sprintf("%s %s %s", d.Data.Number, d.Data.Date, d.Data.Total.Fixed()); {
						case !d.Valid:
							people.Add(1)
							t.Logf("for a person: %s", text(r.store.documents))
						case got != s.want:
							t.Errorf("got %s, want %s", got, s.want)
						default:
							right.Add(1)
						}
					})
				}
			}
		}
	})
	t.Logf("%d of %d right, %d for a person", right.Load(), all.Load(), people.Load())
	if 10*right.Load() < 9*all.Load() {
		t.Errorf("%d of %d right", right.Load(), all.Load())
	}
}

func draw(t *testing.T, name string, page, dpi int) *image.Gray {
	t.Helper()
	content := must.Get(os.ReadFile(filepath.Join("..", "..", "testdata", "files", name)))(t)
	doc := must.Get(must.Get(parser())(t).Open(t.Context(), bytes.NewReader(content), int64(len(content))))(t)
	defer doc.Close()
	return must.Get(doc.Render(t.Context(), page, dpi))(t)
}

// lying returns a PNG of a page that lies turned by an angle, counter-clockwise.
func lying(t *testing.T, m *image.Gray, angle float64) []byte {
	t.Helper()
	const quarter = 90
	r := scans.Unrepaired(m)
	if quarters := int(angle) / quarter; quarters != 0 {
		r = r.Turn(quarters)
	} else {
		r = r.Straighten(angle)
	}
	var b bytes.Buffer
	must.OK(t, png.Encode(&b, r.Image))
	return b.Bytes()
}

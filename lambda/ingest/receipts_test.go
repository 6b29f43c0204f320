package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// receipt is the truth of a receipt, as printed.
type receipt struct{ Company, Date, Address, Total string }

// readReceipts returns the images of the receipts with their truth.
func readReceipts(t *testing.T) map[string]receipt {
	t.Helper()
	dir, all := shared(t, "ingestion/receipts"), map[string]receipt{}
	images, _ := filepath.Glob(filepath.Join(dir, "img", "*.jpg"))
	for _, image := range images {
		key := strings.TrimSuffix(filepath.Base(image), ".jpg") + ".json"
		content, err := os.ReadFile(filepath.Join(dir, "key", key))
		var truth receipt
		if err == nil {
			err = json.Unmarshal(content, &truth)
		}
		must.OK(t, err)
		all[image] = truth
	}
	return all
}

// recovered names the fields that rules read rightly.
func (r receipt) recovered(d document.Data) (names []string) {
	name := company.Similarity(company.ParseName(d.Supplier.Name), company.ParseName(r.Company))
	for field, right := range map[string]bool{
		"company": name >= 0.85,
		"date":    strings.Contains(dayForms(d.Date), " "+r.Date+" "),
		"address": bare(r.Address) == bare(d.Supplier.Address),
		"total":   d.Total.Fixed() == strings.TrimPrefix(r.Total, "RM"),
	} {
		if right {
			names = append(names, field)
		}
	}
	return names
}

// dayForms writes a day in the notations of the receipts.
func dayForms(d document.Date) string {
	day, err := time.Parse(time.DateOnly, d.String())
	if err != nil {
		return ""
	}
	forms := " "
	for _, layout := range []string{"02/01/2006", "02-01-2006", "02-01-06", "02/01/06"} {
		forms += day.Format(layout) + " "
	}
	return forms
}

func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, s)
}

// readings returns the first transcription of a file and the one that was taken.
func (r *rig) readings(t *testing.T) (first, taken transcript.Transcription, repaired bool) {
	t.Helper()
	read := func(name string) (text transcript.Transcription, ok bool) {
		content, err := r.blobs.Read(t.Context(), "ingestions/"+r.store.row.ID.String()+"/"+name, 1<<26)
		if err != nil {
			return text, false
		}
		text, err = transcript.Decode(content)
		return text, err == nil
	}
	taken, ok := read("transcription.json")
	if !ok {
		t.Fatal("there is no checkpoint")
	}
	other, repaired := read("transcription-not-taken.json")
	if r.store.row.Preprocessed != "" {
		return other, taken, repaired
	}
	return taken, taken, repaired
}

// scan is an image with its truth.
type scan struct {
	name      string
	content   []byte
	recovered func(document.Data) []string // the fields that are right
}

func receiptScans(t *testing.T) (all []scan) {
	t.Helper()
	for image, truth := range readReceipts(t) {
		content := must.Get(os.ReadFile(image))(t)
		all = append(all, scan{filepath.Base(image), content, truth.recovered})
	}
	slices.SortFunc(all, func(a, b scan) int { return strings.Compare(a.name, b.name) })
	return all
}

// faxes draws invoices as bad faxes: in few dots per inch, with noise, on grey
// paper. Their text layer is not read.
func faxes(t *testing.T) (all []scan) {
	t.Helper()
	dir := shared(t, "ingestion/invoices")
	for _, want := range truths(t, dir) {
		if !strings.HasPrefix(want.File, "ZUGFeRD-corpus/ZUGFeRDv") {
			continue // the others are of several pages
		}
		for _, dpi := range [][]int{{75, 150}, {100, 60}}[len(all)/2%2] {
			content := must.Get(os.ReadFile(filepath.Join(dir, filepath.FromSlash(want.File))))(t)
			name := fmt.Sprintf("%s in %d dpi", filepath.Base(want.File), dpi)
			all = append(all, scan{name, fax(t, content, dpi), want.recovered})
		}
	}
	return all
}

func fax(t *testing.T, content []byte, dpi int) []byte {
	t.Helper()
	reader := must.Get(parser())(t)
	file := must.Get(reader.Open(t.Context(), bytes.NewReader(content), int64(len(content))))(t)
	defer file.Close()
	page := must.Get(file.Render(t.Context(), 1, dpi))(t)
	const noise = 20
	random := rand.New(rand.NewPCG(uint64(dpi), 14))
	for i, v := range page.Pix {
		page.Pix[i] = uint8(min(255, max(0, int(v)*3/4+random.IntN(2*noise+1)-noise)))
	}
	var encoded bytes.Buffer
	must.OK(t, png.Encode(&encoded, page))
	return encoded.Bytes()
}

// recovered names the fields of an invoice that are right.
func (want truth) recovered(got document.Data) (names []string) {
	name := company.Similarity(company.ParseName(got.Supplier.Name), company.ParseName(want.Supplier))
	for field, right := range map[string]bool{"number": got.Number == want.Number, "date": got.Date.String() == want.Date,
		"supplier": name >= 0.85, "total": got.Total.Equal(want.Total)} {
		if right {
			names = append(names, field)
		}
	}
	return names
}

// measured is the result of a scan.
type measured struct {
	quality        float64  // of the first reading
	first, taken   []string // right fields in the first reading, and in the one that was taken
	repaired, kept bool     // there was a second reading; it was taken
}

func measure(t *testing.T, engine ingest.OCR, s scan) (m measured) {
	t.Helper()
	r := newRigWith(t, s.content)
	r.OCR = engine
	must.OK(t, r.ingest(t), s.name)
	first, taken, repaired := r.readings(t)
	right := func(text transcript.Transcription) []string {
		names := s.recovered(byrules.Extract(text)[0].Data)
		slices.Sort(names)
		return names
	}
	m = measured{first.Quality(), right(first), right(taken), repaired, r.store.row.Preprocessed != ""}
	t.Logf("%s: %.3f %v; repaired %t, taken %t: %v", s.name, m.quality, m.first, m.repaired, m.kept, m.taken)
	for _, field := range m.first {
		if !slices.Contains(m.taken, field) {
			t.Errorf("%s: the repair lost the %s", s.name, field)
		}
	}
	return m
}

// Pearson's correlation of quality and right fields.
func correlation(all []measured) float64 {
	var x, y, xx, yy, xy float64
	n := float64(len(all))
	for _, m := range all {
		fields := float64(len(m.first))
		x, y = x+m.quality, y+fields
		xx, yy, xy = xx+m.quality*m.quality, yy+fields*fields, xy+m.quality*fields
	}
	return (n*xy - x*y) / math.Sqrt((n*xx-x*x)*(n*yy-y*y))
}

// Ten receipts, and 26 bad faxes of invoices, show that the quality predicts what is
// recovered, and that a repair is harmless, for which the receipts are too few, and
// too good.
func TestQualityPredictsFields(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "reads scans twice")
	engine, err := tesseract.New(t.Context(), tesseract.Config{Time: time.Hour})
	if err != nil {
		testenv.Missing(t, err.Error()+": apt-get install tesseract-ocr tesseract-ocr-deu")
	}
	receipts := receiptScans(t)
	scans := slices.Concat(receipts, faxes(t))
	all := make([]measured, len(scans))
	t.Run("scans", func(t *testing.T) {
		for i, s := range scans {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				all[i] = measure(t, engine, s)
			})
		}
	})
	fields, repaired, kept := totals(all, len(receipts))
	r := correlation(all)
	t.Logf("receipts: rules recover %d of %d fields; %d scans, %d repaired, %d of these taken, r = %.2f", fields,
		4*len(receipts), len(all), repaired, kept, r)
	if fields < 18 || repaired < 2 || kept < 2 || len(all) < 36 || r < 0.5 {
		t.Error("want at least 18 fields, 2 repairs that are taken, and r >= 0.5")
	}
}

// totals counts the right fields of the receipts, which come first, the repairs,
// and those of them that were taken.
func totals(all []measured, receipts int) (fields, repaired, kept int) {
	for i, m := range all {
		if i < receipts {
			fields += len(m.taken)
		}
		if m.repaired {
			repaired++
		}
		if m.kept {
			kept++
		}
	}
	return fields, repaired, kept
}

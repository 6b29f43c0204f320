package ingest_test

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/ingest/ingestion"
	scans "matchbook/lambda/ingest/scan"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// pile is sheets on top of each other, and for each the rows of the table printed on it.
type pile struct {
	pages [][]piece
	rows  [][]kindsRow
}

// newPile piles up sheets in any order: invoices of one or two pages, copies, blank sheets, and
// two invoices on one.
func newPile(r *rand.Rand, from []kindsRow, sheets int) (s pile) {
	put := func(page []piece, rows ...kindsRow) {
		s.pages, s.rows = append(s.pages, page), append(s.rows, rows)
	}
	for len(s.pages) < sheets {
		row := from[r.IntN(len(from))]
		switch drawn := newDraft(row).draw(); r.IntN(5) {
		case 0:
			put(nil)
		case 1:
			other := from[r.IntN(len(from))]
			half := row
			half.kind = []string{"twoup", "stacked"}[r.IntN(2)]
			put(half.onOneSheet([][]piece{drawn[0], newDraft(other).draw()[0]})[0], row, other)
		case 2:
			put(drawn[0], row)
			put(drawn[0], row)
		default:
			for _, page := range drawn {
				put(page, row)
			}
		}
	}
	r.Shuffle(len(s.pages), func(i, j int) {
		s.pages[i], s.pages[j] = s.pages[j], s.pages[i]
		s.rows[i], s.rows[j] = s.rows[j], s.rows[i]
	})
	return s
}

// check compares what became of the sheets: each is in a document, blank or named as not read, and
// only a sheet of two invoices is in two. A document that passes has one invoice's values, and
// all its sheets show that invoice.
func (s pile) check(t *testing.T, docs []ingestion.Extracted) {
	t.Helper()
	places := map[int]int{}
	account := docs[0].Account
	for _, n := range account.Blank {
		places[n]++
	}
	for _, u := range account.Unread {
		places[u.Page]++
	}
	for _, d := range docs {
		for _, n := range d.Pages {
			places[n]++
			of := func(r kindsRow) bool {
				return r.number == d.Data.Number && sameValue(d.Data.Total.Canonical(), r.gross)
			}
			if d.Valid && !slices.ContainsFunc(s.rows[n-1], of) {
				t.Errorf("page %d of %v is in %s", n, s.rows[n-1], text([]ingestion.Extracted{d}))
			}
		}
	}
	for i := range s.pages {
		if n := places[i+1]; n != 1 && !(n == 2 && len(s.rows[i]) == 2) {
			t.Errorf("page %d is in %d places: %s, %s", i+1, n, account, text(docs))
		}
	}
}

func plainRows(t *testing.T, langs ...string) (found []kindsRow) {
	t.Helper()
	for _, r := range kindsRows(t) {
		if (r.kind == "plain" || r.kind == "carried") && (len(langs) == 0 || slices.Contains(langs, r.lang)) {
			found = append(found, r)
		}
	}
	return found
}

func TestStackLosesNoPage(t *testing.T) {
	t.Parallel()
	rows := plainRows(t)
	for seed := range testenv.Size(20, 150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newPile(rand.New(rand.NewPCG(1, uint64(seed))), rows, 6) //nolint:gosec // repeatable
			r := newRigWith(t, printedPDF(s.pages))
			must.OK(t, r.ingest(t))
			s.check(t, r.store.documents)
		})
	}
}

// The same for scans, with each sheet turned.
func TestTurnedStackLosesNoPage(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "reads a dozen pages by OCR")
	engine, err := tesseract.New(t.Context(), tesseract.Config{Time: time.Hour})
	if err != nil {
		testenv.Missing(t, err.Error()+": apt-get install tesseract-ocr tesseract-ocr-deu")
	}
	rows := plainRows(t, "de", "en")
	for seed := range 2 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(2, uint64(seed))) //nolint:gosec // repeatable
			s := newPile(random, rows, 3)
			images := lyingSheets(t, random, s)
			r := newRigWith(t, scannedPages(images))
			r.OCR = engine
			must.OK(t, r.ingest(t))
			s.check(t, r.store.documents)
		})
	}
}

// lyingSheets draws the sheets, each turned.
func lyingSheets(t *testing.T, random *rand.Rand, s pile) (images []*image.Gray) {
	t.Helper()
	const dpi, sides = 150, 4
	printed := printedPDF(s.pages)
	doc := must.Get(must.Get(parser())(t).Open(t.Context(), bytes.NewReader(printed), int64(len(printed))))(t)
	defer doc.Close()
	for n := range s.pages {
		drawn := scans.Unrepaired(must.Get(doc.Render(t.Context(), n+1, dpi))(t))
		images = append(images, drawn.Turn(random.IntN(sides)).Image)
	}
	return images
}

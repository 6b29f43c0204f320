package ingest_test

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"

	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

// given is an OCR with these pages.
type given struct {
	ingest.OCR
	pages []transcript.Page
}

func (g given) Transcribe(context.Context, transcript.Images) (t transcript.Transcription, err error) {
	t = transcript.Transcription{Engine: "test", Version: "1"}
	for i, p := range g.pages {
		p.Number = i + 1
		t.Pages = append(t.Pages, p)
	}
	return t, nil
}

func (given) Repair(_ context.Context, _ transcript.Images, first transcript.Transcription, _ float64) (transcript.Second, error) {
	return transcript.Second{Transcription: first, Images: map[int]*image.Gray{}}, nil
}

func TestEachPageIsAccountedFor(t *testing.T) {
	t.Parallel()
	invoice := page(0.9, "Sommer GmbH", "Rechnung", "Rechnungsnummer: 4402", "Rechnungsdatum: 20.02.2026",
		"Netto 100,00 EUR", "MwSt. 19 % 19,00 EUR", "Gesamtbetrag: 119,00 EUR")
	other := page(0.9, "Weber GmbH", "Rechnung", "Rechnungsnummer: W-9", "Rechnungsdatum: 21.02.2026",
		"Netto 200,00 EUR", "MwSt. 19 % 38,00 EUR", "Gesamtbetrag: 238,00 EUR")
	empty := transcript.Page{Defects: []transcript.Defect{transcript.NoText}}
	blank := transcript.Page{Defects: []transcript.Defect{transcript.NoText, transcript.Blank}}
	faint := page(0.42, "Gesamtbetrag: 999,00 EUR")
	for name, c := range map[string]struct {
		pages   []transcript.Page
		account string
		docs    string // numbers, pages, and the reasons
	}{
		"all read":     {[]transcript.Page{invoice, other}, "pages 2 = read 2", "4402 [1], W-9 [2]"},
		"a blank back": {[]transcript.Page{invoice, blank, other}, "pages 3 = read 2 + blank 1 (page 2)", "4402 [1], W-9 [3]"},
		"nothing recognised": {[]transcript.Page{invoice, empty, other},
			"pages 3 = read 2 + not read 1 (page 2: nothing on it was recognised)",
			"4402 [1] page 2 of 3 was not read: nothing on it was recognised, W-9 [3]"},
		"the first": {[]transcript.Page{empty, other}, "pages 2 = read 1 + not read 1 (page 1: nothing on it was recognised)",
			"W-9 [2] page 1 of 2 was not read: nothing on it was recognised"},
		"hardly legible": {[]transcript.Page{invoice, faint}, "pages 2 = read 1 + not read 1 (page 2: only 42 % of it is legible)",
			"4402 [1] page 2 of 2 was not read: only 42 % of it is legible"},
		"none is legible": {[]transcript.Page{faint, blank}, "pages 2 = read 1 + blank 1 (page 2)",
			" [1] the text was not recognised as a business document; the type of the document is unknown; " +
				"page 1 of 2: only 42 % of it is legible"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, scannedPDF(t, len(c.pages)))
			r.OCR = given{pages: c.pages}
			must.OK(t, r.ingest(t))
			docs := r.store.documents
			if got := docs[0].Account.String(); got != c.account {
				t.Errorf("got %s, want %s", got, c.account)
			}
			var got []string
			for _, d := range docs {
				line := strings.TrimSpace(fmt.Sprintf("%s %v", d.Data.Number, d.Pages) + " " + strings.Join(d.Reasons, "; "))
				got = append(got, line)
				if d.Valid != (len(d.Reasons) == 0) {
					t.Errorf("%s: valid %t", line, d.Valid)
				}
			}
			if list := strings.Join(got, ", "); list != strings.TrimSpace(c.docs) {
				t.Errorf("got %s, want %s", list, c.docs)
			}
		})
	}
}

package ingesteval

import (
	"slices"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

const truth = `{"number": "R-7", "date": "2026-03-17", "currency": "EUR", "supplier": {"name": "Kranz KG"}, "total": "119.00",
	"line_items": [{"amount": "60"}, {"amount": "40"}]}`

// read is a document as read from a page with these lines.
func read(t *testing.T, valid bool, data string, lines ...string) outcome {
	t.Helper()
	want := einvoice.Document{Type: document.Invoice, Data: must.Get(document.Parse([]byte(truth)))(t)}
	got := extraction.Extraction{Type: document.Invoice, Data: must.Get(document.Parse([]byte(data)))(t)}
	page := transcript.Page{Number: 1}
	for _, l := range lines {
		page.Lines = append(page.Lines, transcript.Line{Text: l})
	}
	return outcome{truth: &want, docs: []ingestion.Extracted{{Extraction: got, Valid: valid}},
		pages: transcript.Transcription{Pages: []transcript.Page{page}}}
}

// By hand: of five files one lacks an e-invoice, one is for people, and of three passed one
// has a wrong number and total, and one a total that its page doesn't show.
func TestResultCounts(t *testing.T) {
	t.Parallel()
	const wrong = `{"number": "R 7", "date": "2026-03-17", "currency": "EUR", "supplier": {"name": "Kranz KG"}, "total": "500.00"}`
	r := &Result{}
	r.add("xml.pdf", outcome{})
	r.add("people.pdf", read(t, false, wrong))
	r.add("right.pdf", read(t, true, truth))
	r.add("wrong.pdf", read(t, true, wrong, "Rechnung R-7", "Gesamt 119,00 EUR"))
	r.add("differs.pdf", read(t, true, `{"number": "R-7", "date": "2026-03-17", "currency": "EUR", "supplier": {"name": "Kranz KG"},
		"total": "500.00", "line_items": [{"amount": "60"}, {"amount": "-40"}]}`, "Rechnung R-7", "Gesamt 500,00 EUR"))
	if r.Files != 4 || r.Without != 1 || r.Passed != 3 || r.People != 1 || r.Lines != 2 || r.WithLines != 4 || r.PassedLines != 2 {
		t.Errorf("got %+v", r)
	}
	if len(r.Wrong) != 1 || len(r.Differs) != 1 || r.Differs[0].File != "differs.pdf" {
		t.Fatalf("got %+v and %+v", r.Wrong, r.Differs)
	}
	want := []Field{{"number", "R 7", "R-7", true}, {"total", "500", "119", true}}
	if got := r.Wrong[0]; got.File != "wrong.pdf" || !slices.Equal(got.Fields, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

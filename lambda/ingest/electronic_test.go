package ingest

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
)

// Were each value compared with each line of the pages, this would take hours.
func TestLargeInvoicePlaces(t *testing.T) {
	t.Parallel()
	var text transcript.Transcription
	for p := range 12 {
		page := transcript.Page{Number: p + 1, Quality: 1}
		for i := range 400 {
			page.Lines = append(page.Lines, transcript.Line{Text: fmt.Sprintf("Item %d  2 pc  %d,50 EUR  on 4.3.2026", p*400+i, p*400+i)})
		}
		text.Pages = append(text.Pages, page)
	}
	doc := &einvoice.Document{Type: document.Invoice}
	for i := range 1500 {
		price, err := document.ParseAmount(fmt.Sprintf("%d.50", i))
		must.OK(t, err)
		doc.Data.Lines = append(doc.Data.Lines, document.Line{Description: fmt.Sprintf("Item %d", i), UnitPrice: price, Amount: price})
	}
	fields := fromInvoice(doc, text, shownIn(text)).Fields
	for path, want := range map[string]extraction.Field{
		"line_items.1499.amount":      {Value: "1499.5", Quote: "1499,50", Page: 4, Trust: extraction.PrintedXML},
		"line_items.1499.description": {Value: "Item 1499", Quote: "Item 1499", Page: 4, Trust: extraction.PrintedXML},
	} {
		if fields[path] != want {
			t.Errorf("%s: got %+v, want %+v", path, fields[path], want)
		}
	}
}

func TestTextLimits(t *testing.T) {
	t.Parallel()
	const want = "file has more than 100000 lines or 5000000 characters of text; split it"
	for name, text := range map[string]string{
		"lines": strings.Repeat("\n", maxLines+1), "characters": strings.Repeat("ü", maxCharacters+1),
	} {
		if err := checkText([]byte(text)); err == nil || failure.Of(err).Text != want {
			t.Errorf("%s of a text file: %v", name, err)
		}
	}
	if err := checkText([]byte(strings.Repeat("ü", maxCharacters))); err != nil {
		t.Error(err)
	}
	size, page := extent{}, transcript.Page{Lines: make([]transcript.Line, maxLines/2)}
	if first, second, third := size.add(page), size.add(page), size.add(page); first != nil || second != nil || third == nil {
		t.Errorf("pages: %v, %v, %v", first, second, third)
	}
}

package ingest

import (
	"slices"

	"matchbook/lambda/einvoice"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// fromInvoice is the extraction of an e-invoice. Its values are those of the
// file; the ones that the pages show as well have the place.
func fromInvoice(doc *einvoice.Document, text transcript.Transcription) extraction.Extraction {
	e := extraction.Extraction{Source: "einvoice", Successful: true, Confidence: extraction.High,
		Type: doc.Type, Data: doc.Data, Fields: map[string]extraction.Field{}}
	for _, p := range text.Pages {
		e.Pages = append(e.Pages, p.Number)
	}
	pages := shown{text, printed.QuotesOf(text)}
	for _, v := range extraction.Values(doc.Data) {
		e.Fields[v.Path] = pages.place(v)
	}
	return e
}

// shown is the text in which the values of an e-invoice may be printed.
type shown struct {
	t      transcript.Transcription
	quotes printed.Quotes
}

// place makes a field of a value, with the first place that shows it.
func (s shown) place(v extraction.Value) extraction.Field {
	field := extraction.Field{Value: v.Text, Trust: extraction.XML}
	if v.Kind == extraction.Text {
		if pages := s.quotes.Pages(v.Text); len(pages) > 0 {
			field.Quote, field.Page, field.Trust = v.Text, pages[0], extraction.PrintedXML
		}
		return field
	}
	for _, p := range s.t.Pages {
		for _, l := range p.Lines {
			if quote := quoted(l.Text, v); quote != "" {
				return extraction.Field{Value: v.Text, Quote: quote, Page: p.Number, Trust: extraction.PrintedXML}
			}
		}
	}
	return field
}

// quoted returns the part of a line that can be read as the value.
func quoted(line string, v extraction.Value) string {
	if v.Kind == extraction.Day {
		for _, d := range printed.Dates(line) {
			if slices.Contains(d.Readings, v.Date) {
				return d.Text
			}
		}
		return ""
	}
	for _, a := range printed.Amounts(line) {
		if slices.ContainsFunc(a.Readings, v.Amount.Equal) {
			return a.Text
		}
	}
	return ""
}

package ingest

import (
	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// fromInvoice returns the extraction of an e-invoice. A value shown on a page as well gets its
// place there.
func fromInvoice(doc *einvoice.Document, text transcript.Transcription, pages *shown) extraction.Extraction {
	e := extraction.Extraction{Source: "einvoice", Successful: true, Confidence: extraction.High,
		Type: doc.Type, Data: doc.Data, Fields: map[string]extraction.Field{}}
	for _, p := range text.Pages {
		e.Pages = append(e.Pages, p.Number)
	}
	for _, v := range extraction.Values(doc.Data) {
		e.Fields[v.Path] = pages.place(v)
	}
	return e
}

// shown finds the values of an e-invoice in the text of its pages. It reads each line once,
// because an invoice may have thousands of values and its pages thousands of lines.
type shown struct {
	quotes  printed.Quotes
	search  int // characters left to search for texts
	size    int // of the text, in characters
	numbers map[string]extraction.Field
	money   map[string]bool // numbers printed with two decimals
	days    map[document.Date]extraction.Field
}

// maxSearch bounds the search for texts to seconds. A value beyond it is trusted like a value
// not shown on any page.
const maxSearch = 4_000_000_000

func shownIn(t transcript.Transcription) *shown {
	s := &shown{quotes: printed.QuotesOf(t), search: maxSearch, numbers: map[string]extraction.Field{},
		money: map[string]bool{}, days: map[document.Date]extraction.Field{}}
	for _, p := range t.Pages {
		s.size += p.Characters()
		for _, l := range p.Lines {
			s.line(l.Text, p.Number)
		}
	}
	return s
}

func (s *shown) line(text string, page int) {
	for _, d := range printed.Dates(text) {
		for _, v := range d.Readings {
			if _, ok := s.days[v]; !ok {
				s.days[v] = extraction.Field{Quote: d.Text, Page: page, Trust: extraction.PrintedXML}
			}
		}
	}
	for _, a := range printed.Amounts(text) {
		for _, v := range a.Readings {
			key := v.Canonical()
			s.money[key] = s.money[key] || a.Money
			if _, ok := s.numbers[key]; !ok {
				s.numbers[key] = extraction.Field{Quote: a.Text, Page: page, Trust: extraction.PrintedXML}
			}
		}
	}
}

func (s *shown) place(v extraction.Value) extraction.Field {
	var field extraction.Field
	var ok bool
	switch v.Kind {
	case extraction.Number:
		field, ok = s.numbers[v.Amount.Canonical()]
	case extraction.Day:
		field, ok = s.days[v.Date]
	default:
		field, ok = s.text(v.Text)
	}
	if !ok {
		return extraction.Field{Value: v.Text, Trust: extraction.XML}
	}
	field.Value = v.Text
	return field
}

func (s *shown) text(value string) (extraction.Field, bool) {
	if s.search -= s.size; s.search < 0 {
		return extraction.Field{}, false
	}
	page, ok := s.quotes.First(value)
	return extraction.Field{Quote: value, Page: page, Trust: extraction.PrintedXML}, ok
}

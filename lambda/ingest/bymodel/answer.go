package bymodel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// other is the type of documents Matchbook doesn't match.
const other = "other"

const maxDocuments = 200

// read reads an answer about a window. Its errors name the mistake and quote nothing of the
// answer. A second answer may repeat documents on pages that were not shown; it drops them.
func read(text string, w window, quotes printed.Quotes, model string, second bool) (found []extraction.Extraction, err error) {
	answer, err := answers().Read(text, maxAnswer)
	if err != nil {
		return nil, err
	}
	documents := answer["documents"].([]any)
	if len(documents) > maxDocuments {
		return nil, errors.New("too many documents")
	}
	for _, doc := range documents {
		if pages := doc.(map[string]any)["pages"].([]any); second && len(pages) > 0 && !slices.ContainsFunc(pages, w.shows) {
			continue
		}
		r := &reader{quotes: quotes, e: extraction.Extraction{Source: model, Successful: true,
			Confidence: extraction.Confidence(answer["confidence"].(string)), Fields: map[string]extraction.Field{}}}
		for _, m := range answer["missing_fields"].([]any) {
			r.e.Missing = append(r.e.Missing, m.(string))
		}
		if err := r.document(doc.(map[string]any), w); err != nil {
			return nil, err
		}
		found = append(found, r.e)
	}
	return found, nil
}

type reader struct {
	quotes printed.Quotes
	e      extraction.Extraction
	err    error
}

func (r *reader) document(doc map[string]any, w window) error {
	if kind := doc["type"].(string); kind != other {
		r.e.Type = document.Type(kind)
	}
	if err := r.pages(doc["pages"].([]any), w); err != nil {
		return err
	}
	d := &r.e.Data
	r.text(doc, "", "number", &d.Number)
	r.date(doc, "", "date", &d.Date)
	r.date(doc, "", "delivery_date", &d.Delivered)
	r.text(doc, "", "currency", &d.Currency)
	r.party(doc, "supplier", &d.Supplier)
	r.party(doc, "buyer", &d.Buyer)
	r.party(doc, "payee", &d.Payee)
	r.text(doc, "", "buyer_reference", &d.BuyerReference)
	r.lists(doc)
	r.amount(doc, "", "subtotal", &d.Subtotal)
	r.amount(doc, "", "tax", &d.Tax)
	r.amount(doc, "", "total", &d.Total)
	r.amount(doc, "", "prepaid", &d.Prepaid)
	r.amount(doc, "", "rounding", &d.Rounding)
	r.amount(doc, "", "amount_due", &d.AmountDue)
	period, terms := doc["period"].(map[string]any), doc["payment_terms"].(map[string]any)
	r.date(period, "period.", "from", &d.Period.From)
	r.date(period, "period.", "to", &d.Period.To)
	r.date(terms, "payment_terms.", "due", &d.Terms.Due)
	r.text(terms, "payment_terms.", "text", &d.Terms.Text)
	return r.err
}

func (r *reader) pages(numbers []any, w window) error {
	for _, p := range numbers {
		if !w.shows(p) {
			return errors.New("unknown page: it was not shown")
		}
		r.e.Pages = append(r.e.Pages, int(p.(float64)))
	}
	slices.Sort(r.e.Pages)
	r.e.Pages = slices.Compact(r.e.Pages)
	if len(r.e.Pages) == 0 {
		return errors.New("missing pages of a document")
	}
	return nil
}

func (r *reader) party(doc map[string]any, side string, p *document.Party) {
	from := doc[side].(map[string]any)
	r.text(from, side+".", "name", &p.Name)
	r.text(from, side+".", "vat_id", &p.VATID)
	r.text(from, side+".", "iban", &p.IBAN)
	r.text(from, side+".", "address", &p.Address)
}

// lists reads references, lines, taxes and charges. It drops entries with nothing left.
func (r *reader) lists(doc map[string]any) {
	d := &r.e.Data
	entries(r, doc, "references", &d.References, func(from map[string]any, at string) (ref document.Reference) {
		r.text(from, at, "number", &ref.Number)
		if ref.Number != "" {
			ref.Type = from["type"].(string)
		}
		return ref
	})
	entries(r, doc, "line_items", &d.Lines, r.line)
	entries(r, doc, "taxes", &d.Taxes, func(from map[string]any, at string) (x document.Tax) {
		r.amount(from, at, "rate", &x.Rate)
		r.amount(from, at, "base", &x.Base)
		r.amount(from, at, "amount", &x.Amount)
		return x
	})
	entries(r, doc, "charges", &d.Charges, func(from map[string]any, at string) (x document.Charge) {
		r.text(from, at, "description", &x.Description)
		r.amount(from, at, "amount", &x.Amount)
		r.amount(from, at, "tax_rate", &x.TaxRate)
		return x
	})
}

func (r *reader) line(from map[string]any, at string) (l document.Line) {
	r.text(from, at, "sku", &l.SKU)
	r.text(from, at, "description", &l.Description)
	r.text(from, at, "unit", &l.Unit)
	r.amount(from, at, "quantity", &l.Quantity)
	r.amount(from, at, "unit_price", &l.UnitPrice)
	r.amount(from, at, "price_quantity", &l.PriceFor)
	r.amount(from, at, "amount", &l.Amount)
	r.amount(from, at, "tax_rate", &l.TaxRate)
	return l
}

// entries reads a list of rows; at is the prefix of a row's paths. It drops a row without its
// quote.
func entries[T comparable](r *reader, doc map[string]any, name string, to *[]T,
	read func(from map[string]any, at string) T) {
	var none T
	for i, v := range doc[name].([]any) {
		from := v.(map[string]any)
		if r.page(from["quote"].(string)) == 0 {
			r.drop(fmt.Sprintf("%s.%d", name, i), "", from["quote"].(string))
			continue
		}
		if entry := read(from, fmt.Sprintf("%s.%d.", name, len(*to))); entry != none {
			*to = append(*to, entry)
		}
	}
}

// page returns the document's first page with the quote, or 0.
func (r *reader) page(quote string) int {
	for _, page := range r.e.Pages {
		if r.quotes.On(page, quote) {
			return page
		}
	}
	return 0
}

// field returns the value of a field, on one line. It drops a field without a quote on a page.
func (r *reader) field(from map[string]any, at, name string, quotesOf func(value, row string) []string) (string, bool) {
	row, _ := from["quote"].(string)
	value, _ := from[name].(string)
	quotes := quotesOf(value, row)
	if f, ok := from[name].(map[string]any); ok {
		value, quotes = f["value"].(string), []string{f["quote"].(string)}
	}
	if name == "address" {
		value = strings.ReplaceAll(strings.ReplaceAll(value, ",\n", "\n"), "\n", ", ")
	}
	if value = strings.Join(strings.Fields(value), " "); value == "" {
		return "", false
	}
	for _, quote := range quotes {
		if page := r.page(quote); page != 0 {
			r.e.Fields[at+name] = extraction.Field{Value: value, Quote: quote, Page: page, Trust: extraction.ModelAlone}
			return value, true
		}
	}
	r.drop(at+name, value, quotes[0])
	return "", false
}

func (r *reader) drop(path, value, quote string) {
	if r.e.Refused == nil {
		r.e.Refused = map[string]extraction.Field{}
	}
	r.e.Dropped, r.e.Refused[path] = append(r.e.Dropped, path), extraction.Field{Value: value, Quote: quote}
}

// inRow says where a number of a row is printed.
func inRow(_, row string) []string { return []string{row} }

// itself says where a text without a quote is printed: in its row, or, since a row has only one
// line, wherever its words are. Models put a comma where an address goes on in the next line.
func itself(value, row string) []string {
	if printed.Shows(row, value) {
		return []string{row}
	}
	return []string{value, strings.ReplaceAll(value, ", ", "\n")}
}

func (r *reader) text(from map[string]any, at, name string, to *string) {
	if v, ok := r.field(from, at, name, itself); ok {
		*to = v
	}
}

func (r *reader) amount(from map[string]any, at, name string, to *document.Amount) {
	if v, ok := r.field(from, at, name, inRow); ok {
		a, err := document.ParseAmount(v)
		if err != nil {
			r.err = errors.New("invalid amount: expected a plain decimal")
			return
		}
		*to = a
		r.canonical(at+name, a.Canonical())
	}
}

func (r *reader) date(from map[string]any, at, name string, to *document.Date) {
	if v, ok := r.field(from, at, name, inRow); ok {
		t, err := time.Parse(time.DateOnly, v)
		if err != nil {
			r.err = errors.New("invalid date: expected YYYY-MM-DD")
			return
		}
		*to = document.DateOf(t)
	}
}

// canonical gives a field the form used in structured data.
func (r *reader) canonical(path, value string) {
	f := r.e.Fields[path]
	f.Value = value
	r.e.Fields[path] = f
}

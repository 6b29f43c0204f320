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
// answer.
func read(text string, window []piece, quotes printed.Quotes, model string) (found []extraction.Extraction, err error) {
	answer, err := answers.Read(text, maxAnswer)
	if err != nil {
		return nil, err
	}
	documents := answer["documents"].([]any)
	successful := answer["extraction_successful"].(bool)
	switch {
	case len(documents) > maxDocuments:
		return nil, errors.New("too many documents")
	case successful && len(documents) == 0:
		return nil, errors.New("missing document in a successful answer")
	}
	for _, doc := range documents {
		r := &reader{quotes: quotes, e: extraction.Extraction{Source: model, Successful: successful,
			Confidence: extraction.Confidence(answer["confidence"].(string)), Fields: map[string]extraction.Field{}}}
		for _, m := range answer["missing_fields"].([]any) {
			r.e.Missing = append(r.e.Missing, m.(string))
		}
		if err := r.document(doc.(map[string]any), window); err != nil {
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

func (r *reader) document(doc map[string]any, window []piece) error {
	if kind := doc["type"].(string); kind != other {
		r.e.Type = document.Type(kind)
	}
	for _, p := range doc["pages"].([]any) {
		page := int(p.(float64))
		if !slices.ContainsFunc(window, func(w piece) bool { return w.page == page }) {
			return errors.New("unknown page: it was not shown")
		}
		if !slices.Contains(r.e.Pages, page) {
			r.e.Pages = append(r.e.Pages, page)
		}
	}
	if len(r.e.Pages) == 0 {
		return errors.New("missing pages of a document")
	}
	slices.Sort(r.e.Pages)
	d := &r.e.Data
	r.text(doc, "", "number", &d.Number)
	r.date(doc, "", "date", &d.Date)
	r.text(doc, "", "currency", &d.Currency)
	r.amount(doc, "", "subtotal", &d.Subtotal)
	r.amount(doc, "", "tax", &d.Tax)
	r.amount(doc, "", "total", &d.Total)
	r.party(doc, "supplier", &d.Supplier)
	r.party(doc, "buyer", &d.Buyer)
	period, terms := doc["period"].(map[string]any), doc["payment_terms"].(map[string]any)
	r.date(period, "period.", "from", &d.Period.From)
	r.date(period, "period.", "to", &d.Period.To)
	r.date(terms, "payment_terms.", "due", &d.Terms.Due)
	r.text(terms, "payment_terms.", "text", &d.Terms.Text)
	r.lists(doc)
	return r.err
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
	entries(doc, "references", &d.References, func(from map[string]any, at string) (ref document.Reference) {
		r.text(from, at, "number", &ref.Number)
		if ref.Number != "" {
			ref.Type = from["type"].(string)
		}
		return ref
	})
	entries(doc, "line_items", &d.Lines, r.line)
	entries(doc, "taxes", &d.Taxes, func(from map[string]any, at string) (x document.Tax) {
		r.amount(from, at, "rate", &x.Rate)
		r.amount(from, at, "base", &x.Base)
		r.amount(from, at, "amount", &x.Amount)
		return x
	})
	entries(doc, "charges", &d.Charges, func(from map[string]any, at string) (x document.Charge) {
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
	r.amount(from, at, "amount", &l.Amount)
	r.amount(from, at, "tax_rate", &l.TaxRate)
	return l
}

// entries reads a list; at is the prefix of an entry's paths.
func entries[T comparable](doc map[string]any, name string, to *[]T, read func(from map[string]any, at string) T) {
	var none T
	for _, v := range doc[name].([]any) {
		if entry := read(v.(map[string]any), fmt.Sprintf("%s.%d.", name, len(*to))); entry != none {
			*to = append(*to, entry)
		}
	}
}

// field returns the value of a field. It drops the field if the quote isn't on its page.
func (r *reader) field(from map[string]any, at, name string) (value string, ok bool) {
	f, present := from[name].(map[string]any)
	if !present {
		return "", false
	}
	field := extraction.Field{Value: strings.TrimSpace(f["value"].(string)), Quote: f["quote"].(string),
		Page: int(f["page"].(float64)), Trust: extraction.ModelAlone}
	if field.Value == "" {
		return "", false
	}
	if !slices.Contains(r.e.Pages, field.Page) || !r.quotes.On(field.Page, field.Quote) {
		r.e.Dropped = append(r.e.Dropped, at+name)
		return "", false
	}
	r.e.Fields[at+name] = field
	return field.Value, true
}

func (r *reader) text(from map[string]any, at, name string, to *string) {
	if v, ok := r.field(from, at, name); ok {
		*to = v
	}
}

func (r *reader) amount(from map[string]any, at, name string, to *document.Amount) {
	if v, ok := r.field(from, at, name); ok {
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
	if v, ok := r.field(from, at, name); ok {
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

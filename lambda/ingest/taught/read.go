package taught

import (
	"maps"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/extraction"
)

// Found is the value that a rule found.
type Found struct {
	Rule
	field extraction.Field
	Why   string // it failed: the reason for a person
}

// Failed reports whether the value must not be used.
func (f Found) Failed() bool { return f.Why != "" }

// Read reads the fields of a document by rules of its supplier; see Of. A name that the document
// has, or that may be another supplier's, is left out.
func Read(rules []Rule, e extraction.Extraction, lines []Line, keys []string) (all []Found) {
	for _, r := range rules {
		f := Found{Rule: r, field: extraction.Field{Value: r.Value, Trust: extraction.Taught, Taught: r.By()}}
		if r.Field != name {
			f.look(lines)
			all = append(all, f)
			continue
		}
		at := lineOf(lines, r.Value)
		if company.ParseName(e.Data.Supplier.Name).Key() == company.ParseName(r.Value).Key() || at < 0 && !identical(r.Keys, keys) {
			continue
		}
		if at >= 0 {
			f.field.Quote, f.field.Page = lines[at].Text, lines[at].file
		}
		all = append(all, f)
	}
	return all
}

func (f *Found) look(lines []Line) {
	same := f.matches(lines, spotsOf(lines, f.Field, f.Value))
	switch {
	case len(same) == 0:
		f.Why = "nothing stands there"
	case f.alone(same):
		f.take(lines, same[0])
	case len(same) == f.Of:
		f.take(lines, same[f.Nth])
	default:
		f.Why = "several values stand there"
	}
}

func (f *Found) take(lines []Line, s spot) {
	value, ok := s.read(f.Form)
	if !ok {
		f.Why = "the value there has two meanings"
	}
	f.field.Value, f.field.Quote, f.field.Page = value, lines[s.line].Text, lines[s.line].file
}

// Use returns the extraction with the values found. What the source doubted about them is
// settled.
func Use(e extraction.Extraction, all []Found) extraction.Extraction {
	e.Fields, e.Dropped = maps.Clone(e.Fields), slices.Clone(e.Dropped)
	for _, f := range all {
		f.set(&e)
		e.Fields[f.Field] = f.field
		e.Doubts = slices.DeleteFunc(slices.Clone(e.Doubts), func(d extraction.Doubt) bool { return d.Field == f.Field })
		e.Dropped = slices.DeleteFunc(e.Dropped, func(path string) bool { return path == f.Field })
	}
	return e
}

func (f Found) set(e *extraction.Extraction) {
	d := &e.Data
	switch kinds[f.Field] {
	case extraction.Day:
		*map[string]*document.Date{"date": &d.Date, "payment_terms.due": &d.Terms.Due}[f.Field] = dayOf(f.field.Value)
	case extraction.Number:
		*map[string]*document.Amount{"subtotal": &d.Subtotal, "tax": &d.Tax, "total": &d.Total, "amount_due": &d.AmountDue}[f.Field] =
			document.MustAmount(f.field.Value)
	default:
		if f.Field == name {
			f.rename(e)
			return
		}
		d.Number = f.field.Value
	}
}

func dayOf(iso string) (d document.Date) {
	_ = d.UnmarshalJSON([]byte(`"` + iso + `"`)) // from a Date
	return d
}

// rename replaces the supplier. The address was another's, and so was the name if it is the
// buyer's, too: better no buyer than a wrong one.
func (f Found) rename(e *extraction.Extraction) {
	d := &e.Data
	d.Supplier.Name, d.Supplier.Address = f.Value, ""
	delete(e.Fields, "supplier.address")
	if company.ParseName(d.Buyer.Name).Key() == company.ParseName(f.Value).Key() {
		d.Buyer.Name, d.Buyer.Address = "", ""
		delete(e.Fields, "buyer.name")
		delete(e.Fields, "buyer.address")
	}
}

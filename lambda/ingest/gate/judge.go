package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// PassAnswer is Pass for a model's answer. The rules read the same pages for nothing: a value
// that a label names otherwise is a reason for a person, one that a label confirms gets its
// trust, and a VAT id or an account that the answer left out is added if its owner is clear.
//
// alone reports whether no other document shares the pages, because a label there may name the
// value of either.
func PassAnswer(e *extraction.Extraction, t transcript.Transcription, today time.Time, alone bool, own ...document.Party) []Reason {
	c := newChecker(e, t, today, own)
	j := &judge{checker: c}
	if alone && len(e.Pages) > 0 {
		j.read()
		j.confirm()
		j.ids()
	}
	c.leaveOut()
	c.check()
	if j.rules.Fields != nil {
		j.contradict()
	}
	for i := range c.reasons {
		c.reasons[i].Final = j.final(c.reasons[i])
	}
	return c.reasons
}

// judge compares an answer with the rules' reading of its pages.
type judge struct {
	*checker
	rules  extraction.Extraction
	others []extraction.Extraction // further documents that the rules find on the pages
	labels byrules.Labels
}

func (j *judge) read() {
	found := byrules.Extract(j.pages.Only(j.e.Pages), j.own...)
	if len(found) == 0 {
		return
	}
	same := func(e extraction.Extraction) bool {
		return reference.Canonical(e.Data.Number) == reference.Canonical(j.e.Data.Number)
	}
	at := max(0, slices.IndexFunc(found, same))
	j.rules = found[at]
	j.others = slices.Delete(found, at, at+1)
	j.labels = byrules.LabelsOf(j.pages, j.e.Pages, j.e.Type)
}

// value returns the value of a field in an extraction.
func value(e *extraction.Extraction, path string) (extraction.Value, bool) {
	all := extraction.Values(e.Data)
	i := slices.IndexFunc(all, func(v extraction.Value) bool { return v.Path == path })
	if i < 0 {
		return extraction.Value{}, false
	}
	return all[i], true
}

// labelled returns the value that a label gives a field by the rules' reading.
func (j *judge) labelled(path string) (extraction.Value, bool) {
	v, ok := value(&j.rules, path)
	return v, ok && j.rules.Fields[path].Trust == extraction.Printed
}

// confirm raises the trust of values that a label names.
func (j *judge) confirm() {
	named, _ := byrules.Named(j.pages, j.e.Pages, j.e.Type)
	for _, v := range j.values {
		theirs, ok := j.labelled(v.Path)
		same := func(n string) bool { return reference.Canonical(n) == reference.Canonical(v.Text) }
		switch {
		case ok && alike(v, theirs),
			v.Path == "number" && slices.ContainsFunc(named, same),
			v.Path == "date" && j.day(v.Date).Own, v.Path == "payment_terms.due" && j.day(v.Date).Due:
			j.trust(v.Path, extraction.Printed)
		case strings.HasPrefix(v.Path, "line_items."):
			if j.lineOf(v) {
				j.trust(v.Path, extraction.Printed)
			}
		}
	}
}

// lineOf reports whether the rules read the same value under the head of its column.
func (j *judge) lineOf(v extraction.Value) bool {
	_, field, _ := strings.Cut(strings.TrimPrefix(v.Path, "line_items."), ".")
	return slices.ContainsFunc(extraction.Values(j.rules.Data), func(r extraction.Value) bool {
		return strings.HasPrefix(r.Path, "line_items.") && strings.HasSuffix(r.Path, "."+field) && alike(v, r)
	})
}

// day returns what the labels say about a date wherever it is printed.
func (j *judge) day(d document.Date) (found byrules.Day) {
	found.Other = true
	for _, x := range j.labels.Days {
		if slices.Contains(x.Readings, d) {
			found.Readings = append(found.Readings, d)
			found.Own, found.Named, found.Due = found.Own || x.Own, found.Named || x.Named, found.Due || x.Due
			found.Other = found.Other && x.Other
		}
	}
	found.Other = found.Other && len(found.Readings) > 0
	return found
}

// alike compares two values of a field.
func alike(a, b extraction.Value) bool {
	x, y := printed.Letters(a.Text), printed.Letters(b.Text)
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == extraction.Number:
		return a.Amount.Abs().Equal(b.Amount.Abs())
	case a.Kind == extraction.Day:
		return a.Date == b.Date
	case a.Path == "number":
		return reference.Canonical(a.Text) == reference.Canonical(b.Text)
	case strings.HasSuffix(a.Path, ".name"):
		return SameCompany(a.Text, b.Text)
	}
	return x == y
}

// SameCompany reports whether two names are likely one company's: similar, or one in the other.
func SameCompany(a, b string) bool {
	const likely = 0.6
	x, y := printed.Letters(a), printed.Letters(b)
	return x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x) ||
		company.Similarity(company.ParseName(a), company.ParseName(b)) > likely)
}

// issued reports whether the supplier writes documents of this type.
func (j *judge) issued() bool {
	return j.priced() || j.e.Type == document.OrderConfirmation || j.e.Type == document.DeliveryNote
}

// ids adds the VAT ids and the account that the pages print and the answer lacks. The rules know
// their owners; a side with another name is an owner in doubt.
func (j *judge) ids() {
	if !j.priced() {
		return
	}
	mine, theirs := &j.e.Data, &j.rules.Data
	owner := func(a, b string) bool { return a == "" || b == "" || SameCompany(a, b) }
	for _, id := range []struct {
		path, name string
		to, from   *string
		clear      bool
	}{
		{"supplier.vat_id", "VAT id", &mine.Supplier.VATID, &theirs.Supplier.VATID, owner(mine.Supplier.Name, theirs.Supplier.Name)},
		{"buyer.vat_id", "VAT id", &mine.Buyer.VATID, &theirs.Buyer.VATID, owner(mine.Buyer.Name, theirs.Buyer.Name)},
		{"supplier.iban", "IBAN", cmp.Or(pointer(mine.Payee.IBAN), &mine.Supplier.IBAN), &theirs.Supplier.IBAN,
			owner(mine.Supplier.Name, theirs.Supplier.Name)},
	} {
		switch {
		case *id.to != "" || *id.from == "" || j.has(*id.from):
		case !id.clear:
			j.refuse(Plausibility, id.path, "the page prints a %s with right check digits that the model gives to no party", id.name)
		default:
			*id.to, j.e.Fields[id.path] = *id.from, j.rules.Fields[id.path]
			j.e.Dropped = slices.DeleteFunc(j.e.Dropped, func(path string) bool { return path == id.path })
		}
	}
	j.values = extraction.Values(j.e.Data)
}

// pointer returns nil for an empty text.
func pointer(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// has reports whether a party of the answer has an id.
func (j *judge) has(id string) bool {
	d := j.e.Data
	return slices.ContainsFunc([]document.Party{d.Supplier, d.Buyer, d.Payee}, func(p document.Party) bool {
		return printed.Letters(p.VATID) == printed.Letters(id) || printed.Letters(p.IBAN) == printed.Letters(id)
	})
}

// optional fields may be missing. One with a quote that isn't on the page is left out
// without a question, because nobody pays or matches by it.
var optional = []string{"address", "text", "sku", "unit", "description", "buyer_reference"}

// leaveOut forgets the optional fields that were dropped for their quotes.
func (c *checker) leaveOut() {
	c.e.Dropped = slices.DeleteFunc(c.e.Dropped, func(path string) bool {
		return slices.Contains(optional, path[strings.LastIndexByte(path, '.')+1:])
	})
}

// object refuses a field for a contradiction, once. A taught field contradicts the labels, or nobody
// had taught it.
func (j *judge) object(check Check, field, format string, args ...any) {
	if j.taught(field) {
		return
	}
	for i, r := range j.reasons {
		if r.Field == field && field != "" {
			j.reasons[i].Text = fmt.Sprintf(format, args...) // names both values
			return
		}
	}
	j.refuse(check, field, format, args...)
}

package ingest

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/einvoice"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// compared are the fields to compare with the pages of an e-invoice, with their names for
// people. Lines are left out, because pages group and round them in many ways.
var compared = []struct{ path, name string }{
	{"number", "number"}, {"date", "date"}, {"payment_terms.due", "due date"}, {"currency", "currency"},
	{"subtotal", "subtotal"}, {"tax", "tax"}, {"total", "total"}, {"prepaid", "prepaid amount"}, {"amount_due", "amount due"},
	{"supplier.name", "supplier's name"}, {"supplier.vat_id", "supplier's VAT id"}, {"supplier.iban", "IBAN to pay to"},
	{"payee.iban", "IBAN to pay to"}, {"buyer.name", "buyer's name"}, {"buyer.vat_id", "buyer's VAT id"},
}

// contradictions compares an e-invoice with its pages, because a person pays what is printed
// and a program what the XML states. A field is contradicted if a label on the pages gives it
// another value and nothing on them shows the XML's. The second condition is needed, because
// pages print the parties, sums and numbers of other documents under similar labels; it also
// means that a field missing on the pages is no contradiction.
func contradictions(doc *einvoice.Document, t transcript.Transcription, pages *shown) (reasons []string) {
	if t.Quality() == 0 {
		return nil
	}
	read, text, all := byrules.Extract(t), printed.Letters(t.Text()), extraction.Values(doc.Data)
	for _, field := range compared {
		i := slices.IndexFunc(all, func(v extraction.Value) bool { return v.Path == field.path })
		if i < 0 || pages.prints(all[i], text) {
			continue
		}
		for _, page := range read {
			if v, ok := labelled(page, field.path); ok && !states(all, all[i], v) {
				reasons = append(reasons, contradiction(field.name, all[i], v))
				break
			}
		}
	}
	return slices.Compact(reasons)
}

// contradiction returns the sentence. It leaves out names and accounts, because a reason must
// not contain a person's.
func contradiction(name string, xml, page extraction.Value) string {
	shown := func(v extraction.Value) string {
		if v.Kind == extraction.Number {
			return v.Amount.Fixed()
		}
		return v.Text
	}
	if strings.Contains(xml.Path, ".") && xml.Kind == extraction.Text {
		return fmt.Sprintf("the page states another %s than the XML", name)
	}
	return fmt.Sprintf("the XML states the %s %s, the page %s", name, shown(xml), shown(page))
}

// labelled returns the value that a label on the pages gives a field. A guess by place has
// another trust.
func labelled(page extraction.Extraction, path string) (extraction.Value, bool) {
	if path == "payee.iban" {
		path = "supplier.iban" // pages don't tell them apart
	}
	all := extraction.Values(page.Data)
	i := slices.IndexFunc(all, func(v extraction.Value) bool { return v.Path == path })
	if i < 0 || page.Fields[path].Trust != extraction.Printed {
		return extraction.Value{}, false
	}
	return all[i], true
}

// cents is the difference between a rounded sum and a sum of rounded amounts.
var cents = document.MustAmount("0.05")

// states reports whether the XML has the page's value in this field, or in a related one:
// labels of totals differ between programs, and a page names the parties in any order.
func states(all []extraction.Value, xml, page extraction.Value) bool {
	_, field, _ := strings.Cut(xml.Path, ".")
	return slices.ContainsFunc(all, func(v extraction.Value) bool {
		related := v.Path == xml.Path || v.Kind == extraction.Number && !strings.Contains(v.Path, ".") ||
			field != "" && strings.HasSuffix(v.Path, "."+field)
		return related && v.Kind == page.Kind && same(v, page)
	})
}

func same(xml, page extraction.Value) bool {
	a, b := printed.Letters(xml.Text), printed.Letters(page.Text)
	switch {
	case page.Kind == extraction.Number:
		return page.Amount.Within(cents, xml.Amount) || page.Amount.Within(cents, xml.Amount.Negated())
	case page.Kind == extraction.Day:
		return xml.Date == page.Date
	case xml.Path == "currency":
		return a == b || b == "usd" && strings.HasSuffix(a, "d") // pages print dollars of all countries as $
	case strings.HasSuffix(xml.Path, ".vat_id"):
		id, _ := company.VATID(xml.Text)
		return a == b || printed.Letters(id) == b
	case strings.HasSuffix(xml.Path, ".name"):
		return gate.SameCompany(xml.Text, page.Text)
	}
	return strings.Contains(a, b) || strings.Contains(b, a) // a page may leave out a prefix
}

// prints reports whether the pages print a value, in any notation. An amount needs two
// decimals, because quantities and numbers of all kinds are printed, too.
func (s *shown) prints(v extraction.Value, letterText string) bool {
	switch {
	case v.Kind == extraction.Number:
		return s.money[v.Amount.Canonical()]
	case v.Kind == extraction.Day:
		_, ok := s.days[v.Date]
		return ok
	case strings.HasSuffix(v.Path, ".name"):
		words := company.ParseName(v.Text).Words()
		missing := func(w string) bool { return !strings.Contains(letterText, printed.Letters(w)) }
		return len(words) == 0 || !slices.ContainsFunc(words, missing)
	}
	return strings.Contains(letterText, printed.Letters(v.Text))
}

package ingestrun

import (
	"fmt"

	"matchbook/lambda/document"
)

// Sum compares a sum computed from the document's amounts with the amount the document states.
type Sum struct {
	Of     string `json:"of"`     // the added amounts
	Is     string `json:"is"`     // the computed sum
	States string `json:"states"` // the field stating it
	Stated string `json:"stated"` // the stated amount
	Agrees bool   `json:"agrees"` // to the cent
}

// String returns a sentence for people.
func (s Sum) String() string {
	if s.Agrees {
		return fmt.Sprintf("%s = %s %s", s.Of, s.States, s.Stated)
	}
	return fmt.Sprintf("%s = %s, but the %s is %s", s.Of, s.Is, s.States, s.Stated)
}

// summed is a document to add up.
type summed struct{ document.Data }

func (d summed) amount(a document.Amount) string { return money(a.Canonical(), d.Currency) }

// sumsOf adds up the document's amounts, as far as present.
func sumsOf(data document.Data) []Sum {
	d := summed{data}
	sums := []Sum{}
	add := func(of string, is document.Amount, states string, stated document.Amount) {
		if !is.IsZero() && !stated.IsZero() {
			sums = append(sums, Sum{of, d.amount(is), states, d.amount(stated), is.Equal(stated)})
		}
	}
	var lines, charges document.Amount
	for _, l := range d.Lines {
		if l.Amount.IsZero() {
			return append(sums, d.totals()...)
		}
		lines = lines.Plus(l.Amount)
	}
	for _, c := range d.Charges {
		charges = charges.Plus(c.Amount)
	}
	of := fmt.Sprintf("%d lines", len(d.Lines))
	if len(d.Lines) == 1 {
		of = "1 line"
	}
	if !charges.IsZero() {
		of += " and charges"
	}
	if !lines.IsZero() {
		add(of, lines.Plus(charges), "subtotal", d.Subtotal)
	}
	return append(sums, d.totals()...)
}

// totals adds the taxes to the subtotal.
func (d summed) totals() []Sum {
	if d.Subtotal.IsZero() || d.Total.IsZero() {
		return nil
	}
	tax, named := d.Tax, "tax"
	if tax.IsZero() {
		named = "taxes"
		for _, t := range d.Taxes {
			tax = tax.Plus(t.Amount)
		}
	}
	is := d.Subtotal.Plus(tax)
	of := fmt.Sprintf("subtotal %s + %s %s", d.amount(d.Subtotal), named, d.amount(tax))
	if tax.IsZero() {
		of = "subtotal " + d.amount(d.Subtotal)
	}
	return []Sum{{of, d.amount(is), "total", d.amount(d.Total), is.Equal(d.Total)}}
}

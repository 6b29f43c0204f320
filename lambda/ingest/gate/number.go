package gate

import (
	"slices"

	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/printed"
)

// number compares the document's number with the labels on its pages. Every
// page prints numbers of orders, customers and accounts; a label must not give
// this one to something else.
func (c *checker) number() {
	n := c.e.Data.Number
	if n == "" || c.e.Type == "" || c.inXML("number") {
		return
	}
	own, others := byrules.Named(c.pages, c.e.Pages, c.e.Type)
	same := func(other string) bool { return reference.Canonical(other) == reference.Canonical(n) }
	switch {
	case slices.ContainsFunc(own, same):
	case len(own) > 0:
		c.refuse(Plausibility, "number", "the page names another number as that of the %s", c.e.Type.Words())
	case slices.ContainsFunc(others, same):
		c.refuse(Plausibility, "number", "the page names the number as that of another document")
	case isSomethingElse(n):
		c.refuse(Plausibility, "number", "the number is a date, an amount or an account")
	}
}

func isSomethingElse(n string) bool {
	for _, d := range printed.Dates(n) {
		if d.Text == n {
			return true
		}
	}
	for _, a := range printed.Amounts(n) {
		if a.Money && a.Text == n {
			return true
		}
	}
	_, iban := company.IBAN(n)
	_, vat := company.VATID(n)
	return iban || vat
}

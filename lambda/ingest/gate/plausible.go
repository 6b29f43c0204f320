package gate

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// Bounds in days: the age of a document, and how far ahead a due date may be.
const (
	daysBack  = 30 * 366
	daysAhead = 10 * 366
)

func (c *checker) plausibility() {
	d := c.e.Data
	if !d.Date.IsZero() {
		switch days := d.Date.DaysUntil(c.today); {
		case days < 0:
			c.refuse(Plausibility, "date", "the date is in the future")
		case days > daysBack:
			c.refuse(Plausibility, "date", "the date is more than 30 years ago")
		}
	}
	if !d.Terms.Due.IsZero() && !d.Date.IsZero() {
		if days := d.Date.DaysUntil(d.Terms.Due); days < 0 || days > daysAhead {
			c.refuse(Plausibility, "payment_terms.due", "the due date is before the document's date, or years after it")
		}
	}
	if !d.Period.From.IsZero() && !d.Period.To.IsZero() && d.Period.From.DaysUntil(d.Period.To) < 0 {
		c.refuse(Plausibility, "period.to", "the period ends before it begins")
	}
	if c.e.Type == document.Invoice && d.Total.Sign() < 0 {
		c.refuse(Plausibility, "total", "the total of an invoice is negative: is it a credit note?")
	}
}

func (c *checker) ids() {
	check := func(path, id string, valid func(string) (string, bool), name string) {
		if id == "" {
			return
		}
		if _, ok := valid(id); !ok {
			c.refuse(Plausibility, path, "the check digits of the %s are wrong", name)
			return
		}
		c.trust(path, extraction.CheckDigit)
	}
	d := c.e.Data
	check("supplier.vat_id", d.Supplier.VATID, company.VATID, "supplier's VAT id")
	check("buyer.vat_id", d.Buyer.VATID, company.VATID, "buyer's VAT id")
	check("supplier.iban", d.Supplier.IBAN, company.IBAN, "supplier's IBAN")
	check("buyer.iban", d.Buyer.IBAN, company.IBAN, "buyer's IBAN")
	check("payee.iban", d.Payee.IBAN, company.IBAN, "payee's IBAN")
}

// number compares the document's number with the labels on its pages. Every page prints
// numbers of orders, customers and accounts, so a label must not give this one to something
// else.
func (c *checker) number() {
	n := c.e.Data.Number
	if n == "" || c.e.Type == "" || c.inXML("number") {
		return
	}
	own, others := byrules.Named(c.pages, c.e.Pages, c.e.Type)
	same := func(other string) bool { return reference.Canonical(other) == reference.Canonical(n) }
	if c.taught("number") {
		own, others = nil, nil // a person knows better than labels
	}
	switch {
	case slices.ContainsFunc(own, same):
	case len(own) > 0:
		c.refuse(Plausibility, "number", "the page gives another number for the %s", c.e.Type.Words())
	case slices.ContainsFunc(others, same):
		c.refuse(Plausibility, "number", "the page gives this number to another document")
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

// ours refuses our own company as the supplier of an invoice: the roles are exchanged, or the
// invoice is one of our own.
func (c *checker) ours() {
	d := c.e.Data.Supplier
	key := company.ParseName(d.Name).Key()
	is := func(p document.Party) bool {
		return key != "" && company.ParseName(p.Name).Key() == key || d.VATID != "" && p.VATID == d.VATID
	}
	if c.priced() && slices.ContainsFunc(c.own, is) {
		c.refuse(Plausibility, "supplier.name", "the supplier is our own company")
	}
}

package gate

import (
	"fmt"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// cent is the tolerance for one rounded amount.
var cent = document.MustAmount("0.01")

// tolerance returns one cent for each of n rounded amounts.
func tolerance(n int) document.Amount { return cent.Times(document.MustAmount(fmt.Sprint(max(n, 1)))) }

// cashRounding is the largest difference from rounding a total in a currency: to 5 Rappen, to
// 50 Øre, to whole Kronor.
var cashRounding = map[string]document.Amount{"CHF": document.MustAmount("0.02"), "DKK": document.MustAmount("0.25"),
	"NOK": document.MustAmount("0.50"), "SEK": document.MustAmount("0.50")}

// tax returns the document's tax and the fields showing it: one amount, or the amounts of all
// rates.
func (c *checker) tax() (sum document.Amount, paths []string) {
	d := c.e.Data
	if !d.Tax.IsZero() {
		return d.Tax, []string{"tax"}
	}
	for i, x := range d.Taxes {
		sum, paths = sum.Plus(x.Amount), append(paths, fmt.Sprintf("taxes.%d.amount", i))
	}
	return sum, paths
}

// lines checks each line and their sum, and reports whether they make the subtotal.
func (c *checker) lines() (proved bool) {
	d := c.e.Data
	sum, complete, own := document.Amount{}, len(d.Lines) > 0, true
	for i, l := range d.Lines {
		own = c.line(i, l) && own
		complete = complete && !l.Amount.IsZero()
		sum = sum.Plus(l.Amount)
	}
	for _, x := range d.Charges {
		sum = sum.Plus(x.Amount)
	}
	net := d.Subtotal
	if tax, _ := c.tax(); net.IsZero() && !d.Total.IsZero() {
		net = d.Total.Minus(tax)
	}
	if !complete || net.IsZero() {
		return false
	}
	switch {
	case sum.Equal(net):
		return own
	case sum.Within(tolerance(len(d.Lines)), net):
		return false // rounding proves nothing
	case sum.Within(tolerance(len(d.Lines)+1), d.Total):
		return false // the lines include tax
	}
	c.refuse(Arithmetic, "line_items", "the lines and charges add up to %s, not to the subtotal %s"+c.rule("BR-CO-13"),
		sum.Fixed(), net.Fixed())
	return false
}

// line checks quantity x price = amount, and reports whether it holds.
func (c *checker) line(i int, l document.Line) bool {
	if l.Quantity.IsZero() || l.UnitPrice.IsZero() || l.Amount.IsZero() {
		return false
	}
	per := document.MustAmount("1")
	if !l.PriceFor.IsZero() {
		per = l.PriceFor
	}
	path := fmt.Sprintf("line_items.%d.amount", i)
	if !l.Quantity.Times(l.UnitPrice).Within(cent.Times(per), l.Amount.Times(per)) {
		return false // a discount of the line, or a gross price: the sum decides
	}
	if c.grounded(path, fmt.Sprintf("line_items.%d.quantity", i), fmt.Sprintf("line_items.%d.unit_price", i)) {
		c.trust(path, extraction.Arithmetic)
	}
	return true
}

// taxes checks base x rate = amount for each rate, and the sums of taxes and
// bases.
func (c *checker) taxes() {
	d := c.e.Data
	sum, bases := document.Amount{}, document.Amount{}
	for i, x := range d.Taxes {
		sum, bases = sum.Plus(x.Amount), bases.Plus(x.Base)
		c.rate(i, x)
	}
	if !sum.IsZero() && !d.Tax.IsZero() && !sum.Within(tolerance(len(d.Taxes)), d.Tax) {
		c.refuse(Arithmetic, "tax", "the taxes add up to %s, not to %s"+c.rule("BR-CO-14"), sum.Fixed(), d.Tax.Fixed())
	}
	// Untaxed goods need not be among the bases.
	over := bases.Minus(d.Subtotal).Minus(tolerance(len(d.Taxes)))
	if d.Subtotal.Sign() > 0 && over.Sign() > 0 {
		c.refuse(Arithmetic, "taxes", "the taxed amounts add up to %s, more than the subtotal %s",
			bases.Fixed(), d.Subtotal.Fixed())
	}
}

// rate checks one rate. A lone rate without a base must fit the subtotal.
func (c *checker) rate(i int, x document.Tax) {
	d := c.e.Data
	base := x.Base
	if base.IsZero() && len(d.Taxes) == 1 {
		base = d.Subtotal
	}
	if x.Amount.IsZero() || base.IsZero() || x.Rate.IsZero() {
		return
	}
	// The tax may be the sum of the lines' rounded taxes.
	if want := base.Times(x.Rate).Times(cent); !want.Within(tolerance(max(2, len(d.Lines))), x.Amount) {
		c.refuse(Arithmetic, fmt.Sprintf("taxes.%d.amount", i), "%s %% of %s is %s, not %s"+c.rule("BR-CO-17"),
			x.Rate.Canonical(), base.Fixed(), want.Fixed(), x.Amount.Fixed())
	}
}

func (c *checker) totals(lines bool) {
	d := c.e.Data
	tax, paths := c.tax()
	if d.Total.IsZero() {
		return
	}
	if d.Subtotal.IsZero() {
		proved := tax.IsZero() && len(d.Lines) > 1 && !c.printsMore(d.Total) || tax.Sign() != 0 && c.grounded(paths...)
		if lines && proved && c.grounded("total") {
			c.trust("total", extraction.Arithmetic)
		}
		return
	}
	sum := d.Subtotal.Plus(tax)
	if !sum.Within(tolerance(len(paths)).Plus(cashRounding[d.Currency]), d.Total) {
		c.refuse(Arithmetic, "total", "subtotal %s and tax %s add up to %s, not to the total %s"+c.rule("BR-CO-15"),
			d.Subtotal.Fixed(), printedOr0(tax), sum.Fixed(), d.Total.Fixed())
		return
	}
	// A sum within rounding proves nothing. Nor does subtotal = total without tax, because a
	// tax may have been overlooked: the lines must add up to the total.
	paths = append(paths, "subtotal", "total")
	proved := tax.Sign() != 0 || lines && !c.printsMore(d.Total)
	if sum.Equal(d.Total) && proved && c.greatest() && c.grounded(paths...) {
		for _, path := range paths {
			c.trust(path, extraction.Arithmetic)
		}
	}
}

// due checks total - prepaid + rounding = amount due.
func (c *checker) due() {
	d := c.e.Data
	if d.AmountDue.IsZero() || d.Total.IsZero() || c.inXML("amount_due") {
		return // of an e-invoice, its reader has checked it
	}
	want := d.Total.Minus(d.Prepaid).Plus(d.Rounding)
	if !want.Within(cent, d.AmountDue) {
		c.refuse(Arithmetic, "amount_due", "the amount due is %s, but total %s - prepaid %s + rounding %s is %s", d.AmountDue.Fixed(),
			d.Total.Fixed(), printedOr0(d.Prepaid), printedOr0(d.Rounding), want.Fixed())
	} else if c.grounded("amount_due", "total") && d.Prepaid.Sign() != 0 && c.grounded("prepaid") {
		c.trust("amount_due", extraction.Arithmetic)
	}
}

func printedOr0(a document.Amount) string { return document.MustAmount("0").Plus(a).Fixed() }

// rule names the rule of EN 16931 broken by an e-invoice, so that its sender can look it up.
func (c *checker) rule(name string) string {
	if c.e.Source != "einvoice" {
		return ""
	}
	return " (EN 16931 " + name + ")"
}

// priced reports whether the document asks for money.
func (c *checker) priced() bool {
	return c.e.Type == document.Invoice || c.e.Type == document.CreditNote
}

// greatest compares the total with the labelled total that adds up on the pages, because base
// and tax of one rate make a sum, too.
func (c *checker) greatest() bool {
	if c.inXML("total") || c.taught("total") {
		return true
	}
	labelled, ok := byrules.Total(c.pages, c.e.Pages)
	if ok && !labelled.Equal(c.e.Data.Total) {
		c.refuse(Arithmetic, "total", "the page shows another total that adds up")
		return false
	}
	return true
}

// printsMore reports whether the pages print an amount of money above total.
func (c *checker) printsMore(total document.Amount) bool {
	greater := func(v document.Amount) bool { return v.Minus(total).Sign() > 0 }
	more := func(a printed.Amount) bool { return a.Money && slices.ContainsFunc(a.Readings, greater) }
	for _, p := range c.pages.Pages {
		for _, l := range p.Lines {
			if slices.Contains(c.e.Pages, p.Number) && slices.ContainsFunc(printed.Amounts(l.Text), more) {
				return true
			}
		}
	}
	return false
}

// grounded reports whether the fields are present and passed the checks so far.
func (c *checker) grounded(paths ...string) bool {
	for _, path := range paths {
		if f, ok := c.e.Fields[path]; !ok || f.Trust == "" || c.refused[path] {
			return false
		}
	}
	return true
}

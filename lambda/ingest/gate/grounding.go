package gate

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/byrules"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// grounding compares every value with its quote, and the quote with its page.
func (c *checker) grounding() {
	quotes := printed.QuotesOf(c.pages)
	for _, v := range c.values {
		f, ok := c.e.Fields[v.Path]
		switch {
		case c.inXML(v.Path), v.Path == "supplier.name" && c.taught(v.Path) && f.Quote == "": // a logo
		case v.Path == "currency":
			c.currency(v, f, quotes)
		case !ok || f.Quote == "":
			c.refuse(Grounding, v.Path, "the %s was given without the text it was read from; compare it with the page", words(v.Path))
		case f.Value != v.Text && !sameAmount(f.Value, v):
			c.refuse(Grounding, v.Path, "the %s is not the value read on the page; compare them", words(v.Path))
		case len(c.e.Pages) > 0 && !slices.Contains(c.e.Pages, f.Page):
			c.refuse(Grounding, v.Path, "the %s was read on page %d, which belongs to another document",
				words(v.Path), f.Page)
		case !quotes.On(f.Page, f.Quote):
			c.refuse(Grounding, v.Path, "the text from which the %s was read is not on page %d; compare it with the page",
				words(v.Path), f.Page)
		case !holds(f.Quote, v) && !c.cellHolds(f, v):
			c.refuse(Grounding, v.Path, "the text from which the %s was read shows another value; compare it with the page", words(v.Path))
		}
	}
}

// cellHolds reports whether a cell inside a quote shows the value, because amounts run into each
// other in the quote of a row: 3, 410,00 and 1 230,00.
func (c *checker) cellHolds(f extraction.Field, v extraction.Value) bool {
	for _, p := range c.pages.Pages {
		for _, l := range p.Lines {
			if p.Number == f.Page && printed.Shows(f.Quote, l.Text) && holds(l.Text, v) {
				return true
			}
		}
	}
	return false
}

func sameAmount(s string, v extraction.Value) bool {
	if v.Kind != extraction.Number {
		return false
	}
	a, err := document.ParseAmount(s)
	return err == nil && a.Equal(v.Amount)
}

// signs are ways to print a currency without its code.
var signs = map[string][]string{"EUR": {"€", "euro"}, "USD": {"$"}, "GBP": {"£"}, "CHF": {"fr.", "sfr"}, "JPY": {"¥"},
	"PLN": {"zł"}, "MYR": {"rm"}, "CZK": {"kč"}, "HUF": {"ft"}, "RON": {"lei"}, "BGN": {"лв"}}

// currency accepts a sign. It also accepts a missing quote, because many documents don't print
// their currency.
func (c *checker) currency(v extraction.Value, f extraction.Field, quotes printed.Quotes) {
	if f.Quote == "" {
		return
	}
	shows := strings.Contains(f.Quote, v.Text)
	for _, sign := range signs[v.Text] {
		shows = shows || strings.Contains(strings.ToLower(f.Quote), sign)
	}
	if !shows || len(quotes.Pages(f.Quote)) == 0 {
		c.refuse(Grounding, v.Path, "the text from which the currency was read is not on the page, or names another one; "+
			"compare it with the page")
	}
}

// holds reports whether the quote can be read as the value.
func holds(quote string, v extraction.Value) bool {
	switch v.Kind {
	case extraction.Number:
		same := v.Amount.Equal
		if v.Path == "prepaid" || strings.HasPrefix(v.Path, "charges.") {
			same = func(a document.Amount) bool { return a.Abs().Equal(v.Amount.Abs()) } // a word may be the minus sign
		}
		for _, a := range printed.Amounts(quote) {
			if slices.ContainsFunc(a.Readings, same) {
				return true
			}
		}
		return strings.HasSuffix(v.Path, ".price_quantity") && byrules.PricedPer(quote, v.Text)
	case extraction.Day:
		for _, d := range printed.Dates(quote) {
			if slices.Contains(d.Readings, v.Date) {
				return true
			}
		}
		return false
	}
	switch {
	case v.Path == "number", strings.HasPrefix(v.Path, "references."):
		return printed.Shows(quote, v.Text) // a part of a number is another number
	case strings.HasSuffix(v.Path, ".vat_id"):
		id, _ := company.VATID(v.Text) // GR is EL
		if strings.Contains(printed.Letters(quote), printed.Letters(strings.TrimPrefix(id, "EL"))) {
			return true
		}
	}
	return strings.Contains(printed.Letters(quote), printed.Letters(v.Text))
}

package gate

import (
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/company"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

// grounding compares every value with its quote, and the quote with its page.
func (c *checker) grounding() {
	quotes := printed.QuotesOf(c.pages)
	for _, v := range c.values {
		f, ok := c.e.Fields[v.path]
		switch {
		case f.Trust == extraction.XML || f.Trust == extraction.PrintedXML:
		case v.path == "currency":
			c.currency(v, f, quotes)
		case !ok || f.Quote == "":
			c.refuse(Grounding, v.path, "the %s has no quote", words(v.path))
		case f.Value != v.text && !sameAmount(f.Value, v):
			c.refuse(Grounding, v.path, "the %s differs from the value that was quoted for it", words(v.path))
		case len(c.e.Pages) > 0 && !slices.Contains(c.e.Pages, f.Page):
			c.refuse(Grounding, v.path, "the %s is quoted from page %d, which is not part of the document", words(v.path), f.Page)
		case !quotes.On(f.Page, f.Quote):
			c.refuse(Grounding, v.path, "the quote for the %s is not on page %d", words(v.path), f.Page)
		case !holds(f.Quote, v):
			c.refuse(Grounding, v.path, "the quote for the %s does not show its value", words(v.path))
		}
	}
}

func sameAmount(s string, v value) bool {
	if v.kind != amount {
		return false
	}
	for _, a := range printed.Amounts(s) {
		if slices.ContainsFunc(a.Readings, v.amount.Equal) {
			return true
		}
	}
	return false
}

// signs print a currency without its code.
var signs = map[string][]string{"EUR": {"€", "euro"}, "USD": {"$"}, "GBP": {"£"}, "CHF": {"fr.", "sfr"}, "JPY": {"¥"}, "PLN": {"zł"}}

// currency accepts a sign; a currency without a quote is left to the buyer's
// country, so that it is no reason to refuse.
func (c *checker) currency(v value, f extraction.Field, quotes printed.Quotes) {
	if f.Quote == "" {
		return
	}
	shows := strings.Contains(f.Quote, v.text)
	for _, sign := range signs[v.text] {
		shows = shows || strings.Contains(strings.ToLower(f.Quote), sign)
	}
	if !shows || len(quotes.Pages(f.Quote)) == 0 {
		c.refuse(Grounding, v.path, "the quote for the currency is not in the document or does not show it")
	}
}

// holds reports whether the quote can be read as the value.
func holds(quote string, v value) bool {
	switch v.kind {
	case amount:
		for _, a := range printed.Amounts(quote) {
			if slices.ContainsFunc(a.Readings, v.amount.Equal) {
				return true
			}
		}
		return false
	case date:
		for _, d := range printed.Dates(quote) {
			if slices.Contains(d.Readings, v.date) {
				return true
			}
		}
		return false
	}
	if strings.HasSuffix(v.path, ".vat_id") {
		id, _ := company.VATID(v.text)
		return strings.Contains(plain(quote), plain(strings.TrimPrefix(id, "EL"))) || strings.Contains(plain(quote), plain(v.text))
	}
	return strings.Contains(plain(quote), plain(v.text))
}

// plain has letters and digits only, in lower case.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

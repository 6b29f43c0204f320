package byrules

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

func (r *reader) sums() totals {
	d := &r.e.Data
	all, t := sumsOf(r.cells), linesOf(r.cells)
	found := all.settle(t)
	if len(found.items) == 0 && !t.heads && found.total.quote != "" {
		found.items = stacked(r.cells, found.net())
		found.fits = len(found.items) > 0
	}
	r.set("subtotal", &d.Subtotal, found.subtotal)
	r.set("tax", &d.Tax, found.tax)
	r.set("total", &d.Total, found.total)
	for i, x := range found.byRate {
		at := fmt.Sprintf("taxes.%d.", i)
		d.Taxes = append(d.Taxes, document.Tax{})
		t := &d.Taxes[i]
		r.set(at+"rate", &t.Rate, *x.rate)
		r.set(at+"amount", &t.Amount, x)
		if x.base != nil {
			r.set(at+"base", &t.Base, *x.base)
		}
	}
	for i, it := range found.items {
		d.Lines = append(d.Lines, it.line)
		r.line(i, it)
	}
	lines, unread := found.items, []item(nil)
	if len(d.Lines) == 0 && !t.heads {
		lines, unread = unpriced(r.cells)
		for i, it := range lines {
			d.Lines = append(d.Lines, it.line)
			r.line(i, it)
		}
	}
	r.complete(lines, unread)
	for i, c := range found.charges {
		r.charge(i, c)
	}
	prepaid, rounding, due := all.due(found.total, r.cells)
	r.set("prepaid", &d.Prepaid, prepaid)
	r.set("rounding", &d.Rounding, rounding)
	r.set("amount_due", &d.AmountDue, due)
	r.doubt(found, t, all.taxes)
	return found
}

// set keeps an amount that is printed.
func (r *reader) set(path string, to *document.Amount, s sum) {
	if !s.amount.IsZero() && s.quote != "" {
		*to = s.amount
		r.field(path, s.amount.Canonical(), s.quote, s.page)
	}
}

// doubt says why nothing proves the total. A label alone may name another sum.
func (r *reader) doubt(found totals, t table, taxes []sum) {
	say := func(format string, args ...any) {
		r.ask("total", fmt.Sprintf(format, args...))
	}
	if t.heads && len(found.items) == 0 {
		r.e.Missing = append(r.e.Missing, "line_items")
	}
	goods := r.e.Type == document.DeliveryNote || r.e.Type == document.GoodsReceipt
	if goods && found.proved && found.tax.amount.Sign() != 0 {
		r.ask("type", "a tax and a total, as on an invoice")
	}
	total := found.total.amount
	billed := r.e.Type == document.Invoice || r.e.Type == document.CreditNote // nobody pays another paper
	switch {
	case total.IsZero():
	case len(found.others) > 0:
		say("several totals add up on the pages: %s and %s", total.Fixed(), found.others[0].Fixed())
	case found.proved:
	case (found.fits || !billed) && slices.ContainsFunc(taxes, func(x sum) bool { return x.amount.Sign() != 0 }):
		say("a tax is printed, but nothing adds up to the total %s with it", total.Fixed())
	case found.fits && !billed:
	case r.printsMore(found):
		say("nothing printed adds up to the total %s, and a greater amount is printed", total.Fixed())
	case !billed:
	case found.fits && (len(found.items) > 1 || !found.subtotal.amount.IsZero()):
	case (found.fits || !found.subtotal.amount.IsZero()) && r.says(untaxed):
	case t.heads && len(found.items) == 0:
		say("the lines were not read, and no subtotal and tax add up to the total %s", total.Fixed())
	default:
		say("nothing printed adds up to the total %s", total.Fixed())
	}
}

func (r *reader) says(form pattern) bool {
	return slices.ContainsFunc(r.cells, func(c cell) bool { return form().MatchString(c.Text) })
}

// printsMore reports whether an amount above the total is printed; of a credit note with minus
// signs, one below it. An amount in another currency doesn't count, nor does a code in front of a line that fits.
func (r *reader) printsMore(x totals) bool {
	total := x.total
	mine := currencyIn(total.quote)
	code := func(c cell) bool {
		return x.fits && slices.ContainsFunc(x.items, func(it item) bool {
			return it.row[0].at <= c.at && c.at < it.cells["description"].at
		})
	}
	more := func(a document.Amount) bool { return a.Abs().Minus(total.amount.Abs()).Sign() > 0 }
	return slices.ContainsFunc(r.cells, func(c cell) bool {
		return !code(c) && slices.ContainsFunc(c.amounts(), func(a printed.Amount) bool {
			theirs := currencyIn(sign(c.Text, a))
			return a.Money && !a.Percent && slices.ContainsFunc(a.Readings, more) && (mine == "" || theirs == "" || theirs == mine)
		})
	})
}

// sign returns the word before an amount, where its currency may stand.
func sign(text string, a printed.Amount) string {
	words := strings.Fields(text[:a.Start])
	return strings.Join(words[max(0, len(words)-1):], "")
}

func (r *reader) line(i int, it item) {
	at := fmt.Sprintf("line_items.%d.", i)
	for _, f := range []struct{ name, value, col string }{
		{"description", it.line.Description, "description"},
		{"quantity", it.line.Quantity.Canonical(), "quantity"},
		{"unit", it.line.Unit, "quantity"},
		{"unit_price", it.line.UnitPrice.Canonical(), "price"},
		{"price_quantity", it.line.PriceFor.Canonical(), "per"},
		{"amount", it.line.Amount.Canonical(), "amount"},
	} {
		if f.value != "" {
			r.field(at+f.name, f.value, it.cells[f.col].Text, it.cells[f.col].page)
		}
	}
}

func (r *reader) charge(i int, c charge) {
	at := fmt.Sprintf("charges.%d.", i)
	r.e.Data.Charges = append(r.e.Data.Charges, document.Charge{Description: c.cells[0].Text, Amount: c.amount})
	r.field(at+"description", c.cells[0].Text, c.cells[0].Text, c.cells[0].page)
	r.field(at+"amount", c.amount.Canonical(), c.cells[1].Text, c.cells[1].page)
}

// signs are ways to print a currency. "kr" may be Swedish, Danish, Norwegian or Icelandic.
var signs = [][2]string{{"EUR", "EUR"}, {"€", "EUR"}, {"CHF", "CHF"}, {"GBP", "GBP"}, {"£", "GBP"}, {"USD", "USD"},
	{"US$", "USD"}, {"PLN", "PLN"}, {"zł", "PLN"}, {"SEK", "SEK"}, {"DKK", "DKK"}, {"NOK", "NOK"}, {"ISK", "ISK"}, {"CZK", "CZK"},
	{"Kč", "CZK"}, {"HUF", "HUF"}, {"RON", "RON"}, {"BGN", "BGN"}, {"лв", "BGN"}, {"TRY", "TRY"}, {"JPY", "JPY"}, {"CAD", "CAD"},
	{"AUD", "AUD"}, {"$", "USD"}, {"Euro", "EUR"}, {"EURO", "EUR"}, {"Euros", "EUR"}, {"EUROS", "EUR"}, {"MYR", "MYR"}, {"RM", "MYR"}}

// wordSigns are signs that are words of a language, too: an amount must stand before them.
var wordSigns = lazy.Regexp(`\d ?(Ft|lei)\b`)

// shows reports whether a sign stands in a text, not as part of a word.
func shows(text, sign string) bool {
	i := strings.Index(text, sign)
	if i < 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+len(sign):])
	return !unicode.IsLetter(before) && !unicode.IsLetter(after) && !joined().MatchString(text[i+len(sign):])
}

// joined goes on with a word or a whole number, as in EUR-pallet and RM-10044.
var joined = lazy.Regexp(`^-(?:\pL|\d+(?:$|[^\d.,]))`)

func currencyIn(text string) string {
	for _, s := range signs {
		if shows(text, s[0]) {
			return s[1]
		}
	}
	if m := wordSigns().FindStringSubmatch(text); m != nil {
		return map[string]string{"Ft": "HUF", "lei": "RON"}[m[1]]
	}
	return ""
}

// currency uses the sign in the row of the total or behind a label, otherwise the sign printed
// most often. Signs that contradict each other are left to a person. Without prices, a sign names
// a currency only at an amount: "EUR 1 Stk" counts pallets.
func (r *reader) currency(found totals) {
	near, named, count := map[string]cell{}, map[string]cell{}, map[string]int{}
	quotes := map[string]cell{}
	for i, c := range r.cells {
		code := currencyIn(c.Text)
		if code == "" {
			continue
		}
		labelled := currencyLabel().MatchString(c.Text) || i > 0 && currencyLabel().MatchString(r.cells[i-1].Text) && c.row(r.cells[i-1])
		unpriced := !labelled && !r.hasPrices() && !valueLast(c.Text)
		if found.total.amount.IsZero() && (c.prose() || unpriced) {
			continue
		}
		if count[code]++; count[code] == 1 {
			quotes[code] = c
		}
		if !found.total.amount.IsZero() && c.row(r.cells[found.total.at]) {
			near[code] = c
		}
		if labelled {
			named[code] = c
		}
	}
	r.oneOf(near, named, mostOf(quotes, count))
}

// valueLast reports whether a text ends with an amount or a sign, and not with what is counted.
func valueLast(text string) bool {
	text = strings.TrimRight(text, ") ")
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsDigit(last) || slices.ContainsFunc(signs, func(s [2]string) bool { return strings.HasSuffix(text, s[0]) })
}

// hasPrices reports whether a line has a price or an amount.
func (r *reader) hasPrices() bool {
	return slices.ContainsFunc(r.e.Data.Lines, func(l document.Line) bool { return !l.Amount.IsZero() || !l.UnitPrice.IsZero() })
}

// prose reports whether a cell is a sentence or of a footer, where a share capital may stand.
func (c cell) prose() bool {
	const footer, words = 0.85, 6
	return c.Box.Top > footer || len(strings.Fields(c.Text)) > words
}

func mostOf(quotes map[string]cell, count map[string]int) map[string]cell {
	best := ""
	for _, s := range signs {
		if count[s[1]] > count[best] {
			best = s[1]
		}
	}
	if best == "" {
		return quotes // a word at most
	}
	return map[string]cell{best: quotes[best]}
}

// oneOf uses the first group with a currency. Two in a group, or another one in the next, are
// a contradiction.
func (r *reader) oneOf(near, named, most map[string]cell) {
	for _, group := range []map[string]cell{near, named, most} {
		for code, c := range group {
			_, agreed := named[code]
			if len(group) > 1 || len(named) > 0 && !agreed {
				return
			}
			r.e.Data.Currency = code
			r.field("currency", code, strings.TrimSpace(c.Text), c.page)
		}
		if r.e.Data.Currency != "" {
			return
		}
	}
}

package byrules

import (
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

var perUnits = lazy.Regexp(`(?i)(?:^|[^\d.,])(10{1,3}|1[.,']000)(?:$|[^\d.,])|(%|‰|\b(?:ct|cent)\b)`)

// wordUnits are the units of such a price that are no number: cents are for 100 of what costs a euro.
var wordUnits = map[string]string{"%": "100", "‰": "1000", "ct": "100", "cent": "100"}

// PricedPer reports whether a sign or a word in a text means that a price is for this many units.
func PricedPer(text, units string) bool {
	return slices.ContainsFunc(perUnits().FindAllStringSubmatch(text, -1), func(m []string) bool {
		return m[2] != "" && wordUnits[strings.ToLower(m[2])] == units
	})
}

// multiply compares quantity x price with the amount. A price for 10, 100 or 1000 units is
// recognised by the amount, and needs the number in print: at the head, or in the row.
func (it *item) multiply(h head, row []cell) {
	l := &it.line
	if l.UnitPrice.IsZero() {
		l.UnitPrice = percentIn(it.cells["price"])
	}
	if l.Quantity.IsZero() || l.UnitPrice.IsZero() {
		return
	}
	for _, q := range readings(it.cells["quantity"], l.Quantity) {
		if it.makes(q) || it.makesPer(q, h, row) {
			l.Quantity, it.solid = q, true
			return
		}
	}
	if strings.Contains(it.cells["price"].Text, "%") {
		l.UnitPrice = document.Amount{} // a discount
	}
}

// digit leaves out what divides thousands.
func digit(r rune) rune {
	if unicode.IsDigit(r) {
		return r
	}
	return -1
}

// makes reports whether a reading of the quantity makes the amount: 8.412 may be thousands. It chooses the
// reading of the price, and of "2 100,00" the amount that the product is.
func (it *item) makes(quantity document.Amount) bool {
	l := &it.line
	for _, p := range readings(it.cells["price"], l.UnitPrice) {
		for _, m := range moneyIn(it.cells["amount"]) {
			if quantity.Times(p).Within(hundredth, m.amount) {
				l.UnitPrice, l.Amount = p, m.amount
				return true
			}
		}
	}
	return false
}

// makesPer reports whether it makes the amount with a price for 10, 100 or 1000 units.
func (it *item) makesPer(quantity document.Amount, h head, row []cell) bool {
	l := &it.line
	for _, c := range append([]cell{h.cols["price"], it.cells["price"]}, row...) {
		if c.at == it.cells["quantity"].at || c.at == it.cells["amount"].at {
			continue // its number is another one
		}
		for _, m := range perUnits().FindAllStringSubmatch(c.Text, -1) {
			text := m[1] + wordUnits[strings.ToLower(m[2])]
			per, err := document.ParseAmount(strings.Map(digit, text))
			if err == nil && quantity.Times(l.UnitPrice).Within(hundredth.Times(per), l.Amount.Times(per)) {
				l.PriceFor, it.cells["per"] = per, c
				return true
			}
		}
	}
	return false
}

// readings lists the ways to read the first number of a cell, beginning with the one chosen.
func readings(c cell, chosen document.Amount) []document.Amount {
	for _, a := range c.amounts() {
		if slices.ContainsFunc(a.Readings, chosen.Equal) {
			return append([]document.Amount{chosen}, a.Readings...)
		}
	}
	return []document.Amount{chosen}
}

// percentIn reads a price for 100 units, printed as "12,50 %".
func percentIn(c cell) document.Amount {
	for _, a := range c.amounts() {
		if a.Percent && a.Money {
			return a.Readings[len(a.Readings)-1]
		}
	}
	return document.Amount{}
}

func amountIn(c cell, money bool) (document.Amount, bool) {
	found, ok, end := document.Amount{}, false, 0
	for _, a := range c.amounts() {
		if a.End <= end {
			continue // a part of the one before: the blank divides thousands
		}
		if !a.Percent && (a.Money || !money) {
			found, ok = a.Readings[len(a.Readings)-1], true
			if end = a.End; !money {
				break
			}
		}
	}
	return found, ok
}

var unitForm = lazy.Regexp(`^[-\d.,]+ +([\pL²³]{1,10}\.?)$`)

func unitIn(text string) string {
	if m := unitForm().FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return m[1]
	}
	return ""
}

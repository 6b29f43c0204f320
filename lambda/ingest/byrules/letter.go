package byrules

import (
	"slices"
	"strings"
)

// stacked reads the lines of a letter: amounts above each other that add up to the sum below them, each with
// the words in its row or right above.
func stacked(cells []cell, whole sum) (items []item) {
	const edge, most = 0.03, 40
	total := cells[whole.at]
	sum := whole.amount
	for i := total.at - 1; i >= max(0, total.at-reach) && len(items) < most; i-- {
		c := cells[i]
		money := moneyIn(c)
		if c.page != total.page || len(money) == 0 || abs(c.Box.Right-total.Box.Right) > edge {
			continue
		}
		it := item{cells: map[string]cell{"amount": c}, end: c.at, row: []cell{c}}
		it.line.Amount = money[len(money)-1].amount
		d, _ := leftOf(cells, i)
		if isSign(d.Text) {
			d, _ = leftOf(cells, d.at) // the currency has a column
		}
		if worded(d) {
			it.cells["description"], it.line.Description = d, d.Text
		}
		if kind, _ := labelOf(it.line.Description); kind != "" || it.line.Description == "" {
			return nil
		}
		items = append([]item{it}, items...)
		if sum = sum.Minus(it.line.Amount); sum.Sign() == 0 && len(items) > 1 {
			return items
		}
	}
	return nil
}

// isSign reports whether a text is a currency and nothing else.
func isSign(text string) bool {
	return slices.ContainsFunc(signs, func(s [2]string) bool { return s[0] == strings.TrimSpace(text) })
}

// net returns the sum of the lines: the subtotal if there is one.
func (x totals) net() sum {
	if x.subtotal.quote == "" {
		return x.total
	}
	return x.subtotal
}

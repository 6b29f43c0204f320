package byrules

import (
	"cmp"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// sum is an amount of money with the kind of its label.
type sum struct {
	amount document.Amount
	quote  string
	page   int
	rate   *sum // of a tax, in per cent
	base   *sum
	score  float64
}

type sums struct{ subtotals, taxes, totals []sum }

func labelOf(text string) (kind string, score float64) {
	text = strings.TrimLeft(text, " *=+")
	switch {
	case notTotal.MatchString(text):
		return "", 0
	case payable.MatchString(text):
		return "total", 1
	case subtotal.MatchString(text):
		return "subtotal", 1
	case tax.MatchString(text):
		return "tax", 1
	case total.MatchString(text) && withTax.MatchString(text):
		return "total", 3
	case total.MatchString(text):
		return "total", 2
	}
	return "", 0
}

// sumsOf collects the amounts in rows with labels, and below labels at the head of a column.
// If a rate turns one amount of a row into another, the row is a tax, whatever its label.
func sumsOf(cells []cell) (all sums) {
	for i, c := range cells {
		if x, ok := taxRow(append([]cell{c}, right(cells, i)...)); ok {
			all.taxes = append(all.taxes, x)
			continue
		}
		kind, score := labelOf(c.Text)
		if kind == "" {
			continue
		}
		row := moneyIn(c)
		for _, r := range right(cells, i) {
			row = append(row, moneyIn(r)...)
		}
		if len(row) == 0 {
			if u, ok := under(cells, i); ok {
				row, score = moneyIn(u), score-0.5
			}
		}
		for n := range row {
			row[n].score = score + float64(n)/100
		}
		switch kind {
		case "subtotal":
			all.subtotals = append(all.subtotals, row...)
		case "tax":
			rate := rateIn(append([]cell{c}, right(cells, i)...))
			all.taxes = append(all.taxes, taxOf(row, rate)...)
		case "total":
			all.totals = append(all.totals, row...)
		}
	}
	return all
}

func moneyIn(c cell) (found []sum) {
	for _, a := range c.amounts() {
		if !a.Money || a.Percent {
			continue
		}
		for _, v := range a.Readings {
			found = append(found, sum{amount: v, quote: c.Text, page: c.page})
		}
	}
	return found
}

func rateIn(row []cell) *sum {
	for _, c := range row {
		for _, a := range c.amounts() {
			if a.Percent && len(a.Readings) > 0 {
				return &sum{amount: a.Readings[len(a.Readings)-1], quote: c.Text, page: c.page}
			}
		}
	}
	return nil
}

var hundredth = document.MustAmount("0.01")

// taxRow reads a row with a rate, a base and a tax.
func taxRow(row []cell) (sum, bool) {
	rate := rateIn(row)
	if rate == nil {
		return sum{}, false
	}
	var money []sum
	for _, c := range row {
		money = append(money, moneyIn(c)...)
	}
	found := taxOf(money, rate)
	if len(found) == 1 && found[0].base != nil {
		return found[0], true
	}
	return sum{}, false
}

// taxOf finds base and tax in the amounts of a row, by the rate.
func taxOf(row []sum, rate *sum) []sum {
	const most = 16 // amounts with their readings; a tax row has three or four
	if rate == nil || len(row) > most {
		return row
	}
	for i := range row {
		for j := range row {
			if i != j && row[i].amount.Times(rate.amount).Times(hundredth).Within(hundredth, row[j].amount) {
				base := row[i]
				row[j].rate, row[j].base = rate, &base
				return []sum{row[j]}
			}
		}
	}
	for i := range row {
		row[i].rate = rate
	}
	return row
}

// totals are sums of a document that fit together.
type totals struct {
	subtotal, tax, total sum
	byRate               []sum // taxes adding up to an unprinted tax
	proved               bool  // subtotal + tax = total, all printed
}

// settle chooses the sums: the best labelled total with a subtotal and a tax that add up to
// it, otherwise the best labelled total alone. Of equally good labels it uses the greatest
// amount.
func (all sums) settle() totals {
	all = sums{last(all.subtotals), last(all.taxes), last(all.totals)}
	slices.SortStableFunc(all.totals, func(a, b sum) int {
		return cmp.Or(cmp.Compare(int(b.score), int(a.score)), cmp.Compare(b.amount.Float(), a.amount.Float()))
	})
	for _, t := range all.totals {
		if found, ok := all.prove(t); ok {
			return found
		}
	}
	if len(all.totals) == 0 {
		return totals{}
	}
	return totals{total: all.totals[0]}
}

// last bounds the sums, because each is compared with each other. The document's own stand at
// its end.
func last(all []sum) []sum {
	const most = 60
	return all[max(0, len(all)-most):]
}

func (all sums) prove(t sum) (totals, bool) {
	for _, s := range all.subtotals {
		for _, x := range all.taxes {
			if x.amount.Sign() != 0 && s.amount.Plus(x.amount).Equal(t.amount) {
				return totals{subtotal: s, tax: x, total: t, byRate: all.rates(x.amount), proved: true}, true
			}
		}
	}
	for _, s := range all.subtotals {
		if rest := t.amount.Minus(s.amount); rest.Sign() > 0 {
			if byRate := all.rates(rest); len(byRate) > 1 {
				return totals{subtotal: s, total: t, byRate: byRate, proved: true}, true
			}
		}
	}
	for _, s := range all.subtotals {
		if s.amount.Equal(t.amount) {
			return totals{subtotal: s, total: t}.withoutTax(all.taxes), true
		}
	}
	return totals{}, false
}

// withoutTax adds a printed tax of 0, which proves the total.
func (x totals) withoutTax(taxes []sum) totals {
	for _, t := range taxes {
		if t.amount.Sign() == 0 {
			x.tax, x.proved = t, true
		}
	}
	return x
}

// rates returns the taxes with different rates that add up to the tax.
func (all sums) rates(tax document.Amount) (found []sum) {
	whole := document.Amount{}
	for _, x := range all.taxes {
		known := func(y sum) bool { return y.rate.amount.Equal(x.rate.amount) }
		if x.rate == nil || slices.ContainsFunc(found, known) {
			continue
		}
		found, whole = append(found, x), whole.Plus(x.amount)
	}
	if !whole.Equal(tax) {
		return nil
	}
	return found
}

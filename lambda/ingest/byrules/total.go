package byrules

import (
	"cmp"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
)

// sum is an amount of money with the kind of its label.
type sum struct {
	amount document.Amount
	quote  string
	page   int
	rate   document.Amount // of a tax
	base   document.Amount
	score  float64
	zero   bool // of no cell: no tax is printed
}

// sums are the labelled amounts of a document.
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

// sumsOf collects the amounts in the rows of labels, and below labels that head
// a column.
func sumsOf(cells []cell) (all sums) {
	for i, c := range cells {
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
	for _, a := range printed.Amounts(c.Text) {
		if !a.Money || a.Percent {
			continue
		}
		for _, v := range a.Readings {
			found = append(found, sum{amount: v, quote: c.Text, page: c.page})
		}
	}
	return found
}

// rateIn returns the first rate in per cent of a row.
func rateIn(row []cell) document.Amount {
	for _, c := range row {
		for _, a := range printed.Amounts(c.Text) {
			if a.Percent && len(a.Readings) > 0 {
				return a.Readings[len(a.Readings)-1]
			}
		}
	}
	return document.Amount{}
}

var hundredth, _ = document.ParseAmount("0.01")

// taxOf finds base and tax in the amounts of a row, by the rate.
func taxOf(row []sum, rate document.Amount) []sum {
	for i := range row {
		for j := range row {
			if i != j && !rate.IsZero() && row[i].amount.Times(rate).Times(hundredth).Within(hundredth, row[j].amount) {
				row[j].rate, row[j].base = rate, row[i].amount
				return []sum{row[j]}
			}
		}
	}
	for i := range row {
		row[i].rate = rate
	}
	return row
}

// totals are the sums of a document that fit together.
type totals struct {
	subtotal, tax, total sum
	byRate               []sum // taxes that add up to a tax that is not printed
	proved               bool  // subtotal + tax = total, all printed
}

// settle chooses the sums: the greatest labelled total for which a subtotal and
// a tax add up; without one, the best labelled total alone.
func (all sums) settle() totals {
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

// prove looks for subtotal + tax = total.
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
			return totals{subtotal: s, total: t}, true
		}
	}
	return totals{}, false
}

// rates returns the taxes with different rates that add up to the tax.
func (all sums) rates(tax document.Amount) (found []sum) {
	sum := document.Amount{}
	for _, x := range all.taxes {
		known := func(y sumOfTax) bool { return y.rate.Equal(x.rate) }
		if x.rate.IsZero() || slices.ContainsFunc(found, known) {
			continue
		}
		found, sum = append(found, x), sum.Plus(x.amount)
	}
	if !sum.Equal(tax) {
		return nil
	}
	return found
}

type sumOfTax = sum

package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// sum is an amount of money with the kind of its label.
type sum struct {
	amount document.Amount
	quote  string
	page   int
	label  string
	at     int  // of its cell
	rate   *sum // of a tax, in per cent
	base   *sum
	score  float64
}

// sums are the labelled amounts of a document by kind. A payment is due or was made.
type sums struct{ subtotals, taxes, totals, dues, paid, rounding []sum }

func labelOf(text string) (kind string, score float64) {
	text = strings.TrimLeft(text, " *=+-–")
	for _, l := range []struct {
		form  pattern
		kind  string
		score float64
	}{{early, "", 0}, {carried, "", 0}, {notTotal, "", 0}, {paid, "paid", 1}, {rounded, "rounding", 1}, {payable, "due", 1},
		{subtotal, "subtotal", 1}, {tax, "tax", 1}, {total, "total", 2}} {
		if !l.form().MatchString(text) {
			continue
		}
		if l.kind == "total" && withTax().MatchString(text) {
			return l.kind, l.score + 1
		}
		return l.kind, l.score
	}
	return "", 0
}

// sumsOf collects the amounts in rows with labels, and below labels at the head of a column, unless
// that has the amounts of lines. If a rate turns one amount of a row into another, the row is a tax,
// whatever its label.
func sumsOf(cells []cell) (all sums) {
	ofLines := amountHeads(cells)
	for i, c := range cells {
		if x, ok := taxRow(cells, append([]cell{c}, right(cells, i)...)); ok {
			all.taxes = append(all.taxes, x)
			continue
		}
		kind, score := labelOf(c.Text)
		if kind == "" {
			all.add("rounding", roundingUnder(cells, i))
			continue
		}
		row := moneyIn(c)
		for _, r := range right(cells, i) {
			row = append(row, moneyIn(r)...)
		}
		if len(row) == 0 && !ofLines[i] {
			if u, ok := valueUnder(cells, i); ok && !(kind == "total" && goesOn(cells, u)) {
				row, score = moneyIn(u), score-0.5
			}
		}
		for n := range row {
			row[n].score, row[n].label = score+float64(n)/100, c.Text
		}
		if net, tax, whole, ok := taxedIn(row); ok && kind == "total" {
			all.add("subtotal", []sum{net}) // the last row of a table of taxes
			all.add("tax", []sum{tax})
			row = []sum{whole}
		}
		if kind == "tax" {
			row = taxOf(row, rateIn(append([]cell{c}, right(cells, i)...)))
		}
		all.add(kind, row)
	}
	return all
}

// taxedIn reads a row of three amounts as a net, its tax, and their sum.
func taxedIn(row []sum) (net, tax, whole sum, ok bool) {
	const most = 6 // three amounts in two readings
	if len(row) > most {
		return net, tax, whole, false
	}
	for k, c := range row {
		for j, b := range row[:k] {
			for _, a := range row[:j] {
				if a.at == row[0].at && c.at == row[len(row)-1].at && a.amount.Plus(b.amount).Equal(c.amount) && b.amount.Sign() != 0 {
					return a, b, c, true
				}
			}
		}
	}
	return net, tax, whole, false
}

// roundingUnder returns the amount below 1 under cell i, if that stands among heads of sums: whatever it is called,
// nothing else on an invoice is so small.
func roundingUnder(cells []cell, i int) []sum {
	first := i
	for l, ok := leftOf(cells, i); ok; l, ok = leftOf(cells, first) {
		first = l.at
	}
	if numbered(cells[i:i+1]) || !sumHeads(append([]cell{cells[first]}, right(cells, first)...)) {
		return nil
	}
	u, _ := valueUnder(cells, i)
	return slices.DeleteFunc(moneyIn(u), func(s sum) bool { return s.amount.IsZero() || one.Minus(s.amount.Abs()).Sign() <= 0 })
}

// goesOn reports whether amounts go on below a cell, as in a table of taxes: each is a total of its row only.
func goesOn(cells []cell, c cell) bool {
	below, ok := under(cells, c.at)
	return ok && below.Box.Top-c.Box.Bottom < c.height() && len(moneyIn(below)) > 0 && len(moneyIn(c)) > 0
}

// valueUnder returns the cell below a head of sums. In a row of as many cells as the heads', it is the
// one at the same place in the row, because amounts are aligned to the right and heads to the left.
func valueUnder(cells []cell, i int) (cell, bool) {
	const least = 3
	first := i
	for l, ok := leftOf(cells, first); ok; l, ok = leftOf(cells, first) {
		first = l.at
	}
	row := append([]cell{cells[first]}, right(cells, first)...)
	if len(row) < least || first+len(row) >= len(cells) {
		return under(cells, i)
	}
	next := cells[first+len(row)]
	values := append([]cell{next}, right(cells, next.at)...)
	one := func(c cell) bool { return !numbered([]cell{c}) }
	if len(values) != len(row) || next.page != cells[i].page || slices.ContainsFunc(values, one) {
		return under(cells, i)
	}
	for n, c := range row {
		if c.at == i {
			return values[n], true
		}
	}
	return under(cells, i)
}

func (all *sums) add(kind string, row []sum) {
	to := map[string]*[]sum{"subtotal": &all.subtotals, "tax": &all.taxes, "total": &all.totals, "due": &all.dues,
		"paid": &all.paid, "rounding": &all.rounding}[kind]
	*to = append(*to, row...)
}

func moneyIn(c cell) (found []sum) {
	for _, a := range c.amounts() {
		if !a.Money || a.Percent {
			continue
		}
		for _, v := range a.Readings {
			found = append(found, sum{amount: v, quote: c.Text, page: c.page, at: c.at})
		}
	}
	return found
}

func rateIn(row []cell) *sum {
	for _, c := range row {
		for _, a := range c.amounts() {
			if a.Percent {
				return &sum{amount: a.Readings[len(a.Readings)-1], quote: c.Text, page: c.page, at: c.at}
			}
		}
	}
	return nil
}

var hundredth = document.MustAmount("0.01")

// bareRate returns the rate of a row that has its sign in the head of the column: "% IVA".
func bareRate(cells, row []cell) *sum {
	for _, c := range row {
		a := c.amounts()
		if len(a) != 1 || len(a[0].Readings) != 1 || !percentBelow(cells, c.at) {
			continue
		}
		if rate := a[0].Readings[0]; hundred.Minus(rate).Sign() > 0 {
			return &sum{amount: rate, quote: c.Text, page: c.page, at: c.at}
		}
	}
	return nil
}

// percentBelow reports whether cell i stands in a column of per cents that are no discounts.
func percentBelow(cells []cell, i int) bool {
	const rates = 5
	for range rates {
		c, ok := above(cells, i)
		if i = c.at; !ok || len(c.amounts()) == 0 {
			return ok && strings.Contains(c.Text, "%") && !reduced().MatchString(c.Text)
		}
	}
	return false
}

// taxRow reads a row with a rate, a base and a tax.
func taxRow(cells, row []cell) (sum, bool) {
	rate := rateIn(row)
	if rate == nil && len(row) > 2 {
		rate = bareRate(cells, row)
	}
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

// last bounds the sums, because each is compared with each other. The document's own stand at
// its end.
func last(all []sum) []sum {
	const most = 60
	return all[max(0, len(all)-most):]
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

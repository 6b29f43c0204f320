package byrules

import "matchbook/lambda/document"

// linesOf reads the tables of lines in two ways: amounts in the row of their line, or lower.
func linesOf(cells []cell) table {
	t, low := tableOf(cells, false), tableOf(cells, true)
	if len(low.items) > len(t.items) && (len(t.items) == 0 || low.solid() > t.solid()) {
		t, low = low, t
	}
	t.other = &low
	return t
}

func (t table) solid() (n int) {
	for _, it := range t.items {
		n += bit(it.solid)
	}
	return n
}

// fit chooses the way to read the lines that adds up: rows of charges below them may be lines, too.
func (t table) fit(x totals) ([]item, []charge, bool) {
	for _, way := range []table{t.goods(), t.other.goods(), t, *t.other} {
		if items, charges, ok := way.fitted(x); ok {
			return items, charges, ok
		}
	}
	return t.goods().items[:t.goods().ended], nil, false
}

// fitted chooses the lines that add up to the sums of a block, with charges if need be. Rows that
// aren't lines may be left out, but a line never is: lines that don't add up are kept, so that
// the gate sees it.
func (t table) fitted(x totals) ([]item, []charge, bool) {
	net := x.subtotal.amount
	if net.IsZero() {
		net = x.total.amount
	}
	ways := [][]item{t.items, t.withoutCarried()}
	for _, items := range ways {
		if n := t.prefix(items, net); n > 0 {
			return items[:n], nil, true
		}
	}
	for _, items := range ways {
		items = items[:min(t.ended, len(items))]
		if len(items) == 0 {
			continue
		}
		rest, end := net.Minus(amountOf(items)), items[len(items)-1].end
		charges := t.charges(end, x.total.at, rest, true)
		if charges == nil {
			charges = t.charges(end, len(t.cells), rest, false) // a table below the sums
		}
		if charges != nil {
			return items, charges, true
		}
	}
	if items := t.solidOnly(); len(items) > 0 {
		if charges := t.charges(items[0].end, x.total.at, net.Minus(amountOf(items)), false); charges != nil {
			return items, charges, true // discounts between the lines
		}
	}
	for _, items := range ways {
		if n := t.prefix(items, x.total.amount); n > 0 {
			return items[:n], nil, true // prices with tax
		}
	}
	return t.items[:t.ended], nil, false
}

func amountOf(items []item) (sum document.Amount) {
	for _, it := range items {
		sum = sum.Plus(it.line.Amount)
	}
	return sum
}

// prefix returns how many lines add up to net. Rows of sums may follow them, but no line.
func (t table) prefix(items []item, net document.Amount) int {
	sum, found := document.Amount{}, 0
	for i, it := range items {
		if it.solid && i < t.ended {
			found = 0
		}
		if sum = sum.Plus(it.line.Amount); found == 0 && sum.Equal(net) {
			found = i + 1
		}
	}
	return found
}

// solidOnly leaves out the rows without quantity and price.
func (t table) solidOnly() (items []item) {
	for _, it := range t.items {
		if it.solid {
			items = append(items, it)
		}
	}
	return items
}

// withoutCarried leaves out rows that repeat the sum of the lines before them: amounts carried
// over a page.
func (t table) withoutCarried() (items []item) {
	sum := document.Amount{}
	for _, it := range t.items {
		if !it.solid && it.line.Amount.Equal(sum) {
			continue
		}
		items, sum = append(items, it), sum.Plus(it.line.Amount)
	}
	return items
}

package byrules

import (
	"slices"

	"matchbook/lambda/document"
)

// headsOf returns how to read a cell of these as the head of a table: by the words, or, if no words are known, by what the
// columns make: quantity x price is the amount, in several rows.
func headsOf(cells []cell) func([]cell, int) (head, bool) {
	sums := false
	for i := 0; i < len(cells); {
		row := append([]cell{cells[i]}, right(cells, i)...)
		if _, ok := headIn(cells, i, len(row), headOf); ok {
			return headOf
		}
		i, sums = i+len(row), sums || priced(row) && labelsSum(row)
	}
	h, ok := inferred(cells)
	if !sums || !ok {
		return headOf // a delivery note may multiply weights
	}
	first := rowOf(cells, h.row.at)
	return func(cells []cell, i int) (head, bool) {
		found, row := h, rowOf(cells, i)
		same := func(a, b cell) bool { return a.Text == b.Text }
		if row[0].at != i || !slices.EqualFunc(row, first, same) {
			return head{}, false
		}
		found.row = row[len(row)-1]
		return found, true
	}
}

// rowOf lists the cells in the row of cell i, from the left.
func rowOf(cells []cell, i int) []cell {
	for l, ok := leftOf(cells, i); ok; l, ok = leftOf(cells, i) {
		i = l.at
	}
	return append([]cell{cells[i]}, right(cells, i)...)
}

// product is the places in a row of a quantity, a price, and their product.
type product [3]cell

// products lists the cells of a row that may be a line's quantity, price and amount.
func products(row []cell) (found []product) {
	const most = 12 // each is tried with each
	for k, amount := range row[:min(len(row), most)] {
		for p := range k {
			for q := range p {
				if x := (product{row[q], row[p], amount}); x.holds() {
					found = append(found, x)
				}
			}
		}
	}
	return found
}

func (x product) holds() bool {
	quantity, ok := amountIn(x[0], false)
	price, priced := amountIn(x[1], false)
	if !ok || !priced || quantity.IsZero() || price.IsZero() {
		return false
	}
	it := item{line: document.Line{Quantity: quantity, UnitPrice: price}, cells: map[string]cell{"price": x[1], "amount": x[2]}}
	return slices.ContainsFunc(readings(x[0], quantity), it.makes)
}

// multiplies reports whether the product is more than the price, which any 1 makes.
func (x product) multiplies() bool {
	quantity, _ := amountIn(x[0], false)
	return !quantity.Equal(one)
}

// above reports whether the places of two products are the same columns.
func (x product) above(y product) bool {
	const edge = 0.01
	for i, c := range x {
		if min(abs(c.Box.Left-y[i].Box.Left), abs(c.Box.Right-y[i].Box.Right)) > edge {
			return false
		}
	}
	return true
}

// inferred returns the head of the columns in which most rows multiply: the nearest row of words above the first of them.
func inferred(cells []cell) (h head, ok bool) {
	const least, most = 2, 60
	var all []product
	for i := 0; i < len(cells) && len(all) < most; {
		row := append([]cell{cells[i]}, right(cells, i)...)
		all, i = append(all, products(row)...), i+len(row)
	}
	var best []product
	for _, x := range all {
		column := slices.DeleteFunc(slices.Clone(all), func(y product) bool { return !x.above(y) })
		if len(column) > len(best) && slices.ContainsFunc(column, product.multiplies) {
			best = column
		}
	}
	if len(best) < least {
		return head{}, false
	}
	return headAbove(cells, best)
}

// headAbove returns the row of words above the first of these products, as a head of their columns.
func headAbove(cells []cell, column []product) (h head, ok bool) {
	const rows, words = 6, 3 // the first lines may not multiply
	first := rowOf(cells, column[0][2].at)
	top, row := first[0], first
	for range rows {
		if row[0].at == 0 || cells[row[0].at-1].page != top.page {
			return h, false
		}
		if row = rowOf(cells, row[0].at-1); len(row) >= words && !numbered(row) {
			break
		}
	}
	text, found := longest(first, column[0][0].at)
	if len(row) < words || numbered(row) || !found {
		return h, false
	}
	h = head{row: row[0], cols: map[string]cell{"description": spanned(row, text)}}
	for i, name := range []string{"quantity", "price", "amount"} {
		var values []cell
		for _, x := range column {
			values = append(values, x[i])
		}
		h.cols[name] = spanned(row, values...)
	}
	others := []string{"sku", "discount", "rate", "ordered"}
	for _, c := range first {
		known := c.at == text.at || slices.ContainsFunc(column[0][:], func(d cell) bool { return c.at == d.at })
		if !known && len(others) > 0 {
			h.cols[others[0]], others = spanned(row, c), others[1:]
		}
	}
	return h, true
}

// longest returns the longest words in front of cell end: what the numbers are of.
func longest(row []cell, end int) (best cell, ok bool) {
	for _, c := range row {
		if c.at < end && worded(c) && len(c.Text) > len(best.Text) {
			best, ok = c, true
		}
	}
	return best, ok
}

// spanned returns the head of a column: as wide as the values below, with the text that stands above them.
func spanned(row []cell, values ...cell) cell {
	all := row[0]
	all.Text = "?"
	all.Box.Left, all.Box.Right = values[0].Box.Left, values[0].Box.Right
	for _, c := range values {
		all.Box.Left, all.Box.Right = min(all.Box.Left, c.Box.Left), max(all.Box.Right, c.Box.Right)
	}
	for _, c := range row {
		if c.Box.Left < all.Box.Right && all.Box.Left < c.Box.Right {
			all.Text, all.at = c.Text, c.at
		}
	}
	return all
}

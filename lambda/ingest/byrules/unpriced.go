package byrules

// unpriced reads lines without prices, as on a delivery note or a receipt of goods: a description
// and a quantity. Of several quantities, the delivered one counts.
func unpriced(cells []cell) (items []item) {
	const rows = 4 // the most of a line; a table ends at a wider gap
	var h head
	last := -1 // the cell of the last row of the table
	for i := 0; i < len(cells); {
		row := append([]cell{cells[i]}, right(cells, i)...)
		next := i + len(row)
		if found, ok := headIn(cells, i, len(row), unpricedHead); ok && !numbered(row) {
			h, last, next = found, found.row.at, found.row.at+1
		} else if h.cols != nil {
			if gap := cells[i].Box.Top - cells[last].Box.Bottom; cells[i].page == cells[last].page && gap > rows*cells[i].height() {
				return items
			}
			if it, ok := h.unpriced(row); ok {
				items, last = append(items, it), i
			}
		}
		i = max(next, i+1)
	}
	return items
}

// unpricedHead reads cell i and its neighbours as column heads: a description and a quantity. With a
// price or an amount they would be the head of a table.
func unpricedHead(cells []cell, i int) (head, bool) {
	h := colsOf(cells, i)
	if h.has("delivered") {
		h.cols["ordered"], h.cols["quantity"] = h.cols["quantity"], h.cols["delivered"]
		delete(h.cols, "delivered")
	}
	return h, h.has("description") && h.has("quantity")
}

// unpriced reads a row, which must have words below the description, and a number below the
// quantity.
func (h head) unpriced(row []cell) (item, bool) {
	it := item{cells: h.assign(row)}
	amount, ok := amountIn(it.cells["quantity"], false)
	it.line.Description, it.line.Quantity = it.cells["description"].Text, amount
	it.line.Unit = unitIn(it.cells["quantity"].Text)
	ok = ok && amount.Sign() > 0 && it.cells["quantity"].at != it.cells["description"].at
	return it, ok && worded(it.cells["description"]) && sumIn(row) == ""
}

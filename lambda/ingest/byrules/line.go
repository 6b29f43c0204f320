package byrules

import (
	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

type item struct {
	line  document.Line
	cells map[string]cell
	solid bool // quantity x price is the amount
	end   int  // the last cell of its row
	row   []cell
	none  bool // nothing was delivered
}

// item reads a row, which must have an amount in the amount's column, and a description or
// numbers that make the amount.
func (h head) item(row []cell) (item, bool) {
	it := item{cells: h.assign(h.divided(row)), row: row}
	var found bool
	if it.line.Amount, found = amountIn(it.cells["amount"], true); !found {
		return it, false
	}
	it.apart()
	it.line.Description = it.cells["description"].Text
	it.line.UnitPrice, _ = amountIn(it.cells["price"], false)
	it.line.Quantity, _ = amountIn(it.cells["quantity"], false)
	if whole, ok := h.grouped(it.cells["quantity"]); ok {
		it.line.Quantity = whole
	}
	it.line.Unit = unitIn(it.cells["quantity"].Text)
	it.multiply(h, row)
	return it, it.line.Description != "" || it.line.Quantity.Sign() != 0 || it.line.UnitPrice.Sign() != 0
}

// twoSums are amounts close together, such as a line's amount and its rate: "249.00 20.00".
var twoSums = lazy.Regexp(`^(-?[\d.,]*\d[.,]\d\d) (-?[\d.,]*\d[.,]\d\d)$`)

// divided splits cells with two amounts below two heads. Their places are estimated by their characters.
func (h head) divided(row []cell) (all []cell) {
	for _, c := range row {
		m, over := twoSums().FindStringSubmatch(c.Text), 0
		for name := range h.cols {
			over += bit(h.over(name, c))
		}
		if m == nil || over < 2 {
			all = append(all, c)
			continue
		}
		width := (c.Box.Right - c.Box.Left) / float64(len(c.Text))
		first, second := c, c
		first.Text, second.Text, first.read, second.read = m[1], m[2], nil, nil
		first.Box.Right, second.Box.Left = c.Box.Left+width*float64(len(m[1])), c.Box.Right-width*float64(len(m[2]))
		all = append(all, first, second)
	}
	return all
}

// apart takes the amount of a line for nothing else: a single number in a wide cell stands below several heads.
func (it *item) apart() {
	for _, name := range []string{"quantity", "price"} {
		if c := it.cells[name]; c.at == it.cells["amount"].at && len(c.amounts()) == 1 {
			delete(it.cells, name)
		}
	}
}

// assign gives the cells of a row to the columns.
func (h head) assign(row []cell) map[string]cell {
	cells := map[string]cell{}
	for _, c := range row {
		name := h.nearest(c)
		old, taken := cells[name]
		better := !taken || !h.over(name, old) && h.over(name, c)
		if name != "" && better && fits(name, c) {
			cells[name] = c
		}
	}
	h.complete(row, cells)
	return cells
}

// fits reports whether a cell can be a value of a column: words for a description, a number for an amount.
func fits(column string, c cell) bool {
	switch column {
	case "description":
		return worded(c)
	case "quantity", "price", "amount":
		return numbered([]cell{c})
	}
	return true
}

// over reports whether a head stands above a cell.
func (h head) over(name string, c cell) bool {
	head := h.cols[name].Box
	return c.Box.Left < head.Right && head.Left < c.Box.Right
}

// complete adds cells for missing heads: a description begins a row, an amount ends it. A cell
// below two heads, such as "20 Stk 19 %", belongs to both.
func (h head) complete(row []cell, cells map[string]cell) {
	if _, ok := cells["description"]; !ok && worded(row[0]) {
		cells["description"] = row[0]
	} else if !ok {
		for _, c := range row { // a code and a description in one cell
			if worded(c) && h.over("description", c) {
				cells["description"] = c
			}
		}
	}
	if _, ok := h.cols["amount"]; !ok {
		cells["amount"] = row[len(row)-1]
	}
	for _, name := range []string{"quantity", "price"} {
		if _, ok := cells[name]; ok || h.cols[name].Text == "" {
			continue
		}
		for _, c := range row {
			if h.over(name, c) {
				cells[name] = c
			}
		}
	}
}

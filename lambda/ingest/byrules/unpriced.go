package byrules

import (
	"cmp"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

// unpriced reads lines without prices, as on a delivery note or a receipt of goods: a description
// and a quantity. Of several quantities, the delivered one counts.
func unpriced(cells []cell) (items, unread []item) {
	items, unread = unpricedRows(cells)
	if decimalOf(cells) == "" {
		wholes(items)
	}
	return items, likeLines(unread, items)
}

// likeLines lists the rows that begin where lines do, and have at most one cell less.
func likeLines(rows, items []item) []item {
	const edge = 0.005
	least := 0
	for _, it := range items {
		if least == 0 || len(it.row) < least {
			least = len(it.row)
		}
	}
	return slices.DeleteFunc(rows, func(x item) bool {
		begins := func(it item) bool {
			a, b := x.row[0].Box, it.row[0].Box
			return min(abs(a.Left-b.Left), abs(a.Right-b.Right)) < edge
		}
		return len(x.row) < max(2, least-1) || !slices.ContainsFunc(items, begins)
	})
}

func unpricedRows(cells []cell) (items, unread []item) {
	const rows = 4 // the most of a line; a table ends at a wider gap
	var h head
	last, decimal := -1, decimalOf(cells) // the cell of the last row of the table
	for i := 0; i < len(cells); {
		row := append([]cell{cells[i]}, right(cells, i)...)
		next := i + len(row)
		if found, ok := headIn(cells, i, len(row), unpricedHead); ok && !numbered(row) {
			h, last, next = found, found.row.at, found.row.at+1
			h.decimal = decimal
		} else if h.cols != nil {
			if gap := cells[i].Box.Top - cells[last].Box.Bottom; cells[i].page == cells[last].page && gap > rows*cells[i].height() {
				return items, unread
			}
			if it, ok := h.unpriced(row); ok {
				items, last = append(items, it), i
			} else {
				it.none = h.none(it)
				unread = append(unread, it)
			}
		}
		i = max(next, i+1)
	}
	return items, unread
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
	it := item{cells: h.assign(row), row: row}
	amount, ok := amountIn(it.cells["quantity"], false)
	if whole, grouped := h.grouped(it.cells["quantity"]); grouped {
		amount = whole
	}
	it.line.Description, it.line.Quantity = it.cells["description"].Text, amount
	it.line.Unit = unitIn(it.cells["quantity"].Text)
	ok = ok && amount.Sign() > 0 && counts().MatchString(it.cells["quantity"].Text) && it.cells["quantity"].at != it.cells["description"].at
	return it, ok && worded(it.cells["description"]) && sumIn(row) == ""
}

// none reports whether the quantity of a row is printed as zero, because nothing was delivered.
func (h head) none(it item) bool {
	c := it.cells["quantity"]
	return worded(it.cells["description"]) && it.line.Quantity.Sign() == 0 && len(c.amounts()) > 0 && h.over("quantity", c)
}

// counts is a quantity, and not a sentence with a number.
var counts = lazy.Regexp(`^[-+]?\d`)

// grouped reads a quantity such as 1.200 as thousands if the page has other decimals: 31,2.
func (h head) grouped(c cell) (document.Amount, bool) {
	all := c.amounts()
	if len(all) == 0 || len(all[0].Readings) < 2 || h.decimal == "" || strings.Contains(all[0].Text, h.decimal) {
		return document.Amount{}, false
	}
	return all[0].Readings[0], true
}

// wholes reads quantities such as 1.200 as thousands if others of the same unit are printed without
// decimals, because a program prints either all or none.
func wholes(items []item) {
	plain := map[string]bool{}
	for _, it := range items {
		if !strings.ContainsAny(quantityText(it), ".,") {
			plain[it.line.Unit] = true
		}
	}
	for i, it := range items {
		for _, a := range it.cells["quantity"].amounts() {
			if len(a.Readings) == 2 && plain[it.line.Unit] && a.Text == quantityText(it) {
				items[i].line.Quantity = a.Readings[0]
			}
		}
	}
}

func quantityText(it item) string {
	text, _, _ := strings.Cut(it.cells["quantity"].Text, " ")
	return text
}

// decimals is a number with a sign that must divide decimals.
var decimals = lazy.Regexp(`(?:^|[^\d.,])\d+([.,])(?:\d{1,2}|\d{4})(?:$|[^\d.,])`)

// dotted is a date as in the countries that print decimals with a comma, and monthFirst one of the United
// States.
var (
	dotted     = lazy.Regexp(`(?:^|[^\d.])\d{1,2}\.\d{1,2}\.(?:20)?\d{2}(?:$|[^\d.])`)
	monthFirst = lazy.Regexp(`(?:^|[^\d/])(?:0?\d|1[0-2])/(?:1[3-9]|2\d|3[01])/(?:20)?\d{2}(?:$|[^\d/])`)
)

// decimalOf returns the sign that divides the decimals of the cells, by other numbers and by dates, if
// they agree.
func decimalOf(cells []cell) (only string) {
	for _, c := range cells {
		sign := ""
		switch m := decimals().FindStringSubmatch(c.Text); {
		case dotted().MatchString(c.Text):
			sign = ","
		case monthFirst().MatchString(c.Text):
			sign = "."
		case m != nil && len(printed.Dates(c.Text)) == 0:
			sign = m[1]
		}
		if only != "" && sign != "" && only != sign {
			return ""
		}
		only = cmp.Or(only, sign)
	}
	return only
}

package byrules

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document"
)

type item struct {
	line  document.Line
	cells map[string]cell
	solid bool // quantity x price is the amount
	end   int  // the last cell of its row
}

// table is the lines of a document, which may run over pages.
type table struct {
	cells   []cell
	items   []item
	ended   int // the items before the first label of a sum
	first   int // the items before the last head
	grouped int // the items before the last sum of a group
	heads   bool
	other   *table       // the same lines, read in another way
	lower   bool         // the amount of a line may stand in the next row
	used    map[int]bool // cells that are a line's amount or description
}

// tableOf reads the tables of lines.
func tableOf(cells []cell, lower bool) table {
	t := table{cells: cells, ended: -1, lower: lower, used: map[int]bool{}}
	var h head
	decimal := decimalOf(cells)
	for i := 0; i < len(cells); {
		row := append([]cell{cells[i]}, right(cells, i)...)
		if found, ok := headIn(cells, i, len(row), headOf); ok {
			h, t.heads, t.first, i = found, true, len(t.items), found.row.at+1
			h.decimal = decimal
			continue
		}
		if h.cols != nil && t.row(h, row, i) {
			h = head{}
		}
		i += len(row)
	}
	if t.ended < 0 {
		t.ended = len(t.items)
	}
	for t.ended > 1 && t.items[t.ended-1].charges() {
		t.items, t.ended = slices.Delete(t.items, t.ended-1, t.ended), t.ended-1
	}
	return t
}

// charges reports whether a row is a charge below the lines.
func (it item) charges() bool {
	text := it.line.Description
	return !it.solid && (charged.MatchString(text) || reduced.MatchString(text))
}

// replaced reports whether a row is the head of another table: words only, and one of them
// where the amounts stood.
func (h head) replaced(row []cell) bool {
	return len(row) > 2 && !numbered(row) && slices.ContainsFunc(row, func(c cell) bool { return h.nearest(c) == "amount" })
}

// group reports whether a row is the sum of a group of lines: those since the last such row add up to it, and
// solid lines go on below.
func (t *table) group(h head, it item, below int) bool {
	if t.grouped == len(t.items) || !it.line.Amount.Equal(amountOf(t.items[t.grouped:])) {
		return false
	}
	for i := below; i < min(len(t.cells), below+reach) && t.cells[i].page == t.cells[below].page; {
		row := append([]cell{t.cells[i]}, right(t.cells, i)...)
		if more, ok := h.item(row); ok && more.solid {
			t.grouped = len(t.items)
			return true
		}
		i += len(row)
	}
	return false
}

// sumHeads reports whether a row is the head of the sums: several of their labels, and no amount.
func sumHeads(row []cell) bool {
	labels := 0
	for _, c := range row {
		kind, _ := labelOf(c.Text)
		labels += bit(kind != "")
		if len(moneyIn(c)) > 0 {
			return false
		}
	}
	return labels > 1
}

// row reads a row below a head, and reports whether it ends the table: a subtotal may be one
// of a page or a group, but a tax and a total come after all lines.
func (t *table) row(h head, row []cell, at int) (end bool) {
	it, ok := h.item(row)
	if !ok && t.lower {
		it, ok = h.item(append(row, h.lower(t.cells, at, len(row))...))
	}
	it.end = at + len(row) - 1
	kind := sumIn(row)
	if kind == "" && ok && len(t.items) > 1 && it.line.Amount.Equal(amountOf(t.items)) {
		kind = "subtotal" // whatever it is called, or what stands in front of it
	}
	if kind == "total" && ok && !it.solid && t.group(h, it, at+len(row)) {
		return false
	}
	if kind != "" && !it.solid || len(t.items) > t.first && (h.replaced(row) || sumHeads(row)) {
		if t.ended < 0 {
			t.ended = len(t.items)
		}
		return kind != "subtotal"
	}
	if !ok || t.used[it.cells["amount"].at] || carried.MatchString(row[0].Text) || carried.MatchString(it.line.Description) ||
		t.ended >= 0 && it.line.Quantity.IsZero() && it.line.UnitPrice.IsZero() {
		return false
	}
	t.described(h, &it)
	for _, name := range []string{"amount", "description"} {
		t.used[it.cells[name].at] = true
	}
	t.items = append(t.items, it)
	return false
}

// sumIn returns the kind of a row's label. A rate alone, such as "Tax: 19 %", belongs to a line.
func sumIn(row []cell) string {
	kind, _ := labelOf(row[0].Text)
	if numbered(row) && !slices.ContainsFunc(row, func(c cell) bool { return len(moneyIn(c)) > 0 }) {
		return ""
	}
	return kind
}

// described completes a line with the nearest description in a row above or below, but not with the
// head of its column.
func (t *table) described(h head, it *item) {
	const lines = 1.5
	if it.line.Description != "" {
		return
	}
	own := it.cells["amount"]
	nearest := lines * own.height()
	for _, c := range t.cells[max(0, it.end-10):min(len(t.cells), it.end+10)] {
		d := abs(c.Box.Top - own.Box.Top)
		if c.at <= h.row.at || c.page != own.page || d >= nearest || t.used[c.at] || h.nearest(c) != "description" || !worded(c) {
			continue
		}
		it.line.Description, it.cells["description"], nearest = c.Text, c, d
	}
}

func worded(c cell) bool { return strings.ContainsFunc(c.Text, unicode.IsLetter) }

// lower lists the amounts less than a line below the row of cell i, except a sum's.
func (h head) lower(cells []cell, i, length int) (found []cell) {
	near := cells[i+length : min(len(cells), i+length+10)]
	for _, c := range near {
		labelled := func(d cell) bool { kind, _ := labelOf(d.Text); return kind != "" && d.row(c) }
		if c.page == cells[i].page && h.nearest(c) == "amount" && c.Box.Top < cells[i].Box.Bottom+cells[i].height()/2 &&
			!slices.ContainsFunc(near, labelled) {
			found = append(found, c)
		}
	}
	return found
}

// item reads a row, which must have an amount in the amount's column, and a description or
// numbers that make the amount.
func (h head) item(row []cell) (item, bool) {
	it := item{cells: h.assign(h.divided(row))}
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
var twoSums = regexp.MustCompile(`^(-?[\d.,]*\d[.,]\d\d) (-?[\d.,]*\d[.,]\d\d)$`)

// divided splits cells with two amounts below two heads. Their places are estimated by their characters.
func (h head) divided(row []cell) (all []cell) {
	for _, c := range row {
		m, over := twoSums.FindStringSubmatch(c.Text), 0
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

var perUnits = regexp.MustCompile(`(?:^|[^\d.,])(10{1,3}|1[.,']000)(?:$|[^\d.,])|(%)|(‰)`)

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
		for _, m := range perUnits.FindAllStringSubmatch(c.Text, -1) {
			text := m[1] + map[string]string{"%": "100"}[m[2]] + map[string]string{"‰": "1000"}[m[3]]
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
		if !a.Percent && (a.Money || !money) && len(a.Readings) > 0 {
			found, ok = a.Readings[len(a.Readings)-1], true
			if end = a.End; !money {
				break
			}
		}
	}
	return found, ok
}

var unitForm = regexp.MustCompile(`^[-\d.,]+ +([\pL²³]{1,10}\.?)$`)

func unitIn(text string) string {
	if m := unitForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return m[1]
	}
	return ""
}

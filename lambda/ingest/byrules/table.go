package byrules

import (
	"slices"
	"strings"
	"unicode"
)

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
	decimal, of := decimalOf(cells), headsOf(cells)
	for i := 0; i < len(cells); {
		row := append([]cell{cells[i]}, right(cells, i)...)
		if found, ok := headIn(cells, i, len(row), of); ok {
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
	return t
}

// goods leaves out the charges below the lines.
func (t table) goods() table {
	n := t.ended
	for n > 1 && t.items[n-1].charges() {
		n--
	}
	t.items, t.ended = slices.Concat(t.items[:n], t.items[t.ended:]), n
	return t
}

// charges reports whether a row is a charge below the lines. A row with a number among the lines is a line.
func (it item) charges() bool {
	text := it.line.Description
	return !it.solid && !position().MatchString(it.cells["position"].Text) && (charged().MatchString(text) || reduced().MatchString(text))
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
		if more, _ := h.item(row); more.solid {
			t.grouped = len(t.items)
			return true
		}
		i += len(row)
	}
	return false
}

// sumHeads reports whether a row is the head of the sums: several of their labels.
func sumHeads(row []cell) bool {
	labels := 0
	for _, c := range row {
		kind, _ := labelOf(c.Text)
		labels += bit(kind != "")
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
	if !ok || t.used[it.cells["amount"].at] || slices.ContainsFunc(row, cell.carries) ||
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
	if numbered(row) && !priced(row) {
		return ""
	}
	return kind
}

// described completes a line with the nearest description in a row above or below, but not with the
// head of its column.
func (t *table) described(h head, it *item) {
	const lines = 1.5
	own := it.cells["amount"]
	if d, ok := t.upper(h, *it); ok {
		it.line.Description, it.cells["description"] = d.Text, d
	}
	if it.line.Description != "" {
		return
	}
	nearest := lines * own.height()
	for _, c := range t.cells[max(0, it.end-10):min(len(t.cells), it.end+10)] {
		d := abs(c.Box.Top - own.Box.Top)
		if c.at <= h.row.at || c.page != own.page || d >= nearest || t.used[c.at] || h.nearest(c) != "description" || !worded(c) {
			continue
		}
		it.line.Description, it.cells["description"], nearest = c.Text, c, d
	}
}

// upper returns the description in the first row of a line of two rows, below a head of two: Pos., Bezeichnung above
// Menge, Betrag. The first row begins to the left of the second.
func (t *table) upper(h head, it item) (cell, bool) {
	const lines, edge = 1.5, 0.02
	own := it.row[0]
	if h.cols["description"].row(h.cols["amount"]) {
		return cell{}, false
	}
	last := t.cells[own.at-1]
	for c, ok := last, true; ok; c, ok = leftOf(t.cells, c.at) {
		near := c.page == own.page && c.at > h.row.at && own.Box.Top-c.Box.Bottom < lines*own.height()
		first, _ := leftOf(t.cells, c.at)
		if near && numbered([]cell{first}) && h.nearest(c) == "description" && worded(c) && first.Box.Left < own.Box.Left-edge {
			return c, !t.used[c.at]
		}
	}
	return cell{}, false
}

// carries reports whether a cell labels a sum carried over.
func (c cell) carries() bool { return carried().MatchString(c.Text) }

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

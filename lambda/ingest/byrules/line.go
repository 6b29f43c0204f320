package byrules

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document"
)

// columns of a table of lines, by the words of their heads.
var columns = []struct {
	name string
	form *regexp.Regexp
}{
	{"position", word(`pos\.?(?:ition)?$|#$|nr\.?$|no\.?$|n°$`)},
	{"quantity", word(`menge|anzahl|qty|quantity|quantité|qté|quantità|q\.?tà|cantidad|cant\.|stück|hours|stunden`)},
	{"amount", word(`(?:line )?(?:amount|total)|(?:netto|gesamt|zeilen)?(?:betrag|preis gesamt|summe)|gesamt(?:preis)?|montant|prix total|total ht|importo|importe|totale`)},
	{"price", word(`(?:unit |net |list )?price|rate|cost|(?:einzel|netto|stück|e-)?preis|prix(?: unitaire)?|p\.?u\.?|prezzo(?: unitario)?|precio(?: unitario)?`)},
	{"description", word(`(?:item )?description|item|article|product|service|bezeichnung|beschreibung|artikel(?:bezeichnung)?|leistung|produkt|désignation|libellé|descrizione|prodotto|descripción|concepto|artículo`)},
	{"sku", word(`sku|(?:art(?:ikel)?|item|product)[-. ]*(?:nr|no|number|nummer|code)|referenzen|référence|réf|codice|código|code`)},
	{"rate", word(`(?:vat|tax|mwst|ust|tva|iva|steuersatz)\.?(?: ?%| rate)?`)},
}

// head is the head of a table: one row of words, or two.
type head struct {
	row  cell // the cells below the head follow this one
	cols map[string]cell
}

// headOf reads cell i and its neighbours as column heads. A table must have a description, and
// two of quantity, price and amount.
func headOf(cells []cell, i int) (head, bool) {
	h := head{cells[i], map[string]cell{}}
	if columnOf(cells[i].Text) == "" {
		return h, false
	}
	for _, c := range band(cells, i) {
		name := columnOf(c.Text)
		if first, taken := h.cols[name]; taken && name == "amount" && first.row(c) && h.cols["quantity"].Text == "" {
			h.cols["quantity"], h.cols["amount"] = first, c // Amount, Product, Price, Total
		} else if !taken && name != "" {
			h.cols[name] = c
		}
		h.row = c
	}
	numbers := 0
	for _, name := range []string{"quantity", "price", "amount"} {
		if _, ok := h.cols[name]; ok {
			numbers++
		}
	}
	_, described := h.cols["description"]
	return h, described && numbers >= 2
}

func columnOf(text string) string {
	for _, col := range columns {
		if col.form.MatchString(text) {
			return col.name
		}
	}
	return ""
}

// band lists the cells in the row of cell i, and in the row right below if it holds words
// only, because a row with numbers is a line.
func band(cells []cell, i int) (found []cell) {
	for _, c := range cells[i:min(len(cells), i+20)] {
		near := c.page == cells[i].page && c.Box.Top < cells[i].Box.Bottom+cells[i].height()/2
		switch {
		case !near:
			continue
		case !c.row(cells[i]) && numbered(append(right(cells, c.at), c)):
			return found
		}
		found = append(found, c)
	}
	return found
}

func numbered(row []cell) bool {
	return slices.ContainsFunc(row, func(c cell) bool { return strings.ContainsAny(c.Text, "0123456789") })
}

type item struct {
	line  document.Line
	cells map[string]cell
}

// itemsOf reads the tables of lines. With lower, the amount of a line may stand in the next
// row.
func itemsOf(cells []cell, lower bool) (items []item) {
	for i := 0; i < len(cells); i++ {
		h, ok := headOf(cells, i)
		if !ok {
			continue
		}
		next := h.row.at + 1
		for next < len(cells) && cells[next].page == h.row.page {
			row := append([]cell{cells[next]}, right(cells, next)...)
			if kind, _ := labelOf(cells[next].Text); kind != "" {
				break
			}
			if it, ok := h.item(row); ok {
				items = append(items, it)
			} else if it, ok := h.item(append(row, h.lower(cells, next, len(row))...)); ok && lower {
				items = append(items, it)
			}
			next += len(row)
		}
		i = next - 1
	}
	return items
}

// lower lists the amounts less than a line below the row of cell i.
func (h head) lower(cells []cell, i, length int) (found []cell) {
	for _, c := range cells[i+length : min(len(cells), i+length+10)] {
		if c.page == cells[i].page && h.nearest(c) == "amount" && c.Box.Top < cells[i].Box.Bottom+cells[i].height()/2 {
			found = append(found, c)
		}
	}
	return found
}

// item reads a row, which must have a description and an amount in the amount's column.
func (h head) item(row []cell) (item, bool) {
	it := item{cells: map[string]cell{}}
	for _, c := range row {
		name := h.nearest(c)
		worded := strings.ContainsFunc(c.Text, unicode.IsLetter)
		if _, taken := it.cells[name]; name == "" || taken || name == "description" && !worded {
			continue
		}
		it.cells[name] = c
	}
	h.complete(row, it.cells)
	var found bool
	if it.line.Amount, found = amountIn(it.cells["amount"], true); !found {
		return it, false
	}
	it.line.Description = it.cells["description"].Text
	it.line.UnitPrice, _ = amountIn(it.cells["price"], false)
	it.line.Quantity, _ = amountIn(it.cells["quantity"], false)
	it.line.Unit = unitIn(it.cells["quantity"].Text)
	return it, it.line.Description != ""
}

// complete adds cells for missing heads: a description begins a row, an amount ends it.
func (h head) complete(row []cell, cells map[string]cell) {
	if _, ok := cells["description"]; !ok && strings.ContainsFunc(row[0].Text, unicode.IsLetter) {
		cells["description"] = row[0]
	}
	if _, ok := h.cols["amount"]; !ok {
		cells["amount"] = row[len(row)-1]
	}
}

// nearest returns the column with a head above the cell, or with the nearest edge.
func (h head) nearest(c cell) (best string) {
	const far = 0.08
	distance := far
	for _, col := range columns {
		name := col.name
		head, ok := h.cols[name]
		if !ok {
			continue
		}
		d := min(abs(c.Box.Right-head.Box.Right), abs(c.Box.Left-head.Box.Left))
		if c.Box.Left < head.Box.Right && head.Box.Left < c.Box.Right {
			d /= 10
		}
		if d < distance {
			best, distance = name, d
		}
	}
	return best
}

func amountIn(c cell, money bool) (document.Amount, bool) {
	for _, a := range c.amounts() {
		if !a.Percent && (a.Money || !money) && len(a.Readings) > 0 {
			return a.Readings[len(a.Readings)-1], true
		}
	}
	return document.Amount{}, false
}

var unitForm = regexp.MustCompile(`^[-\d.,]+ +([\pL²³]{1,10}\.?)$`)

func unitIn(text string) string {
	if m := unitForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return m[1]
	}
	return ""
}

// fitting keeps the first lines that add up to the subtotal, because rows of sums may follow
// them. Otherwise it keeps none, since the table may have been misread.
func fitting(items []item, subtotal document.Amount) []item {
	sum := document.Amount{}
	for i, it := range items {
		if sum = sum.Plus(it.line.Amount); sum.Equal(subtotal) {
			return items[:i+1]
		}
	}
	return nil
}

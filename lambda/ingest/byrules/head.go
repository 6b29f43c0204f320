package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/internal/lazy"
)

// quantityOf may stand before what was delivered or ordered.
const quantityOf = `(?:(?:qty|quantity|menge|anzahl|qté|quantité|q\.?tà|quantità|cant\.?|cantidad|aantal|ilość|antal)\.? )?`

// columns of a table of lines, by the words of their heads.
var columns = []struct {
	name string
	form pattern
}{
	{"position", word(`pos\.?(?:ition)?$|(?:ln|lig(?:ne)?|lp|regel|rad|linje|riga)\.?$|#$|nr\.?$|no\.?$|n°$`)},
	{"delivered", word(quantityOf + `(?:delivered|received|shipped|accepted|des?patched|dispatched|supplied|sent$|geliefert|erhalten|(?:liefer|ist-?)menge|` +
		`livrée?s?$|reçue?s?$|consegnat[oaie]|ricevut[oaie]|entregad[oa]s?|recibid[oa]s?|geleverd|ontvangen|dostarczon\pL*|otrzyman\pL*|leverer[et]t?|levererat|` +
		`dodáno|livrat)`)},
	{"ordered", word(quantityOf + `(?:ordered|remaining|back-?ordered|open|bestellt|(?:bestell|soll-?|rest)menge|offen|rückstand|commandée?s?$|` +
		`ordinat[oaie]|pedid[oa]s?$|besteld|zamówion\pL*|bestilt|beställt|objednáno|comandat|reliquat)`)},
	{"quantity", word(`menge|anzahl|qty|quantity|aantal|ilość|antal|množství|quantidade|quantité|quant\b|q\.?té|quantità|q\.?tà|cantidad|cant\.|stück(?:zahl)?\b|hours|stunden|mennyiség|cantitate|ποσότητα`)},
	{"amount", word(`(?:line |net )?(?:amount|amt\.?|total|value)|ext(?:ension|ended|\.)|(?:waren|netto)?wert\b|(?:netto|gesamt|zeilen)?(?:betrag|preis gesamt|summe)|gesamt(?:preis)?|montant|prix total|total ht|importo|importe|totale|entgelt|bedrag|totaal|kwota|wartość|belopp|beløb|částka|valor|valoare|érték|összeg|αξία|ποσό`)},
	{"price", word(`(?:eur|€|chf|gbp|£|usd|\$|pln|zł|kr|ct|cent) ?/ ?\pL|(?:unit |net |list )?price|pris\b|preț|egységár|τιμή|rate|cost|(?:einzel|netto|stück|e-)?preis|(?:stuks)?prijs|cena|à-?pris|preço|ep\b|prix(?: unitaire)?|p\.?u\b\.?|prezzo(?: unitario)?|precio(?: unitario)?`)},
	{"sku", word(`sku|(?:art(?:ikel)?|item|product|part|mat(?:erial)?)[-. ]*(?:nr|no|number|nummer|code|#|id\b)|referenzen|référence|réf|codice|código|code`)},
	{"description", word(`(?:item )?description|details$|item|article|product|service|bezeichnung|beschreibung|artikel(?:bezeichnung)?|leistung|produkt|désignation|libellé|descrizione|prodotto|descripción|concepto|artículo|omschrijving|nazwa|opis|beskrivelse|beskrivning|benämning|popis|descrição|denumire|descriere|megnevezés|περιγραφή|είδος|nom &|ware(?:nbezeichnung)?$|goods$|particulars|material(?:kurztext)?$|kurztext$|denominación|denominazione|produit|producto`)},
	{"discount", word(`(?:rem|rab|disc|sc|dto|korting)\b\.? ?%?|remise|rabatt|discount|sconto|descuento`)},
	{"rate", word(`(?:vat|tax|mwst|ust|tva|iva|steuersatz)\.?(?: ?%| rate)?`)},
}

// vague heads a column of numbers or codes if another column has the description.
var vague = lazy.Regexp(`(?i)^(?:item|article|artikel|product|produkt|artículo|είδος|material|ware|goods|produit|producto)$`)

// head is the head of a table: one row of words, or two.
type head struct {
	row     cell // the cells below the head follow this one
	cols    map[string]cell
	decimal string // divides the decimals of the page; empty if unknown
}

// headIn looks for a head that begins in a row of n cells; of reads it at a cell.
func headIn(cells []cell, i, n int, of func([]cell, int) (head, bool)) (h head, ok bool) {
	for j := i; j < min(i+n, len(cells)) && !ok; j++ {
		h, ok = of(cells, j)
	}
	return h, ok
}

// amountHeads returns the cells that head the amounts of lines.
func amountHeads(cells []cell) map[int]bool {
	found, of := map[int]bool{}, headsOf(cells)
	for i := 0; i < len(cells); {
		n := 1 + len(right(cells, i))
		if h, ok := headIn(cells, i, n, of); ok && h.has("amount") {
			found[h.cols["amount"].at] = true
			n = h.row.at + 1 - i
		}
		i += n
	}
	return found
}

// headOf reads cell i and its neighbours as column heads. A table must have a description, and
// two of quantity, price, amount and tax rate.
func headOf(cells []cell, i int) (head, bool) {
	h := colsOf(cells, i)
	if !h.has("quantity") && h.has("ordered") && h.has("price") && h.has("amount") {
		h.cols["quantity"] = h.cols["ordered"]
	}
	numbers := 0
	for _, name := range []string{"quantity", "price", "amount", "rate"} {
		numbers += bit(h.has(name))
	}
	if c, ok := widest(cells, i); ok && !h.has("description") && h.has("price") && h.has("amount") {
		h.cols["description"] = c
	}
	return h, h.has("description") && numbers >= 2
}

// widest returns the head with the widest column if its word is unknown: prices stand behind what they are for.
func widest(cells []cell, i int) (best cell, ok bool) {
	for l, ok := leftOf(cells, i); ok; l, ok = leftOf(cells, i) {
		i = l.at
	}
	row := append([]cell{cells[i]}, right(cells, i)...)
	most := 0.0
	for n, c := range row[:len(row)-1] {
		if width := row[n+1].Box.Left - c.Box.Left; width > most {
			best, most = c, width
		}
	}
	return best, most > 0 && columnOf(best.Text) == "" && !numbered(row)
}

func (h head) has(name string) bool { _, ok := h.cols[name]; return ok }

// colsOf reads cell i and its neighbours as column heads, if no amount stands among them. Without a
// quantity, what was delivered is one.
func colsOf(cells []cell, i int) head {
	h := head{row: cells[i], cols: map[string]cell{}}
	if len(headsIn(cells[i])) == 0 || priced(right(cells, i)) {
		return h
	}
	for _, c := range divided(band(cells, i)) {
		name := columnOf(c.Text)
		switch first, taken := h.cols[name]; {
		case taken && name == "amount" && first.row(c) && h.cols["quantity"].Text == "":
			h.cols["quantity"], h.cols["amount"] = first, c // Amount, Product, Price, Total
		case taken && name == "description" && first.row(c) && vague().MatchString(first.Text) && !vague().MatchString(c.Text):
			h.cols["sku"], h.cols[name] = first, c // Item, Description
		case taken && name == "price" && first.at == i && !h.has("description"):
			h.cols["description"], h.cols[name] = first, c // Preisbestandteil, Menge, EUR/Einheit
		case !taken && name != "":
			h.cols[name] = c
		}
		if c.at >= h.row.at {
			h.row = cells[c.at]
		}
	}
	if !h.has("quantity") && h.has("delivered") {
		h.cols["quantity"] = h.cols["delivered"]
		delete(h.cols, "delivered")
	}
	return h
}

// divided splits cells with several heads close together, such as "Pos Bezeichnung", and "Rem.% Montant".
func divided(cells []cell) (all []cell) {
	for _, c := range cells {
		parts := headsIn(c)
		if len(parts) > 1 || len(parts) == 1 && columnOf(c.Text) == "" {
			all = append(all, parts...)
			continue
		}
		all = append(all, c)
	}
	return all
}

// headsIn lists the heads in a cell. Their places are estimated by their characters. A head of
// several words, such as "Unit price", stays whole.
func headsIn(c cell) (parts []cell) {
	last, sign := "", strings.IndexByte(c.Text, '#') // in Item #, it heads no column
	for at := range c.Text {
		if at > 0 && (c.Text[at-1] != ' ' || at == sign) {
			continue
		}
		rest := c.Text[at:]
		word, _, _ := strings.Cut(rest, " ")
		name := columnOf(rest)
		if name == "" {
			name = columnOf(word) // a position must be the whole word
		}
		narrow := last == "" || last == "position" || last == "sku" || last == "rate" || last == "discount" || name == "description" || last == "description" && name == "quantity" ||
			last == "quantity" && name == "price" || last == "ordered" || last == "delivered"
		if name == "" || name == last || !narrow {
			continue
		}
		part := c
		width := (c.Box.Right - c.Box.Left) / float64(len(c.Text))
		part.Text, part.Box.Left = rest, c.Box.Left+width*float64(at)
		if n := len(parts); n > 0 {
			parts[n-1].Text = strings.TrimSpace(strings.TrimSuffix(parts[n-1].Text, rest))
			parts[n-1].Box.Right = part.Box.Left - width
		}
		parts, last = append(parts, part), name
	}
	return parts
}

func columnOf(text string) string {
	for _, col := range columns {
		if col.form().MatchString(text) {
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

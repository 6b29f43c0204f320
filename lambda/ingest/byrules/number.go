package byrules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/lazy"
)

// The scores of a number or a title. A number with a mark (No., Nr.) behind a type's name is
// almost certain; position and size of the print decide between several.
const (
	withMark  = 4
	withTitle = 2
)

// numbers lists the labelled numbers with their types, and the titles. Without any other title, a
// type with a number in the first row is one: "Invoice 4711" in print of one size.
func numbers(cells []cell) (found []named, headings []named) {
	if len(cells) == 0 {
		return nil, nil
	}
	usual := median(cells)
	var first, loud []named
	for i, c := range cells {
		text := strings.TrimLeft(c.Text, " *•-–")
		text, marks := cutMark(text[len(subject().FindString(text)):])
		for _, t := range titles {
			head := t.form().FindString(text)
			if head == "" {
				continue
			}
			rest := text[len(head):]
			n := named{kind: t.kind, page: c.page, cell: c, size: c.height() / usual,
				score: 1 - c.Box.Top/2 + min(c.height()*20, 1)}
			if v, ok := n.numbered(cells, i, rest, marks); ok {
				found = append(found, v)
				switch {
				case c.row(cells[0]) && strings.HasPrefix(rest, " "+v.number):
					first = append(first, n)
				case n.shouts(cells, i, head):
					loud = append(loud, n)
				}
			}
			bare := bareTitle().MatchString(rest) && !marks
			if v, ok := marked(cells, i); bare && ok {
				found = append(found, named{t.kind, v.number, v.quote, v.page, withMark + n.score, 0, c, n.size})
			}
			if v, ok := n.next(cells, i); bare && ok {
				found = append(found, v)
			}
			if n.isHeading(cells, rest, marks) || bare && !(strings.Contains(rest, ":") && valued(cells, i)) && !inHead(cells, i) {
				headings = append(headings, n)
			}
			break
		}
	}
	headings = slices.DeleteFunc(headings, func(n named) bool { return n.labels(cells) && (n.cited(found) || n.inList(cells)) })
	headings = titled(cells, headings)
	if len(headings) == 0 {
		headings = first
	}
	if len(headings) == 0 {
		headings = slices.DeleteFunc(loud, func(n named) bool { return n.rivalled(found) })
	}
	if len(headings) == 0 {
		headings = capitals(cells, found)
	}
	if len(headings) == 0 && len(found) == 0 {
		found = bills(cells)
	}
	if i := slices.IndexFunc(cells, cell.orders); len(headings) == 0 && i >= 0 {
		headings = []named{{kind: document.PurchaseOrder, page: cells[i].page, cell: cells[i], size: 1, score: 1}}
	}
	return found, headings
}

// shouts reports whether a title in capitals stands alone in its line, without a colon, so that it is one in print of
// one size, too: "ORDINE D'ACQUISTO N. 562/2026".
func (n named) shouts(cells []cell, i int, head string) bool {
	const shortest = 5
	_, left := leftOf(cells, i)
	alone := !left && len(right(cells, i)) == 0
	return n.cell.top(cells) && alone && len(head) >= shortest && head == strings.ToUpper(head) &&
		!strings.Contains(n.cell.Text, ":")
}

// orders reports whether a sentence of a letter places an order.
func (c cell) orders() bool { return ordering().MatchString(c.Text) }

// labels reports whether a bare title may be the label of a number next to it.
func (n named) labels(cells []cell) bool {
	_, ok := n.next(cells, n.cell.at)
	return ok && n.size <= large
}

// titled leaves out the titles that may be labels below one that can't be: "Goods receipt" above "Delivery note 4711".
func titled(cells []cell, headings []named) []named {
	sure := slices.IndexFunc(headings, func(n named) bool { return n.cell.top(cells) && !n.labels(cells) })
	if sure < 0 {
		return headings
	}
	return slices.DeleteFunc(headings, func(n named) bool {
		return n.kind != headings[sure].kind && n.cell.Box.Top > headings[sure].cell.Box.Bottom && n.labels(cells)
	})
}

// inList reports whether another label with a value stands above, or another type's below, as in a list of
// what a paper cites.
func (n named) inList(cells []cell) bool {
	if a, ok := above(cells, n.cell.at); ok && listed(cells, a.at, n.cell.at) {
		return true
	}
	b, ok := under(cells, n.cell.at)
	other := func(t title) bool { return t.kind != n.kind && t.form().MatchString(b.Text) }
	return ok && listed(cells, n.cell.at, b.at) && slices.ContainsFunc(titles, other)
}

// cited reports whether a number with a mark is of a type that cites this one, as an invoice its delivery note.
func (n named) cited(found []named) bool {
	rank := func(kind document.Type) int {
		return slices.IndexFunc(titles[1:], func(t title) bool { return t.kind == kind }) // without the self-billed invoice
	}
	return slices.ContainsFunc(found, func(o named) bool { return o.score >= withMark && rank(o.kind) < rank(n.kind) })
}

// rivalled reports whether a number with a mark is of another type.
func (n named) rivalled(found []named) bool {
	return slices.ContainsFunc(found, func(o named) bool { return o.kind != n.kind && o.score >= withMark })
}

// andMore is a second label in a cell: "Invoice No. / Date".
var andMore = lazy.Regexp(`^ *(?:/|&|und |and |et )[\pL .]+:?$`)

// numbered reads the number behind a title: with a mark, otherwise directly.
func (n named) numbered(cells []cell, i int, rest string, marked bool) (named, bool) {
	m := mark().FindString(rest)
	if m == "" {
		m = withWords(rest)
	}
	if m != "" || marked && !startsWord(rest) {
		after := andMore().ReplaceAllString(rest[len(m):], "")
		if isTitle(after) && !strings.ContainsAny(after, "0123456789") {
			after = "" // Invoice # Invoice Date Page, with the values below
		}
		for _, h := range hints(cells, i, after) {
			if number, ok := numberIn(h.text); ok && !h.inAddress() {
				return named{n.kind, number, h.quote(), n.page, withMark + float64(h.place)/2 + n.score, h.place, n.cell, n.size}, true
			}
		}
		return named{}, false
	}
	if !strings.HasPrefix(strings.TrimLeft(rest, " "), ":") && !strings.HasPrefix(rest, " ") {
		return named{}, false
	}
	number, ok := numberIn(strings.TrimLeft(rest, " :"))
	return named{n.kind, number, n.cell.Text, n.page, withTitle + n.score, 0, n.cell, n.size}, ok
}

// inAddress reports whether a value next to a label is part of an address.
func (h hint) inAddress() bool {
	return h.place == below && townLine().MatchString(h.text) || h.place != inside && houseLine().MatchString(h.text)
}

// houseLine begins with the number of a house: "18 Mill Lane".
var houseLine = lazy.Regexp(`^\d{1,5}[A-Za-z]? \p{Lu}\pL+`)

// isHeading reports whether large print in the upper half of the first page begins with a title.
func (n named) isHeading(cells []cell, rest string, marked bool) bool {
	return n.size > large && n.cell.top(cells) && (!marked && !startsWord(rest) || mark().MatchString(rest))
}

func startsWord(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(c)
}

// cutMark cuts the mark before a title, as in "Numéro de facture".
func cutMark(text string) (rest string, ok bool) {
	m := firstMark().FindString(text)
	if m == "" {
		return text, false
	}
	for _, t := range titles {
		if t.form().MatchString(text[len(m):]) {
			return text[len(m):], true
		}
	}
	return text, false
}

// withWords returns the words between a title and its number, up to the mark: "Rechnung des
// Versicherers Nr." Words about something else name another number.
func withWords(rest string) string {
	m := wordsAndMark().FindStringSubmatch(rest)
	if m == nil || foreign().MatchString(m[1]) {
		return ""
	}
	for _, w := range strings.Fields(m[1]) {
		if isTitle(w) {
			return ""
		}
	}
	return m[0]
}

// marked reads a number behind a mark in the cell below a title or to its right.
func marked(cells []cell, i int) (named, bool) {
	for _, h := range hints(cells, i, "") {
		if m := mark().FindString(h.text); m != "" {
			if n, ok := numberIn(h.text[len(m):]); ok {
				return named{number: n, quote: h.quote(), page: h.value.page}, true
			}
		}
	}
	return named{}, false
}

// next reads a number alone in the cell to the right of a title, or in the one below.
func (n named) next(cells []cell, i int) (named, bool) {
	if !n.cell.top(cells) {
		return n, false
	}
	near := right(cells, i)
	near = near[:min(1, len(near))]
	if j, ok := next(cells, i); ok && !listing(cells, j) {
		near = append(near, cells[j])
	}
	for _, c := range near {
		if text := strings.TrimLeft(c.Text, " :"); alone(text) {
			return named{n.kind, text, text, n.page, withTitle + n.score, 0, n.cell, n.size}, true
		}
	}
	return n, false
}

// alone reports whether a text is a number and nothing else.
func alone(text string) bool {
	const shortest = 4
	number, ok := numberIn(text)
	return ok && number == text && len(text) >= shortest
}

// listing reports whether numbers go on below cell i, as in a list of invoices.
func listing(cells []cell, i int) bool {
	j, ok := next(cells, i)
	return ok && alone(strings.TrimSpace(cells[j].Text))
}

// short names a type by its initials or by a part of its name. A mark must stand before or behind it,
// because it has other meanings, as in PO Box.
var short = map[document.Type]pattern{
	document.PurchaseOrder:     word(`p\.?o\.?|b\.?c\.?`),
	document.GoodsReceipt:      word(`gr(?:/gi)?n?|we|material|receipt|receiving|report|eingangs?`),
	document.DeliveryNote:      word(`dn|ls|bl|d\.?d\.?t\.?|delivery|des?patch|dispatch|shipment|slip|note|liefer`),
	document.OrderConfirmation: word(`ab|oc|arc|so|sales order|acknowledge?ment|confirmation|conferma`),
	document.Invoice:           word(`inv\.?|re|rg|fa|bill`),
	document.CreditNote:        word(`cn|cm|gs|credit|memo`),
}

// paperMark stands for a mark behind initials: WE-Beleg.
var paperMark = lazy.Regexp(`(?i)^[ -]?(?:beleg|schein)(?:[- ]?(?:nr|nummer)\.?)? *(?:$|:)[ :]*`)

// shortLabel cuts a type's initials, and the mark before or behind them.
func shortLabel(text string, kind document.Type) (rest string, ok bool) {
	form := short[kind]
	if form == nil {
		return "", false
	}
	before := firstMark().FindString(text)
	rest = text[len(before):]
	length := len(form().FindString(rest))
	if rest = rest[length:]; length == 0 {
		return "", false
	}
	if m := mark().FindString(rest) + paperMark().FindString(rest); m != "" {
		return rest[len(m):], true
	}
	return strings.TrimLeft(rest, " :"), before != "" && !startsWord(rest)
}

var (
	// ourOrder labels the number of an order without its owner.
	ourOrder = lazy.Regexp(`(?i)^(?:our |unsere |sales |onze |vår |vores )?(?:order|ordre|auftrags?|ordine|commande|pedido)[- ]?` +
		`(?:no|nr|number|nummer|n\.?[°º])?\b`)
	// theirs labels the customer's order or reference.
	theirs = anyWord(`(?:customer|cust|your|ihre?|uw|votre|vostro|vs|su|ert|er|deres|jeres|buyer|client|kunden\pL*)(?:\.|'s)?`)
)

// ownOrder returns the number of an order on its confirmation if the page names the customer's apart: the
// other one is the seller's.
func ownOrder(cells []cell, all []named) (best named, ok bool) {
	customers := slices.ContainsFunc(cells, func(c cell) bool {
		return c.Box.Top < 0.5 && len(c.Text) < longLabel && theirs().MatchString(c.Text) && orderWord().MatchString(c.Text)
	})
	for _, n := range all {
		ours := n.kind == document.PurchaseOrder && ourOrder().MatchString(n.cell.Text) && n.cell.Box.Top < 0.5
		if customers && ours && n.score > best.score {
			best, ok = n, true
		}
	}
	for i, c := range cells {
		head := ourOrder().FindString(c.Text)
		if !customers || ok || head == "" || c.Box.Top >= 0.5 {
			continue
		}
		for _, h := range hints(cells, i, c.Text[len(head):]) {
			if n, good := numberIn(h.text); good && !ok {
				best, ok = named{"", n, h.quote(), c.page, withMark, h.place, c, 1}, true
			}
		}
	}
	best.kind = document.OrderConfirmation
	return best, ok
}

// credited returns the number of a credit note on an invoice's form, "Invoice No.": a date's label stands
// next to it, and the page cites another invoice, the credited one.
func credited(cells []cell, all []named) (best named, ok bool) {
	for _, n := range all {
		if n.kind == document.Invoice && n.score >= withMark && n.score > best.score {
			best = n
		}
	}
	another := func(f reference.Found) bool {
		return f.Type == string(document.Invoice) && reference.Canonical(f.Number) != reference.Canonical(best.number)
	}
	cites := func(c cell) bool {
		row := append([]cell{c}, right(cells, c.at)...)
		return slices.ContainsFunc(reference.Find(c.Text+" "+row[min(1, len(row)-1)].Text), another)
	}
	dates := func(c cell) bool { return dateLabel().MatchString(c.Text) }
	below, _ := under(cells, best.cell.at)
	best.kind = document.CreditNote
	return best, best.number != "" && slices.ContainsFunc(cells, cites) &&
		(dates(below) || slices.ContainsFunc(right(cells, best.cell.at), dates))
}

// rivalled reports whether another number at the top has a label of the same type with a mark, or a mark alone.
func (r *reader) rivalled(n named, found []named) bool {
	const shortest = 4
	others := append(markedNumbers(r.cells, n.kind), found...)
	return slices.ContainsFunc(others, func(o named) bool {
		a, b := reference.Canonical(n.number), reference.Canonical(o.number)
		marked := o.kind == n.kind && (o.score >= withMark || o.score == 1 && len(o.number) >= shortest)
		sum := priced(append(right(r.cells, o.cell.at), o.cell))
		return marked && !sum && o.cell.Box.Top < 0.5 && !strings.Contains(a, b) && !strings.Contains(b, a)
	})
}

// orderWord is in the label of a customer's order.
var orderWord = lazy.Regexp(`(?i)order|bestell|\bp\.?o\b|commande|ordine|pedido|refer`)

// own returns the best number of a type, otherwise the number behind its initials, or behind a mark
// without a type.
func own(cells []cell, all []named, kind document.Type) (best named, ok bool) {
	for _, n := range all {
		if n.kind == kind && n.score > best.score {
			best, ok = n, true
		}
	}
	marks := markedNumbers(cells, kind)
	if kind == document.OrderConfirmation && !ok && len(marks) == 0 {
		best, ok = ownOrder(cells, all)
	}
	if ok || kind == "" {
		return best, ok
	}
	for i, c := range cells {
		rest, labelled := shortLabel(c.Text, kind)
		rest = andMore().ReplaceAllString(rest, "")
		if !labelled || c.Box.Top >= 0.5 {
			continue
		}
		for _, h := range hints(cells, i, rest) {
			if n, good := numberIn(h.text); good {
				return named{kind, n, h.quote(), c.page, withMark, h.place, c, 1}, true
			}
		}
	}
	if kind == document.CreditNote {
		if n, ok := credited(cells, all); ok {
			return n, ok
		}
	}
	if len(marks) > 0 {
		return marks[0], true
	}
	return best, false
}

// headsItems reports whether the head of a description stands in the row of cell i, so that it heads the numbers of items.
func headsItems(cells []cell, i int) bool {
	describes := func(c cell) bool { return columnOf(c.Text) == "description" }
	l, ok := leftOf(cells, i)
	return ok && describes(l) || slices.ContainsFunc(right(cells, i), describes)
}

// inBlock reports whether cell i stands in a party's block, below its label or next to it.
func inBlock(cells []cell, i int) bool {
	for c, ok := cells[i], cells[i].side != ""; ok; c, ok = above(cells, c.at) {
		l, _ := leftOf(cells, c.at)
		switch {
		case sideOf(c.Text) != "" || sideOf(l.Text) != "":
			return true
		case isTitle(c.Text):
			return false
		}
	}
	return false
}

// markedNumbers lists the numbers behind a mark without a type at the top of the page, outside a party's block.
func markedNumbers(cells []cell, kind document.Type) (found []named) {
	for i, c := range cells {
		if head := bareMark().FindString(c.Text); head != "" && c.Box.Top < 0.5 && !inBlock(cells, i) && !headsItems(cells, i) {
			for _, h := range hints(cells, i, andMore().ReplaceAllString(c.Text[len(head):], "")) {
				if n, good := numberIn(h.text); good {
					found = append(found, named{kind, n, h.quote(), c.page, 1, h.place, c, 1})
					break
				}
			}
		}
	}
	return found
}

package threeway

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// book holds the documents, with the billed and received quantities of each ordered article.
type book struct {
	t        Tolerance
	docs     []*Document // in order
	partners map[uuid.UUID][]*Document
	accounts map[article]*account
	others   map[article]bool      // the further lines of an order about an article
	shares   map[uuid.UUID][]share // by invoice
	sums     map[uuid.UUID]*sum    // by order
}

// article is an article of an order, named by its first line.
type article struct {
	order uuid.UUID
	line  int
}

// account holds the ordered, received and billed quantities of an article.
type account struct {
	ordered, received, billed document.Amount
	blind                     bool // a receipt lacks a quantity
	uncounted                 bool // an invoice lacks a quantity
}

// share is the part of an invoice's line that belongs to an article.
type share struct {
	line int
	of   article
	// quantity excludes credited units; before is the quantity on earlier invoices.
	quantity, before document.Amount
}

// sum is the net amount of an order, and its billed part.
type sum struct {
	amount, billed document.Amount
	through        map[uuid.UUID]document.Amount // up to an invoice, included
}

func newBook(docs []Document, matches [][2]uuid.UUID, t Tolerance) *book {
	b := &book{t: t, partners: map[uuid.UUID][]*Document{}, accounts: map[article]*account{},
		others: map[article]bool{},
		shares: map[uuid.UUID][]share{}, sums: map[uuid.UUID]*sum{}}
	byID := make(map[uuid.UUID]*Document, len(docs))
	for i := range docs {
		b.docs, byID[docs[i].ID] = append(b.docs, &docs[i]), &docs[i]
	}
	slices.SortFunc(b.docs, inOrder)
	for _, d := range b.docs {
		if d.Type == document.PurchaseOrder {
			b.sums[d.ID] = &sum{amount: net(d), through: map[uuid.UUID]document.Amount{}}
		}
	}
	for _, m := range matches {
		if x, y := byID[m[0]], byID[m[1]]; x != nil && y != nil {
			b.partners[x.ID] = append(b.partners[x.ID], y)
			b.partners[y.ID] = append(b.partners[y.ID], x)
		}
	}
	for _, list := range b.partners {
		slices.SortFunc(list, inOrder)
	}
	for _, d := range b.docs {
		switch d.Type {
		case document.GoodsReceipt, document.DeliveryNote:
			b.receive(d)
		case document.Invoice:
			b.bill(d)
		}
	}
	return b
}

// with lists the partners of a document of one type, in order.
func (b *book) with(d *Document, t document.Type) (list []*Document) {
	for _, p := range b.partners[d.ID] {
		if p.Type == t {
			list = append(list, p)
		}
	}
	return list
}

// orders lists the orders of a document. A receipt matched only with an invoice belongs to the
// orders of that invoice.
func (b *book) orders(d *Document) []*Document {
	list := b.with(d, document.PurchaseOrder)
	if len(list) > 0 || d.Type == document.Invoice {
		return list
	}
	for _, i := range b.with(d, document.Invoice) {
		for _, o := range b.with(i, document.PurchaseOrder) {
			if !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, inOrder)
	return list
}

func (b *book) receipts(d *Document) (list []*Document) {
	for _, of := range append(b.with(d, document.PurchaseOrder), d) {
		for _, p := range b.partners[of.ID] {
			if b.received(p) && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, inOrder)
	return list
}

// received reports whether a document counts as a receipt.
func (b *book) received(d *Document) bool {
	return d.Type == document.GoodsReceipt ||
		d.Type == document.DeliveryNote && len(b.with(d, document.GoodsReceipt)) == 0
}

func (b *book) receive(d *Document) {
	if !b.received(d) {
		return
	}
	for _, s := range b.divide(d, nil) {
		a := b.accounts[s.of]
		a.received = a.received.Plus(s.quantity)
		a.blind = a.blind || s.quantity.IsZero()
	}
}

func (b *book) bill(d *Document) {
	shares := b.divide(d, b.credited(d))
	orders := b.with(d, document.PurchaseOrder)
	amounts := map[uuid.UUID]document.Amount{} // by order
	for i := range shares {
		s := &shares[i]
		a := b.accounts[s.of]
		s.before = a.billed
		a.billed = a.billed.Plus(s.quantity)
		a.uncounted = a.uncounted || s.quantity.IsZero()
		amount := s.quantity.Times(d.Lines[s.line].UnitPrice)
		if len(orders) == 1 {
			amount = amountOf(d.Lines[s.line])
		}
		amounts[s.of.order] = amounts[s.of.order].Plus(amount)
	}
	b.shares[d.ID] = shares
	for _, o := range orders {
		s, billed := b.sums[o.ID], amounts[o.ID]
		if len(orders) == 1 {
			billed = b.charged(d, billed)
		}
		if s.amount.IsZero() || billed.IsZero() || d.Currency != "" && o.Currency != "" && d.Currency != o.Currency {
			continue
		}
		s.billed = s.billed.Plus(billed)
		s.through[d.ID] = s.billed
	}
}

// charged is the amount an invoice takes of its only order; lines is the sum of its lines for
// that order. It is less if the invoice deducts earlier payments or is credited, and the whole
// if it bills a lump sum.
func (b *book) charged(d *Document, lines document.Amount) document.Amount {
	amount := lines
	if whole := net(d); lines.IsZero() || !whole.IsZero() && whole.Minus(lines).Sign() < 0 {
		amount = whole
	}
	for _, c := range b.with(d, document.CreditNote) {
		amount = amount.Minus(net(c).Abs())
	}
	return amount
}

// credited is the quantity taken back by credit notes, by line. A credit note at another price
// reduces the price and takes back no goods.
func (b *book) credited(d *Document) map[int]document.Amount {
	back := map[int]document.Amount{}
	for _, c := range b.with(d, document.CreditNote) {
		for _, p := range score.AlignLines(d.Lines, c.Lines) {
			x, y := d.Lines[p.A[0]], c.Lines[p.B[0]]
			if d, ok := comparePrices(x, y); ok && !b.t.price(d) {
				continue
			}
			for _, j := range p.B {
				back[p.A[0]] = back[p.A[0]].Plus(c.Lines[j].Quantity.Abs())
			}
		}
	}
	return back
}

// divide finds the articles of a document's lines. If several orders have an article, each
// takes up to its room, and the last one the rest.
func (b *book) divide(d *Document, credited map[int]document.Amount) (shares []share) {
	type place struct {
		of   article
		room document.Amount
	}
	places := map[int][]*place{}
	for _, o := range b.orders(d) {
		for _, p := range score.AlignLines(o.Lines, d.Lines) {
			at := &place{of: article{o.ID, p.A[0]}, room: quantity(o.Lines, p.A)}
			if b.accounts[at.of] == nil {
				b.accounts[at.of] = &account{ordered: at.room}
			}
			for _, i := range p.A[1:] {
				b.others[article{o.ID, i}] = true
			}
			for _, i := range p.B {
				places[i] = append(places[i], at)
			}
		}
	}
	for i, l := range d.Lines {
		left := l.Quantity.Abs()
		if c, ok := credited[i]; ok && !left.IsZero() {
			left = left.Minus(c)
		}
		for n, at := range places[i] {
			takes := left
			if last := n == len(places[i])-1; !last && !left.IsZero() && left.Minus(at.room).Sign() > 0 {
				takes = at.room
			}
			at.room, left = at.room.Minus(takes), left.Minus(takes)
			shares = append(shares, share{line: i, of: at.of, quantity: takes})
			if left.Sign() == 0 {
				break
			}
		}
	}
	return shares
}

// amountOf is the amount of a line, computed if missing.
func amountOf(l document.Line) document.Amount {
	if l.Amount.IsZero() && l.PriceFor.IsZero() {
		return l.Quantity.Times(l.UnitPrice)
	}
	return l.Amount
}

func net(d *Document) (sum document.Amount) {
	switch {
	case !d.Subtotal.IsZero():
		return d.Subtotal
	case !d.Total.IsZero() && !d.Tax.IsZero():
		return d.Total.Minus(d.Tax)
	}
	for _, l := range d.Lines {
		sum = sum.Plus(l.Amount)
	}
	if sum.IsZero() {
		return d.Total
	}
	return sum
}

func quantity(lines []document.Line, of []int) (sum document.Amount) {
	for _, i := range of {
		sum = sum.Plus(lines[i].Quantity.Abs())
	}
	return sum
}

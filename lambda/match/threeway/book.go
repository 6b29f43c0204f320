package threeway

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// book holds the documents, with the billed and received quantities of each ordered article.
type book struct {
	tolerances Tolerances
	docs       []*Document // in order
	partners   map[uuid.UUID][]*Document
	alignments map[[2]uuid.UUID][]score.Aligned // of an order and another document
	articles   map[[2]string]string             // by number and description
	facts, own facts                            // own: these documents'
	learned    map[uuid.UUID][]Conversion       // by invoice
	accounts   map[article]*account
	byID       map[uuid.UUID]*Document
	shares     map[uuid.UUID][]share         // by invoice
	kinds      map[uuid.UUID][]kind          // of an invoice's lines
	sums       map[uuid.UUID]*sum            // by order
	deducted   map[uuid.UUID]document.Amount // by invoice: down payments, without a line
	stray      map[uuid.UUID]bool            // by invoice: it bills several orders, and goods of others
}

// article is an article of an order, named by any of its lines.
type article struct {
	order uuid.UUID
	line  int
}

// account holds the ordered, received and billed quantities of an article, in the unit of its
// first line. The values are amounts at the order's prices at most; absent: unknown.
type account struct {
	ordered, received, billed document.Amount
	orderedValue, billedValue document.Amount
	blind                     bool // a receipt lacks a quantity, or its unit doesn't compare
	uncounted                 bool // an invoice lacks a quantity
	unvalued                  bool // an invoice lacks an amount
	unit                      string
	lines                     []int // of the order, about the article
}

// share is the part of a document's line that belongs to an article.
type share struct {
	line int
	of   article
	by   factor
	// quantity excludes credited units; before is the quantity on earlier invoices. Both are in
	// the order's unit.
	quantity, before document.Amount
	value            document.Amount // at the order's price at most
	over             bool            // with this invoice, more is billed than was ordered
	substitute       bool
}

// sum is the net amount of an order, and its billed part.
type sum struct {
	amount, billed document.Amount
	value          document.Amount    // billed, at the order's prices at most
	over           map[uuid.UUID]bool // by invoice: with it, more is billed than was ordered
	dear           map[uuid.UUID]bool // by invoice: with it, more is billed than the order's amount
	advances       []*Document        // down payments, in order
}

func newBook(docs []Document, matches [][2]uuid.UUID, t Tolerances, known []Conversion) *book {
	b := &book{tolerances: t, articles: map[[2]string]string{}, partners: map[uuid.UUID][]*Document{},
		alignments: map[[2]uuid.UUID][]score.Aligned{},
		accounts:   map[article]*account{}, byID: make(map[uuid.UUID]*Document, len(docs)), shares: map[uuid.UUID][]share{},
		kinds: map[uuid.UUID][]kind{}, sums: map[uuid.UUID]*sum{}, learned: map[uuid.UUID][]Conversion{},
		deducted: map[uuid.UUID]document.Amount{}, stray: map[uuid.UUID]bool{}}
	for i := range docs {
		b.docs, b.byID[docs[i].ID] = append(b.docs, &docs[i]), &docs[i]
	}
	slices.SortFunc(b.docs, inOrder)
	for _, m := range matches {
		if x, y := b.byID[m[0]], b.byID[m[1]]; x != nil && y != nil {
			b.partners[x.ID] = append(b.partners[x.ID], y)
			b.partners[y.ID] = append(b.partners[y.ID], x)
		}
	}
	for _, list := range b.partners {
		slices.SortFunc(list, inOrder)
	}
	b.learn(known)
	for _, d := range b.docs {
		if d.Type == document.PurchaseOrder {
			b.sums[d.ID] = &sum{amount: net(d), over: map[uuid.UUID]bool{}, dear: map[uuid.UUID]bool{}}
			b.open(d)
		}
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

// open opens the accounts of an order's articles: lines about one article share one.
func (b *book) open(o *Document) {
	first := map[string]*account{}
	for i, l := range o.Lines {
		key := b.article(l)
		a, again := first[key]
		if !again || key == "" {
			a = &account{ordered: l.Quantity.Abs(), orderedValue: amountOf(l).Abs(), unit: l.Unit}
			first[key] = a
		} else {
			a.orderedValue = a.orderedValue.Plus(amountOf(l).Abs())
			l.UnitPrice, l.Amount = document.Amount{}, document.Amount{} // the quantity counts whatever the price
			a.ordered = a.ordered.Plus(b.factor(o.Lines[a.lines[0]], l).count(l.Quantity))
		}
		a.lines = append(a.lines, i)
		b.accounts[article{o.ID, i}] = a
	}
}

// article names the article of a line.
func (b *book) article(l document.Line) string {
	text := [2]string{l.SKU, l.Description}
	if _, ok := b.articles[text]; !ok {
		b.articles[text] = score.Article(l)
	}
	return b.articles[text]
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

// aligned pairs the lines of an order and of another document.
func (b *book) aligned(o, d *Document) []score.Aligned {
	key := [2]uuid.UUID{o.ID, d.ID}
	if _, ok := b.alignments[key]; !ok {
		b.alignments[key] = score.AlignLines(o.Lines, d.Lines)
	}
	return b.alignments[key]
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
		a.blind = a.blind || s.quantity.IsZero() || s.by.how == unknown
	}
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
	sum = sumOf(d.Lines, func(l document.Line) document.Amount { return l.Amount })
	if sum.IsZero() || d.Total.Sign() > 0 && d.Total.Cmp(sum) < 0 { // with a discount of the whole
		return d.Total
	}
	return sum
}

// sumOf adds up amounts; it's absent if all are.
func sumOf[T any](list []T, of func(T) document.Amount) (sum document.Amount) {
	for _, x := range list {
		sum = sum.Plus(of(x))
	}
	return sum
}

package threeway

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/match/score"
)

// place is an article that a line may belong to.
type place struct {
	of         article
	order      *Document
	line       document.Line // the ordered one
	by         factor
	cited      bool
	samePrice  bool
	fits       bool // the line has exactly the quantity that is left
	substitute bool
}

// room is the quantity of articles that a document may still take, and whether it took any.
type room struct {
	left  map[article]document.Amount
	taken map[article]bool
}

// divide finds the articles of a document's lines. A line takes the place of an order that it
// cites, at the same price, with room for exactly its quantity; such lines come first. If several
// orders have an article, each takes up to its room, and the last one the rest. A line at an
// article that other lines of the document fill belongs elsewhere.
func (b *book) divide(d *Document, credited map[int]document.Amount) (shares []share) {
	places := b.places(d)
	r := room{map[article]document.Amount{}, map[article]bool{}}
	var lines []int
	for i := range d.Lines {
		if len(places[i]) > 0 {
			lines = append(lines, i)
		}
		for _, at := range places[i] {
			a := b.accounts[at.of]
			used := a.billed
			if d.Type != document.Invoice {
				used = a.received
			}
			r.left[at.of] = a.ordered.Minus(used)
		}
	}
	for i, list := range places {
		for _, at := range list {
			at.fits = d.Lines[i].Quantity.Sign() > 0 && at.by.count(d.Lines[i].Quantity).Equal(r.left[at.of])
		}
		slices.SortStableFunc(list, func(x, y *place) int { return y.rank() - x.rank() })
	}
	slices.SortStableFunc(lines, func(i, j int) int { return places[j][0].rank() - places[i][0].rank() })
	for _, i := range lines {
		left := d.Lines[i].Quantity.Abs()
		if c, ok := credited[i]; ok && !left.IsZero() {
			left = left.Minus(c)
		}
		list := places[i]
		if d.Type == document.Invoice {
			list = slices.DeleteFunc(list, func(p *place) bool { return r.taken[p.of] && r.left[p.of].Sign() <= 0 })
		}
		shares = append(shares, b.fill(i, d.Lines[i], left, list, &r)...)
	}
	slices.SortStableFunc(shares, func(x, y share) int { return x.line - y.line })
	return shares
}

// rank orders the places of a line, and lines by their first place.
func (p *place) rank() (n int) {
	for i, is := range []bool{p.fits, p.samePrice, p.cited} {
		if is {
			n += 1 << i
		}
	}
	return n
}

// fill spreads the quantity of a line over its places.
func (b *book) fill(i int, l document.Line, left document.Amount, places []*place, r *room) (shares []share) {
	for n, at := range places {
		count, rest := at.by.count(left), document.Amount{}
		if last := n == len(places)-1; !last && !left.IsZero() && left.Sign() > 0 {
			switch over := count.Minus(r.left[at.of]); {
			case r.left[at.of].Sign() <= 0:
				continue
			case over.Sign() > 0:
				count, rest = r.left[at.of], over.Per(at.by.of).Round(6)
			}
		}
		if left.Sign() < 0 {
			count = count.Negated()
		}
		r.left[at.of] = r.left[at.of].Minus(count)
		r.taken[at.of] = true
		s := share{line: i, of: at.of, by: at.by, quantity: count, substitute: at.substitute}
		s.value = at.value(l, left.Minus(rest), count)
		if left.IsZero() {
			s.quantity = document.Amount{}
		}
		shares = append(shares, s)
		if left = rest; left.Sign() == 0 {
			break
		}
	}
	return shares
}

// value is the amount of a part of a line, at the order's price at most; absent if unknown.
func (p *place) value(l document.Line, part, count document.Amount) document.Amount {
	amount := amountOf(l).Abs()
	if printed := l.Quantity.Abs(); !printed.IsZero() && !part.Equal(printed) {
		amount = amount.Times(part).Per(printed).Round(6)
	}
	price, _ := priceOf(p.line)
	planned := price.Times(count)
	credited := !count.IsZero() && count.Sign() == 0
	if amount.IsZero() && credited || planned.Sign() != 0 && (amount.IsZero() || amount.Cmp(planned) > 0) {
		return planned
	}
	return amount
}

// maxReplaced bounds the lines of an order that are searched for a substitute.
const maxReplaced = 50

// places lists the articles of a document's orders that each line may belong to.
func (b *book) places(d *Document) map[int][]*place {
	places := map[int][]*place{}
	orders := b.orders(d)
	scopes := scopesOf(d, orders)
	t := b.tolerances.Of(d.Supplier)
	put := func(o *Document, at, i int, substitute bool) {
		line := o.Lines[b.like(o, at, d.Lines[i])]
		p := &place{of: article{o.ID, b.accounts[article{o.ID, at}].lines[0]}, order: o, line: line, substitute: substitute}
		p.cited = scopes != nil && slices.Contains(scopes[i], o)
		p.by = b.factor(line, d.Lines[i])
		diff, ok := comparePrices(d.Lines[i], line, p.by)
		p.samePrice = ok && t.price(diff)
		places[i] = append(places[i], p)
	}
	for _, o := range orders {
		used, alike := map[int]bool{}, false // alike: both number their articles alike
		for _, p := range b.aligned(o, d) {
			used[p.A[0]] = true
			for _, i := range p.B {
				alike = alike || d.Lines[i].SKU != "" && d.Lines[i].SKU == o.Lines[p.A[0]].SKU
				put(o, p.A[0], i, false)
			}
		}
		b.widen(o, d, places, used, put)
		for i := range d.Lines {
			if len(places[i]) > 0 || len(used) == len(o.Lines) || len(o.Lines) > maxReplaced {
				continue
			}
			if at := b.substituted(o, d, i, used, t); at >= 0 {
				used[at] = true
				put(o, at, i, alike)
			}
		}
	}
	return places
}

// widen gives a line the other articles of an order that it may merge: unused ones at its price that
// are also like it, such as one board for three places.
func (b *book) widen(o, d *Document, places map[int][]*place, used map[int]bool, put func(o *Document, at, i int, substitute bool)) {
	if len(used) == len(o.Lines) || len(o.Lines) > maxReplaced {
		return
	}
	for i, l := range d.Lines {
		if len(places[i]) == 0 || l.UnitPrice.IsZero() {
			continue
		}
		for at, line := range o.Lines {
			price, priced := comparePrices(l, line, factor{one, byUnit})
			if used[b.accounts[article{o.ID, at}].lines[0]] || !priced || !price.is.Equal(price.expected) ||
				len(score.AlignLines([]document.Line{line}, []document.Line{l})) == 0 {
				continue
			}
			used[at] = true
			put(o, at, i, false)
		}
	}
}

// like returns the line of an order about the same article with the price of l, or at.
func (b *book) like(o *Document, at int, l document.Line) int {
	alike := b.accounts[article{o.ID, at}].lines
	if len(alike) == 1 {
		return at
	}
	best, off := at, document.Amount{}
	for _, i := range alike {
		if d, ok := comparePrices(l, o.Lines[i], b.factor(o.Lines[i], l)); ok {
			if gap := d.is.Minus(d.expected).Abs(); off.IsZero() || gap.Cmp(off) < 0 {
				best, off = i, gap
			}
		}
	}
	return best
}

// scopesOf lists the orders that the lines of an invoice cite, in their own text or in a
// headline above them; nil: none is cited.
func scopesOf(d *Document, orders []*Document) [][]*Document {
	if !slices.ContainsFunc(d.Lines, isHeadline) && len(orders) < 2 {
		return nil
	}
	scopes, found := make([][]*Document, len(d.Lines)), false
	var above []*Document
	for i, l := range d.Lines {
		cited := citedIn(l.Description, orders)
		if isHeadline(l) && cited != nil {
			above = cited
		}
		if scopes[i] = above; len(cited) > 0 {
			scopes[i] = cited
		}
		found = found || len(scopes[i]) > 0
	}
	if !found {
		return nil
	}
	return scopes
}

// citedIn lists the orders that a text cites, empty if it cites only others, and nil if none.
func citedIn(text string, orders []*Document) (cited []*Document) {
	for _, f := range reference.Find(text) {
		if f.Type != "" && f.Type != string(document.PurchaseOrder) {
			continue
		}
		if cited == nil {
			cited = []*Document{}
		}
		n := reference.Read(f.Number)
		for _, o := range orders {
			if agreement, _ := n.Means(reference.Read(o.Number)); agreement == reference.Same && !slices.Contains(cited, o) {
				cited = append(cited, o)
			}
		}
	}
	return cited
}

// isHeadline reports whether a line has only text.
func isHeadline(l document.Line) bool {
	return l.SKU == "" && l.Quantity.IsZero() && l.UnitPrice.Sign() == 0 && l.Amount.Sign() == 0
}

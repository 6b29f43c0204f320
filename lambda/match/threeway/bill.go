package threeway

import (
	"slices"

	"matchbook/lambda/document"
)

// cents is the difference of amounts that rounding makes.
var cents = document.MustAmount("0.02")

// bill enters an invoice in the accounts of its articles and orders.
func (b *book) bill(d *Document) {
	back, returned := b.credited(d)
	shares := b.divide(d, back)
	kinds := b.classify(d, shares)
	shares = slices.DeleteFunc(shares, func(s share) bool { return kinds[s.line] != goods })
	b.kinds[d.ID], b.shares[d.ID] = kinds, shares
	for i := range shares {
		b.enter(d, &shares[i])
	}
	orders := b.with(d, document.PurchaseOrder)
	for _, o := range orders {
		b.total(d, o, returned)
	}
	if b.stray[d.ID] = len(orders) > 1 && strays(kinds, shares); b.stray[d.ID] || len(orders) > 1 && b.haveRoom(orders) {
		for i := range shares {
			shares[i].over = false
		}
		for _, o := range orders {
			delete(b.sums[o.ID].over, d.ID)
		}
	}
}

// strays reports whether goods of an invoice belong to no matched order. If it bills several
// orders, one of them is missing then, and which lines are the missing one's is a guess.
func strays(kinds []kind, shares []share) bool {
	placed := make([]bool, len(kinds))
	for _, s := range shares {
		placed[s.line] = true
	}
	for i, k := range kinds {
		if k == goods && !placed[i] {
			return true
		}
	}
	return false
}

// haveRoom reports whether orders together have room for what is billed: which of them a line
// belongs to is then a guess.
func (b *book) haveRoom(orders []*Document) bool {
	amount, value := zero, zero
	for _, o := range orders {
		s := b.sums[o.ID]
		if s.amount.IsZero() || o.Currency != orders[0].Currency {
			return false
		}
		amount, value = amount.Plus(s.amount), value.Plus(s.value)
	}
	return value.Cmp(amount) <= 0
}

// enter adds a share to its article's account.
func (b *book) enter(d *Document, s *share) {
	a, t := b.accounts[s.of], b.tolerances.Of(d.Supplier)
	s.before = a.billed
	a.billed = a.billed.Plus(s.quantity)
	a.billedValue = a.billedValue.Plus(s.value)
	a.uncounted = a.uncounted || s.quantity.IsZero()
	a.unvalued = a.unvalued || s.value.IsZero()
	s.over = s.quantity.Sign() > 0 && a.exceeded(t) && !a.within()
}

// exceeded reports whether more units are billed than were ordered.
func (a *account) exceeded(t Tolerance) bool {
	return !a.ordered.IsZero() && !a.billed.IsZero() && !t.quantity(a.billed, a.ordered, a.unit)
}

// within reports whether the amount billed is within the amount ordered.
func (a *account) within() bool {
	return !a.unvalued && a.orderedValue.Sign() > 0 && a.billedValue.Minus(a.orderedValue).Minus(cents).Sign() <= 0
}

// total enters an invoice in the sum of an order.
func (b *book) total(d, o *Document, returned document.Amount) {
	s, t := b.sums[o.ID], b.tolerances.Of(d.Supplier)
	var value, printed document.Amount
	only := len(b.with(d, document.PurchaseOrder)) == 1
	counted := map[int]bool{}
	for _, sh := range b.shares[d.ID] {
		if sh.of.order != o.ID {
			continue
		}
		value = value.Plus(sh.value)
		s.over[d.ID] = s.over[d.ID] || sh.over
		if !counted[sh.line] {
			counted[sh.line], printed = true, printed.Plus(amountOf(d.Lines[sh.line]))
		}
	}
	billed := value
	if only {
		off, unprinted := s.deducted(d)
		value, billed = b.lump(d, value).Minus(returned).Minus(off), b.charged(d, printed)
		if b.deducted[d.ID] = off; unprinted {
			billed = billed.Minus(off)
		}
		if slices.Contains(b.kinds[d.ID], advance) {
			s.advances = append(s.advances, d)
		}
	}
	if s.amount.IsZero() || billed.IsZero() || d.Currency != "" && o.Currency != "" && d.Currency != o.Currency {
		return
	}
	s.billed, s.value = s.billed.Plus(billed), s.value.Plus(value)
	collective := len(b.shares[d.ID]) == 0 && len(d.Lines) > 0 && value.Cmp(s.amount) > 0 // bills other orders too
	most := sumOf(o.Lines, amountOf)                                                      // a discount of the whole is a matter of price
	if most.Cmp(s.amount) < 0 {
		most = s.amount
	}
	if value.Sign() > 0 && !collective && !t.total(s.value.Minus(b.forgiven(o, t)), most) {
		s.over[d.ID] = true
	}
	s.dear[d.ID] = billed.Sign() > 0 && !t.total(s.billed.Minus(b.forgiven(o, t)), s.amount)
}

// deducted is the amount of earlier down payments that an invoice deducts without a line: it is
// prepaid, or missing in the net amount. unprinted means that the net amount still has it.
func (s *sum) deducted(d *Document) (off document.Amount, unprinted bool) {
	paid := sumOf(s.advances, net)
	off, unprinted = d.Prepaid, true
	if off.Sign() <= 0 {
		off, unprinted = sumOf(d.Lines, amountOf).Minus(net(d)), false
	}
	switch {
	case off.Minus(cents).Sign() <= 0 || paid.Sign() <= 0:
		return zero, false
	case off.Cmp(paid) > 0: // with VAT
		off = paid
	}
	return off, unprinted
}

// forgiven is the amount by which an order's articles are exceeded within the tolerance of
// their quantity.
func (b *book) forgiven(o *Document, t Tolerance) (sum document.Amount) {
	sum = zero
	for i := range o.Lines {
		a := b.accounts[article{o.ID, i}]
		if a.lines[0] != i || a.orderedValue.IsZero() || a.exceeded(t) {
			continue
		}
		if more := a.billedValue.Minus(a.orderedValue); more.Sign() > 0 {
			sum = sum.Plus(more)
		}
	}
	return sum
}

// lump adds the amounts that an invoice takes of its only order without an article: down
// payments, what it deducts, or the whole if it has no lines about goods.
func (b *book) lump(d *Document, goodsValue document.Amount) document.Amount {
	kinds := b.kinds[d.ID]
	if !slices.ContainsFunc(kinds, func(k kind) bool { return k != charge && k != headline }) && len(kinds) > 0 {
		return zero
	}
	if goodsValue.IsZero() && !slices.Contains(kinds, advance) {
		return net(d)
	}
	sum := goodsValue
	for i, k := range kinds {
		if k == advance || k == deduction || k == discount {
			sum = sum.Plus(amountOf(d.Lines[i]))
		}
	}
	return sum
}

// charged is the amount an invoice takes of its only order as printed; lines is the sum of its
// lines for that order. It is less if the invoice deducts earlier payments or is credited, and
// the whole if it bills a lump sum.
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

// credited is the quantity taken back by credit notes, by line, and the net amount of the credit
// notes that take none back. A credit note at another price reduces the price and takes back no
// goods.
func (b *book) credited(d *Document) (back map[int]document.Amount, amount document.Amount) {
	back, amount = map[int]document.Amount{}, zero
	t := b.tolerances.Of(d.Supplier)
	for _, c := range b.with(d, document.CreditNote) {
		goods := false
		for _, p := range b.aligned(d, c) {
			x, y := d.Lines[p.A[0]], c.Lines[p.B[0]]
			by := b.factor(x, y)
			if diff, ok := comparePrices(y, x, by); by.how == byPrice || by.how == byAmount || ok && !t.price(diff) {
				continue
			}
			for _, j := range p.B {
				back[p.A[0]] = back[p.A[0]].Plus(by.count(c.Lines[j].Quantity))
			}
			goods = true
		}
		if !goods {
			amount = amount.Plus(net(c).Abs())
		}
	}
	return back, amount
}

// comparePrices compares the prices of two lines for the same number of units. ok is false if
// one is missing, or if the units don't compare.
func comparePrices(l, ordered document.Line, by factor) (d difference, ok bool) {
	price, _ := priceOf(l)
	expected, _ := priceOf(ordered)
	if price.Sign() == 0 || expected.Sign() == 0 || by.how == unknown || l.UnitPrice.IsZero() || ordered.UnitPrice.IsZero() {
		return d, false
	}
	expected = expected.Times(by.of)
	for _, n := range []document.Amount{l.PriceFor, ordered.PriceFor} { // tolerances are for prices as printed
		if n.Cmp(one) > 0 {
			return difference{price.Times(n), expected.Times(n)}, true
		}
	}
	return difference{price, expected}, true
}

package threeway

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"

	"github.com/google/uuid"
)

func (b *book) invoice(d *Document) Invoice {
	v := Invoice{ID: d.ID, Verdict: Matched, Lines: []Line{}, Orders: []Order{}, Receipts: []uuid.UUID{}}
	for _, r := range b.receipts(d) {
		v.Receipts = append(v.Receipts, r.ID)
	}
	orders := b.with(d, document.PurchaseOrder)
	bad := 0
	for i := range d.Lines {
		l := b.line(d, i, len(orders), len(v.Receipts))
		if l.Verdict != Matched {
			bad++
		}
		v.Verdict = worse(v.Verdict, l.Verdict)
		if i < MaxLines {
			v.Lines = append(v.Lines, l)
		}
	}
	switch {
	case len(d.Lines) == 0 && len(orders) == 0:
		v.Verdict = NotOrdered
	case len(d.Lines) == 0 && len(v.Receipts) == 0 && b.t.NeedsReceipt:
		v.Verdict = NotReceived
	}
	v.Words = fmt.Sprintf("Lines matched: %d of %d, with %s and %s.", len(d.Lines)-bad, len(d.Lines),
		plural.Of(len(orders), "order"), plural.Of(len(v.Receipts), "receipt"))
	if len(d.Lines) == 0 {
		v.Words = fmt.Sprintf("The invoice has no lines: only amounts are compared, with %s and %s.",
			plural.Of(len(orders), "order"), plural.Of(len(v.Receipts), "receipt"))
	}
	for _, o := range orders {
		rest := b.rest(d, o)
		if rest.OverBilled {
			v.Verdict = OverBilled
		}
		v.Orders = append(v.Orders, rest)
	}
	return v
}

func (b *book) line(d *Document, i, orders, receipts int) Line {
	l := d.Lines[i]
	v := Line{Line: i + 1, Item: item(l), Verdict: Matched, Billed: l.Quantity, Price: l.UnitPrice}
	find := func(verdict Verdict, format string, args ...any) {
		v.Verdict = worse(v.Verdict, verdict)
		v.Words = append(v.Words, fmt.Sprintf(format, args...))
	}
	shares := slices.DeleteFunc(slices.Clone(b.shares[d.ID]), func(s share) bool { return s.line != i })
	if len(shares) == 0 {
		switch {
		case orders == 0:
			find(NotOrdered, "No order is matched with the invoice.")
		case !l.Amount.IsZero() && l.Amount.Within(b.t.PriceAbsolute, zero):
			find(Matched, "No order has this item; its amount is within the tolerance.")
		default:
			find(NotOrdered, "No matched order has a line like this one.")
		}
		return v
	}
	blind, billed := false, document.Amount{}
	for _, s := range shares {
		a := b.accounts[s.of]
		v.Ordered, v.Received = v.Ordered.Plus(a.ordered), v.Received.Plus(a.received)
		v.Before, billed = v.Before.Plus(s.before), billed.Plus(s.quantity)
		blind = blind || a.blind
	}
	o := shares[0].of
	v.Order = &o.order
	ordered := b.orderLine(d, o)
	if diff, ok := comparePrices(l, ordered); ok && !b.t.price(diff) {
		find(PriceVariance, "The price is %s; the order's is %s.", per(l), per(ordered))
	}
	through := v.Before.Plus(billed)
	if !v.Ordered.IsZero() && !through.IsZero() && !b.t.quantity(through, v.Ordered) {
		find(OverBilled, "%s billed up to this invoice, %s ordered%s.", short(through), short(v.Ordered),
			units(l, ordered))
	}
	switch {
	case !b.t.NeedsReceipt || blind:
	case receipts == 0:
		find(NotReceived, "No receipt is matched with the invoice or its order.")
	case v.Received.Sign() == 0:
		find(NotReceived, "No receipt has a line like this one.")
	case !through.IsZero() && !b.t.quantity(through, v.Received):
		find(QuantityVariance, "%s billed up to this invoice, %s received.", short(through), short(v.Received))
	}
	return v
}

func (b *book) orderLine(d *Document, a article) document.Line {
	for _, o := range b.with(d, document.PurchaseOrder) {
		if o.ID == a.order {
			return o.Lines[a.line]
		}
	}
	return document.Line{}
}

// rest is the state of order o; d must be one of its invoices.
func (b *book) rest(d, o *Document) Order {
	s := b.sums[o.ID]
	r := Order{ID: o.ID, Amount: s.amount, Billed: s.billed, Lines: []OrderLine{}}
	if !s.amount.IsZero() {
		r.Remaining = s.amount.Minus(s.billed)
	}
	through, ok := s.through[d.ID]
	r.OverBilled = ok && !b.t.price(difference{through, s.amount}) && through.Minus(s.amount).Sign() > 0
	for _, sh := range b.shares[d.ID] {
		a := b.accounts[sh.of]
		if up := sh.before.Plus(sh.quantity); sh.of.order == o.ID && !a.ordered.IsZero() && !up.IsZero() &&
			sh.quantity.Sign() > 0 && !b.t.quantity(up, a.ordered) {
			r.OverBilled = true
		}
	}
	for i, l := range o.Lines {
		at := article{o.ID, i}
		a := b.accounts[at]
		switch {
		case b.others[at] || len(r.Lines) == MaxLines:
			continue
		case a == nil: // neither billed nor received
			a = &account{ordered: l.Quantity.Abs()}
		}
		line := OrderLine{Line: i + 1, Item: item(l), Ordered: a.ordered, Received: a.received, Billed: a.billed}
		if !a.ordered.IsZero() {
			if line.Remaining = a.ordered.Minus(a.billed); a.uncounted {
				line.Billed, line.Remaining = document.Amount{}, document.Amount{}
			}
		}
		r.Lines = append(r.Lines, line)
	}
	return r
}

// maxItem bounds the text of an item, in characters.
const maxItem = 80

func item(l document.Line) string {
	return fmt.Sprintf("%.*s", maxItem, strings.TrimSpace(l.SKU+" "+l.Description))
}

// units names the units of two lines if their names differ, because the quantities are
// compared as plain numbers.
func units(a, b document.Line) string {
	if a.Unit == b.Unit || a.Unit == "" || b.Unit == "" {
		return ""
	}
	return fmt.Sprintf(" (the units are named %.20q and %.20q)", a.Unit, b.Unit)
}

func per(l document.Line) string {
	if l.PriceFor.IsZero() {
		return short(l.UnitPrice)
	}
	return short(l.UnitPrice) + " for " + short(l.PriceFor)
}

func short(a document.Amount) string { return a.Canonical() }

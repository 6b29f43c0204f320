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
	t := b.tolerances.Of(d.Supplier)
	v := Invoice{ID: d.ID, Verdict: Matched, Lines: []Line{}, Orders: []Order{}, Receipts: []uuid.UUID{}, Tolerance: t,
		Learned: b.learned[d.ID], Unsure: []string{}}
	for _, r := range b.receipts(d) {
		v.Receipts = append(v.Receipts, r.ID)
	}
	orders := b.with(d, document.PurchaseOrder)
	bad := 0
	for i := range d.Lines {
		l, unsure := b.line(d, i, len(orders), len(v.Receipts))
		if unsure != "" && !slices.Contains(v.Unsure, unsure) {
			v.Unsure = append(v.Unsure, unsure)
		}
		if !l.Verdict.Agrees() {
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
	case len(d.Lines) == 0 && len(v.Receipts) == 0 && t.NeedsReceipt:
		v.Verdict = NotReceived
	}
	v.Words = fmt.Sprintf("Lines matched: %d of %d", len(d.Lines)-bad, len(d.Lines))
	if len(d.Lines) == 0 {
		v.Words = "The invoice has no lines: only amounts are compared"
	}
	v.Words += fmt.Sprintf(", with %s and %s.", plural.Of(len(orders), "order"), plural.Of(len(v.Receipts), "receipt"))
	b.judgeWhole(d, &v)
	for _, o := range orders {
		rest := b.rest(d, o)
		if rest.OverBilled {
			v.Verdict = OverBilled
		} else if b.sums[o.ID].dear[d.ID] {
			v.Verdict = worse(v.Verdict, PriceVariance)
			v.Words += fmt.Sprintf(" With it, %s of an order of %s is billed.", rest.Billed.Fixed(), rest.Amount.Fixed())
		}
		v.Orders = append(v.Orders, rest)
	}
	return v
}

// finding is a line's verdict while its parts are compared.
type finding struct {
	Line
	t       Tolerance
	l       document.Line // of the invoice
	ordered document.Line
	by      factor
	shares  []share
	a       account // of all shares
}

func (f *finding) find(verdict Verdict, format string, args ...any) {
	f.Verdict = worse(f.Verdict, verdict)
	f.Words = append(f.Words, fmt.Sprintf(format, args...))
}

// line compares a line of an invoice. unsure is its article if other documents may explain its
// unit.
func (b *book) line(d *Document, i, orders, receipts int) (line Line, unsure string) {
	l := d.Lines[i]
	f := &finding{Line: Line{Line: i + 1, Item: item(l), Verdict: Matched, Billed: l.Quantity, Price: l.UnitPrice},
		t: b.tolerances.Of(d.Supplier), l: l}
	for _, s := range b.shares[d.ID] {
		if s.line == i {
			f.shares = append(f.shares, s)
		}
	}
	switch {
	case b.kinds[d.ID][i] != goods:
		b.other(d, i, f)
	case len(f.shares) == 0 && orders == 0:
		f.find(NotOrdered, "No order is matched with the invoice.")
	case len(f.shares) == 0 && !l.Amount.IsZero() && l.Amount.Within(f.t.PriceAbsolute, zero):
		f.find(Matched, "No order has this item; its amount is within the tolerance.")
	case len(f.shares) == 0:
		f.find(NotOrdered, "No matched order has a line like this one.")
	default:
		b.compare(d, f, receipts)
		if how := f.by.how; f.a.blind || how == unknown || how == byAmount || how == byKnown && b.own[b.factKey(f.ordered, l)].IsZero() {
			unsure = b.article(f.ordered)
		}
	}
	return f.Line, unsure
}

// compare compares a line with the article's accounts.
func (b *book) compare(d *Document, f *finding, receipts int) {
	for _, s := range f.shares {
		a := b.accounts[s.of]
		f.Ordered, f.Received = f.Ordered.Plus(a.ordered), f.Received.Plus(a.received)
		f.Before, f.a.billed = f.Before.Plus(s.before), f.a.billed.Plus(s.quantity)
		f.a.blind = f.a.blind || a.blind
		f.a.unit = a.unit
	}
	first := f.shares[0]
	f.Order, f.by = &first.of.order, first.by
	o := b.byID[first.of.order]
	f.ordered = o.Lines[b.like(o, first.of.line, f.l)]
	if words := f.by.words(f.ordered, f.l); words != "" {
		f.Counted = f.a.billed
		f.find(Matched, "%s", words)
	}
	if first.substitute || otherNumber(f.l, f.ordered, b.notes(d, o)) {
		f.find(SubstituteArticle, "The article is %q; the order's is %q.", item(f.l), item(f.ordered))
	}
	b.comparePrice(d, f)
	b.compareQuantity(d, f)
	f.compareReceived(receipts)
}

// notes are an invoice's, its order's and its receipts'.
func (b *book) notes(d, o *Document) (list []string) {
	for _, x := range append([]*Document{d, o}, b.receipts(d)...) {
		list = append(list, x.Notes)
	}
	return list
}

func (b *book) comparePrice(d *Document, f *finding) {
	a := b.accounts[f.shares[0].of]
	if _, n := priceOf(f.l); !n.IsZero() {
		f.find(PriceUnitAssumed, "The price is taken for %s units, because the amount says so.", short(n))
	}
	if _, n := priceOf(f.ordered); !n.IsZero() {
		f.find(PriceUnitAssumed, "The order's price is taken for %s units, because the amount says so.", short(n))
	}
	diff, ok := comparePrices(f.l, f.ordered, f.by)
	if f.by.how == byAmount || !ok || f.t.price(diff) {
		return
	}
	if rate, in := gross(d, f.l, diff); in != "" {
		f.find(OrderInGross, "The %s's price includes VAT, at %s %%.", in, short(rate))
		return
	}
	if f.isPart(a) {
		f.find(DownPayment, "The line bills a part of the ordered amount %s.", a.orderedValue.Fixed())
		return
	}
	f.find(PriceVariance, "The price is %s; the order's is %s.", per(f.l), per(f.ordered))
}

// isPart reports whether a line is one of several that bill a single ordered unit in parts.
func (f *finding) isPart(a *account) bool {
	return dividesLump(f.ordered) && a.within() && a.exceeded(f.t)
}

// gross finds the VAT that makes two prices equal: the rate, and the document with the price
// that includes it.
func gross(d *Document, l document.Line, diff difference) (rate document.Amount, in string) {
	whole := net(d)
	for _, tax := range []document.Amount{l.TaxRate.Times(hundredth), d.Tax.Per(whole), d.Total.Minus(whole).Per(whole)} {
		if tax.Sign() <= 0 {
			continue
		}
		with := one.Plus(tax)
		rate = tax.Times(document.MustAmount("100")).Round(2)
		if priced := diff.is.Times(with); priced.Within(diff.expected.Times(thousandth), diff.expected) {
			return rate, "order"
		}
		if priced := diff.expected.Times(with); priced.Within(diff.is.Times(thousandth), diff.is) {
			return rate, "invoice"
		}
	}
	return rate, ""
}

func (b *book) compareQuantity(d *Document, f *finding) {
	through := f.Before.Plus(f.a.billed)
	if f.Ordered.IsZero() || through.IsZero() || f.t.quantity(through, f.Ordered, f.a.unit) {
		return
	}
	billed, ordered := withUnit(through, f.a.unit), withUnit(f.Ordered, f.a.unit)
	a := b.accounts[f.shares[0].of]
	switch {
	case slices.ContainsFunc(f.shares, func(s share) bool { return s.over }):
		f.find(OverBilled, "%s billed up to this invoice, %s ordered.", billed, ordered)
	case b.stray[d.ID]:
		f.find(QuantityVariance, "%s billed up to this invoice, %s ordered; an order of the invoice isn't matched.", billed, ordered)
	case f.isPart(a) || a.billedValue.Within(cents, a.orderedValue):
	default:
		f.find(QuantityVariance, "%s billed up to this invoice, %s ordered, for no more than the amount ordered.", billed, ordered)
	}
}

func (f *finding) compareReceived(receipts int) {
	through := f.Before.Plus(f.a.billed)
	service := f.t.unreceived(f.l, f.ordered)
	switch {
	case !f.t.NeedsReceipt || f.a.blind || f.Verdict == DownPayment:
	case service && f.Received.Sign() == 0:
		f.find(Service, "A service: no receipt is expected.")
	case receipts == 0:
		f.find(NotReceived, "No receipt is matched with the invoice or its order.")
	case f.Received.Sign() == 0:
		f.find(NotReceived, "No receipt has a line like this one.")
	case !through.IsZero() && !f.t.quantity(through, f.Received, f.a.unit):
		f.find(QuantityVariance, "%s billed up to this invoice, %s received.", withUnit(through, f.a.unit), withUnit(f.Received, f.a.unit))
	}
}

// rest is the state of order o; d must be one of its invoices.
func (b *book) rest(d, o *Document) Order {
	s := b.sums[o.ID]
	r := Order{ID: o.ID, Amount: s.amount, Billed: s.billed, OverBilled: s.over[d.ID], Lines: []OrderLine{}}
	if !s.amount.IsZero() {
		r.Remaining = s.amount.Minus(s.billed)
	}
	for i, l := range o.Lines {
		a := b.accounts[article{o.ID, i}]
		if a.lines[0] != i || len(r.Lines) == MaxLines {
			continue
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

func per(l document.Line) string {
	if l.PriceFor.IsZero() {
		return short(l.UnitPrice)
	}
	return short(l.UnitPrice) + " for " + short(l.PriceFor)
}

func short(a document.Amount) string { return a.Canonical() }

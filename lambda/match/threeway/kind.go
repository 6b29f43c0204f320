package threeway

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/match/score"
)

// kind is the nature of an invoice's line.
type kind int

const (
	goods     kind = iota // an article, ordered or not
	headline              // only text
	charge                // freight and the like
	advance               // a down payment or an instalment: a share of the order's amount
	deduction             // of a down payment
	discount              // a negative amount without goods
)

// A line without an article may be a charge, whatever its name, up to these shares of an
// invoice's goods: the second is for a line with only an amount.
var maxCharge, maxPlainCharge = document.MustAmount("0.15"), half

// classify tells the kinds of an invoice's lines; shares are its goods.
func (b *book) classify(d *Document, shares []share) []kind {
	kinds, aligned := make([]kind, len(d.Lines)), map[int]share{}
	ordered := document.Amount{}
	for _, s := range shares {
		aligned[s.line] = s
	}
	for i := range aligned {
		ordered = ordered.Plus(amountOf(d.Lines[i]).Abs())
	}
	for i, l := range d.Lines {
		s, known := aligned[i]
		amount := amountOf(l)
		switch {
		case isHeadline(l):
			kinds[i] = headline
		case !isSingle(l):
		case amount.Sign() > 0 && b.isAdvance(d, l, known && !b.isPart(l, s), known):
			kinds[i] = advance
		case known:
		case amount.Sign() < 0 && b.deducts(d, l):
			kinds[i] = deduction
		case amount.Sign() < 0 && (l.Quantity.IsZero() || l.SKU == "" && (l.Quantity.Sign() > 0 || printsShare(l, ordered))):
			kinds[i] = discount
		case amount.Sign() > 0 && (score.IsCharge(l) || l.SKU == "" && amount.Cmp(ordered.Times(mostCharge(l))) <= 0):
			kinds[i] = charge
		}
	}
	return kinds
}

func mostCharge(l document.Line) document.Amount {
	if l.UnitPrice.IsZero() {
		return maxPlainCharge
	}
	return maxCharge
}

// isSingle reports whether a line counts nothing: its quantity is absent, or one.
func isSingle(l document.Line) bool { return l.Quantity.IsZero() || l.Quantity.Abs().Cmp(one) <= 0 }

// isPart reports whether a line bills less than its ordered line's price.
func (b *book) isPart(l document.Line, s share) bool {
	a := b.accounts[s.of]
	return amountOf(l).Cmp(a.orderedValue) < 0
}

// isAdvance reports whether a line is a share of an order's amount. It says so if it prints the
// share in per cent; a line about no article also by its name, by its invoice's type, or because
// another invoice deducts it.
func (b *book) isAdvance(d *Document, l document.Line, whole, known bool) bool {
	for _, o := range b.with(d, document.PurchaseOrder) {
		amount := b.sums[o.ID].amount
		if whole || amount.Sign() <= 0 || amountOf(l).Cmp(amount) >= 0 {
			continue
		}
		if printsShare(l, amount) || printsShare(l, o.Total) {
			return true
		}
		if !known && (d.TypeCode == prepayment || b.isDeducted(d, o) || len(d.Lines) <= maxAdvanceLines && namesAdvance(l.Description)) {
			return true
		}
	}
	return false
}

const (
	prepayment      = "386" // UNTDID 1001
	maxAdvanceLines = 3
)

var (
	percentage  = lazy.Regexp(`([0-9]{1,2})(?:[.,]([0-9]{1,2}))?\s?(?:%|percent|Prozent|procent)`)
	monthOfYear = lazy.Regexp(`\b(?:0[1-9]|1[0-2])[/.](?:19|20)[0-9]{2}\b`)
)

// printsShare reports whether a line names its amount as a percentage of an order's amount.
func printsShare(l document.Line, of document.Amount) bool {
	for _, m := range percentage().FindAllStringSubmatch(l.Description, maxShown) {
		percent, err := document.ParseAmount(strings.TrimSuffix(m[1]+"."+m[2], "."))
		want := portion(percent, of)
		if err == nil && want.Sign() > 0 && amountOf(l).Abs().Within(want.Times(thousandth).Plus(cents), want) {
			return true
		}
	}
	return false
}

// isDeducted reports whether a later invoice of the order deducts the amount of d.
func (b *book) isDeducted(d, o *Document) bool {
	for _, later := range b.with(o, document.Invoice) {
		if inOrder(d, later) < 0 && slices.ContainsFunc(later.Lines, func(l document.Line) bool { return takes(l, d) }) {
			return true
		}
	}
	return false
}

// takes reports whether a line deducts the net amount, or the total, of an invoice.
func takes(l document.Line, d *Document) bool {
	amount := amountOf(l)
	return amount.Sign() < 0 && (amount.Abs().Within(cents, net(d)) || amount.Abs().Within(cents, d.Total))
}

// deducts reports whether a line deducts earlier down payments for an order of d.
func (b *book) deducts(d *Document, l document.Line) bool {
	for _, o := range b.with(d, document.PurchaseOrder) {
		sum := document.Amount{}
		for _, a := range b.sums[o.ID].advances {
			sum = sum.Plus(net(a))
			if takes(l, a) || names(l.Description, a.Number) {
				return true
			}
		}
		if !sum.IsZero() && (amountOf(l).Abs().Within(cents, sum) || namesAdvance(l.Description)) {
			return true
		}
	}
	return false
}

// names reports whether a text has a document's number as a word.
func names(text, number string) bool {
	n := reference.Canonical(number)
	return n != "" && slices.ContainsFunc(strings.Fields(text), func(word string) bool { return reference.Canonical(word) == n })
}

// substituted finds the ordered line that an invoice's or receipt's line without an article
// stands for: the only unused one with the same quantity and price, of another article number.
// Without prices, the document's notes must name both, or a line of an invoice of the order.
// It returns -1 without one.
func (b *book) substituted(o, d *Document, i int, used map[int]bool, t Tolerance) int {
	l, found := d.Lines[i], -1
	if l.SKU == "" || l.Quantity.Sign() <= 0 {
		return -1
	}
	for at, line := range o.Lines {
		if used[at] || line.SKU == "" || !line.Quantity.Equal(l.Quantity) {
			continue
		}
		diff, priced := comparePrices(l, line, factor{one, byUnit})
		if priced && !t.price(diff) || !priced && !(names(d.Notes, line.SKU) && names(d.Notes, l.SKU)) && !b.replaces(o, l, line) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = at
	}
	return found
}

// replaces reports whether an invoice of an order has the article of l, and names the ordered line's
// there.
func (b *book) replaces(o *Document, l, ordered document.Line) bool {
	return slices.ContainsFunc(b.with(o, document.Invoice), func(d *Document) bool {
		return slices.ContainsFunc(d.Lines, func(x document.Line) bool { return x.SKU == l.SKU && names(x.Description, ordered.SKU) })
	})
}

// minName is the length from which a text names an article.
const minName = 4

// otherNumber reports whether a line stands for the ordered one: it names that in brackets, or
// has another article number although both number alike. Its text has the ordered number then, a
// text of the documents has both, or they differ in the last two characters.
func otherNumber(l, ordered document.Line, texts []string) bool {
	if _, inside, ok := strings.Cut(plainText(l.Description), "("); ok && len(ordered.Description) > minName &&
		strings.Contains(inside, plainText(ordered.Description)) {
		return true
	}
	a, b := strings.TrimSpace(l.SKU), strings.TrimSpace(ordered.SKU)
	if a == "" || b == "" || reference.Canonical(a) == reference.Canonical(b) {
		return false
	}
	if near := max(len(a)-2, 2); len(a) == len(b) && a[:min(near, len(a))] == b[:min(near, len(b))] &&
		plainText(l.Description) != plainText(ordered.Description) {
		return true
	}
	return names(l.Description, b) ||
		slices.ContainsFunc(texts, func(text string) bool { return names(text, b) && names(text, a) })
}

// namesAdvance reports whether a text names a down payment. The words are hints: a line about an
// article isn't asked.
func namesAdvance(text string) bool {
	folded := strings.ReplaceAll(plainText(text), "down payment", "down-payment")
	return slices.ContainsFunc(advances, func(word string) bool { return strings.Contains(folded, word) })
}

// advances are words for down payments and instalments in the EU's languages and Turkish.
var advances = strings.Fields("advance down-payment downpayment prepayment deposit instalment installment anzahlung " +
	"abschlag vorauszahlung teilzahlung akonto acompte avance arrhes anticipo señal acconto caparra adiantamento sinal " +
	"aanbetaling voorschot vooruitbetaling förskott forskud forskudd a-conto aconto ennakko zaliczka záloha zálohová " +
	"preddavok előleg avans predujam kapara аванс προκαταβολή avanss ettemaks kapora peşinat")

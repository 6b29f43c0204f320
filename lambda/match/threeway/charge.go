package threeway

import (
	"fmt"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"
)

// other describes a line that isn't goods.
func (b *book) other(d *Document, i int, f *finding) {
	amount := amountOf(f.l)
	switch b.kinds[d.ID][i] {
	case advance:
		f.find(DownPayment, "The line bills a part of the order's amount; no goods are expected for it.")
	case deduction:
		f.find(FinalInvoice, "The line deducts what an earlier invoice billed.")
	case discount:
		f.find(Matched, "The line takes %s off, without goods.", amount.Abs().Fixed())
	case charge:
		verdict, words := b.judgeCharge(d, amount, f.t)
		f.find(verdict, "%s", words)
	}
}

// plannedCharges are the charges of an invoice's orders.
func (b *book) plannedCharges(d *Document) document.Amount {
	sum := zero
	for _, o := range b.with(d, document.PurchaseOrder) {
		for _, l := range o.Lines {
			if score.IsCharge(l) {
				sum = sum.Plus(amountOf(l))
			}
		}
		sum = sum.Plus(chargesOf(o))
	}
	return sum
}

// chargesOf sums the charges of a document without a line.
func chargesOf(d *Document) document.Amount {
	return sumOf(d.Charges, func(c document.Charge) document.Amount { return c.Amount })
}

// judgeWhole judges what an invoice charges or deducts without a line.
func (b *book) judgeWhole(d *Document, v *Invoice) {
	if off := b.deducted[d.ID]; off.Sign() > 0 {
		v.Verdict = worse(v.Verdict, FinalInvoice)
		v.Words += fmt.Sprintf(" It deducts %s that earlier invoices bill.", off.Fixed())
	}
	sum := chargesOf(d)
	if sum.Sign() > 0 && len(b.shares[d.ID]) > 0 {
		verdict, words := b.judgeCharge(d, sum, v.Tolerance)
		v.Verdict = worse(v.Verdict, verdict)
		v.Words += " " + words
	}
}

// judgeCharge judges a charge by the charges of the orders.
func (b *book) judgeCharge(d *Document, amount document.Amount, t Tolerance) (Verdict, string) {
	planned := b.plannedCharges(d)
	switch {
	case amount.Minus(planned).Sign() <= 0 || t.price(difference{amount, planned}):
		return Matched, fmt.Sprintf("The order has charges of %s.", planned.Fixed())
	case t.charge(amount.Minus(planned), net(d).Minus(amount)):
		return Matched, "No order has this charge; it is within the tolerance."
	case planned.Sign() > 0:
		return PriceVariance, fmt.Sprintf("The charge is %s; the order's are %s.", amount.Fixed(), planned.Fixed())
	}
	return UnplannedCharge, fmt.Sprintf("No order has this charge of %s.", amount.Fixed())
}

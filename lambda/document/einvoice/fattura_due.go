package einvoice

import (
	"strings"

	"matchbook/lambda/document"
)

// withheld computes the amount due: the buyer pays a withholding (ritenuta) and a split tax
// (EsigibilitaIVA S) to the office instead of to the supplier. It returns both in words.
func (r *reading) withheld(d *document.Data) (words []string) {
	d.AmountDue = d.Total.Plus(d.Rounding)
	for _, n := range r.root.at(fatturaDoc + "DatiRitenuta") {
		amount := r.money(n, path{"ImportoRitenuta"})
		d.AmountDue = d.AmountDue.Minus(amount)
		if amount.Equal(r.fund) {
			r.fund = document.Amount{} // the same, listed again
		}
		words = append(words, "withholding tax "+n.one(path{"TipoRitenuta"})+" "+amount.Fixed())
	}
	if r.fund.Sign() != 0 {
		d.AmountDue = d.AmountDue.Minus(r.fund)
		words = append(words, "withheld for the pension fund "+r.fund.Fixed())
	}
	split := document.Amount{}
	for _, n := range r.root.at(fatturaGoods + "DatiRiepilogo") {
		if n.one(path{"EsigibilitaIVA"}) == "S" {
			split = split.Plus(r.money(n, path{"Imposta"}))
		}
	}
	if split.Sign() != 0 {
		d.AmountDue = d.AmountDue.Minus(split)
		words = append(words, "split payment of the tax "+split.Fixed())
	}
	return words
}

// payments reads the due date and describes the payments. They must add up to the amount due, or each
// be it: then they are alternatives.
func (r *reading) payments(d *document.Data, words []string) {
	details := r.root.at(fatturaPayment)
	sum, each := document.Amount{}, true
	for _, n := range details {
		amount := r.money(n, path{"ImportoPagamento"})
		sum = sum.Plus(amount)
		each = each && amount.Abs().Equal(d.AmountDue.Abs())
		due := n.some(path{"DataScadenzaPagamento"})
		if due == nil {
			continue
		}
		day, ok := date(due[0].value(), "")
		if !ok {
			r.report(due[0], fatturaPayment+"/DataScadenzaPagamento", "invalid date")
			continue
		}
		if d.Terms.Due.IsZero() || day.DaysUntil(d.Terms.Due) > 0 {
			d.Terms.Due = day
		}
		if len(details) > 1 {
			words = append(words, amount.Fixed()+" until "+day.String())
		}
	}
	d.Terms.Text = strings.Join(words, "\n")
	if !sum.IsZero() && !each && !sum.Abs().Within(rounding, d.AmountDue.Abs()) {
		n := r.root.some(path{fatturaPayment})[0]
		r.report(n, fatturaPayment, "the payments don't add up to the total less what is withheld")
	}
}

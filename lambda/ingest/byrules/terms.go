package byrules

import (
	"strings"

	"matchbook/lambda/internal/lazy"
)

var (
	// termsLabel begins a sentence about the payment, or stands next to one.
	termsLabel = word(`zahlbar|zahlungs(?:ziel|bedingung(?:en)?|frist)|please (?:pay|remit)|payable|payment terms?|` +
		`terms of payment|conditions de (?:paiement|règlement)|(?:condizioni|termini) di pagamento|` +
		`condiciones de pago|forma de pago`)
	// debited marks a sentence about the day of a direct debit.
	debited = lazy.Regexp(`(?i)\b(?:lastschrift|eingezogen|abgebucht|direct debit|debited|prélevée?|addebitat[oa]|` +
		`domiciliación)\b`)
)

// terms reads how to pay, and until when. A label or a sentence names the day. With a discount
// for early payment a sentence has two days; the last one is due.
func (r *reader) terms(all []dated, dayFirst, known bool) {
	r.labelledDue(all, dayFirst, known)
	for i, c := range r.cells {
		label := termsLabel().FindString(c.Text)
		switch {
		case label != "":
			rest := c.Text[len(label):]
			for _, h := range hints(r.cells, i, rest) {
				if h.place == inside && !strings.HasPrefix(rest, ":") {
					h.text = c.Text // the label is part of the sentence
				}
				r.termsText(h)
				r.lastDay(all, h.value, dayFirst, known)
				break
			}
		case debited().MatchString(c.Text) || payer().MatchString(c.Text):
			r.lastDay(all, c, dayFirst, known)
		}
	}
}

func (r *reader) termsText(h hint) {
	if r.e.Data.Terms.Text == "" && len(h.text) > 3 && len(moneyIn(h.value)) == 0 {
		r.e.Data.Terms.Text = h.text
		r.field("payment_terms.text", h.text, h.quote(), h.value.page)
	}
}

func (r *reader) labelledDue(all []dated, dayFirst, known bool) {
	for i, c := range r.cells {
		at := dueLabel().FindString(c.Text)
		if at == "" {
			continue
		}
		for _, h := range hints(r.cells, i, c.Text[len(at):]) {
			r.lastDay(all, h.value, dayFirst, known)
		}
	}
}

// lastDay uses the last day in a cell as the due date, unless there is one already.
func (r *reader) lastDay(all []dated, c cell, dayFirst, known bool) {
	if !r.e.Data.Terms.Due.IsZero() {
		return
	}
	for _, d := range all {
		v, ok := d.reading(dayFirst, known)
		last := r.e.Data.Terms.Due
		if !ok || d.quote != c.Text || d.page != c.page || !last.IsZero() && last.DaysUntil(v) < 0 {
			continue
		}
		r.e.Data.Terms.Due = v
		r.field("payment_terms.due", v.String(), d.quote, d.page)
	}
}

package einvoice

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
)

type reading struct {
	*mapping
	root     *node
	currency string
	problems []Problem
	fund     document.Amount // withheld, of a FatturaPA
}

func (r *reading) report(n *node, at, what string) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, Problem{n.line, at, what})
	}
}

func (r *reading) data() document.Data {
	r.flag()
	r.currency = r.code()
	d := document.Data{
		Number:   r.single(r.number),
		Date:     r.day(r.date),
		Currency: r.currency,
		Supplier: r.companyAt(r.supplier),
		Buyer:    r.companyAt(r.buyer),
		Period:   document.Period{From: r.day(r.from), To: r.day(r.to)},
		Subtotal: r.sum(r.subtotal),
		Tax:      r.money(r.root, r.tax),
		Total:    r.sum(r.total),
		Terms:    document.Terms{Due: r.day(r.due), Text: paragraphs(r.root.every(r.terms))},

		TypeCode:       r.root.one(r.typeCode),
		BuyerReference: r.root.one(r.buyerReference),
		Delivered:      r.day(r.delivered),
		Payee:          r.companyAt(r.mapping.payee),
		Prepaid:        r.money(r.root, r.prepaid),
		Rounding:       r.money(r.root, r.rounding),
		AmountDue:      r.money(r.root, r.payable),
	}
	r.balance(d)
	owner := &d.Supplier
	if d.Payee.Name != "" && d.Payee.Name != d.Supplier.Name {
		owner = &d.Payee
	}
	owner.IBAN, d.Buyer.IBAN = r.creditor(), r.root.one(r.payer)
	notes := r.root.every(r.notes)
	d.Lines, notes = r.items(notes)
	d.Notes = paragraphs(notes)
	d.References = r.cited()
	d.Taxes, d.Charges = r.byRate(), r.charged()
	if r.finish != nil {
		r.finish(r, &d)
	}
	return d
}

// balance checks rule BR-CO-16 of EN 16931. Some totals include the rounding already, and
// the profile MINIMUM lacks the prepaid amount.
func (r *reading) balance(d document.Data) {
	if d.AmountDue.IsZero() || d.Total.IsZero() || profile(r.root.one(r.mapping.profile)) == minimum {
		return
	}
	due := d.Total.Minus(d.Prepaid)
	if !due.Plus(d.Rounding).Within(rounding, d.AmountDue) && !due.Within(rounding, d.AmountDue) {
		n := r.root.some(r.payable)[0]
		r.report(n, place(r.payable, n), "it is not total - prepaid + rounding (EN 16931, BR-CO-16)")
	}
}

// flag reports facts that a person must know.
func (r *reading) flag() {
	for _, f := range r.flags {
		for _, place := range f.at {
			for _, n := range r.root.at(place) {
				if n.value() == f.value {
					r.report(n, place, f.what)
				}
			}
		}
	}
}

// single returns a text that must be unique in a document.
func (r *reading) single(p path) string {
	found := r.root.some(p)
	if found == nil {
		return ""
	}
	for _, n := range found[1:] {
		if n.value() != found[0].value() {
			r.report(n, place(p, n), "duplicate with another value; the first is used")
			break
		}
	}
	return found[0].value()
}

// place returns the place in p that ends with the name of n.
func place(p path, n *node) string {
	i := slices.IndexFunc(p, func(s string) bool { return s == n.name || strings.HasSuffix(s, "/"+n.name) })
	return p[max(i, 0)]
}

// code returns the currency: the document's, or its total's.
func (r *reading) code() string {
	code := r.single(r.mapping.currency)
	total := r.root.some(slices.Concat(r.total.sum, r.total.fallback))
	if code == "" && total != nil {
		code = total[0].attr("currencyID")
	}
	if code != "" && !currencyForm().MatchString(code) {
		n := append(r.root.some(r.mapping.currency), total...)[0]
		r.report(n, place(r.mapping.currency, n), "invalid currency: expected a code of three letters")
		return ""
	}
	return code
}

func (r *reading) day(p path) document.Date {
	found := r.root.some(p)
	if found == nil {
		return document.Date{}
	}
	r.single(p)
	d, ok := date(found[0].value(), found[0].attr("format"))
	if !ok {
		r.report(found[0], place(p, found[0]), "invalid date")
	}
	return d
}

func (r *reading) quantity(n *node, p path) document.Amount {
	found := n.some(p)
	if found == nil {
		return document.Amount{}
	}
	return r.decimal(found[0], p)
}

func (r *reading) decimal(n *node, p path) document.Amount {
	a, ok := decimal(n.value())
	if !ok {
		r.report(n, place(p, n), "invalid decimal: expected at most 18 digits before and 9 after the point")
	}
	return a
}

func (r *reading) money(n *node, p path) document.Amount {
	found := n.some(p)
	for _, f := range found {
		if !r.foreign(f) {
			return r.decimal(f, p)
		}
	}
	if found != nil {
		r.report(found[0], place(p, found[0]), "currency differs from the document's")
	}
	return document.Amount{}
}

func (r *reading) foreign(n *node) bool {
	c := n.attr("currencyID")
	return c != "" && r.currency != "" && c != r.currency
}

func (r *reading) sum(s sumPlaces) document.Amount {
	if found := r.root.some(s.sum); found != nil {
		r.single(s.sum)
		return r.money(r.root, s.sum)
	}
	for _, n := range r.root.every(s.between) {
		if a, _ := decimal(n.value()); a.Sign() != 0 {
			return document.Amount{}
		}
	}
	return r.money(r.root, s.fallback)
}

// paragraphs joins texts, each once.
func paragraphs(nodes []*node) string {
	var texts []string
	seen := map[string]bool{"": true}
	for _, n := range nodes {
		if t := n.paragraph(); !seen[t] {
			seen[t] = true
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, "\n")
}

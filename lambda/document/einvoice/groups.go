package einvoice

import (
	"cmp"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

func (r *reading) companyAt(p path) document.Party {
	parties := r.root.some(p)
	for _, place := range p {
		for _, n := range r.root.at(place) {
			if n.one(r.party.name) != "" {
				return r.company(n)
			}
		}
	}
	if parties == nil {
		return document.Party{}
	}
	return r.company(parties[0])
}

func (r *reading) company(n *node) document.Party {
	return document.Party{Name: n.one(r.party.name), VATID: r.vatID(n), Address: r.address(n)}
}

// vatID returns the number registered for VAT, or else an id with the scheme of VAT ids.
func (r *reading) vatID(n *node) string {
	for _, reg := range n.every(r.party.registrations) {
		for _, number := range reg.some(r.party.registration) {
			schemes := []string{number.attr("schemeID")}
			for _, s := range reg.every(r.party.scheme) {
				schemes = append(schemes, s.value())
			}
			if slices.ContainsFunc(schemes, isVAT) {
				return number.value()
			}
		}
	}
	for _, id := range n.every(r.party.ids) {
		if slices.Contains(vatSchemes, id.attr("schemeID")) {
			return id.value()
		}
	}
	return ""
}

func (r *reading) address(n *node) string {
	found := n.some(r.party.address)
	if found == nil {
		return ""
	}
	var parts []string
	for _, part := range r.party.parts {
		var words []string
		for _, w := range found[0].every(part) {
			if v := w.value(); v != "" {
				words = append(words, v)
			}
		}
		if words != nil {
			parts = append(parts, strings.Join(words, " "))
		}
	}
	return strings.Join(parts, ", ")
}

// creditor returns the first IBAN to pay to.
func (r *reading) creditor() string {
	if iban := r.root.one(r.iban); iban != "" {
		return iban
	}
	for _, n := range r.root.every(r.account) {
		if isIBAN(n.value()) {
			return n.value()
		}
	}
	return ""
}

// items reads the lines. The notes of a line become its description if it lacks one. Otherwise
// they are added to the notes of the document.
func (r *reading) items(notes []*node) (lines []document.Line, all []*node) {
	for _, n := range r.root.every(r.lines) {
		l, own := r.item(n)
		lines, notes = append(lines, l), append(notes, own...)
	}
	return lines, notes
}

func (r *reading) item(n *node) (l document.Line, notes []*node) {
	p := r.line
	l = document.Line{
		SKU:         n.one(p.sku),
		Description: n.one(p.description),
		Quantity:    r.quantity(n, p.quantity),
		UnitPrice:   r.money(n, p.price),
		PriceFor:    r.quantity(n, p.priceFor),
		Amount:      r.money(n, p.amount),
		TaxRate:     r.quantity(n, p.rate),
	}
	if q := n.some(p.quantity); q != nil {
		l.Unit = cmp.Or(n.one(p.unit), q[0].attr("unitCode"))
	}
	if l.PriceFor.Equal(one) || l.UnitPrice.IsZero() {
		l.PriceFor = document.Amount{}
	}
	r.product(n, l)
	notes = n.every(p.notes)
	if l.Description == "" && notes != nil {
		l.Description, notes = strings.Join(strings.Fields(paragraphs(notes)), " "), nil
	}
	return l, notes
}

// product reports a line with an amount other than quantity x net price. It must be checked
// here, since a discount of the line would explain the difference and structured data has no
// place for it. Some programs repeat the quantity as the price's, but mean a price for one.
func (r *reading) product(n *node, l document.Line) {
	amounts := n.some(r.line.amount)
	absent := l.Amount.IsZero() || l.Quantity.IsZero() || l.UnitPrice.IsZero()
	if absent || n.some(r.line.price[:1]) == nil || n.some(r.line.discounts) != nil {
		return
	}
	product := l.Quantity.Times(l.UnitPrice)
	for _, per := range []document.Amount{one, l.PriceFor} {
		if !per.IsZero() && product.Within(rounding.Times(per), l.Amount.Times(per)) {
			return
		}
	}
	r.report(amounts[0], place(r.line.amount, amounts[0]), "differs from quantity x price without a discount")
}

var (
	one, _ = decimal("1")
	// rounding is the difference tolerated by rule R120 of Peppol.
	rounding, _ = decimal("0.02")
)

// byRate reads the tax at each rate, but not again in the currency of the tax office.
func (r *reading) byRate() (list []document.Tax) {
	p := r.rate
	for _, n := range r.root.every(r.taxes) {
		if slices.ContainsFunc(n.some(p.amount), r.foreign) {
			continue
		}
		t := document.Tax{Category: n.one(p.category), Rate: r.quantity(n, p.rate),
			Base: r.money(n, p.base), Amount: r.money(n, p.amount)}
		list = append(list, t)
	}
	return list
}

func (r *reading) charged() (list []document.Charge) {
	for _, p := range r.charges {
		for _, n := range r.root.every(p.charges) {
			c := document.Charge{Description: cmp.Or(n.one(p.description), p.named),
				Amount: r.money(n, p.amount), TaxRate: r.quantity(n, p.rate)}
			if is := n.one(p.isCharge); is == "false" || is == "0" {
				c.Amount = c.Amount.Negated()
			}
			list = append(list, c)
		}
	}
	return list
}

func (r *reading) cited() (list []document.Reference) {
	seen := map[document.Reference]bool{}
	for _, row := range r.references {
		for _, n := range r.root.every(row.numbers) {
			ref := document.Reference{Type: row.kind, Number: n.value()}
			if row.kind == "" {
				ref = support(n)
			}
			if ref.Number != "" && ref.Number != noOrder && !seen[ref] {
				seen[ref] = true
				list = append(list, ref)
			}
		}
	}
	return list
}

// noOrder stands for the order's number, because Peppol requires one even without an order.
const noOrder = "NA"

func support(n *node) document.Reference {
	p := supporting
	ref := document.Reference{Type: supportCodes[n.one(p.code)], Number: n.one(p.number)}
	if n.some(p.attached) != nil {
		return document.Reference{}
	}
	ref.Type = cmp.Or(ref.Type, n.one(p.kind), "document")
	return ref
}

package byrules

import (
	"cmp"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
)

type party struct {
	name     cell
	text     string // the name in the cell
	quote    string // if the name takes two lines
	score    float64
	side     string // named by a label: buyer, supplier, delivery
	labelled bool
	byPlace  bool // only its place names it
	placed   bool // in the window of an envelope, or at an account
}

// parties finds supplier and buyer. Our own company is never the supplier. If the page names it as
// one, the supplier is unknown, because the invoice may be ours.
//
// Most papers come from the supplier. An order and a receipt of goods come from the buyer, so that
// their letterhead is the buyer, and their addressee the supplier.
func parties(cells []cell, own []document.Party, kind document.Type, titled bool) (supplier, buyer party) {
	found, who := candidates(cells), ownersOf(cells)
	if fromBuyer(kind) {
		supplier, buyer = reversed(cells, found, who, titled)
	} else {
		supplier, buyer = ends(cells, found, who, own, titled)
	}
	if owned(own, supplier.text) {
		supplier = party{}
	}
	return supplier, buyer
}

// reversed finds the parties of a paper from the buyer.
func reversed(cells []cell, found []party, who owners, titled bool) (supplier, buyer party) {
	switch supplier, buyer = ends(cells, found, who, nil, titled); {
	case supplier.side == "supplier":
		others := slices.DeleteFunc(slices.Clone(found), func(p party) bool { return p.side == "supplier" })
		if sender := issuer(cells, others, who, supplier, titled); buyer.side != "buyer" && sender.text != "" {
			buyer = sender
		}
	case buyer.side == "delivery":
		supplier, buyer = party{}, supplier
	case buyer.side != "buyer":
		supplier, buyer = buyer, supplier
	}
	if supplier.text == "" {
		supplier = addressed(cells, found, buyer)
	}
	goesTo := func(p party) bool { return p.side == "delivery" && p.isSame(supplier) && !p.isSame(buyer) }
	if supplier.side != "supplier" && slices.ContainsFunc(found, goesTo) {
		return buyer, supplier // nobody delivers to itself
	}
	return supplier, buyer
}

// addressed returns the company with an address that is not the buyer, if there is only one.
func addressed(cells []cell, found []party, buyer party) (only party) {
	for _, p := range found {
		_, town := townBelow(cells, p.name.at)
		switch {
		case !town || p.side != "" || p.isSame(buyer):
		case only.text != "" && !only.isSame(p):
			return party{}
		default:
			only = p
		}
	}
	only.byPlace = true
	return only
}

func fromBuyer(kind document.Type) bool {
	return kind == document.PurchaseOrder || kind == document.GoodsReceipt
}

// buys reports whether a label names the buyer of a paper from the supplier.
func buys(side string) bool { return side == "buyer" || side == "addressee" }

// ends finds the sender of a paper, who is the supplier unless a label differs, and its recipient.
// A label decides, then the owner of the footer, the sender's line and the domain, then the place:
// the window of an envelope is the recipient's, so that a name alone in it is not the sender.
func ends(cells []cell, found []party, who owners, own []document.Party, titled bool) (supplier, buyer party) {
	for _, p := range found {
		if buys(p.side) && p.score > buyer.score {
			buyer = p
		}
	}
	if buyer.text == "" {
		buyer = recipient(cells, who, own)
	}
	supplier = issuer(cells, found, who, buyer, titled)
	if buyer.text == "" {
		buyer = us(cells, found, own)
	}
	for _, p := range found {
		if p.side == "delivery" && buyer.text == "" {
			buyer = p // the goods go to it
		}
	}
	return supplier, buyer
}

// issuer returns the best candidate other than the other end, otherwise the letterhead.
func issuer(cells []cell, found []party, who owners, buyer party, titled bool) (best party) {
	for _, p := range found {
		other := buys(p.side) || p.side == "delivery" || p.isSame(buyer) ||
			p.side != "supplier" && in(cells, p.name.at, buyer)
		if !other && p.score > best.score && !(buyer.text == "" && inWindow(cells, who, p)) {
			best = p
		}
	}
	if best.text == "" {
		best = holder(cells, buyer)
	}
	if best.text == "" {
		best = letterhead(cells, who, buyer, titled)
	}
	return best
}

// owned reports whether a name is ours.
func owned(own []document.Party, name string) bool {
	key := company.ParseName(name).Key()
	return key != "" && slices.ContainsFunc(own, func(p document.Party) bool { return company.ParseName(p.Name).Key() == key })
}

// us returns our own company, wherever it is printed.
func us(cells []cell, found []party, own []document.Party) party {
	for _, p := range found {
		if owned(own, p.text) {
			return p
		}
	}
	for _, c := range cells {
		if owned(own, c.Text) {
			return party{name: c, text: strings.TrimSpace(c.Text)}
		}
	}
	return party{}
}

// in reports whether cell i stands in the block of a party's name and address.
func in(cells []cell, i int, p party) bool {
	if p.text == "" {
		return false
	}
	at := p.name.at
	for range 5 {
		if at == i {
			return true
		}
		below, ok := next(cells, at)
		if !ok {
			return false
		}
		at = below
	}
	return false
}

func (r *reader) parties(titled bool) {
	supplier, buyer := parties(r.cells, r.own, r.e.Type, titled)
	sender, recipient := r.ends(supplier, buyer)
	switch {
	case sender.text != "" && !r.told(supplier, buyer):
		r.ask("supplier.name", "nothing on the page tells the supplier from the buyer")
	case r.alone(sender, recipient):
		r.ask("supplier.name", "the only party that was read may have sent the paper")
	}
	rivals := r.rivals(supplier, buyer)
	r.grounds("supplier", supplier, buyer, rivals)
	r.grounds("buyer", buyer, supplier, rivals)
	name := func(side string, to *document.Party, p party) {
		if p.text != "" {
			to.Name = p.text
			r.field(side+".name", p.text, cmp.Or(p.quote, p.name.Text), p.name.page)
			r.guessed(side+".name", p.byPlace)
			if lines := address(r.cells, p.name); len(lines) > 0 {
				to.Address = strings.Join(lines, ", ")
				r.field(side+".address", to.Address, strings.Join(lines, "\n"), p.name.page)
			}
		}
	}
	d := &r.e.Data
	name("supplier", &d.Supplier, supplier)
	name("buyer", &d.Buyer, buyer)
	all := ids(r.cells, vatForm, company.VATID)
	ofSupplier, ofBuyer := assign(all, supplier, buyer, r.own)
	if fromBuyer(r.e.Type) {
		ofBuyer, ofSupplier = assign(all, buyer, supplier, nil)
	}
	set := func(path string, to *string, v id) {
		if v.value != "" {
			*to = v.value
			r.field(path, v.value, v.cell.Text, v.cell.page)
		}
	}
	set("supplier.vat_id", &d.Supplier.VATID, ofSupplier)
	set("buyer.vat_id", &d.Buyer.VATID, ofBuyer)
	for _, account := range ids(r.cells, ibanForm, company.IBAN) {
		if payer().MatchString(account.label) != fromBuyer(r.e.Type) {
			set("buyer.iban", &d.Buyer.IBAN, account)
		} else if d.Supplier.IBAN == "" {
			set("supplier.iban", &d.Supplier.IBAN, account)
		}
	}
}

// ends returns the sender and the recipient of a paper.
func (r *reader) ends(supplier, buyer party) (sender, recipient party) {
	if fromBuyer(r.e.Type) {
		return buyer, supplier
	}
	return supplier, buyer
}

// alone reports whether only the recipient of an order, a confirmation or a receipt was read, and no label says that it
// buys or supplies: its place, or a "to", may have taken the sender's name. The other types need a supplier anyway.
func (r *reader) alone(sender, recipient party) bool {
	needless := fromBuyer(r.e.Type) || r.e.Type == document.OrderConfirmation
	told := recipient.side == "buyer" || recipient.side == "supplier" || owned(r.own, recipient.text)
	return needless && sender.text == "" && recipient.text != "" && !told
}

// told reports whether the page separates the supplier from the buyer: by a label, a salutation or our own company, or
// since more of it speaks for the sender's name than for the recipient's, and than for any other on the first page if the
// sender's block may be the recipient's.
func (r *reader) told(supplier, buyer party) bool {
	sender, recipient := r.ends(supplier, buyer)
	greeted := !fromBuyer(r.e.Type) && buyer.text != "" && !buyer.byPlace
	if supplier.labelled || buyer.labelled || greeted || owned(r.own, buyer.text) {
		return true
	}
	who, found := ownersOf(r.cells), candidates(r.cells)
	goesTo := func(p party) bool { return p.side == "delivery" && p.isSame(sender) }
	marks := r.sends(sender, who) + bit(fromBuyer(r.e.Type) && slices.ContainsFunc(found, goesTo))
	rival := func(p party) bool {
		return p.name.page == r.cells[0].page && !p.shares(sender) && r.sends(p, who) >= marks
	}
	_, town := townBelow(r.cells, sender.name.at)
	address := town && sender.name.Text == sender.text
	return marks > r.sends(recipient, who) && !(address && slices.ContainsFunc(append(found, r.letterhead()), rival))
}

// sends counts the marks of a sender that a party has: a domain, which counts twice, a footer or a sender's line that
// repeats its name, its place above all other names, and contact details.
func (r *reader) sends(p party, who owners) int {
	if p.text == "" {
		return 0
	}
	return 2*bit(who.domain(p.text)) + bit(who.repeat(p.name, p.text)) + bit(r.first(p)) +
		bit(r.contacts(p)) + bit(r.imprint(p))
}

// contacts reports whether contact details stand in the block of a party, or next below it.
func (r *reader) contacts(p party) bool {
	const lines = 7
	at := p.name.at
	for range lines {
		i, ok := next(r.cells, at)
		if !ok || sideOf(r.cells[i].Text) != "" || isTitle(r.cells[i].Text) {
			return false
		}
		if dial().MatchString(r.cells[i].Text) {
			return true
		}
		if !tight(r.cells[at], r.cells[i]) {
			return false
		}
		at = i
	}
	return false
}

// imprint reports whether a name begins a line at the foot of the page, as the sender's address, register or account.
func (r *reader) imprint(p party) bool {
	const foot = 0.85
	details := func(c cell) bool { return contact().MatchString(c.Text) }
	return p.name.Box.Top > foot && strings.HasPrefix(p.name.Text, p.text) &&
		(len(p.name.Text) > len(p.text) || slices.ContainsFunc(right(r.cells, p.name.at), details))
}

// shares reports whether two names have a word in common, so that one may be the other's brand.
func (p party) shares(q party) bool {
	const shortest = 5
	return p.isSame(q) || slices.ContainsFunc(strings.Fields(legalForm().ReplaceAllString(p.text, " ")), func(w string) bool {
		w = printed.Letters(w)
		return len(w) >= shortest && strings.Contains(printed.Letters(q.text), w)
	})
}

// letterhead returns the first name on the page, with the names below it.
func (r *reader) letterhead() (p party) {
	name := func(c cell) bool { return nameLike(c.Text) && !contact().MatchString(c.Text) }
	i := slices.IndexFunc(r.cells, name)
	if i < 0 {
		return p
	}
	p = party{name: r.cells[i], text: r.cells[i].Text}
	for {
		below, ok := next(r.cells, i)
		if !ok || !name(r.cells[below]) || !tight(r.cells[i], r.cells[below]) {
			return p
		}
		p.text, i = p.text+" "+r.cells[below].Text, below
	}
}

// first reports whether no other name stands above a party's, or in its row.
func (r *reader) first(p party) bool {
	name := func(c cell) bool { return nameLike(c.Text) && !contact().MatchString(c.Text) }
	return !slices.ContainsFunc(r.cells[:p.name.at], name) && !slices.ContainsFunc(right(r.cells, p.name.at), name)
}

// guessed lowers the trust of a field that only its place names.
func (r *reader) guessed(path string, byPlace bool) {
	if f := r.e.Fields[path]; byPlace {
		f.Trust = extraction.ByPlace
		r.e.Fields[path] = f
	}
}

package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

// letterhead returns the supplier without a legal form or a label: a name at the top of the first page
// with proof (the footer, a sender's line or a domain repeats it), or with its own address
// or, if the page has a title, in large print above it. It skips titles, labels and the buyer's block.
//
// Of several without a proof none is the supplier.
func letterhead(cells []cell, who owners, buyer party, titled bool) (best party) {
	const highest = 0.15
	rivals := 0
	usual := median(cells)
	for i, c := range cells {
		name, _ := sender(c.Text)
		if name == "" {
			name = strings.TrimSpace(c.Text)
		}
		p := party{name: c, text: name, byPlace: true}
		if c.page != cells[0].page || p.isSame(buyer) || !nameLike(name) || isSpecial(name) || in(cells, i, buyer) {
			continue
		}
		low := c.Box.Top > 0.3 && name == strings.TrimSpace(c.Text) && !who.domain(name)
		if _, side := blockOf(cells, i); low || buys(side) || side == "delivery" {
			continue
		}
		p.score = c.height()*100 - c.Box.Top*2
		proof := 0.0
		if who.domain(name) {
			proof += 10
		}
		if who.repeat(c, name) {
			proof += 8
		}
		if _, town := townBelow(cells, i); town && !begun(cells, i) {
			rivals++
			p.score += 4
		} else if proof == 0 && (c.height() < large*usual && i > 0 || c.Box.Top > highest || !titled) {
			continue
		}
		p.byPlace = proof == 0
		if p.score += proof; best.text == "" || p.score > best.score {
			best = p
		}
	}
	if best.byPlace && rivals > 1 {
		return party{}
	}
	return best
}

// owners claim a name as the supplier's: web and mail addresses, footers, and the sender's lines
// above windows.
type owners struct {
	domains []string
	names   []string // of companies that a footer begins with
	claims  []claim
}

type claim struct {
	letters string // the name, or a footer's line that begins with it
	at      int    // its cell
	footer  bool
}

func ownersOf(cells []cell) owners {
	const footer, most = 0.85, 300
	o := owners{domains: domains(cells)}
	for i, c := range cells {
		if len(o.claims) == most {
			break
		}
		if from, ok := sender(c.Text); ok {
			o.claims = append(o.claims, claim{printed.Letters(from), i, false})
		}
		if c.Box.Top > footer {
			o.claims = append(o.claims, claim{printed.Letters(c.Text), i, true})
			if name, ok := nameIn(c.Text); ok && strings.HasPrefix(c.Text, name) && !registry().MatchString(name) && !aboutBank(cells, i) {
				o.names = append(o.names, name)
			}
		}
	}
	return o
}

// company reports whether the footer begins with another company, so that a logo is its letterhead.
func (o owners) company(other party) bool {
	return slices.ContainsFunc(o.names, func(name string) bool { return !other.isSame(party{text: name}) })
}

// domain reports whether a domain is made of the name, or of its beginning or end.
func (o owners) domain(text string) bool {
	const most = 6 // letters that no other name begins with
	name := printed.Letters(text)
	return len(name) > 3 && slices.ContainsFunc(o.domains, func(d string) bool {
		return strings.Contains(d, name) || len(d) >= most && strings.HasPrefix(name, d) || len(d) > most && strings.HasSuffix(name, d)
	})
}

// repeat reports whether a name stands in the footer or a sender's line too, or is a part of its cell.
func (o owners) repeat(at cell, name string) bool {
	return o.claimed(at, name) || strings.TrimSpace(at.Text) != name
}

// claimed reports whether a name stands in the footer or a sender's line too.
func (o owners) claimed(at cell, name string) bool {
	want := printed.Letters(name)
	return slices.ContainsFunc(o.claims, func(c claim) bool {
		return c.at != at.at && (c.letters == want || c.footer && strings.HasPrefix(c.letters, want))
	})
}

// holder returns the owner of the account, who is the supplier unless the claim was assigned. At the top of the page
// another name may be the letterhead, and the "holder" a bank.
func holder(cells []cell, buyer party) party {
	if slices.ContainsFunc(cells, func(c cell) bool { return assigned().MatchString(c.Text) }) {
		return party{}
	}
	for i, c := range cells {
		label := holderLabel().FindString(c.Text)
		if label == "" {
			continue
		}
		for _, h := range hints(cells, i, c.Text[len(label):]) {
			p := party{name: h.value, text: strings.Trim(h.text, " ."), labelled: true}
			p.placed = !nameLike(cells[0].Text) || party{text: cells[0].Text}.isSame(buyer)
			if nameLike(p.text) && !p.isSame(buyer) && !bank().MatchString(p.text+" ") {
				return p
			}
		}
	}
	return party{}
}

// sender returns the name in a sender's line: name, street and town with dividers.
func sender(text string) (name string, ok bool) {
	for _, divider := range []string{" · ", " • ", " | ", " – ", " - ", ", "} {
		parts := strings.Split(text, divider)
		if n := len(parts); n >= 3 && (townLine().MatchString(parts[n-1]) || townLine().MatchString(parts[2])) {
			return strings.TrimSpace(parts[0]), true
		}
	}
	return "", false
}

// aboutBank reports whether a cell names a bank next to an account.
func aboutBank(cells []cell, i int) bool {
	text := cells[i].Text
	if l, ok := leftOf(cells, i); ok {
		text = l.Text + " " + text
	}
	return bank().MatchString(text)
}

var bank = lazy.Regexp(`(?i)\b(?:bank|banque|banca|banco|IBAN|BIC|SWIFT|BLZ|account|bankverbindung|kreditinstitut)\b[ .:]|` +
	`\pL*(?:sparkasse|volksbank)`)

var domainForm = lazy.Regexp(`(?i)(?:@|https?://|www\.)(?:www\.)?([\pL\d.-]+)\.\pL{2,}`)

// domains lists the names in web and mail addresses, up to a hundred, without the addresses of a labelled recipient.
func domains(cells []cell) (known []string) {
	const most = 100
	for i, c := range cells {
		if toOther(cells, i) {
			continue
		}
		for _, m := range domainForm().FindAllStringSubmatch(c.Text, -1) {
			if d := printed.Letters(m[1]); len(d) > 4 && len(known) < most && !slices.Contains(known, d) {
				known = append(known, d)
			}
		}
	}
	return known
}

// toOther reports whether a label in or in front of cell i names the recipient: "To: office@kran.example".
func toOther(cells []cell, i int) bool {
	label, _, _ := strings.Cut(cells[i].Text, ":")
	side := sideOf(label + ":")
	if l, ok := leftOf(cells, i); ok && side == "" {
		side = sideOf(l.Text)
	}
	return buys(side) || side == "delivery"
}

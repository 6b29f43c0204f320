package byrules

import (
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/ingest/printed"
)

// letterhead returns the supplier without a legal form or a label: a name at the top of the first page
// with proof (the footer, a sender's line or a domain repeats it), or with its own address
// or, if the page has a title, in large print above it. It skips titles, labels and the buyer's block.
//
// Of several without a proof none is the supplier.
func letterhead(cells []cell, buyer party, titled bool) (best party) {
	const highest = 0.15
	rivals := 0
	known, usual := domains(cells), median(cells)
	for i, c := range cells {
		name, _ := sender(c.Text)
		if name == "" {
			name = strings.TrimSpace(c.Text)
		}
		p := party{name: c, text: name, byPlace: true}
		if c.page != cells[0].page || p.isSame(buyer) || !nameLike(name) || isSpecial(name) || in(cells, i, buyer) {
			continue
		}
		if _, side := blockOf(cells, i); side == "buyer" || c.Box.Top > 0.3 && name == strings.TrimSpace(c.Text) {
			continue
		}
		p.score = c.height()*100 - c.Box.Top*2
		proof := 0.0
		if owns(known, name) {
			proof += 10
		}
		if repeated(cells, c, name) {
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

// owns reports whether a domain is made of the name.
func owns(known []string, text string) bool {
	name := printed.Letters(text)
	return len(name) > 3 && slices.ContainsFunc(known, func(d string) bool { return strings.Contains(d, name) })
}

// repeated reports whether a name stands in the footer or a sender's line too.
func repeated(cells []cell, at cell, name string) bool {
	const footer = 0.85
	want := printed.Letters(name)
	return slices.ContainsFunc(cells, func(c cell) bool {
		from, line := sender(c.Text)
		inFooter := c.Box.Top > footer && strings.HasPrefix(printed.Letters(c.Text), want)
		return c.at != at.at && (inFooter || line && printed.Letters(from) == want)
	}) || strings.TrimSpace(at.Text) != name
}

// sender returns the name in a sender's line: name, street and town with dividers.
func sender(text string) (name string, ok bool) {
	for _, divider := range []string{" · ", " • ", " | ", " – ", " - ", ", "} {
		parts := strings.Split(text, divider)
		if n := len(parts); n >= 3 && (townLine.MatchString(parts[n-1]) || townLine.MatchString(parts[2])) {
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
	return bank.MatchString(text)
}

var bank = regexp.MustCompile(`(?i)\b(?:bank|banque|banca|banco|IBAN|BIC|SWIFT|BLZ|account|bankverbindung|kreditinstitut)\b[ .:]|` +
	`\pL*(?:sparkasse|volksbank)`)

var domainForm = regexp.MustCompile(`(?i)(?:@|https?://|www\.)(?:www\.)?([\pL\d.-]+)\.\pL{2,}`)

// domains lists the names in web and mail addresses, up to a hundred.
func domains(cells []cell) (known []string) {
	const most = 100
	for _, c := range cells {
		for _, m := range domainForm.FindAllStringSubmatch(c.Text, -1) {
			if d := printed.Letters(m[1]); len(d) > 4 && len(known) < most && !slices.Contains(known, d) {
				known = append(known, d)
			}
		}
	}
	return known
}

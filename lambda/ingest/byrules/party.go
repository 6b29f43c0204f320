package byrules

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document/company"
)

type party struct {
	name  cell
	text  string // the name in the cell
	score float64
	buyer bool
}

func parties(cells []cell) (supplier, buyer party) {
	found := candidates(cells)
	for _, p := range found {
		if p.buyer && p.score > buyer.score {
			buyer = p
		}
	}
	for _, p := range found {
		if !p.buyer && plain(p.text) != plain(buyer.text) && p.score > supplier.score {
			supplier = p
		}
	}
	if supplier.text == "" {
		supplier = letterhead(cells, buyer)
	}
	if buyer.text == "" {
		buyer = recipient(cells, supplier)
	}
	return supplier, buyer
}

// candidates grades the cells that may be names, by legal form, label, place on the page, and
// frequency.
func candidates(cells []cell) (found []party) {
	count := map[string]int{}
	for i, c := range cells {
		text, company := nameIn(c.Text)
		labelled, side := blockOf(cells, i)
		if !company && (!labelled || !nameLike(c.Text)) {
			continue
		}
		if !company {
			text = c.Text
		}
		p := party{name: c, text: text, buyer: labelled && side == "buyer"}
		p.score = 1 - c.Box.Top/2 - float64(c.page)/100
		if company {
			p.score += 3
			count[plain(text)]++
		}
		if labelled {
			p.score += 4
		}
		if c.Box.Top < 0.25 || c.Box.Top > 0.85 {
			p.score++
		}
		found = append(found, p)
	}
	for i := range found {
		found[i].score += min(float64(count[plain(found[i].text)]-1), 2)
	}
	return found
}

// nameLike reports whether a cell in a party's block can be its name.
func nameLike(text string) bool {
	return len(plain(text)) > 2 && !strings.ContainsAny(text, ":@#0123456789") && sideOf(text) == "" && !isTitle(text) &&
		!fieldLabel.MatchString(text)
}

// nameIn returns the name of a company in a cell, found by its legal form. A comma or a
// divider ends the name, as in a sender's line.
func nameIn(text string) (string, bool) {
	at := legalForm.FindStringIndex(text)
	if at == nil || rights.MatchString(text) || !strings.ContainsFunc(text[:at[0]], unicode.IsLetter) {
		return "", false
	}
	start := 0
	for _, divider := range []string{" · ", " • ", " | ", " – ", " - ", ": ", " * "} {
		if i := strings.LastIndex(text[:at[1]], divider); i >= 0 {
			start = max(start, i+len(divider))
		}
	}
	if i := strings.LastIndex(text[:at[0]+1], ", "); i > start {
		start = i + 2
	}
	end := at[1]
	next := func() []int { return legalForm.FindStringIndex(text[end-1:]) }
	for more := next(); more != nil && more[0] <= 3; more = next() {
		end += more[1] - 1
	}
	if rest := text[end:]; isWordy(rest) {
		end = len(text) // the form is in the middle: Kunden AG Mitte
	}
	name := strings.Trim(text[start:end], " ,;:()*")
	words := len(strings.Fields(name))
	ok := words >= 2 && words <= 9 && company.ParseName(name).Key() != ""
	return name, ok
}

var wordy = regexp.MustCompile(`^ ?\pL[\pL-]+(?: \pL[\pL-]+)?$`)

func isWordy(rest string) bool { return wordy.MatchString(rest) }

// blockOf reports whether the cell is the name of a party's block: it must stand behind the
// label, to its right, below it, or next to a label for a name in the block.
func blockOf(cells []cell, i int) (named bool, side string) {
	c := cells[i]
	if l, ok := leftOf(cells, i); ok {
		if s := sideOf(l.Text); s != "" {
			return true, s
		}
		if nameLabel.MatchString(l.Text) {
			return true, c.side
		}
	}
	if a, ok := above(cells, i); ok && sideOf(c.Text) == "" {
		if s := sideOf(a.Text); s != "" {
			return true, s
		}
	}
	if s := headed(cells, i); s != "" && nameLike(c.Text) {
		return true, s
	}
	return false, ""
}

// headed returns the side of the label at the head of the block if cell i is its first name.
// Numbers may stand above it.
func headed(cells []cell, i int) string {
	const edge, lines = 0.03, 7
	for j := i - 1; j >= max(0, i-reach) && cells[j].page == cells[i].page; j-- {
		c := cells[j]
		switch {
		case abs(c.Box.Left-cells[i].Box.Left) > edge || c.Box.Top >= cells[i].Box.Top:
			continue
		case cells[i].Box.Top-c.Box.Bottom > lines*c.height() || nameLike(c.Text):
			return ""
		case sideOf(c.Text) != "":
			return sideOf(c.Text)
		}
	}
	return ""
}

// sideOf reads a party's label. More than a few words are text, and digits mean a value, such
// as a customer's number.
func sideOf(text string) string {
	text = strings.TrimLeft(text, " *")
	switch {
	case len(strings.Fields(text)) > 4 || len(text) > 50 || strings.ContainsAny(text, "0123456789"):
		return ""
	case supplierLabel.MatchString(text):
		return "supplier"
	case buyerLabel.MatchString(text):
		return "buyer"
	}
	return ""
}

// letterhead returns the largest print at the top of the first page, except titles, labels and
// the buyer.
func letterhead(cells []cell, buyer party) (best party) {
	known := domains(cells)
	for i, c := range cells {
		if c.page != cells[0].page || c.Box.Top > 0.3 || plain(c.Text) == plain(buyer.text) || !nameLike(c.Text) {
			continue
		}
		if _, side := blockOf(cells, i); side == "buyer" {
			continue
		}
		score := c.height()*100 - c.Box.Top*2
		if name := plain(c.Text); slices.ContainsFunc(known, func(d string) bool { return strings.Contains(d, name) }) {
			score += 10
		}
		if best.text == "" || score > best.score {
			best = party{name: c, text: strings.TrimSpace(c.Text), score: score}
		}
	}
	return best
}

var domainForm = regexp.MustCompile(`(?i)(?:@|https?://|www\.)(?:www\.)?([\pL\d.-]+)\.\pL{2,}`)

// domains lists the names in web and mail addresses, up to a hundred.
func domains(cells []cell) (known []string) {
	const most = 100
	for _, c := range cells {
		for _, m := range domainForm.FindAllStringSubmatch(c.Text, -1) {
			if d := plain(m[1]); len(d) > 4 && len(known) < most && !slices.Contains(known, d) {
				known = append(known, d)
			}
		}
	}
	return known
}

func isTitle(text string) bool {
	for _, t := range titles {
		if t.form.MatchString(text) {
			return true
		}
	}
	return dateLabel.MatchString(text) && len(text) < 12
}

// plain keeps the letters and digits of a text, in lower case.
func plain(s string) string { return notWord.ReplaceAllString(strings.ToLower(s), "") }

var notWord = regexp.MustCompile(`[^\pL\d]+`)

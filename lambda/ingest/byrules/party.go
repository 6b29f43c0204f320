package byrules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

// candidates grades the cells that may be names, by legal form, label, place on the page, and
// frequency.
func candidates(cells []cell) (found []party) {
	count := map[string]int{}
	for i, c := range cells {
		text, company := nameIn(c.Text)
		labelled, side := blockOf(cells, i)
		if company && !labelled && (entitled(text) || priced(right(cells, i)) || aboutBank(cells, i) || inSentence(c, text) ||
			registry().MatchString(text)) {
			continue
		}
		if !company && labelled && headsTable(cells, i) {
			continue
		}
		inside := behindLabel(c.Text)
		if !company && (!labelled || !nameLike(inside)) {
			continue
		}
		if !company {
			text = inside
		}
		quote := c.Text
		if a, ok := before(cells, i); ok && company {
			text, quote = a.Text+" "+text, a.Text+"\n"+quote
			if !labelled {
				c, labelled, side = a, true, a.side
			}
		}
		p := party{name: c, text: text, quote: quote, side: side, labelled: labelled}
		p.score = 1 - c.Box.Top/2 - float64(c.page)/100
		if company {
			p.score += 3
			count[printed.Letters(text)]++
		}
		if labelled {
			p.score += 6
		}
		if c.Box.Top < 0.25 || c.Box.Top > 0.85 {
			p.score++
		}
		found = append(found, p)
	}
	for i := range found {
		found[i].score += min(float64(count[printed.Letters(found[i].text)]-1), 2)
	}
	return found
}

// behindLabel returns the name behind a party's label in one cell: "Vendor: Allen Brothers".
func behindLabel(text string) string {
	label, name, ok := strings.Cut(text, ":")
	if name = strings.TrimSpace(name); ok && name != "" && sideOf(label+":") != "" {
		return name
	}
	return text
}

// registry names a court or a register of companies, which German footers call AG.
var registry = lazy.Regexp(`(?i)register|amtsgericht|\bHR[AB]\b|\bGnR\b`)

var article = lazy.Regexp(`^(?:Ein|Eine|A|An|The|Un|Une|Una|Een|En|Et)$`)

// inSentence reports whether a company's name is part of a sentence, such as about the group that
// the supplier belongs to, or the new owner of its claims. A letterhead may have small letters.
func inSentence(c cell, name string) bool {
	const letterhead = 0.25
	words := strings.Fields(legalForm().ReplaceAllString(name, " "))
	small := func(w string) bool { r, _ := utf8.DecodeRuneInString(w); return unicode.IsLower(r) }
	return groupWords().MatchString(name) ||
		c.Box.Top > letterhead && len(words) > 0 && (article().MatchString(words[0]) || slices.ContainsFunc(words, small))
}

// before returns the first line of a name in a party's block, with the legal form in line i. A
// label to the left may stand at the middle of both.
func before(cells []cell, i int) (cell, bool) {
	for j := i - 1; j >= max(0, i-2); j-- {
		if k, ok := next(cells, j); !ok || k != i || !nameLike(cells[j].Text) {
			continue
		}
		named, _ := blockOf(cells, j)
		first, labelled := leftOf(cells, j)
		if own, ok := leftOf(cells, i); ok && labelled && sideOf(first.Text) != "" && sideOf(own.Text) != "" {
			continue // two parties
		}
		joined := cells[i].Box.Top-cells[j].Box.Bottom < cells[i].height()/4
		label, ok := leftOf(cells, i)
		if named || joined && !labelled && (ok && nameLabel().MatchString(label.Text) || generic(cells[i].Text)) {
			return cells[j], true
		}
	}
	return cell{}, false
}

// entitled reports whether nothing but a title stands before a legal form: "Auftragsbestätigung AB".
func entitled(text string) bool {
	name := strings.TrimSpace(legalForm().ReplaceAllString(text, " "))
	return slices.ContainsFunc(titles, func(t title) bool { return t.form().FindString(name) == name })
}

// generic reports whether one word stands before a legal form, as in the second line of a name: "Handels GmbH".
func generic(text string) bool {
	at := legalForm().FindStringIndex(text)
	return at != nil && len(strings.Fields(text[:at[0]])) == 1
}

// numberEnd ends the label of a number.
var numberEnd = lazy.Regexp(`(?i)(?:(?:^|[^\pL])(?:no|n[°º]|number|numero|numéro|número)|\pL*(?:nr|nummer))\.?$`)

// labelEnd ends a label in front of a name: "Lieferung an".
var labelEnd = lazy.Regexp(`(?i) (?:an|to|by|for|from|für|bei|von|à|par|pour|aan|door|voor|til|till|av|do|dla|para|per)$`)

// nameLike reports whether a cell in a party's block can be its name.
func nameLike(text string) bool {
	return len(printed.Letters(text)) > 2 && !strings.ContainsAny(text, ":@#0123456789") && sideOf(text) == "" && !isTitle(text) &&
		!isSalutation(text) && !strings.HasSuffix(text, ",") &&
		!labelEnd().MatchString(text) && !numberEnd().MatchString(text) && !fieldLabel().MatchString(text)
}

// IsCompany reports whether a name has a legal form.
func IsCompany(name string) bool { return legalForm().MatchString(name) && !county().MatchString(name) }

// county ends an Irish address: "Business Park, Co. Galway".
var county = lazy.Regexp(`, Co\.? \p{Lu}\p{Ll}+$`)

// court is where a German company is registered: "Sitz Oelde, AG Münster HRA 8817".
var court = lazy.Regexp(`^[ ,(]*AG \p{Lu}[\pL .-]+ (?:HR[AB]|GnR|VR)\b`)

// nameIn returns the name of a company in a cell, found by its legal form. A comma or a
// divider ends the name, as in a sender's line.
func nameIn(text string) (string, bool) {
	at := legalForm().FindStringIndex(text)
	if at == nil || court().MatchString(text[at[0]:]) {
		return "", false
	}
	if county().MatchString(text) || rights().MatchString(text) || !strings.ContainsFunc(text[:at[0]], unicode.IsLetter) {
		return "", false
	}
	start := 0
	for _, divider := range []string{" · ", " • ", " | ", " – ", " - ", ": ", " * "} {
		if i := strings.LastIndex(text[:at[1]], divider); i >= 0 {
			start = max(start, i+len(divider))
		}
	}
	if i := strings.LastIndex(strings.TrimRight(text[:at[0]], ", "), ", "); i > start { // not in "Diners, Inc."
		start = i + 2
	}
	end := at[1]
	next := func() []int { return legalForm().FindStringIndex(text[end-1:]) }
	for more := next(); more != nil && more[0] <= 3 && !court().MatchString(text[end-1+more[0]:]); more = next() {
		end += more[1] - 1
	}
	if rest := text[end:]; isWordy(rest) && text[end-1] != ',' {
		end = len(text) // the form is in the middle: Kunden AG Mitte
	}
	name := strings.Trim(text[start:end], " ,;:()*")
	name = partyNumber().ReplaceAllString(name, "")
	words := len(strings.Fields(name))
	ok := words >= 2 && words <= 9 && company.ParseName(name).Key() != ""
	return name, ok
}

// partyNumber stands before the name in another company's books.
var partyNumber = lazy.Regexp(`^(?:[A-Z]{1,3}-?)?\d{4,} +`)

var wordy = lazy.Regexp(`^ ?\pL[\pL-]+(?: \pL[\pL-]+)?$`)

func isWordy(rest string) bool { return wordy().MatchString(rest) }

// blockOf reports whether the cell is the name of a party's block: it must stand behind the
// label, to its right, below it, or next to a label for a name in the block.
func blockOf(cells []cell, i int) (named bool, side string) {
	c := cells[i]
	if label, _, ok := strings.Cut(c.Text, ":"); ok && sideOf(label+":") != "" {
		return true, sideOf(label + ":")
	}
	if l, ok := leftOf(cells, i); ok {
		if s := sideOf(l.Text); s != "" {
			return !overNumbers(cells, l.at, i), s
		}
		if s := codedSide(cells, l); s != "" && IsCompany(c.Text) {
			return true, s
		}
		if nameLabel().MatchString(l.Text) {
			return true, c.side
		}
	}
	if a, ok := above(cells, i); ok && sideOf(c.Text) == "" {
		if s := sideOf(a.Text); s != "" && !listed(cells, a.at, i) {
			return true, s
		}
	}
	if s := headed(cells, i); s != "" && nameLike(c.Text) {
		return true, s
	}
	if attended(cells, i) {
		return true, "addressee"
	}
	return false, ""
}

// inHead reports whether cell i stands in a row of heads: it and a neighbour have numbers below.
func inHead(cells []cell, i int) bool {
	if l, ok := leftOf(cells, i); ok && overNumbers(cells, l.at, i) {
		return true
	}
	return slices.ContainsFunc(right(cells, i), func(c cell) bool { return overNumbers(cells, i, c.at) })
}

// headsTable reports whether the row of cell i is the head of a table of lines: by its words, or of many cells.
func headsTable(cells []cell, i int) bool {
	const many = 5
	first := i
	for l, ok := leftOf(cells, first); ok; l, ok = leftOf(cells, first) {
		first = l.at
	}
	n := 1 + len(right(cells, first))
	h, ok := headIn(cells, first, n, headOf)
	for _, c := range h.cols {
		if ok && c.row(cells[i]) {
			return true
		}
	}
	return n >= many
}

// overNumbers reports whether numbers stand below two cells, in one row. A number is no head itself.
func overNumbers(cells []cell, i, j int) bool {
	if value().MatchString(cells[i].Text) || value().MatchString(cells[j].Text) {
		return false
	}
	a, left := under(cells, i)
	b, right := under(cells, j)
	return left && right && a.row(b) && value().MatchString(a.Text) && value().MatchString(b.Text)
}

// value is a number, a date or a count of pages, and not an address.
var value = lazy.Regexp(`^[: ]*(?:\S*\d\S*(?: \S+)?|\d+ \S+ \d+|\d+\.? \pL+ \d{4})$`)

// code is a party's number in another company's books: ": 70114", "V-3382".
var code = lazy.Regexp(`^[: ]*(?:\pL{1,4}-?)?\d[\d./-]*$`)

// codedSide returns the side that a label gives a party's number, to its left or above it. The name
// stands to the right of the number.
func codedSide(cells []cell, c cell) string {
	if !code().MatchString(c.Text) {
		return ""
	}
	if l, ok := leftOf(cells, c.at); ok && sideOf(l.Text) != "" {
		return sideOf(l.Text)
	}
	if a, ok := above(cells, c.at); ok {
		return sideOf(a.Text)
	}
	return ""
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
			if next := right(cells, j); len(next) > 0 && IsCompany(next[0].Text) || listed(cells, j, i) || inHead(cells, j) {
				return "" // it names the cell to its right, or a number
			}
			return sideOf(c.Text)
		}
	}
	return ""
}

// listed reports whether two cells are labels in a list, each with a number to its right, or the first
// with a colon or a mail address there, as in the header of a mail.
func listed(cells []cell, i, j int) bool {
	const edge, near = 0.03, 0.15
	a, b := right(cells, i), right(cells, j)
	return len(a) > 0 && strings.HasPrefix(a[0].Text, ":") ||
		len(a) > 0 && mailAddress().MatchString(a[0].Text) && a[0].Box.Left-cells[i].Box.Right < near ||
		valued(cells, i) && valued(cells, j) && abs(a[0].Box.Left-b[0].Box.Left) < edge
}

var mailAddress = lazy.Regexp(`^<?[^\s@]+@[^\s@]+\.\pL{2,}>?$`)

// coded is a label of an address with the party's number behind it: "Sold to: MELF02".
var coded = lazy.Regexp(`(?i)^(\pL+ to:) \pL{0,6}-?\d+$`)

// sideOf reads a party's label. More than a few words are text, and digits mean a value, such
// as a customer's number.
func sideOf(text string) string {
	text = coded().ReplaceAllString(strings.TrimLeft(text, " *"), "$1")
	switch {
	case len(strings.Fields(text)) > 4 || len(text) > 50 || strings.ContainsAny(text, "0123456789@") ||
		accountLabel().MatchString(text), numberLabel().MatchString(text), !strings.HasSuffix(text, ":") && legalForm().MatchString(text):
		return ""
	case supplierLabel().MatchString(text):
		return "supplier"
	case deliveryLabel().MatchString(text):
		return "delivery"
	case buyerLabel().MatchString(text):
		return "buyer"
	case addresseeLabel().MatchString(text):
		return "addressee"
	}
	return ""
}

func isTitle(text string) bool {
	for _, t := range titles {
		if t.form().MatchString(text) {
			return true
		}
	}
	return dateLabel().MatchString(text) && len(text) < 12
}

package byrules

import (
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

var (
	// postcode marks a cell as part of an address.
	postcode = lazy.Regexp(`\b(?:[A-Z]{1,2}-)?\d{4,6}\b|(?:^|[ ,·|])(?:\d{2}-\d{3}|\d{3} \d{2}) \pL|` +
		`^\d{5}\pL|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b`)
	// streetTown is an address in a line: a street with a number, a postcode and a town.
	streetTown = lazy.Regexp(`^\pL[^,·|–]* ?\d[^,·|–]{0,8} ?[,·|–] ?(?:[A-Z]{1,2}-)?\d{4,5} \pL[\pL .()/-]*(?: [,·|–] .*)?$`)
	// townLine begins or ends with a postcode.
	townLine = lazy.Regexp(`^(?:[A-Z]{1,2}[- ])?(?:\d{4,6}|\d{2}-\d{3}|\d{3} \d{2}|\d{4}-\d{3}|\d{4} ?[A-Z]{2}) ?\pL{2}|` +
		`^\pL[\pL .,'-]* (?:\d{4,5}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})$|^[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$|` + streetTown().String())
	// addressLine has a postcode and a town, or a telephone number, behind a street.
	addressLine = lazy.Regexp(`(?i)\d.*[,·|–-] ?(?:[A-Z]{1,2}-)?\d{4,6} \pL|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\btel\b`)
	// salutation stands above the name of a recipient, or before it.
	salutation = word(`(?:an(?: die| das| den)?|aan|till?|herrn?|frau|firma|fa\.|to|messrs\.?|mrs?\.?|ms\.?|monsieur|madame|m\.|mme|` +
		`à l['’]attention de|exm[oa]s?\.?(?:\([oas]+\))? ?s(?:r|enhor)[\pL().]*(?: s(?:r|enhor)[\pL().]*)?|` +
		`spett\.?(?:le)?|egr\. sig\.|sr\.?|sra\.?|a la atención de)(?: |$)`)
	// contact stands in the sender's block, not in the recipient's.
	contact = lazy.Regexp(`(?i)\b(?:ust|vat|siret)\b|` + dialled)
	// dial is a contact that isn't an id, because the recipient's id may be printed, too.
	dial = lazy.Regexp(`(?i)` + dialled)
)

const dialled = `@|www\.|https?:|\b(?:tel|fax|phone|telefon|mobil|iban)\b|\+\d{2} ?\d`

// next returns the line below a cell of a block: with the same left edge, middle or right edge, and at
// most an empty line between.
func next(cells []cell, i int) (int, bool) {
	const edge, lines = 0.02, 1.6
	c, ok := under(cells, i)
	left := abs(c.Box.Left - cells[i].Box.Left)
	middle := abs(c.Box.Left+c.Box.Right-cells[i].Box.Left-cells[i].Box.Right) / 2
	end := abs(c.Box.Right - cells[i].Box.Right)
	if !ok || min(left, middle, end) > edge || c.Box.Top-cells[i].Box.Bottom > lines*cells[i].height() {
		return 0, false
	}
	return c.at, true
}

// address lists the lines below a name, at most four, up to the one with the postcode. It
// returns nil without a postcode, or if other text stands between, because a quote must be one
// piece of the page.
func address(cells []cell, name cell) (lines []string) {
	if _, ok := sender(name.Text); ok {
		return nil // the line below is the recipient's
	}
	i := name.at
	for n := range 4 {
		below, ok := next(cells, i)
		if !ok || n > 0 && below != i+1 || sideOf(cells[below].Text) != "" || isTitle(cells[below].Text) ||
			isSalutation(cells[below].Text) || contact().MatchString(cells[below].Text) || !worded(cells[below]) ||
			len(printed.Dates(cells[below].Text)) > 0 {
			return nil
		}
		i = below
		lines = append(lines, cells[i].Text)
		if postcode().MatchString(cells[i].Text) {
			return lines
		}
	}
	return nil
}

// recipient returns the name above an unlabelled address at the top of the first page, in the
// window of an envelope: at the left before the right. An address with contact details, or a name that
// the footer, a sender's line or a domain repeats, is the supplier's.
func recipient(cells []cell, who owners, own []document.Party) (best party) {
	const window, lowest, middle = 0.1, 0.4, 0.45
	for i, c := range cells {
		if c.page != cells[0].page || c.Box.Top > lowest || !nameLike(c.Text) && !isSalutation(c.Text) || begun(cells, i) {
			continue
		}
		name := i
		if isSalutation(c.Text) {
			below, ok := next(cells, i)
			if !ok || !nameLike(cells[below].Text) {
				continue
			}
			name = below
		}
		town, ok := townBelow(cells, name)
		p := party{name: cells[name], text: cells[name].Text, byPlace: name == i, placed: true}
		switch _, side := blockOf(cells, name); {
		case cells[0].row(p.name) && c.Box.Top < window && p.byPlace && !who.company(p): // a letterhead
		case !ok || side == "supplier" || side == "delivery" || reachable(cells, town) || who.domain(p.text) || who.repeat(p.name, p.text):
		case owned(own, p.text):
			p.byPlace = false
			return p
		case best.text == "" || best.name.Box.Left > middle && p.name.Box.Left < middle:
			best = p
		}
	}
	return best
}

// attention names a person or a department of the recipient, in the line below its name.
var attention = word(`(?:t\.? ?a\.? ?v\.?|attn?\.?|attention|fao|z\. ?hd\.?|z\. ?h\.|zu händen|` +
	`à l['’]attention|c\.a\.|alla c\.a\.|a/c|att\.?:)[ .:]`)

// attended reports whether a name heads a block with an attention line, so that the paper is addressed to it. The line
// may stand above the name, and other lines between them.
func attended(cells []cell, i int) bool {
	const most = 3
	calls := func(j int) bool { return attention().MatchString(cells[j].Text) }
	if !nameLike(cells[i].Text) || calls(i) || !cells[i].top(cells) {
		return false
	}
	if a, ok := above(cells, i); ok && begun(cells, i) && calls(a.at) {
		return true
	}
	if continues(cells, i) {
		return false
	}
	below, ok := next(cells, i)
	for range most {
		if !ok || calls(below) {
			break
		}
		if text := cells[below].Text; townLine().MatchString(text) || sideOf(text) != "" || isTitle(text) {
			return false
		}
		below, ok = next(cells, below)
	}
	return ok && calls(below)
}

// continues reports whether a name in the same block stands right above cell i.
func continues(cells []cell, i int) bool {
	a, ok := above(cells, i)
	return ok && begun(cells, i) && nameLike(a.Text) && tight(a, cells[i])
}

// tight reports whether no empty line stands between two lines.
func tight(a, b cell) bool { return b.Box.Top-a.Box.Bottom < a.height()/2 }

// inWindow reports whether an unlabelled name may be a recipient's: it heads a block below the
// top of the page, and neither the footer, a sender's line, a domain nor contact details claim it.
func inWindow(cells []cell, who owners, p party) bool {
	const from, to = 0.12, 0.4
	low := p.name.Box.Top < from && !who.company(p)
	if p.labelled || p.name.page != cells[0].page || low || p.name.Box.Top > to || begun(cells, p.name.at) ||
		who.domain(p.text) || who.repeat(p.name, p.text) {
		return false
	}
	street, ok := next(cells, p.name.at)
	if !ok {
		return false
	}
	town, ok := next(cells, street)
	return ok && !contact().MatchString(cells[street].Text) && !contact().MatchString(cells[town].Text) && !reachable(cells, town)
}

func isSalutation(text string) bool { return salutation().FindString(text) == text }

// begun reports whether the block of cell i begins above it. A line with a postcode ends a
// block, including the sender's address.
func begun(cells []cell, i int) bool {
	a, ok := above(cells, i)
	if !ok || postcode().MatchString(a.Text) || isSalutation(cells[i].Text) {
		return false
	}
	j, ok := next(cells, a.at)
	return ok && j == i
}

// townBelow finds the line with postcode and town, two to five lines below a
// name.
func townBelow(cells []cell, i int) (int, bool) {
	for n := range 5 {
		below, ok := next(cells, i)
		if !ok {
			return 0, false
		}
		if isSalutation(cells[below].Text) || sideOf(cells[below].Text) != "" {
			return 0, false // another block begins
		}
		if i = below; n > 0 && townLine().MatchString(cells[i].Text) || streetTown().MatchString(cells[i].Text) {
			return i, true
		}
	}
	return 0, false
}

// reachable reports whether contact details follow an address.
func reachable(cells []cell, town int) bool {
	i := town
	for range 3 {
		below, ok := next(cells, i)
		if !ok {
			return false
		}
		if i = below; contact().MatchString(cells[i].Text) {
			return true
		}
	}
	return false
}

func (p party) isSame(q party) bool {
	a, b := printed.Letters(p.text), printed.Letters(q.text)
	return b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

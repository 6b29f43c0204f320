package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/internal/lazy"
)

// grounds doubts a party with a name that has one ground only. A legal form makes a text a company's name; any
// other needs two of these, and a single word found by its place needs three: a label, an address below it, a
// salutation, large print, the place of a letterhead, a window or an account's owner, and a footer, a sender's line
// or a domain that repeats it.
func (r *reader) grounds(side string, p party, rivals bool) {
	who := ownersOf(r.cells)
	switch {
	case p.text == "" || IsCompany(p.text) || owned(r.own, p.text):
	case person().MatchString(p.text):
		r.ask(side+".name", "a person's name stands for the "+side)
	case p.byPlace && rivals:
		r.ask(side+".name", "another name may be the "+side+"'s")
	case r.fits(p, who) < 2+bit(p.byPlace && len(strings.Fields(p.text)) == 1):
		r.ask(side+".name", "only one thing on the page names the "+side)
	case post().MatchString(p.text) && !who.domain(p.text) && !who.claimed(p.name, p.text):
		r.ask(side+".name", "a department or a street stands for the "+side)
	}
}

// fits counts the grounds of a name.
func (r *reader) fits(p party, who owners) int {
	const top = 0.12
	_, town := townBelow(r.cells, p.name.at)
	if below, ok := next(r.cells, p.name.at); ok && !town {
		town = addressLine().MatchString(r.cells[below].Text)
	}
	_, line := sender(p.name.Text)
	place := p.name.Box.Top < top && r.first(p) || p.placed
	claimed := who.domain(p.text) || who.claimed(p.name, p.text)
	a, above := above(r.cells, p.name.at)
	greeted := above && isSalutation(a.Text)
	loud := p.name.height() > large*median(r.cells) && p.name.top(r.cells)
	return bit(p.labelled) + bit(town) + 2*bit(line) + bit(claimed) + bit(place) + bit(loud) + bit(greeted)
}

// person stands before a person's name, who may be the contact at a company.
var person = lazy.Regexp(`(?i)^(?:hr|herrn?|frau|fr|mr|mrs|ms|miss|m|mme|madame|monsieur|dhr|inh|mevr|mevrouw|` +
	`sig|sig\.ra|sra?|t\.a\.v|z\.? ?hd|attn|att|c/o)\.?(?: |$)`)

// post is in the name of a department, a building site or a street, which stand below a name that was not read.
var post = anyWord(`(?:(?:accounts?|business|finance|purchasing|procurement|sales) (?:payable|office|department|dept|team)|` +
	`(?:purchase|sales) ledger|(?:department|faculty|school) of|purchasing|procurement|\pL*einkauf|\pL*buchhaltung|` +
	`rechnungswesen|\pL*abteilung|abt|fakultät|fachbereich|referat|` +
	`service (?:des? |du |d['’])?(?:achats?|ventes?|comptabilité|client\pL*)|comptabilité|ufficio|amministrazione|contabilità|` +
	`departamento|dpto|administración|contabilidad|afdeling|afd|inkoop|administratie|dział|księgowość|inköp\pL*|ekonomiavdelning\pL*|` +
	`chantier|cantiere|\pL*baustelle|bauvorhaben|bouwplaats|construction site|` +
	`road|street|avenue|\pL+(?:straße|strasse|gasse|straat)|^(?:rue|via|calle|avenida|rua))`)

// rivals reports whether an address stands on the first page below a name that is neither party's, nor where goods go.
func (r *reader) rivals(supplier, buyer party) bool {
	const lowest = 0.5
	return slices.ContainsFunc(r.cells, func(c cell) bool {
		if c.page != r.cells[0].page || c.Box.Top > lowest || !nameLike(c.Text) || begun(r.cells, c.at) ||
			in(r.cells, c.at, supplier) || in(r.cells, c.at, buyer) {
			return false
		}
		p := party{text: c.Text}
		_, town := townBelow(r.cells, c.at)
		_, side := blockOf(r.cells, c.at)
		return town && side == "" && !p.isSame(supplier) && !p.isSame(buyer)
	})
}

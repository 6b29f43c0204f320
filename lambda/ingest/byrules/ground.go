package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

// grounds doubts a party with a name that has one ground only. A legal form makes a text a company's name; any
// other needs two of these, and a single word found by its place needs three: a label, an address below it, a
// salutation, large print, the place of a letterhead, a window or an account's owner, and a footer, a sender's line
// or a domain that repeats it.
func (r *reader) grounds(side string, p, other party, rivals bool) {
	who := ownersOf(r.cells)
	switch {
	case p.text == "" || IsCompany(p.text) && !proprietor().MatchString(p.text) || owned(r.own, p.text):
	case person().MatchString(p.text):
		r.ask(side+".name", "a person's name stands for the "+side)
	case p.byPlace && rivals:
		r.ask(side+".name", "another name may be the "+side+"'s")
	case r.unnamed(side, p, other, who):
		r.ask(side+".name", "another company may be the "+side)
	case r.fits(p, who) < 2+bit(p.byPlace && len(strings.Fields(p.text)) == 1):
		r.ask(side+".name", "only one thing on the page names the "+side)
	case post().MatchString(p.text) && !who.domain(p.text) && !who.claimed(p.name, p.text):
		r.ask(side+".name", "a department or a street stands for the "+side)
	}
}

// unnamed reports whether another name may belong to a party without a legal form: a company in its block or with an
// address or, of the paper's sender, anywhere, as a trading name's in the imprint; or a second line of a letterhead, if
// no word of the name is repeated.
func (r *reader) unnamed(side string, p, other party, who owners) bool {
	sends := (side == "buyer") == fromBuyer(r.e.Type) && !p.labelled
	for i, c := range r.cells {
		name, ok := nameIn(lastWords(c.Text))
		third := party{name: c, text: name}
		if !ok || third.isSame(p) || registry().MatchString(name) || aboutBank(r.cells, i) && !strings.HasPrefix(c.Text, name) {
			continue
		}
		_, line := sender(c.Text)
		_, town := townBelow(r.cells, i)
		if r.heads(p, i) && (line || !third.isSame(other)) ||
			!third.isSame(other) && (r.heads(third, p.name.at) || (sends || town && !line && !p.labelled) && !in(r.cells, i, other)) {
			return true
		}
	}
	below, ok := next(r.cells, p.name.at)
	return ok && sends && p.name.Text == p.text && nameLike(r.cells[below].Text) && !r.repeats(p) && !who.domain(p.text)
}

// heads reports whether a name stands above cell i with nothing but names between, and isn't a sender's line.
func (r *reader) heads(p party, i int) bool {
	_, line := sender(p.name.Text)
	below, ok := next(r.cells, p.name.at)
	for ok && !line && below < i && nameLike(r.cells[below].Text) {
		below, ok = next(r.cells, below)
	}
	return ok && !line && below == i
}

// lastWords cuts a sentence to the words before its first legal form.
func lastWords(text string) string {
	const most, kept = 9, 4
	at := legalForm().FindStringIndex(text)
	if at == nil {
		return text
	}
	if words := strings.Fields(text[:at[0]]); len(words) > most {
		return strings.Join(words[len(words)-kept:], " ") + text[at[0]:]
	}
	return text
}

// repeats reports whether a word of a name stands in another cell.
func (r *reader) repeats(p party) bool {
	const shortest = 4
	return slices.ContainsFunc(strings.Fields(p.text), func(w string) bool {
		w = printed.Letters(w)
		return len(w) >= shortest && slices.ContainsFunc(r.cells, func(c cell) bool {
			return c.at != p.name.at && strings.Contains(printed.Letters(c.Text), w)
		})
	})
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

// proprietor stands before the owner's name, below the company's: "Inh. Jon Lind e.K."
var proprietor = word(`inh\.?(?:aber(?:in)?)?:? |prop(?:rietor)?\.?:? |owner:? |eigenaar:? |titolare:? |titular:? |titulaire:? `)

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

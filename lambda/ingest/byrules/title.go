package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// large is the size of a heading's print compared with the median.
const large = 1.25

const correction = "correction: credit note or corrected invoice?"

// credits reports whether a title names a credit note in other words than a correction.
func credits(n named) bool { return n.kind == document.CreditNote && !isSpecial(n.cell.Text) }

// specials are titles of papers that look like an invoice, but must not be paid as one. They
// may stand anywhere in a heading. Only a copy has a type.
var specials = []struct {
	doubt string
	typed bool
	form  pattern
}{
	{"draft: no invoice yet", false, lazy.Regexp(`(?i)^[ *–-]*(?:(?:rechnungs)?entwurf|draft(?: invoice)?|projet|brouillon|bozza|borrador|` +
		`concept(?:factuur)?|rascunho|wersja robocza|utkast|koncept|ciornă|πρόχειρο|tervezet|kladde|specimen|muster|void|ungültig)[ *–-]*$`)},
	{"pro forma invoice: not to be paid", false, anyWord(`(?:pr[oó][ -]?form[aăy]\pL*|προτιμολόγιο|díjbekérő)`)},
	{"reminder: the invoice is a document of its own", false, anyWord(`(?:\pL*mahnung|` +
		`zahlungserinnerung|(?:payment )?reminder|dunning|rappel|relance|` +
		`sollecito|recordatorio de pago|aanmaning|(?:betalings)?herinnering|aviso de pagamento|wezwanie do zapłaty|przypomnienie|` +
		`(?:betalnings)?påminnelse|rykker\pL*|betalingspåmindelse|purring|upomínka|maksumuistutus|` +
		`final (?:notice|demand)|overdue notice|mise en demeure|diffida|último aviso|requerimiento de pago|somați[ea]|υπενθύμιση(?: πληρωμής)?|fizetési (?:felszólítás|emlékeztető))`)},
	{"quotation: nothing is owed yet", false, anyWord(`(?:angebot|kostenvoranschlag|` +
		`quotation|quote|estimate|offer|devis|offerte|preventiv[o]|` +
		`offerta|presupuesto|cotización|orçamento|oferta|offert|tilbud|nabídka|tarjous|ofertă|προσφορά|(?:ár)?ajánlat)`)},
	{"statement of account: the invoices are documents of their own", false, anyWord(`(?:kontoauszug|saldenbestätigung|` +
		`(?:account )?statement(?: of account)?|relevé de compte|estratto conto|(?:extract[o]|estado) de cuenta|rekeningoverzicht|` +
		`extrato de conta|kontoutdrag|kontoudtog|kontoutskrift|zestawienie|výpis z účtu|tiliote|extras de cont|κίνηση λογαριασμού|számlakivonat|egyenlegközlő)`)},
	{"self-billed: who is the supplier?", true, anyWord(`(?:self-?billed|self-?billing|gutschrift(?:s|en)?verfahren|` +
		`autofactur\pL+|autofattura)`)},
	{correction, true, anyWord(`(?:rechnungskorrektur|korrekturrechnung|correct(?:ed|ive) invoice|` +
		`facture rectificative|factura rectificativa|fattura rettificativa)`)},
	{"copy: the original may be here already", true, anyWord(`(?:\pL*kopie|copy|` +
		`copie|cópia|duplicat[aeo]?|duplicado|duplikat|zweitschrift|` +
		`rechnungsdoppel|afschrift|kopia|\pL*kopi|odpis|jäljennös|copia|αντίγραφο|\pL*másolat)`)},
}

// anyWord matches whole words anywhere.
func anyWord(alternatives string) pattern {
	return lazy.Regexp(`(?i)(?:^|[^\pL])` + alternatives + `(?:$|[^\pL])`)
}

// median returns the usual height of print on the first page.
func median(cells []cell) float64 {
	if len(cells) == 0 {
		return 0
	}
	var all []float64
	for _, c := range cells {
		if c.page == cells[0].page {
			all = append(all, c.height())
		}
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

// top reports whether a heading may stand here: in the upper half of the first page.
func (c cell) top(cells []cell) bool { return c.page == cells[0].page && c.Box.Top < 0.5 }

// special returns the reason against paying a document by its title. A title is a large print, or
// a bare word in a cell.
func special(cells []cell) (doubt string, typed, ok bool) {
	const words = 6
	usual := median(cells)
	for _, s := range specials {
		for i, c := range cells {
			at := s.form().FindStringIndex(c.Text)
			if at == nil || !c.top(cells) || len(strings.Fields(c.Text)) > words || strings.Contains(c.Text, ":") {
				continue
			}
			rest := strings.TrimSpace(c.Text[:at[0]] + c.Text[at[1]:])
			bare := rest == "" || bareTitle().MatchString(rest) || isTitle(rest) && !valued(cells, i)
			if c.height() > large*usual || bare && !valued(cells, i) {
				return s.doubt, s.typed, true
			}
		}
	}
	return "", false, false
}

// valued reports whether a number or date stands next to a cell, so that the cell is a label.
func valued(cells []cell, i int) bool {
	next := right(cells, i)
	return len(next) > 0 && strings.ContainsAny(next[0].Text, "0123456789") && next[0].Box.Left-cells[i].Box.Right < 0.3
}

// typeOf decides the type of a document. The title decides: the largest print that begins with
// one, otherwise the best bare one. A label never outranks a title. Without a title the type that cites the
// others wins, because an invoice prints the order's number and not the reverse.
func typeOf(numbers, headings []named) (kind document.Type) {
	var biggest named
	for _, h := range headings {
		if h.size > large && h.size > biggest.size*1.05 {
			biggest = h
		}
	}
	if biggest.kind != "" {
		return biggest.kind
	}
	for _, t := range titles[1:] { // without the self-billed invoice
		if len(headings) == 0 && best(numbers, t.kind) >= withMark {
			return t.kind
		}
	}
	return bestOf(numbers, headings)
}

// bestOf returns the type with the best bare title and number; of types without a title, the
// one with the best number.
func bestOf(numbers, headings []named) (kind document.Type) {
	highest := 0.0
	for i, t := range titles[1:] { // without the self-billed invoice
		score := best(headings, t.kind) + best(numbers, t.kind)
		if len(headings) > 0 && best(headings, t.kind) == 0 {
			continue
		}
		if score > 0 {
			score += float64(len(titles)-i) / 5 // ties go to the type that cites others
		}
		if score > highest {
			kind, highest = t.kind, score
		}
	}
	return kind
}

func best(all []named, kind document.Type) (score float64) {
	for _, n := range all {
		if n.kind == kind {
			score = max(score, n.score-float64(n.place)/2)
		}
	}
	return score
}

// settleType sets the type. Doubts name what a person must decide: a title that
// asks for no payment, or no title at all, because only invoices are named by their number alone.
func (r *reader) settleType(found, headings []named) {
	r.e.Type = typeOf(found, headings)
	doubt, typed, ok := special(r.cells)
	if doubt == correction && slices.ContainsFunc(headings, credits) {
		doubt, ok = "", false // because of the other title
	}
	switch byLabel := r.e.Type == document.Invoice || r.e.Type == document.CreditNote; {
	case ok && (typed || byLabel || r.e.Type == ""):
		r.ask("type", doubt)
		if !typed {
			r.e.Type = ""
		}
	case r.e.Type == "" || len(headings) > 0:
	case !byLabel:
		r.ask("type", "no title names the type of the document")
	case r.strangeTitle():
		r.ask("type", "the document has an unknown title")
	}
	r.e.Successful = r.e.Type != "" || ok
}

// strangeTitle reports whether a print as large as a heading is neither a name nor an address.
func (r *reader) strangeTitle() bool {
	const title = 1.4
	usual, known := median(r.cells), owners{domains: domains(r.cells)}
	for i, c := range r.cells {
		if c.height() < title*usual || !c.top(r.cells) || !nameLike(c.Text) || len(strings.Fields(c.Text)) > 4 || begun(r.cells, i) {
			continue
		}
		_, company := nameIn(c.Text)
		if !company && !known.domain(c.Text) && !letterheaded(r.cells, i) {
			return true
		}
	}
	return false
}

// letterheaded reports whether an address follows cell i at the top of the page.
func letterheaded(cells []cell, i int) bool {
	const highest, lines = 0.1, 3
	if cells[i].Box.Top > highest {
		return false
	}
	for _, c := range cells[i+1 : min(len(cells), i+1+lines)] {
		if cells[i].column(c) && addressLine().MatchString(c.Text) {
			return true
		}
	}
	return false
}

func isSpecial(text string) bool {
	for _, s := range specials {
		if s.form().MatchString(text) {
			return true
		}
	}
	return false
}

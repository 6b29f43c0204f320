package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"
)

// Labels list the meanings that titles and labels give to values on some pages. Use them to judge
// another reading of the pages: unlike Extract, they keep every candidate.
type Labels struct {
	Type   document.Type     // named by a large title, or by the only one; empty without one
	Doubt  string            // why the title asks for no payment
	Days   []Day             // all dates
	Totals []document.Amount // with the label of a total or of an amount due
	cells  []cell
}

// Day is a printed date, with the meaning that its label gives it. Several may hold.
type Day struct {
	Readings        []document.Date
	Own, Other, Due bool // the document's date, another event's, the due date
	Named           bool // the document's, by a label that names the document or its number
	invoice         bool // an invoice's
}

// cite takes the dates of invoices for another document's if a credit note has its own label for
// its date.
func (l *Labels) cite(kind document.Type) {
	own := func(d Day) bool { return d.Own && !d.invoice }
	if kind != document.CreditNote || !slices.ContainsFunc(l.Days, own) {
		return
	}
	for i := range l.Days {
		if d := &l.Days[i]; d.invoice {
			d.Own, d.Named, d.Other = false, false, true
		}
	}
}

// LabelsOf reads the labels on pages of a document of this type.
func LabelsOf(t transcript.Transcription, pages []int, kind document.Type) (l Labels) {
	l.cells = cellsOf(only(t, pages))
	found, headings := numbers(l.cells)
	big := func(n named) bool { return n.size > large }
	says := func(n named) bool { return n.kind == kind }
	if slices.ContainsFunc(headings, big) || len(headings) > 0 && !slices.ContainsFunc(append(found, headings...), says) {
		l.Type = typeOf(found, headings)
	}
	l.Doubt, _, _ = special(l.cells)
	number, _ := own(l.cells, found, kind)
	for i, c := range l.cells {
		for _, d := range printed.Dates(c.Text) {
			l.Days = append(l.Days, l.day(i, d, dateScore(l.cells, i, d, number), kind))
		}
	}
	l.cite(kind)
	all := sumsOf(l.cells)
	for _, s := range append(all.totals, all.dues...) {
		l.Totals = append(l.Totals, s.amount)
	}
	return l
}

// eventOf names the date of a type by the event that makes the document.
var eventOf = map[document.Type]pattern{
	document.PurchaseOrder:     lazy.Regexp(`(?i)order|bestell|auftrag|commande|ordine|pedido|encomenda|bestel|zamówieni|tilaus`),
	document.OrderConfirmation: lazy.Regexp(`(?i)order|bestell|auftrag|commande|ordine|pedido|encomenda|bestel|zamówieni|tilaus`),
	document.DeliveryNote:      lazy.Regexp(`(?i)liefer|deliver|despatch|dispatch|livraison|consegna|entrega|lever|dostaw|toimitus`),
	document.GoodsReceipt:      lazy.Regexp(`(?i)liefer|deliver|eingang|recei|récep|ricevi|recep|ontvang|dostaw`),
}

// invoiceWord is in the label of an invoice's date.
var invoiceWord = lazy.Regexp(`(?i)\binvoice|\brechnung|\bfacture|fattura|\bfactura|\bfactuur|\bfaktur|\bfatura|\blasku`)

// dueWord is in a label or a sentence about the day of payment.
var dueWord = lazy.Regexp(`(?i)\bdue\b|fällig|zahl|\bpay|remit|échéance|paiement|régl|scadenz|pagament|vencim|\bpago|verval|` +
	`betaal|betal|förfall|forfald|forfall|splatn|płatn|zapłat|eräpäiv|` +
	`lastschrift|debit|eingezogen|abgebucht|prélev|addebit|domicili|skonto|escompte`)

// day reads a date by the score of its label: the lowest scores mean another event, and the
// highest a label of the document's date, or a place in front as in letters.
func (l *Labels) day(i int, d printed.Date, score float64, kind document.Type) Day {
	const other, own, byNumber = -9, 2, 5
	texts := l.around(i, d)
	says := func(form pattern) bool { return form != nil && slices.ContainsFunc(texts, form().MatchString) }
	found := Day{Readings: d.Readings, Due: says(dueWord), invoice: says(invoiceWord)}
	event := says(eventOf[kind])
	found.Named = score >= byNumber || !found.Due && says(dayWord) && !says(citedDay) && (event || found.invoice && eventOf[kind] == nil)
	found.Own = score >= own || event || found.Named // "Liefer- und Rechnungsdatum"
	found.Other = score < other && !found.Own
	return found
}

// around lists the texts that may label a date: in its cell, otherwise to its left and above.
func (l *Labels) around(i int, d printed.Date) (texts []string) {
	text := l.cells[i].Text
	before := text[:d.Start]
	before = before[lastDate(before):]
	if rest := strings.TrimSpace(before + text[d.End:]); len(printed.Letters(rest)) > 2 {
		return append(texts, before, text[d.End:])
	}
	if c, ok := leftOf(l.cells, i); ok {
		texts = append(texts, c.Text)
	}
	if c, ok := above(l.cells, i); ok && len(printed.Dates(c.Text)) == 0 {
		texts = append(texts, c.Text)
	}
	if c, ok := staggered(l.cells, i); ok {
		texts = append(texts, c.Text)
	}
	return texts
}

var (
	bankWord = lazy.Regexp(`(?i)bank|banque|banca|banco|kasse|cr[ée]dit|caixa|caja|bankas|pankki`)
	// bankLabel stands in front of a bank's name, and account behind it.
	bankLabel = lazy.Regexp(`(?i)\b(?:bank|banque|banca|banco|bankverbindung|kreditinstitut|bankers)(?: name| details)? *:? *$`)
	account   = lazy.Regexp(`(?i)^[ ,.:;·|/-]*(?:IBAN|BIC|SWIFT|BLZ|sort code|account|konto)\b`)
)

// Bank reports whether a name is printed, and only as the bank of an account.
func (l *Labels) Bank(name string) bool {
	want, seen := printed.Letters(name), false
	for i, c := range l.cells {
		if want == "" || !strings.Contains(printed.Letters(c.Text), want) {
			continue
		}
		if seen = true; !l.asBank(i, name) {
			return false
		}
	}
	return seen
}

func (l *Labels) asBank(i int, name string) bool {
	c := l.cells[i]
	before, after, _ := strings.Cut(c.Text, name)
	near := strings.TrimSpace(before)
	if left, ok := leftOf(l.cells, i); ok && near == "" {
		near = left.Text
	}
	if up, ok := above(l.cells, i); ok && near == "" {
		near = up.Text
	}
	row := c.Text
	for _, r := range right(l.cells, i) {
		row += " " + r.Text
		after += " " + r.Text
	}
	if down, ok := under(l.cells, i); ok {
		row += " " + down.Text
	}
	return bankLabel().MatchString(near) || account().MatchString(after) || bankWord().MatchString(name) && bank().MatchString(row+" ")
}

// Side returns the side that a label names a company as: supplier, buyer, or neither.
func (l *Labels) Side(name string) (named string) {
	want := printed.Letters(name)
	for i, c := range l.cells {
		if want == "" || !strings.Contains(printed.Letters(c.Text), want) {
			continue
		}
		if labelled, side := blockOf(l.cells, i); labelled && side != "" {
			if named != "" && named != side {
				return ""
			}
			named = side
		}
	}
	return named
}

// Issues reports whether the pages name this company as their sender: in the footer, in the sender's
// line above the window, or as the owner of the domain.
func (l *Labels) Issues(name string) bool {
	who, want := ownersOf(l.cells), printed.Letters(name)
	return want != "" && (who.domain(name) || slices.ContainsFunc(who.claims, func(c claim) bool {
		return c.letters == want || c.footer && strings.HasPrefix(c.letters, want)
	}))
}

package byrules

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

type dated struct {
	printed.Date
	quote string
	page  int
	at    int // its cell
	score float64
}

// dates lists the dates of a document with their scores. A negative score means the date of
// something else.
func dates(cells []cell, number named) (found []dated) {
	for i, c := range cells {
		for _, d := range printed.Dates(c.Text) {
			found = append(found, dated{d, c.Text, c.page, i, dateScore(cells, i, d, number)})
		}
	}
	return found
}

// dateScore grades the date in cell i by its label: in front of it in the cell, to the left,
// or above.
func dateScore(cells []cell, i int, d printed.Date, number named) float64 {
	c := cells[i]
	high := (1 - c.Box.Top) / 2
	before := strings.TrimSpace(c.Text[:d.Start])
	if number.number != "" && c.page == number.page && strings.Contains(before, number.number) {
		return 5
	}
	if ofRange(c.Text, d) {
		return -5
	}
	before = strings.TrimLeft(before[lastDate(before):], " :,;/")
	if score, ok := runOver(cells, i, before, number.number); ok {
		return score
	}
	const footer, lowest, most = 0.85, 0.5, 2
	switch after := c.Text[d.End:]; {
	case c.Box.Top > footer && clock().MatchString(after):
		return -5 // when the page was printed
	case c.Box.Top > footer:
		high -= 3
	case strings.HasPrefix(strings.TrimSpace(after), "(") && wordScore(strings.Trim(after, " ()"), 1) < 0:
		return -10
	}
	if before != "" {
		if a, ok := above(cells, i); ok && cites(a.Text) && !strings.HasSuffix(before, ":") && !ownDay().MatchString(before) {
			return -5 // a sentence goes on: "as of order no. 7 / of 1 March"
		}
		if score := number.wordScore(before, 4); score != 0 || len(strings.Fields(before)) <= most {
			return score + high
		}
		return -5 // a sentence
	}
	score := 0.0
	if l, ok := leftOf(cells, i); ok && len(l.Text) <= longLabel { // text in another column doesn't run on
		score = number.wordScore(l.Text, 3.5)
	}
	if a, ok := above(cells, i); ok && runsOn().MatchString(a.Text) && number.number != "" && strings.Contains(a.Text, number.number) {
		return 5 // the title goes on
	} else if ok && score == 0 {
		if score = number.wordScore(a.Text, 3); score > 0 && listsDays(cells, i) {
			return -5
		}
	}
	if l, ok := staggered(cells, i); ok && score == 0 && len(l.Text) <= longLabel {
		score = number.wordScore(l.Text, 2.5)
	}
	if score == 0 && (c.Box.Top > lowest && !stamped(cells, i, d) || listsDays(cells, i)) {
		return -5 // of a line, or of a payment
	}
	return score + high
}

// stamped reports whether a time of day follows a date, in its cell or the next one, as a till prints them.
func stamped(cells []cell, i int, d printed.Date) bool {
	after := cells[i].Text[d.End:]
	if next := right(cells, i); len(next) > 0 {
		after += " " + next[0].Text
	}
	return clock().MatchString(after)
}

// listsDays reports whether dates without a label to their left stand above or below cell i, too, as in a table: its
// head names none of them.
func listsDays(cells []cell, i int) bool {
	const edge = 0.02
	dated := func(c cell, ok bool) bool {
		l, _ := leftOf(cells, c.at)
		labelled := worded(l) && !numbered([]cell{l})
		return ok && !labelled && abs(c.Box.Left-cells[i].Box.Left) < edge && len(printed.Dates(c.Text)) > 0
	}
	return dated(under(cells, i)) || dated(above(cells, i))
}

// between stands between the first day of a period and the last.
var between = lazy.Regexp(`(?i)^ *(?:-|–|—|/|to|until|till|through|bis(?: zum)?|au|al|a|hasta|até|tot(?: en met)?|t/m|do|` +
	`till och med|t\.?o\.?m\.?|til) *(?:el |il |o |le )?$`)

// ofRange reports whether a date is the first or the last day of a period.
func ofRange(text string, d printed.Date) bool {
	return slices.ContainsFunc(printed.Dates(text), func(o printed.Date) bool {
		spans := between().MatchString
		return o.Start > d.End && spans(text[d.End:o.Start]) || o.End < d.Start && spans(text[o.End:d.Start])
	})
}

// runOver grades a date behind a word such as "vom", in its cell or alone to its left or above: it belongs to the number to
// the left or in the row above, which may be another document's, unless a title stands there.
func runOver(cells []cell, i int, before, number string) (score float64, ok bool) {
	at := i
	l, _ := leftOf(cells, i)
	a, near := above(cells, i)
	switch {
	case before == "" && of().MatchString(l.Text):
		at = l.at
	case before == "" && near && of().MatchString(a.Text):
		at = a.at
	case !of().MatchString(before):
		return 0, false
	}
	around := []cell{}
	if l, ok := leftOf(cells, at); ok {
		around = append(around, l)
	}
	if a, ok := above(cells, at); ok {
		around = append(append(around, a), right(cells, a.at)...)
	}
	switch one := func(says func(cell) bool) bool { return slices.ContainsFunc(around, says) }; {
	case number != "" && one(func(c cell) bool { return strings.Contains(c.Text, number) }):
		return 5, true
	case one(func(c cell) bool { return isTitle(c.Text) && !dateLabel().MatchString(c.Text) }) && !numbered(around):
		return 0, false // Rechnung vom
	}
	return -5, true
}

// of stands between a number and its date.
var of = lazy.Regexp(`(?i)^(?:vom|du|del?|dated|of|from|van|z dnia|av|den|do):?$`)

// lastDate returns where the last date of a text ends, because a cell may hold several dates with
// their labels.
func lastDate(text string) (end int) {
	for _, d := range printed.Dates(text) {
		end = d.End
	}
	return end
}

// runsOn ends a line before a date.
var runsOn = lazy.Regexp(`(?i) (?:vom|du|del|dated|of|van|z dnia|av|den|de|do)$`)

// dayWord names a date.
var dayWord = lazy.Regexp(`(?i)dat[eaou]|fecha|päiv|dag\b`)

// foreignDate labels a date in a language that has the day first.
var foreignDate = lazy.Regexp(`(?i)^(?:fecha|datum|dato|dátum|data d\pL+|date d(?:e|u) .*|date d['’].*|ημερομηνία|` +
	`(?:rechnungs|beleg|liefer|bestell|factuur|order|faktura)dat(?:um|o))(?: de \pL+)? *:?$`)

// clock is a time of day behind a date.
var clock = lazy.Regexp(`(?i)^[ ,·|-]*(?:zeit|time|heure|ora|hora|um|tijd|kl\.?|godz\.?)?[ :]*\d{1,2}[:.]\d{2}\b`)

const longLabel = 40

// placeInFront matches a place before a date, as in letters: "Hamburg, den".
var placeInFront = lazy.Regexp(`^[^\d\p{Ll},][^\d,]{0,30},(?: \pL{1,4})?$`)

// eventDay names the date of the event that a type is about, if nothing else dates the document.
var eventDay = map[document.Type]pattern{
	document.PurchaseOrder: word(`(?:purchase )?order(?:ed)? (?:date|on)|date of order|(?:bestell|auftrags)datum|bestellt am|` +
		`date de (?:la )?commande|data (?:dell?['’ ])? ?ordine|fecha (?:del? )?pedido|(?:bestel|order|inköps)datum|ordredato|` +
		`data zamówienia|datum objednávky|data (?:da encomenda|comenzii)`),
	document.OrderConfirmation: word(`acknowledged?(?: on| date)?|confirmed(?: on)?|confirmation date|bestätigt am|bestätigungsdatum`),
	document.DeliveryNote: word(`(?:deliver(?:y|ed)|dispatch(?:ed)?|shipp(?:ing|ed)|shipment) (?:date|on)|(?:liefer|versand)datum|` +
		`geliefert am|date (?:de livraison|d['’]expédition)|data (?:di )?(?:consegna|spedizione|trasporto)|` +
		`fecha de (?:entrega|envío)|leverdatum|leveransdatum|leveringsdato|data dostawy`),
	document.GoodsReceipt: word(`(?:date (?:received|of receipt)|rece(?:ived|ipt) (?:date|on))|(?:wareneingangs|eingangs)datum|` +
		`(?:waren)?eingang|erhalten am|date de réception|reçu le|data (?:di )?ricevimento|fecha de recepción|ontvangstdatum|` +
		`mottagningsdatum|modtaget|data przyjęcia`),
}

// orderDay dates a confirmation that has no other date.
var orderDay = word(`order date|date of order|orderdatum|auftragsdatum|data ordine|fecha del? pedido|date de (?:la )?commande`)

// posted names the day on which a receipt of goods was entered, next to the date of the delivery note.
var posted = word(`buchungsdatum|posting date|posted(?: on)?|date de comptabilisation|data di registrazione|boekingsdatum`)

// wordScore grades a label, as the function does, for a document with this number.
func (n named) wordScore(label string, most float64) float64 {
	const event = 2
	if n.kind == document.OrderConfirmation && orderDay().MatchString(label) {
		return 0 // otherwise unlabelled dates would win
	}
	if n.kind == document.GoodsReceipt && posted().MatchString(label) {
		return most + 1
	}
	if n.isOf(label) {
		return most
	}
	if form := eventDay[n.kind]; form != nil && form().MatchString(strings.TrimLeft(label, " (*")) {
		return event
	}
	score := wordScore(label, most)
	ofTitle := func(t title) bool { return t.kind == n.kind && t.form().MatchString(label) }
	if score == most && slices.ContainsFunc(titles, ofTitle) {
		score++ // "Credit note date" before "Invoice date"
	}
	return score
}

// possessive stands before the title of a document: "Your invoice of 3 March".
var possessive = word(`(?:your|our|ihre?|unsere?|votre|notre|vostr[ao]|nostr[ao]|la (?:sua|vostra)|` +
	`su|nuestra|uw|onze|er|vår|din|twoja|nasza) +`)

// isOf reports whether a label is the document's title with nothing but a word such as "of" behind it.
func (n named) isOf(label string) bool {
	label = label[len(possessive().FindString(label)):]
	for _, t := range titles {
		if head := t.form().FindString(label); t.kind == n.kind && head != "" && of().MatchString(strings.TrimSpace(label[len(head):])) {
			return true
		}
	}
	return false
}

// wordScore grades a label. A label of the document's date gets most.
func wordScore(label string, most float64) float64 {
	label = strings.TrimLeft(label, " (*")
	switch {
	case otherDate().MatchString(label) || dueLabel().MatchString(label) || periodLabel().MatchString(label):
		return -10
	case len(label) <= longLabel && ((otherDay().MatchString(label) || isSpecial(label)) && !ownDay().MatchString(label) ||
		citedDay().MatchString(label)):
		return -10
	case dateLabel().MatchString(label) && !ownDay().MatchString(label) &&
		len(printed.Letters(dateLabel().ReplaceAllString(label, ""))) > 2:
		return most - 1 // unknown words behind it
	case dateLabel().MatchString(label):
		return most
	case len(label) <= longLabel && ownDay().MatchString(label) && dayWord().MatchString(label):
		return most // "Rechnungs- und Lieferdatum", but not "30 days from the date of the invoice, that is by"
	case placeInFront().MatchString(label):
		return 2
	case len(label) > longLabel || runsOn().MatchString(label) && !isTitle(label):
		return -5 // running text
	}
	return 0
}

// strange reports whether unknown words label a date: in front of it, to its left or above it.
func (r *reader) strange(d dated) bool {
	const letters = 3
	words := func(text string) bool {
		return len(printed.Letters(text)) > letters && !strings.ContainsAny(text, "0123456789") && !orderDay().MatchString(text)
	}
	l, left := leftOf(r.cells, d.at)
	a, up := above(r.cells, d.at)
	switch before := strings.TrimSpace(d.quote[:d.Start]); {
	case before != "":
		return words(before)
	case left:
		return words(l.Text)
	}
	return up && words(a.Text) && !nameLike(a.Text)
}

// rivals reports whether a date may be the document's instead of the best one: its label is of the same kind, or
// neither has one.
func (d dated) rivals(best dated) bool {
	const own, near = 2.5, 0.7
	return d.score >= 0 && (best.score < own || d.score > best.score-near)
}

func leftOf(cells []cell, i int) (best cell, ok bool) {
	for j := i - 1; j >= 0 && j > i-20; j-- {
		if cells[i].row(cells[j]) && cells[j].Box.Left < cells[i].Box.Left &&
			(!ok || cells[j].Box.Left > best.Box.Left) {
			best, ok = cells[j], true
		}
	}
	return best, ok
}

func above(cells []cell, i int) (cell, bool) {
	const lines = 3
	for j := i - 1; j >= max(0, i-reach) && cells[j].page == cells[i].page; j-- {
		c := cells[j]
		if !cells[i].row(c) && cells[i].column(c) {
			return c, cells[i].Box.Top-c.Box.Bottom < lines*c.height()
		}
	}
	return cell{}, false
}

// staggered returns a label to the left, less than a line above.
func staggered(cells []cell, i int) (best cell, ok bool) {
	for j := i - 1; j >= 0 && j > i-20; j-- {
		c, d := cells[j], cells[i]
		if c.page == d.page && c.Box.Left < d.Box.Left && c.Box.Top <= d.Box.Top && d.Box.Top-c.Box.Bottom < c.height()/2 &&
			(!ok || c.Box.Left > best.Box.Left) {
			best, ok = c, true
		}
	}
	return best, ok
}

// cites reports whether a text names another document, because that document's date may
// follow.
func cites(text string) bool { return len(reference.Find(text)) > 0 && len(strings.Fields(text)) > 3 }

// order decides whether the day or the month comes first: by the unambiguous dates, otherwise
// by the country of a VAT id or the currency.
func order(all []dated, currency string, european bool) (dayFirst, known bool) {
	first, second := 0, 0
	for _, d := range all {
		day, known := d.DayFirst()
		first += bit(day)
		second += bit(known && !day)
	}
	switch {
	case first > 0 && second == 0:
		return true, true
	case second > 0 && first == 0:
		return false, true
	case european:
		return true, true
	case currency == "USD":
		return false, true
	}
	return true, currency != "" && currency != "CAD" // Canada uses both
}

// reading returns the day a date means; false if that stays open.
func (d dated) reading(dayFirst, known bool) (document.Date, bool) {
	switch {
	case len(d.Readings) == 1:
		return d.Readings[0], true
	case len(d.Readings) == 0, !known:
		return document.Date{}, false
	case dayFirst:
		return d.Readings[0], true
	}
	return d.Readings[1], true
}

package warning

import (
	"cmp"
	"fmt"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/threeway"
)

// sameNumber compares two documents of one type, supplier and number. Some suppliers restart
// their numbers each year, so the same number in another year is fine if the total is another
// one or the number is short.
func sameNumber(d, earlier Document, _ []Document) string {
	start := fmt.Sprintf("The %s %s of the same supplier", earlier.Type.Words(), earlier.called())
	a, b := d.value(), earlier.value()
	switch {
	case restarts(d, earlier):
		return ""
	case a.IsZero() || b.IsZero():
		return start + " has the same number; their totals cannot be compared. One may be a copy of the other."
	case !a.Equal(b) && d.Date.Month(0)[:4] != earlier.Date.Month(0)[:4]:
		return ""
	case !a.Equal(b):
		return fmt.Sprintf("%s has the same number and another total: %s here, %s there. "+
			"One may be a correction of the other.", start, a.Fixed(), b.Fixed())
	case d.Date == earlier.Date:
		return fmt.Sprintf("%s has the same number, date and total (%s). It seems to be the same document, sent again.",
			start, a.Fixed())
	}
	return fmt.Sprintf("%s has the same number and total (%s) and another date. It may be the same document, sent again.",
		start, a.Fixed())
}

// sameContent compares two invoices of one supplier and total. Within a month their items must
// agree; up to a year the texts as well, and the dates must not be whole months apart. A suffix
// of the number shows a copy whatever its date.
func sameContent(d, earlier Document, series []Document) string {
	days := earlier.Date.DaysUntil(d.Date)
	if reference.Canonical(d.Number) == reference.Canonical(earlier.Number) || d.Date.IsZero() || earlier.Date.IsZero() ||
		days > year || d.Period != earlier.Period || d.citesOthers(earlier) || !sameItems(d.Lines, earlier.Lines) {
		return ""
	}
	if !renumbered(d.Number, earlier.Number) &&
		(d.recurs(series) || days > within && (monthly(earlier.Date, d.Date) || !sameTexts(d, earlier))) {
		return ""
	}
	when := "on the same day"
	switch {
	case days == 1:
		when = "the day before"
	case days > 1:
		when = fmt.Sprintf("%d days before", days)
	}
	return fmt.Sprintf("The invoice %s of the same supplier, dated %s, bills the same items and the same total (%s) "+
		"under another number. The goods may be billed twice, or ordered twice.", earlier.called(), when, d.value().Fixed())
}

// citesOthers reports whether both cite documents, typed or labelled in a text, but none in
// common.
func (d Document) citesOthers(o Document) bool {
	a, b := d.cited(), o.cited()
	common := func(n reference.Number) bool {
		return slices.ContainsFunc(b, func(m reference.Number) bool { return means(n, m) || means(m, n) })
	}
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, common)
}

func means(n, m reference.Number) bool {
	agreement, _ := n.Means(m)
	return agreement == reference.Same
}

// maxTexts bounds the lines searched for citations, and maxCited the compared citations.
const (
	maxTexts = 20
	maxCited = 100
)

func (d Document) cited() (list []reference.Number) {
	for _, r := range d.References[:min(len(d.References), maxCited)] {
		list = append(list, reference.Read(r.Number))
	}
	texts := []string{d.Notes}
	for _, l := range d.Lines[:min(len(d.Lines), maxTexts)] {
		texts = append(texts, l.Description)
	}
	for _, text := range texts {
		for _, f := range reference.Find(text) {
			if len(list) < maxCited {
				list = append(list, reference.Read(f.Number))
			}
		}
	}
	return list
}

// sameItems reports whether two lists have the same items in the same quantities.
func sameItems(a, b []document.Line) bool {
	if len(a) == 0 || len(a) != len(b) {
		return false
	}
	n := 0
	for _, p := range score.AlignLines(a, b) {
		if x, y := quantity(a, p.A), quantity(b, p.B); x.Canonical() != y.Canonical() {
			return false
		}
		n += len(p.A)
	}
	return n == len(a)
}

func quantity(lines []document.Line, of []int) (sum document.Amount) {
	for _, i := range of {
		sum = sum.Plus(lines[i].Quantity)
	}
	return sum
}

// otherAccount compares a document with a new account with the one before it.
func otherAccount(d, earlier Document, _ []Document) string {
	now, _ := company.IBAN(d.Supplier.IBAN)
	before, _ := company.IBAN(earlier.Supplier.IBAN)
	if now == before || d.Type == document.CreditNote { // nothing is paid to its account
		return ""
	}
	return fmt.Sprintf("Credit notes apart, no earlier document of this supplier here names the account %s; the %s %s "+
		"before it names %s. "+
		"The supplier may have a new account or have sold its claims; it may be fraud. "+
		"Check with the supplier, but don't use the contact details on this document.", now, earlier.Type.Words(), earlier.called(), before)
}

// maxNumber bounds a number in words, in characters.
const maxNumber = 60

func (d Document) called() string {
	name := cmp.Or(fmt.Sprintf("%.*s", maxNumber, d.Number), "without a number")
	if !d.Date.IsZero() {
		name += " of " + d.Date.String()
	}
	return name
}

// OfOrder warns about an order that is over-billed with an invoice. Later invoices don't change the
// facts, because they have a warning too.
func OfOrder(v threeway.Invoice, o threeway.Order, number string) Warning {
	words := fmt.Sprintf("With this invoice, more of the order %.*s is billed than was ordered.", maxNumber, number)
	facts := []any{o.Amount.Canonical()}
	for _, l := range v.Lines {
		if l.Verdict != threeway.OverBilled || l.Order == nil || *l.Order != o.ID {
			continue
		}
		if len(facts) == 1 {
			words += fmt.Sprintf(" Line %d: %s ordered, %s billed before, %s billed here.", l.Line, l.Ordered.Canonical(),
				cmp.Or(l.Before.Canonical(), "0"), cmp.Or(l.Counted, l.Billed).Canonical())
		}
		facts = append(facts, l.Line, l.Ordered.Canonical(), l.Before.Canonical(), l.Billed.Canonical())
	}
	if len(facts) == 1 {
		facts = append(facts, o.Billed.Canonical())
	}
	if !o.Amount.IsZero() {
		words += fmt.Sprintf(" Of %s net, all its invoices bill %s.", o.Amount.Fixed(), o.Billed.Fixed())
	}
	return Warning{v.ID, OverBilled, o.ID, words, Facts(facts...)}
}

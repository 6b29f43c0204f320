package warning

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
)

// sameName is the likeness of names from which on they are one company's.
const sameName = 0.75

// OtherBuyer warns about an invoice to another company than the buyer of its order, such as one
// of the same group. The invoice must name a valid VAT id, or both name one, because names alone may
// be of a department or a trade. ok is false if the two may be one company.
func OtherBuyer(invoice, order Document) (w Warning, ok bool) {
	a, b := invoice.Buyer, order.Buyer
	p, q := nameOf(a), nameOf(b)
	id, valid := company.VATID(a.VATID)
	theirs, alsoValid := company.VATID(b.VATID)
	alike := company.Similarity(p, q)
	switch {
	case !valid && (id == "" || theirs == ""), id == theirs, alike >= sameName: // a company may have ids of several countries
		return w, false
	case !(valid && alsoValid) && !company.OtherVATID(id, theirs) && !company.Sisters(p, q) && !differ(p, q):
		return w, false
	}
	return Warning{invoice.ID, WrongCompany, order.ID, fmt.Sprintf("The invoice is addressed to %s, but the order %.*s is by %s. "+
		"It may be paid by the wrong company of a group.", called(a), maxNumber, order.Number, called(b)),
		Facts(id, theirs, p.Key(), q.Key())}, true
}

// nameOf is a company's name without its department.
func nameOf(p document.Party) company.Name {
	name, _, _ := strings.Cut(p.Name, ",")
	return company.ParseName(name)
}

// differ reports whether two names begin with one word, and both go on with words that the other
// one doesn't have. Words such as trade are too weak for company.Sisters.
func differ(p, q company.Name) bool {
	a, b := p.Words(), q.Words()
	lacks := func(words []string) func(string) bool {
		return func(word string) bool { return !slices.Contains(words, word) }
	}
	return len(a) > 1 && len(b) > 1 && a[0] == b[0] && slices.ContainsFunc(a[1:], lacks(b)) && slices.ContainsFunc(b[1:], lacks(a))
}

// called is a company with its VAT id.
func called(p document.Party) string {
	name := fmt.Sprintf("%.*s", maxNumber, p.Name)
	if p.VATID != "" {
		name += fmt.Sprintf(" (VAT id %.*s)", maxNumber, p.VATID)
	}
	return name
}

package score

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/reference"
)

// compareCitations looks for numbers that connect the documents. A direct
// citation outweighs a common one.
func compareCitations(a, b Document) []Evidence {
	if ev := directCitation(a, b); ev != nil {
		return ev
	}
	if ev := revision(a, b); ev != nil {
		return ev
	}
	common := commonCitation(a, b)
	if citesOther(a, b) {
		return append(common, evOtherCitation.Because("The %s cites another %s: %s.",
			a.Type.Words(), b.Type.Words(), firstCited(a, b.Type))...)
	}
	if citesOther(b, a) {
		return append(common, evOtherCitation.Because("The %s cites another %s: %s.",
			b.Type.Words(), a.Type.Words(), firstCited(b, a.Type))...)
	}
	return common
}

// directCitation is the stronger evidence of two: a cites b, or b cites a. An
// exact number is stronger than one that may be misread.
func directCitation(a, b Document) []Evidence {
	ab, ba := cites(a, b), cites(b, a)
	if ab == nil || ba != nil && (ba[0].Points > ab[0].Points || ab[0].Name == evCitesLoosely.name) {
		return ba
	}
	return ab
}

// cites finds the number of b among the citations of a. A citation without a
// type may be of any type.
func cites(a, b Document) []Evidence {
	var loosely *citation
	for _, c := range a.cites {
		if c.Type != string(b.Type) && c.Type != "" {
			continue
		}
		if same(c.Canonical, b.number.Canonical) {
			kind := evCites
			if reference.Strength(b.Number) < 0.5 {
				kind = evCitesShort
			}
			if c.Raw == b.Number {
				return kind.Because("The %s cites the %s %s.", a.Type.Words(), b.Type.Words(), b.Number)
			}
			return kind.Because("The %s cites the %s %s, written %q.", a.Type.Words(), b.Type.Words(), b.Number, c.Raw)
		}
		if loosely == nil && same(c.Loose, b.number.Loose) {
			loosely = &c
		}
	}
	if loosely != nil {
		return evCitesLoosely.Because("The %s cites %q, which may be a misread %s.", a.Type.Words(), loosely.Raw, b.Number)
	}
	return nil
}

// revision: a confirmation often has the order's number with a revision mark.
func revision(a, b Document) []Evidence {
	if a.Type == document.OrderConfirmation {
		a, b = b, a
	}
	if a.Type != document.PurchaseOrder || b.Type != document.OrderConfirmation {
		return nil
	}
	base, rev := reference.Revision(b.Number)
	if rev != "" && same(reference.Canonical(base), a.number.Canonical) {
		return evRevision.Because("%s is a revision of %s.", b.Number, a.Number)
	}
	return nil
}

// commonCitation finds the number that both cite, the strongest one; or that
// both cite, for example, orders, but not one in common.
func commonCitation(a, b Document) []Evidence {
	var found []Evidence
	for _, c := range a.cites {
		for _, o := range b.cites {
			if c.Type != o.Type || !same(c.Canonical, o.Canonical) && !same(c.Loose, o.Loose) {
				continue
			}
			ev := sayCommon(c)
			if found == nil || ev[0].Points > found[0].Points {
				found = ev
			}
		}
	}
	if found != nil {
		return found
	}
	for _, t := range []document.Type{document.PurchaseOrder, document.DeliveryNote} {
		if t != a.Type && t != b.Type && citesType(a, t) && citesType(b, t) {
			return evOtherCommon.Because("They cite different %ss: %s and %s.", t.Words(), firstCited(a, t), firstCited(b, t))
		}
	}
	return nil
}

func sayCommon(c citation) []Evidence {
	switch t := document.Type(c.Type); {
	case t == document.DeliveryNote:
		return evCommonDelivery.Because("Both cite the delivery note %s.", c.Raw)
	case slices.Contains(document.Types, t):
		return evCommonCitation.Because("Both cite the %s %s.", t.Words(), c.Raw)
	}
	return evCommonOther.Because("Both cite the number %s.", c.Raw)
}

func citesType(d Document, t document.Type) bool {
	return slices.ContainsFunc(d.cites, func(c citation) bool { return c.Type == string(t) })
}

// firstCited is the first document of the type that d cites, as printed.
func firstCited(d Document, t document.Type) string {
	for _, c := range d.cites {
		if c.Type == string(t) {
			return c.Raw
		}
	}
	return ""
}

// citesOther reports whether a cites documents of b's type, but not b.
func citesOther(a, b Document) bool {
	return b.number.Canonical != "" && citesType(a, b.Type)
}

package score

import (
	"cmp"

	"matchbook/lambda/company"
)

// Similarities of names: from sameName on one company, from similarName on
// probably one, below otherName certainly two.
const (
	sameName    = 0.98
	similarName = 0.75
	otherName   = 0.50
)

func same(a, b string) bool { return a != "" && a == b }

// compareParties looks for the common company of the documents: the supplier,
// or the buyer where one of them does not name the supplier. If there is none,
// agreed is false: other companies may use the same numbers.
func compareParties(a, b Document) (evidence []Evidence, agreed bool) {
	s, t := a.supplier, b.supplier
	buyers := company.Similarity(a.buyer.name, b.buyer.name)
	sameBuyer := same(a.buyer.VATID, b.buyer.VATID) || buyers >= similarName
	buyer := cmp.Or(a.Buyer.Name, b.Buyer.Name, a.buyer.VATID)
	sim := company.Similarity(s.name, t.name)
	switch {
	case same(s.VATID, t.VATID):
		evidence = evVATID.Because("Both name the supplier with VAT id %s.", s.VATID)
	case same(s.IBAN, t.IBAN):
		evidence = evIBAN.Because("Both name the supplier's account %s.", s.IBAN)
	case sim >= sameName:
		evidence = evName.Because("Both name %s as the supplier.", a.Supplier.Name)
	case sim >= similarName:
		evidence = evNameSimilar.Because("The suppliers %q and %q look like one company.", a.Supplier.Name, b.Supplier.Name)
	case !s.isZero() && !t.isZero():
		return nil, false
	case sameBuyer:
		return evBuyer.Because("Both name %s as the buyer.", buyer), true
	default:
		return nil, false
	}
	switch {
	case sameBuyer:
		evidence = append(evidence, evSameBuyer.Because("Both name %s as the buyer.", buyer)...)
	case !a.buyer.name.IsZero() && !b.buyer.name.IsZero() && buyers < otherName:
		evidence = append(evidence, evOtherBuyer.Because("The buyers %q and %q differ.", a.Buyer.Name, b.Buyer.Name)...)
	}
	return evidence, true
}

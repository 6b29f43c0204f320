package score

import (
	"cmp"
	"slices"
	"strings"

	"matchbook/lambda/document/company"
)

// Similarities of names: from sameName on it is one company, from similarName on probably one,
// below otherName probably two.
const (
	sameName    = 0.98
	similarName = 0.75
	otherName   = 0.50
)

func same(a, b string) bool { return a != "" && a == b }

// compareParties looks for the documents' common company: the supplier, or the buyer if the
// suppliers cannot be compared.
func compareParties(a, b *Document) []Evidence {
	buyers := company.Similarity(a.buyer.name, b.buyer.name)
	sameBuyer := same(a.buyer.VATID, b.buyer.VATID) || buyers >= similarName
	buyer := cmp.Or(a.Buyer.Name, b.Buyer.Name, a.buyer.VATID)
	if a.supplier.unlike(&b.supplier) && !same(a.supplier.place, b.supplier.place) {
		if sameBuyer {
			return evBuyer.Because("Both name %s as the buyer.", buyer)
		}
		return nil
	}
	evidence := compareSuppliers(a, b)
	switch {
	case sameBuyer:
		evidence = append(evidence, evSameBuyer.Because("Both name %s as the buyer.", buyer)...)
	case buyers < otherName && namesCompany(evidence) && beginAlike(a.Buyer.Name, b.Buyer.Name):
		evidence = append(evidence, evBranchBuyer.Because("The buyers %s and %s may be of one group.",
			quoted(a.Buyer.Name), quoted(b.Buyer.Name))...)
	case !a.buyer.name.IsZero() && !b.buyer.name.IsZero() && buyers < otherName:
		evidence = append(evidence, evOtherBuyer.Because("The buyers %s and %s differ.", quoted(a.Buyer.Name), quoted(b.Buyer.Name))...)
	}
	return evidence
}

// unlike reports whether two companies cannot be compared at all: one is missing, or their
// names are in two scripts.
func (p *party) unlike(q *party) bool {
	return p.isZero() || q.isZero() || knownAs(p, q) == "" && !same(p.VATID, q.VATID) && !same(p.IBAN, q.IBAN) &&
		!p.name.IsZero() && !q.name.IsZero() && !company.Comparable(p.name, q.name)
}

// compareSuppliers compares two suppliers by VAT id, account and name. The same account
// doesn't mean the same company, because a bank buying invoices uses one for many suppliers.
func compareSuppliers(a, b *Document) (evidence []Evidence) {
	s, t := &a.supplier, &b.supplier
	named := !s.name.IsZero() && !t.name.IsZero()
	sim := company.Similarity(s.name, t.name)
	switch {
	case same(s.VATID, t.VATID):
		return evVATID.Because("Both name the supplier with VAT id %s.", s.VATID)
	case same(s.IBAN, t.IBAN) && (!named || sim >= otherName):
		evidence = evIBAN.Because("Both name the supplier's account %s.", s.IBAN)
	case sim < similarName && knownAs(s, t) != "":
		evidence = known(a, b)
	case same(s.IBAN, t.IBAN):
		evidence = evIBANOnly.Because("Both name the account %s, but the suppliers are %s and %s.",
			s.IBAN, quoted(a.Supplier.Name), quoted(b.Supplier.Name))
	case sim >= sameName:
		evidence = evName.Because("Both name %s as the supplier.", a.Supplier.Name)
	case sim >= similarName && s.apart(t):
		evidence = evNamePerhaps.Because("The suppliers %s and %s have similar names, but other VAT ids.",
			quoted(a.Supplier.Name), quoted(b.Supplier.Name))
	case sim >= similarName:
		evidence = evNameSimilar.Because("The suppliers %s and %s look like one company.", quoted(a.Supplier.Name), quoted(b.Supplier.Name))
	case same(s.place, t.place) && (s.unlike(t) || sim >= otherName):
		evidence = evAddress.Because("Both name the supplier's address %s.", quoted(a.Supplier.Address))
	case named && company.Sisters(s.name, t.name):
		evidence = evSister.Because("The suppliers %s and %s may be of one group, but are two companies.",
			quoted(a.Supplier.Name), quoted(b.Supplier.Name))
	case named && sim >= otherName:
		evidence = evNamePerhaps.Because("The suppliers %s and %s may be one company.", quoted(a.Supplier.Name), quoted(b.Supplier.Name))
	case named:
		evidence = evOtherName.Because("The suppliers %s and %s differ.", quoted(a.Supplier.Name), quoted(b.Supplier.Name))
	}
	if s.valid && t.valid { // of two countries, otherwise it is a veto
		evidence = append(evidence, evOtherVATID.Because("The suppliers have VAT ids of two countries: %s and %s.",
			s.VATID, t.VATID)...)
	}
	return evidence
}

// apart reports whether the VAT ids are of one country and of two companies.
func (p *party) apart(q *party) bool {
	return company.OtherVATID(p.VATID, q.VATID) && p.VATID[:2] == q.VATID[:2]
}

// beginAlike reports whether two names begin with the same word, as branches of a company do.
func beginAlike(a, b string) bool {
	first := func(name string) string {
		word, _, _ := strings.Cut(strings.TrimSpace(fold(name)), " ")
		return word
	}
	return len(first(a)) > 3 && first(a) == first(b)
}

// forgive replaces evidence of another supplier by a mild one: where one document cites the other's
// very number and has its goods, a carrier, a brand or another company of the group wrote it. That
// doesn't hold for an invoice, because it is paid to the company on it.
func forgive(evidence []Evidence) []Evidence {
	for i, ev := range evidence {
		if ev.isOf(evSister, evOtherName) {
			evidence[i] = evNameForgiven.says(ev.Text)
		}
	}
	return evidence
}

// maxShown bounds a name in the text of evidence, in bytes.
const maxShown = 120

// quoted is a name in quotes, cut to maxShown. It isn't escaped, so you must remove control
// characters before printing it.
func quoted(name string) string {
	if len(name) > maxShown {
		name = strings.ToValidUTF8(name[:maxShown], "") + "…"
	}
	return `"` + name + `"`
}

// namesCompany reports whether the evidence contains a common company.
func namesCompany(evidence []Evidence) bool {
	return slices.ContainsFunc(evidence, func(ev Evidence) bool {
		return ev.Points > 0 && ev.family() == "company" && !evSameBuyer.Is(ev)
	})
}

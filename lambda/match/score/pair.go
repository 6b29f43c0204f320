package score

import (
	"fmt"
	"slices"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Pair is the score of two documents and its evidence, without any competition.
type Pair struct {
	A, B         uuid.UUID // A < B
	TypeA, TypeB document.Type
	Points       int // see Sum; may be negative, or above 100
	Fit          Fit
	Ends         [2]End // of A and of B
	Evidence     []Evidence
	Veto         string // why it is out of the question; empty if it isn't
}

// Fit is the number of units of two documents, and of their common units. It is zero if units
// cannot be compared.
type Fit struct{ A, B, Common float64 }

// Counts reports whether to keep a pair: competition may make it a match, or a person may ask
// why it isn't one. Contents alone connect only documents of one company, so any other pair
// must have a citation.
func (p Pair) Counts() bool {
	connected := namesCompany(p.Evidence) || slices.ContainsFunc(p.Evidence, func(ev Evidence) bool {
		return ev.Points > 0 && ev.family() == "citation"
	})
	return p.Veto != "" && len(p.Evidence) > 0 || p.Veto == "" && (connected && p.Points >= KeepAt || p.Cites() || p.Cited())
}

// Score scores a pair of documents. It is symmetric and depends only on the two. A pair out of
// the question has the reason as Veto, and has evidence only if one document cites the other.
func (d Document) Score(o Document) Pair {
	a, b := &d, &o
	if slices.Compare(b.ID[:], a.ID[:]) < 0 {
		a, b = b, a
	}
	p := Pair{A: a.ID, B: b.ID, TypeA: a.Type, TypeB: b.Type, Evidence: []Evidence{},
		Ends: [2]End{a.end(), b.end()}}
	first, second := inOrder(a, b)
	if p.Veto = veto(first, second); p.Veto != "" {
		p.Evidence = append(p.Evidence, directCitation(first, second)...)
		return p
	}
	if !a.HasCounterparty() || !b.HasCounterparty() {
		return p // it must not match, whichever of the two is matched
	}
	citations := compareCitations(first, second)
	contents, fit := compareContents(first, second, citesNumber(citations))
	if first.ID != a.ID {
		fit.A, fit.B = fit.B, fit.A
	}
	p.Fit = fit
	parties := compareParties(first, second)
	if !paid(first, second) && citesNumber(citations) && fit.Common > 0 && sumOf("contents", contents) >= evItemsPart.points {
		parties = forgive(parties)
	}
	p.Evidence = append(p.Evidence, slices.Concat(parties, citations, behindOrder(first, second), contents,
		compareTexts(first, second), compareDates(first, second))...)
	p.Evidence = accustomed(first, second, p.Evidence)
	p.Points = Sum(p.Evidence)
	return p
}

// paid reports whether a supplier is paid by the second document as ordered in the first: the
// company must then be the same. A delivery may be written by a carrier or a company of the group.
func paid(first, second *Document) bool {
	return rank[second.Type] >= rank[document.Invoice] && first.Type != document.DeliveryNote
}

// veto returns the reason why a pair is out of the question, or "".
func veto(a, b *Document) string {
	switch {
	case a.TenantID != b.TenantID:
		return "They belong to different tenants."
	case !mayMatch(a.Type, b.Type):
		return "Documents of these types are not matched."
	case otherCurrency(a.currencies, b.currencies):
		return fmt.Sprintf("The currencies differ: %s and %s.", a.Currency, b.Currency)
	case a.supplier.contradicts(&b.supplier):
		return fmt.Sprintf("The suppliers' VAT ids differ: %s and %s.", a.supplier.VATID, b.supplier.VATID)
	case a.buyer.contradicts(&b.buyer):
		return fmt.Sprintf("The buyers' VAT ids differ: %s and %s.", a.buyer.VATID, b.buyer.VATID)
	}
	return ""
}

// contradicts reports whether the VAT ids are of two companies: valid, of one country and
// different. VAT ids of different countries don't contradict, because a company may have several.
func (p *party) contradicts(q *party) bool {
	return p.valid && q.valid && p.VATID != q.VATID && p.VATID[:2] == q.VATID[:2]
}

// behindOrder is evidence against an invoice and a contract. If the invoice cites only an
// order, then the order belongs to the contract, not the invoice.
func behindOrder(contract, invoice *Document) []Evidence {
	if contract.Type != document.Contract || invoice.Type != document.Invoice ||
		len(invoice.of(document.PurchaseOrder)) == 0 || cites(invoice, contract) != nil {
		return nil
	}
	return evBehindOrder.Because("The invoice cites an order, and not the contract.")
}

// Later returns the document that comes later in business and so may cite the other.
func (p Pair) Later() uuid.UUID {
	if rank[p.TypeA] > rank[p.TypeB] {
		return p.A
	}
	return p.B
}

// Other returns the other document of the pair.
func (p Pair) Other(id uuid.UUID) uuid.UUID {
	if p.A == id {
		return p.B
	}
	return p.A
}

// Cites reports whether one cites the other's very number, or an identifying part of it.
func (p Pair) Cites() bool { return citesNumber(p.Evidence) }

func citesNumber(evidence []Evidence) bool { return has(evidence, evCites, evCitesShort, evCitesPart) }

// CitesAnyhow reports whether one cites the other in any way, misread or as another type.
func (p Pair) CitesAnyhow() bool {
	return slices.ContainsFunc(p.Evidence, func(ev Evidence) bool { return ev.Cited != "" && ev.Points > 0 })
}

// CitesOther reports whether one cites another document of the other's type, in the form of the
// other's number.
func (p Pair) CitesOther() bool { return has(p.Evidence, evOtherCitation) && !p.CitesAnyhow() }

// Exceeds reports whether the later document has more units or a higher amount than the earlier.
func (p Pair) Exceeds() bool {
	first, second := p.Fit.A, p.Fit.B
	if p.Later() == p.A {
		first, second = second, first
	}
	return first > 0 && second > first*exceedsUnits || has(p.Evidence, evItemsExceed, evAmountExceeds)
}

// exceedsUnits leaves room for the error of a sum.
const exceedsUnits = 1.0001

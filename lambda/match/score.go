package match

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// Evidence is one reason for or against a pair.
type Evidence struct {
	Name   string `json:"name"`
	Points int    `json:"points"` // of 100; negative is against
	Text   string `json:"text"`   // in plain words
}

// Scores from matchAt on are matches; from suggestAt on they are undecided.
const (
	matchAt   = 0.75
	highAt    = 0.85
	suggestAt = 0.50
)

// weights is what each kind of evidence says, in points of 100. A citation
// together with an agreeing party is a match; an agreeing party and a common
// citation need equal quantities or amounts as well.
var weights = map[string]int{
	"vat-id":          30,  // same supplier, by VAT id
	"iban":            30,  // same supplier, by bank account
	"name":            20,  // same supplier, by name only
	"buyer":           20,  // same buyer, where one side does not say who the supplier is
	"cites":           60,  // one cites the other's number
	"common-citation": 30,  // both cite a third document
	"quantities":      20,  // the items of one, with their quantities, are in the other
	"amount":          15,  // same net or gross amount
	"other-citation":  -30, // it cites another document of that type
	"quantity-other":  -20, // a common item, but not in this quantity
}

// mayMatch is the table of the types that can be matched, both ways.
func mayMatch(a, b document.Type) bool { return slices.Contains(Matchable(a), b) }

// Matchable lists the types that a document of type t can be matched with.
func Matchable(t document.Type) []document.Type {
	const po, oc, dn, gr, inv, cn, ct = document.PurchaseOrder, document.OrderConfirmation, document.DeliveryNote,
		document.GoodsReceipt, document.Invoice, document.CreditNote, document.Contract
	return map[document.Type][]document.Type{
		po:  {oc, dn, gr, inv, ct},
		oc:  {po},
		dn:  {po, gr, inv},
		gr:  {po, dn, inv, cn},
		inv: {po, dn, gr, cn, ct},
		cn:  {gr, inv},
		ct:  {po, inv},
	}[t]
}

// score weighs a pair. It is symmetric, and depends on nothing but the pair.
// A pair that is out of the question scores 0; its reasoning then says why,
// if one cites the other, and is empty otherwise.
func score(x, y doc) Edge {
	a, b := x, y
	if slices.Compare(b.ID[:], a.ID[:]) < 0 {
		a, b = b, a
	}
	e := Edge{A: a.ID, B: b.ID, DecidedBy: "rules", Confidence: "medium", Evidence: []Evidence{}}
	party, agreed := compareParties(a, b)
	why := veto(a, b)
	if why == "" && !agreed {
		why = "They name no common company." // numbers repeat between companies
	}
	if why != "" {
		if ev := directCitation(a, b); ev != nil {
			e.Evidence, e.Reasoning = ev, why+" "+ev[0].Text
		}
		return e
	}
	e.Evidence = slices.Concat(party, compareCitations(a, b), compareContents(a, b))
	points, texts := 0, make([]string, len(e.Evidence))
	for i, ev := range e.Evidence {
		points += ev.Points
		texts[i] = ev.Text
	}
	e.Score = float64(max(0, min(points, 100))) / 100
	e.Reasoning = strings.Join(texts, " ")
	if e.Score >= highAt {
		e.Confidence = "high"
	}
	return e
}

// refused reports whether one cites the other and something stands against it.
func (e Edge) refused() bool {
	return e.Score == 0 && len(e.Evidence) == 1 && e.Evidence[0].Name == "cites"
}

// veto says why a pair is out of the question; empty if it is not.
func veto(a, b doc) string {
	switch {
	case a.TenantID != b.TenantID:
		return "They belong to different tenants."
	case !mayMatch(a.Type, b.Type):
		return "Documents of these types are not matched."
	case a.Currency != "" && b.Currency != "" && !strings.EqualFold(a.Currency, b.Currency):
		return "The currencies differ."
	case differ(a.supplier.VATID, b.supplier.VATID):
		return "The suppliers' VAT ids differ."
	case differ(a.buyer.VATID, b.buyer.VATID):
		return "The buyers' VAT ids differ."
	case contractBehindOrder(a, b), contractBehindOrder(b, a):
		return "The invoice has an order: the order belongs to the contract, not the invoice."
	}
	return ""
}

func contractBehindOrder(contract, invoice doc) bool {
	return contract.Type == document.Contract && invoice.Type == document.Invoice &&
		slices.ContainsFunc(invoice.cites, func(c citation) bool { return c.Type == string(document.PurchaseOrder) })
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }
func same(a, b string) bool   { return a != "" && a == b }

// compareParties looks for the company that both documents are about.
func compareParties(a, b doc) (evidence []Evidence, agreed bool) {
	s, t := a.supplier, b.supplier
	switch {
	case same(s.VATID, t.VATID):
		return say("vat-id", "Both name the supplier with VAT id %s.", s.VATID), true
	case same(s.IBAN, t.IBAN):
		return say("iban", "Both name the supplier's account %s.", s.IBAN), true
	case same(s.Name, t.Name):
		return say("name", "Both name %s as the supplier.", a.Supplier.Name), true
	case s != (party{}) && t != (party{}):
		return nil, false // then a common buyer says nothing
	case same(a.buyer.VATID, b.buyer.VATID), same(a.buyer.Name, b.buyer.Name):
		return say("buyer", "Both name %s as the buyer.", a.Buyer.Name), true
	}
	return nil, false
}

// compareCitations looks for the numbers that tie the documents together. A
// direct citation outweighs what both cite.
func compareCitations(a, b doc) []Evidence {
	if ev := directCitation(a, b); ev != nil {
		return ev
	}
	evidence := commonCitation(a, b)
	if evidence == nil && (citesOther(a, b) || citesOther(b, a)) {
		evidence = say("other-citation", "One cites another %s.", words(cited(a, b)))
	}
	return evidence
}

func directCitation(a, b doc) []Evidence {
	if ev := cites(a, b); ev != nil {
		return ev
	}
	return cites(b, a)
}

// cites finds the number of b among those that a cites.
func cites(a, b doc) []Evidence {
	for _, c := range a.cites {
		if c.Type != string(b.Type) || !same(c.Canonical, b.number) {
			continue
		}
		if c.Raw == b.Number {
			return say("cites", "The %s cites the %s %s.", words(a.Type), words(b.Type), b.Number)
		}
		return say("cites", "The %s cites the %s %s, written %q.", words(a.Type), words(b.Type), b.Number, c.Raw)
	}
	return nil
}

func commonCitation(a, b doc) []Evidence {
	for _, c := range a.cites {
		for _, o := range b.cites {
			if c.Type == o.Type && c.Canonical == o.Canonical {
				return say("common-citation", "Both cite the %s %s.", words(document.Type(c.Type)), c.Raw)
			}
		}
	}
	return nil
}

// citesOther reports whether a cites documents of b's type, but not b.
func citesOther(a, b doc) bool {
	return b.number != "" && slices.ContainsFunc(a.cites, func(c citation) bool { return c.Type == string(b.Type) })
}

func cited(a, b doc) document.Type {
	if citesOther(a, b) {
		return b.Type
	}
	return a.Type
}

// compareContents compares what was ordered, delivered or charged.
func compareContents(a, b doc) (evidence []Evidence) {
	switch {
	case contained(a.lines, b.lines) || contained(b.lines, a.lines):
		evidence = say("quantities", "The items and quantities of one are those of the other.")
	case movesGoods(a) && movesGoods(b) && overlap(a.lines, b.lines):
		evidence = say("quantity-other", "Common items have other quantities.")
	}
	for _, x := range []document.Amount{a.Subtotal, a.Total} {
		for _, y := range []document.Amount{b.Subtotal, b.Total} {
			if x.Equal(y) && x.Sign() != 0 {
				return append(evidence, say("amount", "Both state the amount %s.", x.Fixed())...)
			}
		}
	}
	return evidence
}

// movesGoods: between two of these, the units themselves have to agree. An
// order may be delivered and charged in parts.
func movesGoods(d doc) bool {
	switch d.Type {
	case document.DeliveryNote, document.GoodsReceipt, document.Invoice, document.CreditNote:
		return true
	}
	return false
}

// contained reports whether every item of part is in whole, in its quantity.
func contained(part, whole map[string]document.Amount) bool {
	for item, n := range part {
		if !n.Equal(whole[item]) {
			return false
		}
	}
	return len(part) > 0
}

func overlap(a, b map[string]document.Amount) bool {
	for item := range a {
		if _, ok := b[item]; ok {
			return true
		}
	}
	return false
}

func say(name, format string, args ...any) []Evidence {
	return []Evidence{{name, weights[name], fmt.Sprintf(format, args...)}}
}

func words(t document.Type) string { return strings.ReplaceAll(string(t), "-", " ") }

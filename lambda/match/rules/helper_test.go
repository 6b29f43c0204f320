package rules

import (
	"context"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

const po, oc, dn, gr, inv, cn, ct = document.PurchaseOrder, document.OrderConfirmation, document.DeliveryNote,
	document.GoodsReceipt, document.Invoice, document.CreditNote, document.Contract

// idOf is the id of a document of this name.
func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)) }

// names lists the names of evidence.
func names(evidence []score.Evidence) string {
	list := make([]string, len(evidence))
	for i, ev := range evidence {
		list[i] = ev.Name
	}
	return strings.Join(list, " ")
}

// plain are numbers for tests: the score is a hundredth of the points.
var plain = &score.Numbers{Points: score.Learned.Points, SuggestAt: 50, MatchAt: 75, HighAt: 1000,
	Curve: []score.Step{{Points: 0}, {Points: 100, Probability: 1}}}

// decided is Decide by plain numbers, without an end.
func decided(c Competition) []Decision {
	c.Numbers = plain
	all, _ := Decide(context.Background(), c) // which does not end
	for i := range all {
		all[i].Known = [2][]Known{} // for the model: decides nothing
	}
	return all
}

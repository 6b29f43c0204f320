package match

import (
	"testing"

	"matchbook/lambda/match/rules"

	"github.com/google/uuid"
)

// TestPackageExample: an order of 20 lamps, one invoice and then two.
func TestPackageExample(t *testing.T) {
	t.Parallel()
	lamps := vat + `,"buyer":{"name":"Stadtwerke Ulm"},"total":"1184.37",` + lines("lamp 20 59.20")
	order := parsed(t, po, object(`"number":"7","date":"2026-01-05"`, lamps))
	invoice1 := parsed(t, inv, object(`"number":"RE-1","date":"2026-01-20"`, lamps))
	invoice2 := parsed(t, inv, object(`"number":"RE-2","date":"2026-01-20"`, lamps))
	first, second := order.Score(invoice1), invoice2.Score(order)
	const alike = "vat-id same-buyer item-equal-round prices amount date" // 35 + 38 + 5
	if names(first.Evidence) != alike || names(second.Evidence) != alike || first.Points != 78 || second.Points != 78 {
		t.Fatalf("got %+v\nand %+v", first, second)
	}
	if d := result(rules.Competition{Documents: []uuid.UUID{order.ID}, Pairs: []rules.Pair{{Pair: first}}}); len(d.Matches) != 1 || len(d.Suggestions) != 0 || d.Matches[0].Points != 98 {
		t.Errorf("one invoice: got %+v, want a match", d)
	}
	d := result(rules.Competition{Documents: []uuid.UUID{invoice2.ID, order.ID}, Pairs: []rules.Pair{{Pair: first}, {Pair: second}}})
	if len(d.Matches) != 0 || len(d.Suggestions) != 2 || d.Suggestions[0].Points != 63 || d.Suggestions[1].Points != 63 {
		t.Errorf("two invoices: got %+v, want two suggestions", d)
	}
}

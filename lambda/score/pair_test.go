package score

import (
	"slices"
	"testing"

	"matchbook/lambda/document"
)

// TestVetoes: each pair would count but for the reason in its row.
func TestVetoes(t *testing.T) {
	t.Parallel()
	const one, other = `"vat_id":"DE136695976"`, `"vat_id":"DE129273398"`
	cites := func(typ document.Type) string { return refs(typ, "4711") }
	for _, tc := range []struct {
		name  string
		aType document.Type
		a     string
		bType document.Type
		b     string
		why   string
	}{
		{"types", oc, vat, inv, vat, "Documents of these types are not matched."},
		{"currency", po, vat + `,"currency":"EUR"`, inv, vat + `,"currency":"USD"`, "The currencies differ: EUR and USD."},
		{"supplier's VAT id", po, `"supplier":{"name":"Acme",` + one + `}`, inv, `"supplier":{"name":"Acme",` + other + `}`, "The suppliers' VAT ids differ: DE136695976 and DE129273398."},
		{"buyer's VAT id", po, vat + `,"buyer":{` + one + `}`, inv, vat + `,"buyer":{` + other + `}`, "The buyers' VAT ids differ: DE136695976 and DE129273398."},
		{"another supplier", po, acme, inv, `"supplier":{"name":"Zenith"}`, "They name different suppliers."},
		{"another supplier for the same buyer", po, acme + `,` + ulm, inv, `"supplier":{"name":"Zenith"},` + ulm, "They name different suppliers."},
		{"no company at all", po, `"currency":"EUR"`, inv, `"currency":"EUR"`, "They name no common company."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := parsed(t, tc.aType, object(`"number":"4711"`, tc.a)), parsed(t, tc.bType, object(tc.b, cites(tc.aType)))
			p := scoredBothWays(t, a, b)
			if p.Veto != tc.why || p.Points != 0 || names(p.Evidence) != "cites" || !p.Counts() {
				t.Errorf("got %+v, want a refusal because %q", p, tc.why)
			}
			// Without the citation it is not even worth a word.
			b.cites = nil
			if p := scoredBothWays(t, a, b); p.Veto != tc.why || len(p.Evidence) != 0 || p.Counts() {
				t.Errorf("without a citation: got %+v", p)
			}
		})
	}
	t.Run("tenant", func(t *testing.T) {
		t.Parallel()
		a, b := parsed(t, po, object(order45)), parsed(t, inv, object(cites45))
		b.TenantID = tenantB
		if p := scoredBothWays(t, a, b); p.Veto != "They belong to different tenants." {
			t.Errorf("got %+v", p)
		}
	})
	t.Run("contract behind an order", func(t *testing.T) {
		t.Parallel()
		contract := parsed(t, ct, object(`"number":"4711"`, vat))
		const why = "The invoice has an order: the order belongs to the contract, not the invoice."
		both := parsed(t, inv, object(vat, `"references":[{"type":"contract","number":"4711"},{"type":"purchase-order","number":"9"}]`))
		if p := scoredBothWays(t, contract, both); p.Veto != why || names(p.Evidence) != "cites" {
			t.Errorf("got %+v", p)
		}
		for typ, b := range map[document.Type]string{inv: object(vat, cites(ct)), po: object(vat, `"references":[{"type":"contract","number":"4711"},{"type":"purchase-order","number":"9"}]`)} {
			if p := scoredBothWays(t, contract, parsed(t, typ, b)); p.Veto != "" || p.Points != 90 {
				t.Errorf("with %s: got %+v", typ, p)
			}
		}
	})
}

// TestWhatIsNoVeto: unknown or uncertain facts are no evidence against a pair.
func TestWhatIsNoVeto(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string][2]string{
		"one currency is not known":  {`"currency":"EUR",` + vat, vat},
		"a currency in lower case":   {`"currency":"EUR",` + vat, `"currency":"eur",` + vat},
		"a VAT id that is misread":   {`"supplier":{"name":"Acme","vat_id":"DE136695976"}`, `"supplier":{"name":"Acme","vat_id":"DE136695916"}`},
		"a VAT id that is not known": {`"supplier":{"name":"Acme","vat_id":"DE136695976"}`, `"supplier":{"name":"Acme"}`},
		"a buyer's, misread":         {vat + `,"buyer":{"vat_id":"DE136695976"}`, vat + `,"buyer":{"vat_id":"DE136695916"}`},
	} {
		if p := scoredBothWays(t, parsed(t, po, object(tc[0])), parsed(t, inv, object(tc[1]))); p.Veto != "" || p.Points < 28 {
			t.Errorf("%s: got %+v", name, p)
		}
	}
}

func TestPairsThatAreKept(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		pair Pair
		want bool
	}{
		{"30 points", Pair{Points: 30}, true},
		{"29 points", Pair{Points: 29}, false},
		{"a veto against a citation", Pair{Points: 60, Veto: "No.", Evidence: []Evidence{{"cites", 60, "It cites it."}}}, true},
		{"a veto", Pair{Veto: "No."}, false},
	} {
		if got := tc.pair.Counts(); got != tc.want {
			t.Errorf("%s: got %v", tc.name, got)
		}
	}
}

// TestFamiliesAreCapped: what belongs together agrees together. Against a pair
// there is no cap.
func TestFamiliesAreCapped(t *testing.T) {
	t.Parallel()
	most, least, want := map[string][]Evidence{}, map[string][]Evidence{}, map[string]int{}
	for name, w := range weights {
		if w.points > 0 {
			most[w.family] = append(most[w.family], Evidence{Name: name, Points: w.points})
			continue
		}
		least[w.family] = append(least[w.family], Evidence{Name: name, Points: w.points})
		want[w.family] += w.points
	}
	for family, limit := range map[string]int{"company": 35, "citation": 60, "contents": 38, "return": 15, "time": 14, "competition": 30} {
		// Twice: some families have one kind of evidence, or one that suffices.
		if got := Sum(slices.Repeat(most[family], 2)); got != limit {
			t.Errorf("%s: got %d at most, want %d", family, got, limit)
		}
		if got := Sum(least[family]); got != want[family] || family == "contents" && got > -100 {
			t.Errorf("%s: got %d at least, want %d", family, got, want[family])
		}
	}
}

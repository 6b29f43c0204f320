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
		{"currency by its symbol", po, vat + `,"currency":"€"`, inv, vat + `,"currency":"CA$"`, "The currencies differ: € and CA$."},
		{"supplier's VAT id", po, `"supplier":{"name":"Acme",` + one + `}`, inv, `"supplier":{"name":"Acme",` + other + `}`, "The suppliers' VAT ids differ: DE136695976 and DE129273398."},
		{"buyer's VAT id", po, vat + `,"buyer":{` + one + `}`, inv, vat + `,"buyer":{` + other + `}`, "The buyers' VAT ids differ: DE136695976 and DE129273398."},
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
}

// TestOtherCompanyNeedsCitation: however equal their contents, documents that
// name no common company are no pair unless a citation connects them.
func TestOtherCompanyNeedsCitation(t *testing.T) {
	t.Parallel()
	const equal = `"total":"1184.37","line_items":[{"sku":"pen","quantity":"70","unit_price":"7"},{"sku":"ink","quantity":"9"}]`
	zenithSupplies := `"supplier":{"name":"Zenith"}`
	for name, tc := range map[string]struct {
		a, b            string
		contents, cited int // points without a citation, and with one
	}{
		"another supplier":                    {acme, zenithSupplies, 8, 68},
		"another supplier for the same buyer": {acme + `,` + ulm, zenithSupplies + `,` + ulm, 13, 73},
		"a name and a VAT id":                 {acme + `,` + ulm, vat + `,` + ulm, 43, 103},
		"an address":                          {`"supplier":{"address":"Hafenstr. 12"}`, `"supplier":{"address":"Hafenstraße 12"}`, 38, 98},
	} {
		order := parsed(t, po, object(`"number":"4711"`, tc.a, equal))
		if p := scoredBothWays(t, order, parsed(t, inv, object(tc.b, equal))); p.Veto != "" || p.Points != tc.contents || p.Counts() {
			t.Errorf("%s: got %+v", name, p)
		}
		if p := scoredBothWays(t, order, parsed(t, inv, object(tc.b, equal, refs(po, "4711")))); p.Points != tc.cited || !p.Counts() {
			t.Errorf("%s, cited: got %+v", name, p)
		}
	}
}

// TestNoCompanyNoPair: a document that names none has no matches,
// whichever of the two is matched later.
func TestNoCompanyNoPair(t *testing.T) {
	t.Parallel()
	none, order := parsed(t, gr, object(`"total":"1184.37"`, refs(po, "4500010046"))), parsed(t, po, object(order45, `"total":"1184.37"`))
	if p := scoredBothWays(t, order, none); p.Veto != "" || len(p.Evidence) != 0 || p.Counts() {
		t.Errorf("got %+v", p)
	}
}

// TestVATIDsOfTwoCountries: a company may have one in each, so that they are no
// veto. Of one country they are (TestVetoes).
func TestVATIDsOfTwoCountries(t *testing.T) {
	t.Parallel()
	german, austrian := parsed(t, po, object(`"supplier":{"name":"Acme","vat_id":"DE136695976"}`)), `"supplier":{"name":"Acme","vat_id":"ATU13585627"}`
	if p := scoredBothWays(t, german, parsed(t, inv, object(austrian))); p.Veto != "" || p.Points != 20 || names(p.Evidence) != "name other-vat-id" {
		t.Errorf("got %+v", p)
	}
}

// TestWhatIsNoVeto: unknown or uncertain facts are no evidence against a pair.
func TestWhatIsNoVeto(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string][2]string{
		"one currency is not known":  {`"currency":"EUR",` + vat, vat},
		"a currency in lower case":   {`"currency":"EUR",` + vat, `"currency":"eur",` + vat},
		"a currency by its symbol":   {`"currency":"EUR",` + vat, `"currency":"€",` + vat},
		"a symbol of two currencies": {`"currency":"CNY",` + vat, `"currency":"¥",` + vat},
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
	name := []Evidence{{Name: "name", Points: 28, Text: "Both name it."}}
	for _, tc := range []struct {
		name string
		pair Pair
		want bool
	}{
		{"30 points", Pair{Points: 30, Evidence: name}, true},
		{"29 points", Pair{Points: 29, Evidence: name}, false},
		{"30 points without a company", Pair{Points: 30, Evidence: []Evidence{{Name: "same-buyer", Points: 5, Text: "They name it."}, {Name: "amount", Points: 25, Text: "It is the same."}}}, false},
		{"30 points without a company, with a common citation", Pair{Points: 30, Evidence: []Evidence{{Name: "common-other", Points: 30, Text: "Both cite it."}}}, true},
		{"a citation, whatever else", Pair{Points: -20, Evidence: []Evidence{{Name: "cites", Points: 60, Text: "It cites it."}, {Name: "items-other", Points: -80, Text: "They differ."}}}, true},
		{"a misread citation of one company", Pair{Points: -30, Evidence: append(name, Evidence{Name: "cites-loosely", Points: 45, Text: "It cites it."})}, true},
		{"a misread citation of another company", Pair{Points: -30, Evidence: []Evidence{{Name: "cites-loosely", Points: 45, Text: "It cites it."}}}, false},
		{"a veto against a citation", Pair{Points: 60, Veto: "No.", Evidence: []Evidence{{Name: "cites", Points: 60, Text: "It cites it."}}}, true},
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

func TestEmbedderTagsMustMatch(t *testing.T) {
	t.Parallel()
	a := embeddingOf("aaaaaaaa" + "0000803f")
	if got := a.near(embeddingOf("aaaaaaaa" + "0000803f")); got != 1 {
		t.Errorf("of one model: %v", got)
	}
	for _, other := range []string{"bbbbbbbb" + "0000803f", "aaaaaaaa", "aaaaaaaa" + "0000803f0000803f", "", "aa", "no hex", "aaaaaaaa" + "0000"} {
		if got := a.near(embeddingOf(other)); got != 0 {
			t.Errorf("%q: %v", other, got)
		}
	}
}

package score

import (
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

const (
	ibm   = `"supplier":{"name":"IBM Deutschland GmbH"}`
	world = `"supplier":{"name":"Office Automation Ehningen"}`
	vatDE = "DE136695976"
)

// TestKnownNamesScore: two names that nothing but the memory of the
// tenant connects.
func TestKnownNamesScore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		a, knownA      string
		b, knownB      string
		evidence, text string
	}{
		{"not known", ibm, "", world, "", "other-name", ""},
		{"one VAT id", ibm, vatDE, world, vatDE, "known-name", "VAT id DE136695976 is printed beside both names"},
		{"two VAT ids", ibm, vatDE, world, "DE129273398", "other-name", ""},
		{"one of the two is known", ibm, vatDE, world, "", "other-name", ""},
		{"the other one prints it", ibm, vatDE, `"supplier":{"name":"Office Automation","vat_id":"DE 136695976"}`, "", "known-name", "beside both"},
		{"the other one misprints it", ibm, "DE1", `"supplier":{"name":"Office Automation","vat_id":"DE1"}`, "", "other-name", ""},
		{"the other one has no name", ibm, vatDE, `"supplier":{"vat_id":"DE136695976"}`, "", "known-name", `"IBM Deutschland GmbH" has VAT id`},
		{"confirmed", ibm, "a=b", world, vatDE + "\na=b\nb=c", "known-name", "a person confirmed"},
		{"each confirmed with a third", ibm, "a=b", world, "b=c", "other-name", ""},
		{"one account", `"supplier":{"name":"Raider","iban":"X1"}`, vatDE, `"supplier":{"name":"Twix","iban":"X1"}`, vatDE, "known-name", ""},
		{"names of two scripts", `"supplier":{"name":"山田製作所"}`, vatDE, `"supplier":{"name":"Yamada"}`, vatDE, "known-name", ""},
		{"sisters", `"supplier":{"name":"Acme Timber"}`, vatDE, `"supplier":{"name":"Acme Steelworks"}`, vatDE, "known-name", ""},
		{"the same name", ibm, vatDE, ibm, vatDE, "name", ""},
		{"the same VAT id", vat, vatDE, vat, vatDE, "vat-id", ""},
		{"VAT ids of two countries", `"supplier":{"name":"Raider","vat_id":"DE136695976"}`, "a=b", `"supplier":{"name":"Twix","vat_id":"ATU13585627"}`, "a=b", "known-name other-vat-id", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := parsed(t, po, object(tc.a)), parsed(t, inv, object(tc.b))
			a.Know(tc.knownA)
			b.Know(tc.knownB)
			p := scoredBothWays(t, a, b)
			if got := names(p.Evidence); got != tc.evidence || !strings.Contains(p.Evidence[0].Text, tc.text) {
				t.Errorf("got %q, %+v, want %q, %q", got, p.Evidence, tc.evidence, tc.text)
			}
		})
	}
	if evKnownName.points >= evName.points || evKnownName.points <= evNameSimilar.points {
		t.Errorf("a known name has %d points, and not less than a name and more than a similar one", evKnownName.points)
	}
}

// TestKnownNamesShareKeys: documents whose names are known as one supplier's
// are candidates, like documents of one name.
func TestKnownNamesShareKeys(t *testing.T) {
	t.Parallel()
	a, b := raw(po, object(ibm, `"date":"2026-01-05"`)), raw(inv, object(world, `"date":"2026-02-05"`))
	common := func() []string {
		keys := must.Get(CommonKeys(a, b))(t)
		return keys
	}
	if got := common(); len(got) > 0 {
		t.Fatalf("common keys %q without any knowledge", got)
	}
	a.Known, b.Known = vatDE+"\nx=y", vatDE
	if got := common(); len(got) != 1 || !strings.Contains(got[0], vatDE) {
		t.Errorf("common keys %q, want one of %s", got, vatDE)
	}
	b.Data = object(`"supplier":{"vat_id":"DE136695976"}`, `"date":"2026-02-05"`)
	if b.Known = ""; len(common()) != 1 {
		t.Errorf("common keys %q with a document that prints the VAT id", common())
	}
}

// TestNaming: a VAT id that is misread, and a name of any
// length, are not remembered as they are.
func TestNaming(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 150)
	for data, want := range map[string]Naming{
		`"supplier":{"name":"Köhler & Söhne GmbH","vat_id":"de 136 695 976"}`: {"koehler soehne", vatDE},
		`"supplier":{"name":"ACME","vat_id":"DE136695977"}`:                   {"acme", ""},
		`"supplier":{"vat_id":"DE136695976"}`:                                 {"", vatDE},
		`"buyer":{"name":"Acme","vat_id":"DE136695976"}`:                      {},
		ulm: {},
	} {
		d := parsed(t, inv, object(data))
		if got := d.Naming(); got != want {
			t.Errorf("%s: got %+v, want %+v", data, got, want)
		}
	}
	d := parsed(t, inv, object(`"supplier":{"name":"`+long+`"}`))
	if got := d.Naming().Name; len(got) != 64 || slices.Contains([]string{"", long}, got) {
		t.Errorf("a long name is remembered as %q", got)
	}
}

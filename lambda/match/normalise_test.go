package match

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

var (
	tenantA = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000000")
	tenantB = uuid.MustParse("bbbbbbbb-0000-4000-8000-000000000000")
)

func TestCompanyNamesAgreeInTheirSpellings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ printed, want string }{
		{"", ""},
		{"Müller GmbH", "mueller"},
		{"MÜLLER GMBH", "mueller"},
		{"Mueller G.m.b.H.", "mueller"},
		{"Mu\u0308ller", "mueller"}, // u and a combining mark
		{"Groß & Söhne GmbH & Co. KG", "gross soehne"},
		{"GROẞ SÖHNE", "gross soehne"},
		{"Ærø Tømrer", "aeroe toemrer"},
		{"Société Générale S.A.", "societe generale"},
		{"Café Crème S.à r.l.", "cafe creme"},
		{"Café Crème SARL", "cafe creme"},
		{"Fiat S.p.A.", "fiat"},
		{"Schmidt e.K.", "schmidt"},
		{"Philips N.V.", "philips"},
		{"Acme, Ltd.", "acme"},
		{"  Acme \t Tools  ", "acme tools"},
		{"Acme-Tools", "acme tools"},
		{"ＡＣＭＥ　Tools", "acme tools"}, // full width
		{"Ag Nova", "ag nova"},       // a legal form only ends a name
		{"GmbH", "gmbh"},             // or else nothing would be left
		{"Co. KG", "co"},
		{"4711 GmbH", "4711"},
		{"!!!", ""},
		{"Яндекс", "яндекс"},
	} {
		if got := companyName(tc.printed); got != tc.want {
			t.Errorf("companyName(%q) = %q, want %q", tc.printed, got, tc.want)
		}
	}
}

func TestNumbersAgreeInTheirSpellings(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ printed, want string }{
		{"", ""},
		{" - / . ", ""},
		{"4500000123", "4500000123"},
		{"4500 000 123", "4500000123"},
		{"0004500000123", "4500000123"},
		{"PO-4500000123", "4500000123"},
		{"po 004500000123", "4500000123"},
		{"Nr. 42", "42"},
		{"No.42", "42"},
		{"PO", "PO"},            // nothing would be left
		{"POL-7", "POL7"},       // no prefix: a letter follows
		{"Nordic 7", "NORDIC7"}, // nor is this one
		{"re-2026-0042", "RE20260042"},
		{"RE/2026/0042", "RE20260042"},
		{"RE–2026 0042", "RE20260042"}, // a dash that is no hyphen
		{"0", "0"},
		{"000", "0"},
		{"PO-000", "0"},
		{"ü-7", "Ü7"},
		{"u\u0308-7", "Ü7"},
		{"４５００", "4500"}, // full width digits
		{"PO ４５００", "4500"},
		{"٤٥", "٤٥"}, // digits without a common form stay as they are
		{"PO٤٥", "PO٤٥"},
	} {
		if got := canonical(tc.printed); got != tc.want {
			t.Errorf("canonical(%q) = %q, want %q", tc.printed, got, tc.want)
		}
	}
}

func mustAmount(t *testing.T, s string) document.Amount {
	t.Helper()
	a, err := document.ParseAmount(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestKeysAreSortedUniqueAndOfTheTenant(t *testing.T) {
	t.Parallel()
	d := normalise(uuid.New(), tenantA, document.Invoice, document.Data{
		Number:   "RE-7",
		Supplier: document.Party{Name: "Müller GmbH", VATID: "de 123"},
		References: []document.Reference{
			{Type: " Purchase-Order ", Number: "PO-0045"}, {Type: "purchase-order", Number: "45"},
			{Type: "delivery-note", Number: "L-1"}, {Type: "delivery-note", Number: " / "},
		},
		Subtotal: mustAmount(t, "5.50"), Total: mustAmount(t, "5.5"),
	})
	want := []string{
		"aaaaaaaa|amount|DE123|5.5", "aaaaaaaa|amount|mueller|5.5",
		"aaaaaaaa|delivery-note|L1", "aaaaaaaa|invoice|RE7", "aaaaaaaa|purchase-order|45",
	}
	if got := d.keys(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The keys are in an index whose entries are limited to about 2,700 bytes.
func TestLongKeysAreShortenedToTheirHash(t *testing.T) {
	t.Parallel()
	keys := func(number string) []string {
		return normalise(uuid.New(), tenantA, document.Invoice, document.Data{Number: number}).keys()
	}
	long := strings.Repeat("Ü7", 5000)
	got := keys(long)
	if len(got) != 1 || len(got[0]) > maxKey || !strings.HasPrefix(got[0], "aaaaaaaa|") {
		t.Fatalf("got %.300q, want one key of the tenant of at most %d bytes", got, maxKey)
	}
	if !slices.Equal(got, keys(long)) || slices.Equal(got, keys(long+"8")) {
		t.Error("the keys of long numbers must agree when the numbers do, and only then")
	}
}

func TestNormalizedIsWhatTheStoreKeeps(t *testing.T) {
	t.Parallel()
	got := normalise(uuid.New(), tenantB, document.GoodsReceipt, document.Data{
		Number:     "GR 1",
		Supplier:   document.Party{Name: "Müller  GmbH", IBAN: "de12 3456"},
		References: []document.Reference{{Type: "Purchase-Order", Number: "PO-45"}},
		Lines:      []document.Line{{SKU: "A-1", Description: "blue\n pen"}},
	}).normalized()
	want := Normalized{
		Counterparty: map[string]party{"supplier": {IBAN: "DE123456", Name: "mueller"}},
		References:   []citation{{"purchase-order", "PO-45", "45"}},
		Text:         "GR 1 Müller GmbH A-1 blue pen",
		Keys:         []string{"bbbbbbbb|goods-receipt|GR1", "bbbbbbbb|purchase-order|45"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestQuantitiesAddUpByItem(t *testing.T) {
	t.Parallel()
	line := func(sku, description, quantity string) document.Line {
		l := document.Line{SKU: sku, Description: description}
		if quantity != "" {
			l.Quantity = mustAmount(t, quantity)
		}
		return l
	}
	for _, tc := range []struct {
		name  string
		lines []document.Line
		want  map[string]string // nil: not comparable
	}{
		{"none", nil, map[string]string{}},
		{"by SKU, whatever its spelling", []document.Line{line("a-1", "x", "1"), line("A1", "y", "2.50")}, map[string]string{"A1": "3.5"}},
		{"by description", []document.Line{line("", "Blue Pen", "1"), line("", "blue  pen", "1")}, map[string]string{"blue pen": "2"}},
		{"one without a quantity", []document.Line{line("a", "", "1"), line("b", "", "")}, nil},
		{"one without a name", []document.Line{line("a", "", "1"), line("", "", "1")}, nil},
	} {
		got := map[string]string{}
		sums := quantities(tc.lines)
		for item, sum := range sums {
			got[item] = sum.Canonical()
		}
		if (sums == nil) != (tc.want == nil) || tc.want != nil && !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, sums, tc.want)
		}
	}
}

func TestAnyPartyIsACounterparty(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		data document.Data
		want bool
	}{
		"none":            {document.Data{}, false},
		"only an address": {document.Data{Supplier: document.Party{Address: "Street 1"}}, false},
		"only marks":      {document.Data{Supplier: document.Party{Name: "---"}}, false},
		"supplier":        {document.Data{Supplier: document.Party{Name: "A"}}, true},
		"buyer":           {document.Data{Buyer: document.Party{VATID: "1"}}, true},
	} {
		if got := normalise(uuid.New(), tenantA, document.Invoice, tc.data).hasCounterparty(); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

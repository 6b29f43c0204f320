package score

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

func TestCitations(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, data string
		want       []string // type and number as printed, (text) where it was found in one
	}{
		{"none", `{}`, nil},
		{"references", `{"references":[{"type":"purchase-order","number":"PO-45"},{"type":"tender","number":"T 1"}]}`, []string{"purchase-order PO-45", " T 1"}},
		{"a type is read as it is printed", `{"references":[{"type":" Purchase-Order ","number":"45"}]}`, []string{"purchase-order 45"}},
		{"without a type", `{"references":[{"number":"45"}]}`, []string{" 45"}},
		{"without a number", `{"references":[{"type":"purchase-order"},{"type":"purchase-order","number":" / "}]}`, nil},
		{"once, in whatever spelling", `{"references":[{"type":"purchase-order","number":"PO-0045"},{"type":"purchase-order","number":"45"}]}`, []string{"purchase-order PO-0045"}},
		{"the same number of two types", `{"references":[{"type":"purchase-order","number":"45"},{"type":"delivery-note","number":"45"}]}`, []string{"purchase-order 45", "delivery-note 45"}},
		{"in the notes", `{"notes":"Ihre Bestellung Nr. 4500010046 vom 3.4.2026"}`, []string{"purchase-order 4500010046 (text)"}},
		{"in a line", `{"line_items":[{"description":"Lieferschein LS-88123"}]}`, []string{"delivery-note LS-88123 (text)"}},
		{"in the notes and in a line, once", `{"notes":"order no. 4500010046","line_items":[{"description":"order no. 45.0001.0046"}]}`, []string{"purchase-order 4500010046 (text)"}},
		{"a reference and in the notes, once and as a reference", `{"notes":"order no. 4500010046","references":[{"type":"purchase-order","number":"4500010046"}]}`, []string{"purchase-order 4500010046"}},
		{"not of itself", `{"number":"RE-2026-0042","references":[{"type":"invoice","number":"RE 2026/42"}],"notes":"invoice no. RE-2026-0042"}`, nil},
		{"another type's number that is its own", `{"number":"4711","references":[{"type":"purchase-order","number":"4711"}]}`, []string{"purchase-order 4711"}},
	} {
		var got []string
		for _, c := range parsed(t, inv, tc.data).cites {
			s := c.Type + " " + c.Raw
			if c.InText {
				s += " (text)"
			}
			got = append(got, s)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestCitedLinesAreBounded(t *testing.T) {
	t.Parallel()
	for line, want := range map[int]int{0: 1, 99: 1, 100: 0} {
		data := document.Data{Lines: make([]document.Line, 200)}
		data.Lines[line].Description = "order no. 4500010046"
		if got := normalise(uuid.Nil, tenantA, inv, data).cites; len(got) != want {
			t.Errorf("in line %d: got %v", line, got)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, data string
		want       []float64
	}{
		{"none", `{}`, nil},
		{"nothing is no amount", `{"total":"0","subtotal":"0.00"}`, nil},
		{"net and gross", `{"subtotal":"100","total":"119"}`, []float64{100, 119}},
		{"the sum of the lines", `{"total":"119","line_items":[{"amount":"60"},{"amount":"40.5"},{}]}`, []float64{119, 100.5}},
		{"the total without its tax", `{"total":"119","tax":"19"}`, []float64{119, 100}},
		{"each once", `{"subtotal":"100","total":"119","tax":"19","line_items":[{"amount":"60"},{"amount":"40.00"}]}`, []float64{100, 119}},
		{"without a tax net is gross", `{"subtotal":"100","total":"100.0"}`, []float64{100}},
		{"a cent makes two", `{"subtotal":"100.00","total":"100.01"}`, []float64{100, 100.01}},
		{"each once, however floats subtract", `{"subtotal":"0.2","total":"0.3","tax":"0.1"}`, []float64{0.2, 0.3}},
		{"negative", `{"subtotal":"-100","total":"-119","tax":"-19","line_items":[{"amount":"-100"}]}`, []float64{100, 119}},
		{"lines that cancel out", `{"line_items":[{"amount":"-60"},{"amount":"60"}]}`, nil},
		{"a tax alone", `{"tax":"19"}`, []float64{19}},
	} {
		if got := parsed(t, inv, tc.data).amounts; !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, lines string
		want        []string // key, quantity and price
	}{
		{"none", `[]`, nil},
		{"by article number, whatever its spelling", `[{"sku":"a-1","quantity":"1","unit_price":"5"},{"sku":"A1","quantity":"2.5"}]`, []string{"A1 3.5 5"}},
		{"by words, in whatever order", `[{"description":"Blue Pen","quantity":"1"},{"description":"pen, blue","quantity":"1"}]`, []string{"blue pen 2 0"}},
		{"by number before words", `[{"sku":"a","description":"pen","quantity":"1"},{"sku":"b","description":"pen","quantity":"1"}]`, []string{"A 1 0", "B 1 0"}},
		{"no number and no words", `[{"quantity":"7"},{"description":" - ","sku":"/","quantity":"7"}]`, nil},
		{"charges", `[{"description":"pen","quantity":"1"},{"description":"Versandkosten","quantity":"1"},{"description":"Express delivery","quantity":"1"}]`, []string{"pen 1 0"}},
		{"a charge with an article number", `[{"sku":"F","description":"Freight","quantity":"1"}]`, []string{"F 1 0"}},
		{"negative", `[{"sku":"a","quantity":"-2","unit_price":"-5"}]`, []string{"A 2 5"}},
		{"partly negative", `[{"sku":"a","quantity":"10"},{"sku":"a","quantity":"-2"}]`, []string{"A 8 0"}},
		{"in plain units", `[{"sku":"a","quantity":"2","unit":"dozen","unit_price":"24"}]`, []string{"A 24 2"}},
		{"a price for a hundred", `[{"sku":"a","quantity":"200","unit_price":"5","price_quantity":"100"}]`, []string{"A 200 0.05"}},
		{"a quantity that the amount shows", `[{"sku":"a","unit_price":"5","amount":"20"}]`, []string{"A 4 5"}},
		{"a price that the amount shows", `[{"sku":"a","quantity":"4","amount":"20"}]`, []string{"A 4 5"}},
		{"a citation in the text", `[{"description":"pen - your order 4500010046","quantity":"4"},{"description":"pen - your order 4500010047","quantity":"2"}]`, []string{"pen your 6 0"}},
		{"a counted word of a charge", `[{"description":"Packaging","quantity":"500"}]`, []string{"packaging 500 0"}},
		{"without a quantity", `[{"sku":"a"}]`, []string{"A 0 0"}},
		{"in the order printed", `[{"sku":"b"},{"sku":"a"},{"sku":"b"}]`, []string{"B 0 0", "A 0 0"}},
	} {
		var got []string
		for _, it := range parsed(t, inv, `{"line_items":`+tc.lines+`}`).items {
			got = append(got, fmt.Sprint(it.key(), " ", it.quantity.plain, " ", it.price))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestNormalized(t *testing.T) {
	t.Parallel()
	d := parsed(t, gr, `{"number":"GR 1","supplier":{"name":"Müller  GmbH","iban":"de12 3456"},"buyer":{"name":"Stadtwerke Ulm","vat_id":"de 136 695 976"},
		"references":[{"type":"Purchase-Order","number":"PO-4500"}],"notes":"delivery note LS-88123","line_items":[{"sku":"A-1","description":"blue\n pen"}]}`)
	n := d.Normalized()
	got := must.Get(json.Marshal([]any{n.Counterparty, n.References, n.Text}))(t)
	want := `[{"buyer":{"vat_id":"DE136695976","name":"stadtwerke ulm"},"supplier":{"iban":"DE123456","name":"mueller"}},` +
		`[{"type":"purchase-order","raw":"PO-4500","canonical":"4500","loose":"4500"},` +
		`{"type":"delivery-note","raw":"LS-88123","canonical":"LS88123","loose":"88123","in_text":true}],` +
		`"GR 1 Müller GmbH Stadtwerke Ulm A-1 blue pen"]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	keys, lookup := d.keys()
	if !slices.Equal(n.Keys, keys) || !slices.Equal(n.Lookup, lookup) || len(keys) == 0 {
		t.Errorf("got the keys %q and %q", n.Keys, n.Lookup)
	}
	if n = parsed(t, gr, `{}`).Normalized(); n.Counterparty == nil || n.References == nil || len(n.Counterparty)+len(n.References) != 0 || n.Text != "" {
		t.Errorf("of an empty document: %+v, want nothing that is null in JSON", n)
	}
}

func TestAnyPartyCounts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		data string
		want bool
	}{
		"none":            {`{}`, false},
		"only an address": {`{"supplier":{"address":"Street 1"}}`, true},
		"only marks":      {`{"supplier":{"name":"---"}}`, false},
		"supplier":        {`{"supplier":{"name":"A"}}`, true},
		"account":         {`{"supplier":{"iban":"1"}}`, true},
		"buyer":           {`{"buyer":{"vat_id":"1"}}`, true},
	} {
		d := parsed(t, inv, tc.data)
		if got := d.HasCounterparty(); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

// TestMatchableTypes is the table of the design, row by row; the columns are
// in the order of document.Types.
func TestMatchableTypes(t *testing.T) {
	t.Parallel()
	for i, row := range []string{
		//       PO OC DN GR IN CN CT
		/* PO */ ". x x x x . x",
		/* OC */ "x . . . . . .",
		/* DN */ "x . . x x . .",
		/* GR */ "x . x . x x .",
		/* IN */ "x . x x . x x",
		/* CN */ ". . . x x . .",
		/* CT */ "x . . . x . .",
	} {
		a := document.Types[i]
		for j, mark := range strings.Fields(row) {
			b := document.Types[j]
			if got := mayMatch(a, b); got != (mark == "x") {
				t.Errorf("%s with %s: got %v", a, b, got)
			}
			if mayMatch(a, b) != mayMatch(b, a) {
				t.Errorf("%s with %s is not the same as the other way round", a, b)
			}
		}
	}
	if got := Matchable("letter"); len(got) != 0 {
		t.Errorf("an unknown type matches %v", got)
	}
}

func TestOrderOfBusiness(t *testing.T) {
	t.Parallel()
	business := []document.Type{ct, po, oc, dn, gr, inv, cn}
	if len(rank) != len(document.Types) {
		t.Errorf("%d of %d types have a rank", len(rank), len(document.Types))
	}
	for i, first := range business {
		for _, second := range business[i+1:] {
			a, b := &Document{Type: first}, &Document{Type: second}
			for _, got := range [][2]*Document{pairOf(inOrder(a, b)), pairOf(inOrder(b, a))} {
				if !reflect.DeepEqual(got, [2]*Document{a, b}) {
					t.Errorf("%s comes before %s", got[0].Type, got[1].Type)
				}
			}
		}
	}
}

func pairOf(a, b *Document) [2]*Document { return [2]*Document{a, b} }

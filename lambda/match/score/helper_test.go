package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

const po, oc, dn, gr, inv, cn, ct = document.PurchaseOrder, document.OrderConfirmation, document.DeliveryNote,
	document.GoodsReceipt, document.Invoice, document.CreditNote, document.Contract

var (
	tenantA = uuid.MustParse("aaaaaaaa-0000-4000-8000-000000000000")
	tenantB = uuid.MustParse("bbbbbbbb-0000-4000-8000-000000000000")
)

// vat is a supplier, by VAT id alone.
const vat = `"supplier":{"vat_id":"DE1"}`

// idOf is the id of a document of this name.
func idOf(name string) uuid.UUID { return uuid.NewSHA1(tenantA, []byte(name)) }

// raw is a document of tenantA with this structured data, as the store has it.
func raw(typ document.Type, data string) Raw {
	return Raw{ID: idOf(string(typ) + data), TenantID: tenantA, Type: typ, Data: data}
}

// parsed is a normalised document of tenantA with this structured data.
func parsed(t testing.TB, typ document.Type, data string) Document {
	t.Helper()
	d, err := Read(raw(typ, data))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return d
}

// scoredBothWays scores the documents twice, once with each of them as the
// one with the smaller id; random ids must make no difference.
func scoredBothWays(t *testing.T, a, b Document) Pair {
	t.Helper()
	a.ID, b.ID = uuid.UUID{1}, uuid.UUID{2}
	p := a.Score(b)
	a.ID, b.ID = b.ID, a.ID
	q := a.Score(b)
	flipped := Fit{q.Fit.B, q.Fit.A, q.Fit.Common}
	if p.Points != q.Points || names(p.Evidence) != names(q.Evidence) || p.Fit != flipped || p.Veto != q.Veto ||
		p.A != q.A || p.B != q.B || p.TypeA != q.TypeB || p.TypeB != q.TypeA {
		t.Errorf("the ids make a difference:\n%+v\n%+v", p, q)
	}
	return p
}

// names lists what the evidence is called.
func names(evidence []Evidence) string {
	list := make([]string, len(evidence))
	for i, ev := range evidence {
		list[i] = ev.Name
	}
	return strings.Join(list, " ")
}

// refs is the field of references of one type.
func refs(typ document.Type, numbers ...string) string {
	list := make([]document.Reference, len(numbers))
	for i, n := range numbers {
		list[i] = document.Reference{Type: string(typ), Number: n}
	}
	return field("references", list)
}

// lines is the field of lines with a sku, a quantity and a price each, as far
// as they are given: "pen 3 1.50".
func lines(list ...string) string {
	field := make([]string, len(list))
	for i, l := range list {
		parts := append(strings.Fields(l), "", "", "")
		field[i] = fmt.Sprintf(`{"sku":%q,"quantity":%q,"unit_price":%q}`, parts[0], parts[1], parts[2])
	}
	return `"line_items":[` + strings.Join(field, ",") + `]`
}

// described is the field of lines that have a description and, for all of
// them, a quantity.
func described(quantity string, list ...string) string {
	field := make([]string, len(list))
	for i, l := range list {
		field[i] = fmt.Sprintf(`{"description":%q,"quantity":%q}`, l, quantity)
	}
	return `"line_items":[` + strings.Join(field, ",") + `]`
}

func field(name string, value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%q:%s", name, raw)
}

// object is structured data of these fields.
func object(fields ...string) string {
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "" })
	return "{" + strings.Join(fields, ",") + "}"
}

func amount(t testing.TB, s string) document.Amount {
	t.Helper()
	a := must.Get(document.ParseAmount(s))(t)
	return a
}

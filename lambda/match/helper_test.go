package match

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

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

// An order, and an invoice that cites it.
const (
	order45 = `"number":"4500010046",` + vat
	cites45 = vat + `,"references":[{"type":"purchase-order","number":"4500010046"}]`
)

// idOf is the id of a document of this name.
func idOf(name string) uuid.UUID { return uuid.NewSHA1(tenantA, []byte(name)) }

// raw is a document of tenantA with this structured data, as the store has it.
func raw(typ document.Type, data string) score.Raw {
	return score.Raw{ID: idOf(string(typ) + data), TenantID: tenantA, Type: typ, Data: data}
}

// parsed is a normalised document of tenantA with this structured data.
func parsed(t testing.TB, typ document.Type, data string) score.Document {
	t.Helper()
	d, err := score.Read(raw(typ, data))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return d
}

// names lists what the evidence is called.
func names(evidence []score.Evidence) string {
	list := make([]string, len(evidence))
	for i, ev := range evidence {
		list[i] = ev.Name
	}
	return strings.Join(list, " ")
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

// documentsOf lists the documents of pairs.
func documentsOf(pairs []rules.Pair) (ids []uuid.UUID) {
	for _, p := range pairs {
		ids = append(ids, p.A, p.B)
	}
	slices.SortFunc(ids, byID)
	return slices.Compact(ids)
}

// neighbourhood is the competition that a store reads to decide about the pairs
// of documents.
func neighbourhood(pairs []rules.Pair, documents ...uuid.UUID) rules.Competition {
	var own []rules.Pair
	for _, p := range pairs {
		if slices.Contains(documents, p.A) || slices.Contains(documents, p.B) {
			own = append(own, p)
		}
	}
	near := append(documentsOf(own), documents...)
	return rules.Competition{Documents: documents, Pairs: slices.DeleteFunc(slices.Clone(pairs), func(p rules.Pair) bool {
		return !slices.Contains(near, p.A) && !slices.Contains(near, p.B)
	})}
}

// result is the outcome of a competition by the rules.
func result(c rules.Competition) rules.Result {
	r, _ := rules.Apply(context.Background(), c) // which does not end
	return r
}

// decided lists the decisions of the rules about all pairs.
func decided(pairs []rules.Pair) []rules.Decision {
	all, _ := rules.Decide(context.Background(), rules.Competition{Documents: documentsOf(pairs), Pairs: pairs}) // which does not end
	return all
}

// exchanges are of one document, as the store lists them.
func (d *Draft) exchanges() (list []*rules.Exchange) {
	if d.Exchange != nil {
		list = append(list, d.Exchange)
	}
	return list
}

package train

import (
	"encoding/json"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)) }

func doc(name string, kind document.Type, data string) corpus.Document {
	return corpus.Document{ID: idOf(name), TenantID: idOf("tenant"), Type: kind, Data: json.RawMessage(data),
		Received: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

const lamps = `"line_items":[{"sku":"lamp","quantity":"20"}]`

// sample is two orders of 20 lamps, and an invoice that cites the later one, with
// the date of the earlier one.
func sample(t *testing.T) *Sample {
	t.Helper()
	docs := []corpus.Document{
		doc("order 1", document.PurchaseOrder, `{"number":"45-01","date":"2026-01-02","supplier":{"name":"Acme GmbH"},"total":"90",`+lamps+`}`),
		doc("order 2", document.PurchaseOrder, `{"number":"45-02","date":"2026-02-02","supplier":{"name":"ACME"},"total":"91",`+lamps+`}`),
		doc("invoice", document.Invoice, `{"number":"7","date":"2026-01-03","supplier":{"name":"Acme"},"total":"91",
			"references":[{"type":"purchase-order","number":"4502"}],`+lamps+`}`),
		doc("other", document.PurchaseOrder, `{"number":"4502","date":"2026-01-03","supplier":{"name":"Zenith"},"total":"91"}`),
	}
	return must.Get(NewSample(docs, []corpus.Pair{corpus.PairOf(idOf("order 2"), idOf("invoice"))}))(t)
}

// By citation and by amount the invoice belongs to the second order, by items and
// date to the first; the order of another supplier is none of the three.
func TestSimpleRules(t *testing.T) {
	t.Parallel()
	rules := must.Get(sample(t).Baselines())(t)
	want := []string{"one cites the other 1.0000", "equal amounts, nearest date 1.0000", "equal items, nearest date -"}
	for i, r := range rules {
		f1 := r.Pairwise.F1.String()
		if f, ok := r.Pairwise.F1.Value(); ok && f == 0 {
			f1 = "-"
		}
		if got := r.Name + " " + f1; got != want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
}

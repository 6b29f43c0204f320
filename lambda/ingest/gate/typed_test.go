package gate_test

import (
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/internal/must"
)

// Typed values need no page: each check without one refuses its own mistake, and nothing else does.
func TestTypedValues(t *testing.T) {
	t.Parallel()
	const good = `"number":"7","date":"2026-03-02","currency":"EUR","supplier":{"name":"Lampenwerk"},"subtotal":"100","tax":"19","total":"119"`
	own := document.Party{Name: "Nimmerholz GmbH"}
	for field, data := range map[string]string{
		"":                  good,
		"date":              good + `,"date":"2027-03-02"`,
		"number":            good + `,"number":""`,
		"total":             good + `,"total":"120"`,
		"supplier.name":     good + `,"supplier":{"name":"Nimmerholz GmbH"}`,
		"supplier.iban":     good + `,"supplier":{"name":"Lampenwerk","iban":"DE89370400440532013001"}`,
		"line_items":        good + `,"line_items":[{"amount":"40"},{"amount":"50"}]`,
		"taxes.0.amount":    good + `,"taxes":[{"rate":"7","base":"100","amount":"19"}]`,
		"amount_due":        good + `,"amount_due":"100"`,
		"payment_terms.due": good + `,"payment_terms":{"due":"2026-03-01"}`,
	} {
		d := must.Get(document.Parse([]byte("{" + data + "}")))(t)
		reasons := gate.Typed(document.Invoice, d, time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), own)
		switch {
		case field == "" && len(reasons) > 0, field != "" && len(reasons) != 1, field != "" && reasons[0].Field != field:
			t.Errorf("%s: got %v", field, reasons)
		}
	}
}

package ingest

import (
	"encoding/json"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/internal/must"
)

func TestOneSignForCredits(t *testing.T) {
	t.Parallel()
	const credited = `{"subtotal":"100","tax":"19","total":"119","line_items":[{"quantity":"2","unit_price":"40","amount":"80"},` +
		`{"quantity":"1","unit_price":"30","amount":"30"},{"quantity":"-1","unit_price":"10","amount":"-10"}],` +
		`"taxes":[{"rate":"19","base":"100","amount":"19"}]}`
	for name, printed := range map[string]string{
		"as expected": credited,
		"with minus": `{"subtotal":"-100","tax":"-19","total":"-119","line_items":[{"quantity":"-2","unit_price":"40","amount":"-80"},` +
			`{"quantity":"1","unit_price":"-30","amount":"-30"},{"quantity":"1","unit_price":"10","amount":"10"}],` +
			`"taxes":[{"rate":"19","base":"-100","amount":"-19"}]}`,
	} {
		data, err := document.Parse([]byte(printed))
		must.OK(t, err)
		e := extraction.Extraction{Type: document.CreditNote, Data: data,
			Fields: map[string]extraction.Field{"total": {Value: data.Total.Canonical(), Quote: "119,00-"}}}
		positive(&e)
		if got := string(must.Get(json.Marshal(e.Data))(t)); got != credited || e.Fields["total"].Value != "119" {
			t.Errorf("%s: got %s, total %s", name, got, e.Fields["total"].Value)
		}
	}
}

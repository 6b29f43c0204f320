package warning_test

import (
	"testing"

	"matchbook/lambda/match/warning"
)

func TestOtherBuyer(t *testing.T) {
	t.Parallel()
	const trade, homes = `"name":"Südhang Handels GmbH"`, `"name":"Südhang Metallbau GmbH"`
	const id, otherID, foreign = `"vat_id":"DE136695976"`, `"vat_id":"DE111111125"`, `"vat_id":"ATU49838010"`
	for name, tc := range map[string]struct {
		invoice, order string
		want           bool
	}{
		"another of the group":           {homes + "," + otherID, trade, true},
		"with both ids":                  {homes + "," + otherID, trade + "," + id, true},
		"of another country":             {homes + "," + foreign, trade + "," + id, true},
		"the same":                       {trade + "," + id, trade, false},
		"one id, two names":              {homes + "," + id, trade + "," + id, false},
		"one name, ids of two countries": {trade + "," + foreign, trade + "," + id, false},
		"without an id":                  {homes, trade, false},
		"a misread id":                   {homes + `,"vat_id":"DE136695977"`, trade, false},
		"a shorter name":                 {`"name":"Südhang",` + id, trade, false},
		"another name altogether":        {`"name":"Bäckerei Kornblum",` + id, trade, false},
		"no name":                        {id, trade, false},
		"nothing on the order":           {trade + "," + id, "", false},
	} {
		invoice, order := bill(t, 2, `"buyer":{`+tc.invoice+`}`), bill(t, 1, "type:purchase-order", `"buyer":{`+tc.order+`}`)
		if w, ok := warning.OtherBuyer(invoice, order); ok != tc.want || ok && (w.Other != order.ID || w.Words == "" || w.Facts == "") {
			t.Errorf("%s: got %v %+v, want %v", name, ok, w, tc.want)
		}
	}
}

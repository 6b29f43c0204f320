package acceptance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// absent is a document of the model's strict schema without values.
const absent = `{"type":"invoice","pages":[1],
	"number":null,"date":null,"delivery_date":null,"currency":null,"buyer_reference":null,"payee":{"name":null,"iban":null},
	"subtotal":null,"tax":null,"total":null,"prepaid":null,"rounding":null,"amount_due":null,
	"supplier":{"name":null,"vat_id":null,"iban":null,"address":null},
	"buyer":{"name":null,"vat_id":null,"iban":null,"address":null},
	"period":{"from":null,"to":null},"payment_terms":{"due":null,"text":null},
	"references":[],"line_items":[],"taxes":[],"charges":[]}`

// printedInvoice is an invoice over 119.00 as a person writes it down from its
// page: value and quote of each field.
type printedInvoice map[string][2]string

func newPrintedInvoice(number string) printedInvoice {
	return printedInvoice{
		"number": {number, "Rechnungsnummer " + number}, "date": {"2026-02-20", "Rechnungsdatum 20.02.2026"},
		"supplier.name": {"Sommer GmbH", "Sommer GmbH"}, "subtotal": {"100.00", "Zwischensumme 100,00"},
		"tax": {"19.00", "19 % MwSt. 19,00"}, "total": {"119.00", "Gesamtbetrag 119,00"}, "currency": {"EUR", "119,00 EUR"},
	}
}

// with returns the invoice with another value in a field.
func (p printedInvoice) with(path, value, quote string) printedInvoice {
	other := printedInvoice{path: {value, quote}}
	for at, f := range p {
		if at != path {
			other[at] = f
		}
	}
	return other
}

// answer is the model's answer with this one invoice. note stands among the
// names of missing fields, which decide nothing.
func (p printedInvoice) answer(t *testing.T, note string) string {
	t.Helper()
	var doc map[string]any
	must.OK(t, json.Unmarshal([]byte(absent), &doc))
	for path, f := range p {
		in, name := doc, path
		if party, member, ok := strings.Cut(path, "."); ok {
			in, name = doc[party].(map[string]any), member
		}
		if in[name] = map[string]any{"value": f[0], "quote": f[1]}; name == "iban" {
			in[name] = f[0]
		}
	}
	raw := must.Get(json.Marshal(map[string]any{"confidence": "high", "missing_fields": []string{note},
		"documents": []any{doc}}))(t)
	return string(raw)
}

package document_test

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

func TestFieldsTakeValuesOfTheirKind(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, value, want string }{
		{"total", "119.00", `"119"`},
		{"line_items.0.quantity", "2", `"2"`},
		{"taxes.1.rate", "7", `"7"`},
		{"date", "2026-03-02", `"2026-03-02"`},
		{"payment_terms.due", "2026-04-01", `"2026-04-01"`},
		{"type", "credit-note", `"credit-note"`},
		{"currency", "EUR", `"EUR"`},
		{"supplier.name", `Müller "&" Söhne`, `"Müller \"\u0026\" Söhne"`},
		{"references.0.type", "purchase-order", `"purchase-order"`},
		{"notes", "a=b", `"a=b"`},
		{"line_items.0.amount", "", ""}, // removes it
	} {
		got, err := document.ParseField(tc.path, tc.value)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s=%s: got %s, %v; want %s", tc.path, tc.value, got, err, tc.want)
		}
	}
}

func TestFieldsRefuseOtherNamesAndKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, value, want string }{
		{"type", "", "type: a type is replaced, not removed"},
		{"sums", "", `"sums" is no field; those of a document are buyer, charges, currency, date, line_items, notes, number, ` +
			`payment_terms, period, references, subtotal, supplier, tax, taxes, total, type`},
		{"sum", "1", `"sum" is no field; those of a document are buyer, charges, currency, date, line_items, notes, number, ` +
			`payment_terms, period, references, subtotal, supplier, tax, taxes, total, type`},
		{"supplier", "x", `"supplier" is no field; those of supplier are address, iban, name, vat_id`},
		{"supplier.phone", "x", `"supplier.phone" is no field; those of supplier are address, iban, name, vat_id`},
		{"supplier.name.first", "x", `"supplier.name.first": supplier.name has no parts`},
		{"line_items", "x", `"line_items": it has items with numbers from 0: line_items.0`},
		{"line_items.first.amount", "1", `"line_items.first.amount": the items of line_items have numbers from 0: line_items.0`},
		{"line_items.00.amount", "1", `"line_items.00.amount": the items of line_items have numbers from 0: line_items.0`},
		{"line_items.-1.amount", "1", `"line_items.-1.amount": the items of line_items have numbers from 0: line_items.0`},
		{"line_items.0", "1", `"line_items.0" is no field; those of line_items.0 are amount, description, price_quantity, quantity, sku, tax_rate, unit, unit_price`},
		{"total", "1,00", "total: an amount is not a plain decimal number of at most 18 digits"},
		{"total", "1e9", "total: an amount is not a plain decimal number of at most 18 digits"},
		{"date", "02.03.2026", "date: a date is not of the form YYYY-MM-DD"},
		{"date", "2026-02-30", "date: a date is not of the form YYYY-MM-DD"},
		{"type", "memo", `type: unknown document type "memo"`},
		{"currency", "euro", "currency: a currency is a code of three letters such as EUR"},
		{"supplier.name", "a\x00b", "supplier.name: a text holds a control character"},
		{"supplier.name", "\xff", "supplier.name: not valid UTF-8"},
		{"notes", strings.Repeat("x", 10_001), "notes: a text of more than 10000 bytes"},
	} {
		got, err := document.ParseField(tc.path, tc.value)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s=%.20s: got %s, %v; want %s", tc.path, tc.value, got, err, tc.want)
		}
	}
}

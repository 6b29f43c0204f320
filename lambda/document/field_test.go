package document_test

import (
	"strings"
	"testing"

	"matchbook/lambda/document"
)

func TestFieldAcceptsItsKind(t *testing.T) {
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

func TestFieldRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, value, want string }{
		{"type", "", "type: must not be empty; set another type"},
		{"sums", "", `unknown field "sums"; the fields of a document are amount_due, buyer, buyer_reference, charges, currency, date, ` +
			`delivery_date, line_items, notes, number, payee, payment_terms, period, prepaid, references, rounding, subtotal, supplier, tax, taxes, total, type, type_code`},
		{"sum", "1", `unknown field "sum"; the fields of a document are amount_due, buyer, buyer_reference, charges, currency, date, ` +
			`delivery_date, line_items, notes, number, payee, payment_terms, period, prepaid, references, rounding, subtotal, supplier, tax, taxes, total, type, type_code`},
		{"supplier", "x", `unknown field "supplier"; the fields of supplier are address, iban, name, vat_id`},
		{"supplier.phone", "x", `unknown field "supplier.phone"; the fields of supplier are address, iban, name, vat_id`},
		{"supplier.name.first", "x", `unknown field "supplier.name.first"; supplier.name is a single value`},
		{"line_items", "x", `missing item in "line_items"; number items from 0: line_items.0`},
		{"line_items.first.amount", "1", `unknown field "line_items.first.amount"; number the items of line_items from 0: line_items.0`},
		{"line_items.00.amount", "1", `unknown field "line_items.00.amount"; number the items of line_items from 0: line_items.0`},
		{"line_items.-1.amount", "1", `unknown field "line_items.-1.amount"; number the items of line_items from 0: line_items.0`},
		{"line_items.0", "1", `unknown field "line_items.0"; the fields of line_items.0 are amount, description, price_quantity, quantity, sku, tax_rate, unit, unit_price`},
		{"total", "1,00", "total: invalid amount: expected a plain decimal of at most 18 digits"},
		{"total", "1e9", "total: invalid amount: expected a plain decimal of at most 18 digits"},
		{"date", "02.03.2026", "date: invalid date: expected YYYY-MM-DD"},
		{"date", "2026-02-30", "date: invalid date: expected YYYY-MM-DD"},
		{"type", "memo", `type: unknown document type "memo"`},
		{"currency", "euro", "currency: invalid currency: expected a code of three letters such as EUR"},
		{"supplier.name", "a\x00b", "supplier.name: text must not contain a control character"},
		{"supplier.name", "\xff", "supplier.name: invalid UTF-8"},
		{"notes", strings.Repeat("x", 10_001), "notes: text too long: over 10000 bytes"},
	} {
		got, err := document.ParseField(tc.path, tc.value)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s=%.20s: got %s, %v; want %s", tc.path, tc.value, got, err, tc.want)
		}
	}
}

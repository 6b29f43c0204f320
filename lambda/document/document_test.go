package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
)

func TestParseIDIsStrict(t *testing.T) {
	t.Parallel()
	const good = "10000000-0000-4000-8000-000000000101"
	if _, err := document.ParseID(good); err != nil {
		t.Errorf("ParseID(%q) = %v", good, err)
	}
	for _, bad := range []string{"", "x", "{" + good + "}",
		"urn:uuid:" + good, strings.ReplaceAll(good, "-", ""), good + "\n", strings.Replace(good, "1", "g", 1)} {
		if _, err := document.ParseID(bad); err == nil {
			t.Errorf("ParseID(%q) was accepted", bad)
		}
	}
}

func TestParseErrorsQuoteNoValue(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat(`{"sku":"a"},`, document.MaxLines) + `{"sku":"a"}`
	refs := strings.Repeat(`{"number":"a"},`, document.MaxReferences) + `{"number":"a"}`
	for _, tc := range []struct{ name, in, want string }{
		{"empty", ``, "invalid JSON"},
		{"not JSON", `secret`, "invalid JSON at byte 1"},
		{"array", `[]`, `invalid field "": unexpected array`},
		{"wrong type", `{"supplier":{"name":{"secret":1}}}`,
			`invalid field "supplier.name": unexpected object`},
		{"amount an object", `{"total":{"secret":1}}`, "invalid amount: expected a plain decimal of at most 18 digits"},
		{"huge number", `{"total":"1e400"}`, "invalid amount: expected a plain decimal of at most 18 digits"},
		{"huge bare number", `{"total":1e400}`, "invalid amount: expected a plain decimal of at most 18 digits"},
		{"date", `{"date":"secret"}`, "invalid date: expected YYYY-MM-DD"},
		{"date a number", `{"date":20260101}`, "invalid date: expected a string"},
		{"NUL", `{"number":"a\u0000b"}`, "structured data must not contain a NUL character"},
		{"invalid UTF-8", "{\"number\":\"\xff\"}", "invalid UTF-8 in structured data"},
		{"too large", `{"notes":"` + strings.Repeat("x", document.MaxBytes) + `"}`,
			"structured data must be at most 1048576 bytes"},
		{"too many lines", `{"line_items":[` + lines + `]}`, "too many line items: over 5000"},
		{"too many references", `{"references":[` + refs + `]}`, "too many references: over 500"},
		{"deep", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000),
			"structured data must be nested at most 100 levels deep"},
		{"deep in an unknown field", `{"x\"{":"{","extra":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
			"structured data must be nested at most 100 levels deep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := document.Parse([]byte(tc.in))
			if err == nil {
				t.Fatal("accepted")
			}
			if got := err.Error(); !strings.HasPrefix(got, tc.want) || strings.Contains(got, "secret") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEscapedBackslashIsNotNUL(t *testing.T) {
	t.Parallel()
	if _, err := document.Parse([]byte(`{"number":"a\\u0000b"}`)); err != nil {
		t.Errorf("got %v, want the text taken as it is", err)
	}
}

func TestTaxesChargesTermsRoundTrip(t *testing.T) {
	t.Parallel()
	const in = `{"line_items":[{"unit_price":"4.5","price_quantity":"100","tax_rate":"7"}],` +
		`"taxes":[{"category":"S","rate":"19","base":"100","amount":"19"}],` +
		`"charges":[{"description":"Discount","amount":"-5","tax_rate":"19"}],` +
		`"payment_terms":{"due":"2026-04-01","text":"30 days"}}`
	d, err := document.Parse([]byte(in))
	must.OK(t, err)
	if got, err := json.Marshal(d); err != nil || string(got) != in {
		t.Errorf("got %s, %v\nwant %s", got, err, in)
	}
}

func ExampleParse() {
	d, err := document.Parse([]byte(`{"number":"RE-1","date":"2026-03-02","total":"119.00","line_items":[{"quantity":2}]}`))
	fmt.Println(d.Number, d.Date, d.Total.Canonical(), d.Lines[0].Quantity.Fixed(), d.Tax.IsZero(), err)
	// Output: RE-1 2026-03-02 119 2.00 true <nil>
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"total":"1.5","date":"2026-01-01"}`))
	f.Add([]byte(`{"line_items":[{"quantity":1e400}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := document.Parse(raw)
		if err == nil && len(d.Total.Canonical()) > 40 {
			t.Errorf("an amount of %d characters", len(d.Total.Canonical()))
		}
	})
}

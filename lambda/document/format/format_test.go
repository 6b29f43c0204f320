package format

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"

	"pgregory.net/rapid"
)

func documentWith(data string) string {
	return `{"type":"invoice","structured_data":` + data + `}`
}

// Mistakes that people make in their first documents.
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	const data = "$.structured_data"
	for raw, want := range map[string]Problem{
		documentWith(`{"po_number":"4711"}`): {Path: data + ".po_number", Found: "an unknown field", Unknown: true,
			Expected: "one of amount_due, buyer, buyer_reference, charges, currency, date, delivery_date, line_items, notes, number, payee, payment_terms, period, prepaid, references, rounding, subtotal, supplier, tax, taxes, total, type_code",
			Hint:     references},
		documentWith(`{"lines":[]}`): {Path: data + ".lines", Found: "an unknown field", Unknown: true, Hint: "line_items"},
		documentWith(`{"line_items":[{"sku":"A"},{"qty":"2"}]}`): {Path: data + ".line_items[1].qty", Found: "an unknown field",
			Expected: "one of amount, description, price_quantity, quantity, sku, tax_rate, unit, unit_price", Hint: "quantity", Unknown: true},
		documentWith(`{"total":"1.190,00"}`): {Path: data + ".total", Found: `"1.190,00"`,
			Expected: `a plain decimal such as "1190.00", with at most 18 digits before and 9 after the point`},
		documentWith(`{"date":"02.03.2026"}`): {Path: data + ".date", Found: `"02.03.2026"`,
			Expected: "a date of the form YYYY-MM-DD, such as 2026-03-02"},
		documentWith(`{"date":"2026-02-30"}`): {Path: data + ".date", Found: `"2026-02-30"`,
			Expected: "a date of the form YYYY-MM-DD, such as 2026-03-02"},
		documentWith(`{"supplier":"Lampenhaus Wittmann GmbH"}`): {Path: data + ".supplier", Found: `"Lampenhaus Wittmann GmbH"`,
			Expected: "an object with name, vat_id, iban and address"},
		documentWith(`{"supplier":{"vatId":"DE136695976"}}`): {Path: data + ".supplier.vatId", Found: "an unknown field",
			Hint: "vat_id", Unknown: true},
		documentWith(`{"references":["4711"]}`): {Path: data + ".references[0]", Found: `"4711"`,
			Expected: "an object with the type and the number of another document"},
		documentWith(`{"references":{"number":"4711"}}`): {Path: data + ".references", Found: "an object"},
		documentWith(`{"number":4711}`):                  {Path: data + ".number", Found: "the number 4711", Expected: "a text"},
		documentWith(`{"totel":"119.00"}`):               {Path: data + ".totel", Found: "an unknown field", Hint: "total", Unknown: true},
		`{"type":"Bestellung","structured_data":{}}`: {Path: "$.type", Found: `"Bestellung"`,
			Expected: "purchase-order, order-confirmation, delivery-note, goods-receipt, invoice, credit-note or contract",
			Hint:     "purchase-order"},
		`{"type":"invoice","data":{}}`: {Path: "$.data", Found: "an unknown field", Hint: "structured_data", Unknown: true},
		`{"type":"invoice","structured_data":{},"id":"17"}`: {Path: "$.id", Found: `"17"`,
			Expected: "a UUID of 36 characters, such as 3f0c3a5e-8a52-4c8e-9a53-0d9f6c1e2b7a"},
		`{"type":"invoice","structured_data":{},"received_at":"yesterday"}`: {Path: "$.received_at", Found: `"yesterday"`,
			Expected: "a time with its zone, such as 2026-03-02T09:00:00Z"},
		`{"structured_data":{}}`: {Path: "$.type", Found: "nothing",
			Expected: "purchase-order, order-confirmation, delivery-note, goods-receipt, invoice, credit-note or contract"},
		`[]`:       {Path: "$", Found: "a list of 0", Expected: "an object with the type and the structured data of a document"},
		`{"type":`: {Path: "$", Found: "broken JSON", Expected: "a JSON object"},
		documentWith(strings.Repeat(`{"buyer":`, 101) + `null` + strings.Repeat(`}`, 101)): {Path: data + ".buyer.buyer", Found: "an unknown field", Unknown: true},
	} {
		t.Run(raw[:min(len(raw), 60)], func(t *testing.T) {
			t.Parallel()
			all := Check([]byte(raw))
			i := slices.IndexFunc(all, func(p Problem) bool { return p.Path == want.Path })
			if i < 0 {
				t.Fatalf("got %v, want %v", all, want)
			}
			got := all[i]
			if want.Expected == "" {
				got.Expected = ""
			}
			if got != want {
				t.Errorf("got\n%+v, want\n%+v", got, want)
			}
		})
	}
}

// All problems are there at once, in the order of the items.
func TestAllProblemsAreListed(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 12 {
		items = append(items, fmt.Sprintf(`{"qty":"%d","amount":"a lot"}`, i))
	}
	var paths []string
	for _, p := range Check([]byte(documentWith(`{"line_items":[` + strings.Join(items, ",") + `],"total":true}`))) {
		paths = append(paths, strings.TrimPrefix(p.Path, "$.structured_data."))
	}
	if len(paths) != 25 || paths[2] != "line_items[1].amount" || paths[23] != "line_items[11].qty" || paths[24] != "total" {
		t.Errorf("got %v", paths)
	}
}

// The schema has the fields of the Go types, and no others.
func TestSchemaMatchesTypes(t *testing.T) {
	t.Parallel()
	var compare func(location string, typ reflect.Type)
	compare = func(location string, typ reflect.Type) {
		s := schemaAt(location)
		switch {
		case typ == reflect.TypeFor[document.Amount](), typ == reflect.TypeFor[document.Date]():
			want := map[bool]string{true: "a plain decimal", false: "a date"}[typ == reflect.TypeFor[document.Amount]()]
			if got := expectedAt(location); !strings.HasPrefix(got, want) {
				t.Errorf("%s is %q, want %s", location, got, want)
			}
		case typ.Kind() == reflect.Slice:
			if s["items"] == nil {
				t.Errorf("%s has no items", location)
				return
			}
			compare(resolved(location)+"/items", typ.Elem())
		case typ.Kind() == reflect.Struct:
			var fields []string
			for i := range typ.NumField() {
				name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
				fields = append(fields, name)
				compare(resolved(location)+"/properties/"+name, typ.Field(i).Type)
			}
			slices.Sort(fields)
			if got := fieldsAt(location); !slices.Equal(got, fields) {
				t.Errorf("%s has the fields %v, want %v", location, got, fields)
			}
		}
	}
	compare("#/$defs/data", reflect.TypeFor[document.Data]())
	var types []any
	for _, typ := range document.Types {
		types = append(types, string(typ))
	}
	if got := schemaAt("#/properties/type")["enum"]; !reflect.DeepEqual(got, types) {
		t.Errorf("types %v, want %v", got, types)
	}
}

// Whatever has the form can be parsed.
func TestValidDocumentsParse(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{`"119.00"`, `119`, `1e3`, `-0.5`, `""`, `null`, `"2026-03-02"`, `"2026-02-30"`, `"x"`, `true`, `[]`, `{}`,
		`[{}]`, `[null]`, `{"name":"x"}`, `[{"quantity":"1"}]`, `"\u0000"`, `123456789012345678901`})
	names := rapid.SampledFrom(fieldsAt("#/$defs/data"))
	rapid.Check(t, func(t *rapid.T) {
		data := fmt.Sprintf(`{%q:%s,%q:%s}`, names.Draw(t, "name"), texts.Draw(t, "value"), names.Draw(t, "other"), texts.Draw(t, "second"))
		_, err := document.Parse([]byte(data))
		if problems := Check([]byte(documentWith(data))); len(problems) == 0 && err != nil {
			t.Errorf("%s has the form, but %v", data, err)
		}
	})
}

// resolved is the location of a schema behind its references.
func resolved(location string) string {
	_, pointer, _ := strings.Cut(location, "#")
	at := tree
	for part := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		m, _ := at.(map[string]any)
		at = m[part]
	}
	m, _ := at.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return resolved(ref)
	}
	return location
}

// The page of the ten mistakes shows what is found and expected.
func TestTenMistakesMatchPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../INTEGRATE.md")
	must.OK(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(.+)` \\| `(\\$.+)` \\| (.+) \\| (.+) \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) != 10 {
		t.Fatalf("the page has %d mistakes, want 10", len(rows))
	}
	for _, row := range rows {
		raw := row[1]
		if raw[0] != '{' {
			raw = documentWith("{" + raw + "}")
		}
		all := Check([]byte(raw))
		i := slices.IndexFunc(all, func(p Problem) bool { return p.Path == row[2] })
		if i < 0 {
			t.Errorf("%s: got %v, want %s", raw, all, row[2])
			continue
		}
		expected := all[i].Expected
		if all[i].Hint != "" {
			expected = "did you mean " + all[i].Hint + "?"
		}
		if all[i].Found != row[3] || expected != row[4] {
			t.Errorf("%s: got\n| %s | %s |\nwant\n| %s | %s |", raw, all[i].Found, expected, row[3], row[4])
		}
	}
}

package ingestrun

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"

	"golang.org/x/text/currency"
)

// counted are the numbers of a document that aren't money, by the last part of their path.
var counted = []string{"quantity", "price_quantity", "rate", "tax_rate"}

// shown returns a field's value for people: money with its currency's decimals.
func shown(path, value, code string) string {
	kind, err := document.FieldKind(path)
	if err != nil || kind != document.Number || slices.Contains(counted, path[strings.LastIndexByte(path, '.')+1:]) {
		return value
	}
	return money(value, code)
}

// money fills up a decimal to the currency's minor units: 119.5 is 119.50 in EUR, and 119.500 in
// KWD. It never rounds.
func money(value, code string) string {
	if value == "" {
		return ""
	}
	units := 2
	if unit, err := currency.ParseISO(code); err == nil {
		units, _ = currency.Standard.Rounding(unit)
	}
	whole, decimals, _ := strings.Cut(value, ".")
	decimals += strings.Repeat("0", max(0, units-len(decimals)))
	if decimals == "" {
		return whole
	}
	return whole + "." + decimals
}

// views returns the fields for people. id is a prefix of their ids on a page.
func (d documentReport) views(id string) (all []fieldView) {
	for i, f := range d.Fields {
		v := fieldView{Field: f, ID: fmt.Sprintf("%s-%d", id, i+1), Words: words(f.Field), Shown: shown(f.Path, f.Value, d.currency)}
		var n int
		if _, err := fmt.Sscanf(f.Path, "references.%d.number", &n); err == nil && n < len(d.References) {
			v.Shown = document.Type(d.References[n].Type).Words() + " " + v.Shown
		}
		all = append(all, v)
	}
	return all
}

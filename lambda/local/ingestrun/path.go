package ingestrun

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// order is the order of the fields for people, by the parts of their paths.
var order = []string{"number", "date", "currency", "supplier", "buyer", "references", "period", "line_items", "charges",
	"subtotal", "taxes", "tax", "total", "payment_terms",
	"name", "vat_id", "iban", "address", "type", "from", "to", "sku", "description", "quantity", "unit", "unit_price",
	"price_quantity", "amount", "category", "rate", "base", "tax_rate", "due", "text"}

// comparePaths orders paths as people read a document: its parties, its lines,
// its sums.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
}

// rank is the place of a part of a path; numbers are their own places.
func rank(part string) int {
	if n, err := strconv.Atoi(part); err == nil {
		return n
	}
	if i := slices.Index(order, part); i >= 0 {
		return i
	}
	return len(order)
}

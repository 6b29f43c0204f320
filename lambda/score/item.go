package score

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// item is the sum of a document's lines about one article.
type item struct {
	sku      string
	words    []string
	quantity float64 // 0: not stated
	price    float64 // of a unit; 0: not stated
}

// items merges the lines by article, without shipping charges.
func items(lines []document.Line) (list []item) {
	index := map[string]int{}
	for _, l := range lines {
		it := item{sku: alphanumeric(l.SKU), words: words(l.Description),
			quantity: l.Quantity.Float(), price: math.Abs(l.UnitPrice.Float())}
		if it.sku == "" && (len(it.words) == 0 || slices.ContainsFunc(it.words, func(w string) bool { return charges[w] })) {
			continue
		}
		if i, ok := index[it.key()]; ok {
			list[i].quantity += it.quantity
			continue
		}
		index[it.key()] = len(list)
		list = append(list, it)
	}
	for i, it := range list { // a credit note may count backwards
		list[i].quantity = math.Abs(it.quantity)
	}
	return list
}

// key is the same for lines about one article.
func (it item) key() string { return cmp.Or(it.sku, strings.Join(it.words, " ")) }

// charges are words of lines for shipping and surcharges: these lines have no
// counterpart in an order or a receipt.
var charges = map[string]bool{
	"freight": true, "shipping": true, "delivery": true, "postage": true, "surcharge": true,
	"handling": true, "packaging": true,
	"fracht": true, "versand": true, "versandkosten": true, "porto": true, "zuschlag": true,
	"verpackung": true, "mindermengenzuschlag": true,
	"port": true, "transport": true, "emballage": true, "frais": true,
	"trasporto": true, "spedizione": true, "imballaggio": true,
}

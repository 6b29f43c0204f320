package reference

import (
	"strings"
	"sync"

	"matchbook/lambda/internal/lazy"
)

// Type returns the type of document named by a word, as in package document. It returns "" for
// an unknown word; the number after it may then be of any type.
//
//	"PO", "Purchase Order", "purchase_order", "Bestell-Nr.", "Votre commande n°" purchase-order
//	"Lieferschein", "bons de livraison"                                          delivery-note
//	"other", "Su pedido", "ref", ""                                              ""
//
// Type knows the labels used by Find and the types' own names. Number marks and words such as
// "your" don't count.
func Type(word string) string {
	if len(word) > longest {
		return ""
	}
	s := clean(word)
	letters, all := words(s, nil), words(s, func(w string) bool { return marks()[w] || links()[w] || owners()[w] })
	for _, key := range []string{letters, all, strings.TrimSuffix(strings.TrimSuffix(all, "nr"), "nummer")} {
		if t, ok := typesByWord()[key]; ok {
			return t
		}
	}
	return ""
}

// owners stand before a label: your order, unsere Rechnung.
var owners = lazy.Words(`our ihr ihre ihren unser unsere unseren unserer notre nos vos votre v n vs ns vostra nostra
	customer kunden client cliente`)

// typesByWord has the letters of each label, folded, without joints. A label for several types
// has the type "".
var typesByWord = sync.OnceValue(func() map[string]string {
	types := make(map[string]string)
	for _, l := range allLabelRows() {
		types[words(clean(l.words), nil)] = l.typ
	}
	for _, name := range []string{purchaseOrder, orderConfirmation, deliveryNote, goodsReceipt, invoice, creditNote,
		contract} {
		types[words(name, nil)] = name
	}
	return types
})

// words joins the folded words of s, without the words that out rejects.
func words(s string, out func(string) bool) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !isLetter(r) }) {
		if w = fold(w); out == nil || !out(w) {
			b.WriteString(w)
		}
	}
	return b.String()
}

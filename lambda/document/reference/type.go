package reference

import "strings"

// Type is the type of document that a word for it names, as in package
// document; empty where it is not known, which says nothing about the number
// behind the word: it may be of any type.
//
//	"PO", "Purchase Order", "purchase_order", "Bestell-Nr.", "Votre commande n°" purchase-order
//	"Lieferschein", "bons de livraison"                                          delivery-note
//	"other", "Su pedido", "ref", ""                                              ""
//
// The words are those of the labels in texts, and the names of the types
// themselves. Number marks and words such as "your" do not count.
func Type(word string) string {
	if len(word) > longest {
		return ""
	}
	s := clean(word)
	letters, all := words(s, nil), words(s, func(w string) bool { return marks[w] || links[w] || owners[w] })
	for _, key := range []string{letters, all, strings.TrimSuffix(strings.TrimSuffix(all, "nr"), "nummer")} {
		if t, ok := typesByWord[key]; ok {
			return t
		}
	}
	return ""
}

// owners stand before a label: your order, unsere Rechnung.
var owners = set(`our ihr ihre ihren unser unsere unseren unserer notre nos vos votre v n vs ns vostra nostra
	customer kunden client cliente`)

// typesByWord has the letters of each label without what joins them, folded.
// A label that may be of several types is not in it.
var typesByWord = func() map[string]string {
	types := make(map[string]string)
	for _, l := range labels {
		types[words(clean(l.words), nil)] = l.typ
	}
	for _, name := range []string{purchaseOrder, orderConfirmation, deliveryNote, goodsReceipt, invoice, creditNote,
		contract} {
		types[words(name, nil)] = name
	}
	return types
}()

// words joins the words of s, folded, without those that are left out.
func words(s string, out func(string) bool) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !isLetter(r) }) {
		if w = fold(w); out == nil || !out(w) {
			b.WriteString(w)
		}
	}
	return b.String()
}

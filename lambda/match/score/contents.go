package score

import (
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// compareContents compares the items and amounts of two documents, and counts the common units.
// If one cites the other's very number, different contents are only mild evidence against the
// pair, because goods are replaced, delivered in excess and described in other words.
func compareContents(first, second *Document, cited bool) ([]Evidence, Fit) {
	items, fit, c := compareItems(first, second)
	if n := samePieces(first, second); n > 0 {
		items, fit.Common = evSerials.Because("%d pieces have the same serial or lot numbers.", n), min(float64(n), fit.A, fit.B)
	}
	amounts := compareAmounts(first, second)
	if c.n > 0 && c.equal == c.n { // the other goods are of other orders
		amounts = except(amounts, evAmountExceeds)
	}
	if share, kind := instalment(first, second, c); share > 0 {
		items = except(items, evLump, evPricesDiffer, evItemsOther, evOtherDescription)
		amounts = kind.Because("The invoice is for %s %% of the order's amount.", percent(share))
		fit = Fit{1, share, share}
	}
	all := slices.Concat(items, amounts, compareReturn(first, second, c))
	if cited {
		all = mildly(all)
	}
	return all, fit
}

func except(evidence []Evidence, kinds ...Kind) []Evidence {
	return slices.DeleteFunc(evidence, func(ev Evidence) bool { return ev.isOf(kinds...) })
}

// mildly replaces the evidence against a pair by one mild piece.
func mildly(evidence []Evidence) []Evidence {
	if len(evidence) == 0 {
		return nil
	}
	against := slices.MinFunc(evidence, func(a, b Evidence) int { return a.Points - b.Points })
	mild := slices.DeleteFunc(evidence, func(ev Evidence) bool { return ev.Points < 0 })
	switch {
	case against.Points >= 0:
		return mild
	case against.isOf(evItemsOther, evOtherDescription, evNotReturned):
		return append(mild, evContentsOther.says(against.Text))
	}
	return append(mild, evContentsDiffer.says(against.Text))
}

// compareReturn decides whether a credit note is for returned goods of a receipt: it then
// credits a part of them, at their price. Words count only where the prices say nothing. Whole lines
// may have been returned, cancelled or corrected, so only words can decide.
func compareReturn(first, second *Document, c comparison) []Evidence {
	if first.Type != document.GoodsReceipt || second.Type != document.CreditNote {
		return nil
	}
	switch {
	case c.otherPrices > 0, c.samePrices == 0 && slices.ContainsFunc(words(second.Notes), correctsPrice):
		return evNotReturned.Because("The credit note is for a price, not for goods.")
	case c.m > 0 && len(c.lines) == 0:
		return evNotReturned.Because("The credit note is for none of the goods received.")
	case c.m > 0 && len(c.lines) == c.m && c.within[0] == c.m && c.equal < c.m:
		return evReturned.Because("The credit note is for a part of the goods received.")
	case slices.ContainsFunc(words(second.Notes), func(w string) bool { return returns()[w] }):
		return evReturned.Because("The credit note is for returned goods.")
	case c.n > 0 && c.equal == c.n && c.n == c.m:
		return evAllCredited.Because("The credit note is for all goods received: they came back, or were billed in error.")
	}
	return nil
}

// correctsPrice reports whether a word of a credit note names a price: Preiskorrektur, price
// adjustment, rettifica di prezzo. It is a hint where neither the receipt nor the credit has more.
func correctsPrice(word string) bool {
	return slices.ContainsFunc(prices, func(stem string) bool { return strings.HasPrefix(word, stem) })
}

var prices = strings.Fields("price preis prix prezz precio preco prijs pris cen pret hinta fiyat kaina hind")

var returns = lazy.Words("return returned returns retour retoure ruecksendung rueckware rueckgabe zurueckgesandt reklamation " +
	"renvoi retourne retournee reso restituzione restituito")

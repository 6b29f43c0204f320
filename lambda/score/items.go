package score

import (
	"fmt"
	"slices"

	"matchbook/lambda/document"
)

// compareItems compares the lines of two documents and counts the units that
// they have in common; Fit.A is of first, Fit.B of second.
func compareItems(first, second Document) ([]Evidence, Fit) {
	if len(first.items) == 0 || len(second.items) == 0 {
		return nil, Fit{}
	}
	if first.Type == document.Contract {
		return compareContract(first, second), Fit{}
	}
	fit := Fit{units(first.items), units(second.items), 0}
	if fit.A == 0 || fit.B == 0 {
		return compareWords(first, second), Fit{}
	}
	pairs := align(first.items, second.items)
	if len(pairs) == 0 {
		return evItemsOther.Because("They have no item in common."), fit
	}
	exact, within, prices := 0, [2]int{}, 0
	for _, p := range pairs {
		x, y := first.items[p[0]], second.items[p[1]]
		fit.Common += min(x.quantity, y.quantity)
		if x.quantity == y.quantity {
			exact++
		}
		if y.quantity <= x.quantity {
			within[0]++
		}
		if x.quantity <= y.quantity {
			within[1]++
		}
		if x.price > 0 && near(x.price, y.price, 0.001) {
			prices++
		}
	}
	n, m := len(first.items), len(second.items)
	var ev []Evidence
	switch {
	case exact == n && n == m:
		kind := evItemsEqual
		if exact == 1 && fit.A < 10 {
			kind = evItemEqualFew
		} else if exact == 1 {
			kind = evItemEqual
		}
		ev = kind.Because("The items and quantities are the same.")
	case exact == min(n, m):
		ev = evItemsWhole.Because("%s", partOf(first, second, m <= n,
			"All lines of the %s are in the %s, in the same quantities."))
	case within[0] == m || within[1] == n:
		ev = evItemsPart.Because("%s", partOf(first, second, within[0] == m,
			"The items of the %s are a part of those of the %s."))
	default:
		ev = evItemsExceed.Because("They have items in common, but neither has all items of the other in these quantities.")
	}
	if prices == len(pairs) {
		ev = append(ev, evPrices.Because("The prices are the same.")...)
	}
	return ev, fit
}

// partOf formats a sentence with the part first and the whole second.
func partOf(first, second Document, secondIsPart bool, format string) string {
	if secondIsPart {
		return fmt.Sprintf(format, second.Type.Words(), first.Type.Words())
	}
	return fmt.Sprintf(format, first.Type.Words(), second.Type.Words())
}

// units is the number of units of all items.
func units(items []item) (n float64) {
	for _, it := range items {
		n += it.quantity
	}
	return n
}

// compareContract looks for the items of an order or an invoice among the items
// of a contract; a contract without article numbers is compared by its words.
func compareContract(contract, d Document) []Evidence {
	if !slices.ContainsFunc(contract.items, func(it item) bool { return it.sku != "" }) {
		return compareWords(contract, d)
	}
	pairs := align(contract.items, d.items)
	switch len(pairs) {
	case len(d.items):
		return evItemsContract.Because("The contract names all items.")
	case 0:
		return evItemsOther.Because("The contract names none of the items.")
	}
	return evItemsExceed.Because("The contract does not name all items.")
}

// compareWords compares the descriptions of documents that state no quantities.
func compareWords(first, second Document) []Evidence {
	collect := func(d Document) (w []string) {
		for _, it := range d.items {
			w = append(w, it.words...)
		}
		slices.Sort(w)
		return slices.Compact(w)
	}
	switch s := overlap(collect(first), collect(second)); {
	case s >= 0.7:
		return evDescription.Because("The descriptions agree.")
	case s < 0.2:
		return evOtherDescription.Because("The descriptions differ.")
	}
	return nil
}

// overlap is the share of words that two sorted lists have in common.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0.5
	}
	n := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			n++
		}
	}
	return float64(n) / float64(len(a)+len(b)-n)
}

// maxFuzzy bounds the items of a document that are aligned by their words.
const maxFuzzy = 50

// align pairs the items of two documents, by article number or else by words.
// Documents with a common article number use the same numbering: then items
// with different numbers are different, however similar their names.
func align(a, b []item) (pairs [][2]int) {
	bySKU := make(map[string]int, len(b))
	for j, it := range b {
		if it.sku != "" {
			bySKU[it.sku] = j
		}
	}
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	for i, it := range a {
		if j, ok := bySKU[it.sku]; ok && it.sku != "" && !usedB[j] {
			pairs, usedA[i], usedB[j] = append(pairs, [2]int{i, j}), true, true
		}
	}
	numberedAlike := len(pairs) > 0
	for i, it := range a[:min(len(a), maxFuzzy)] {
		best, most := -1, 0.5
		for j, other := range b[:min(len(b), maxFuzzy)] {
			if usedA[i] || usedB[j] || len(it.words) == 0 || len(other.words) == 0 ||
				numberedAlike && it.sku != "" && other.sku != "" {
				continue
			}
			if s := overlap(it.words, other.words); s > most || s == most && best < 0 {
				best, most = j, s
			}
		}
		if best >= 0 {
			pairs, usedA[i], usedB[best] = append(pairs, [2]int{i, best}), true, true
		}
	}
	return pairs
}

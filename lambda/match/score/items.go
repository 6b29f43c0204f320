package score

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// compareItems compares the lines of two documents and counts their common units; Fit.A is of
// first, Fit.B of second.
func compareItems(first, second *Document) ([]Evidence, Fit, comparison) {
	if len(first.items) == 0 || len(second.items) == 0 {
		return nil, Fit{}, comparison{}
	}
	if first.Type == document.Contract {
		return compareContract(first, second), Fit{}, comparison{}
	}
	c := compareLines(first.items, second.items)
	switch {
	case isLump(second, first) && len(c.lines) == 0:
		return evLump.Because("The %s has one line, which names none of the items of the %s.",
			second.Type.Words(), first.Type.Words()), c.fit, c
	case c.fit.A == 0 || c.fit.B == 0:
		return compareWords(first, second), Fit{}, c
	}
	ev := c.taught(first, second, c.evidence(first, second))
	switch {
	case len(c.lines) > 0 && c.samePrices == len(c.lines):
		ev = append(ev, evPrices.Because("The prices are the same.")...)
	case c.otherPrices > 0 && c.samePrices == 0 && second.Type != document.CreditNote: // which may correct them
		ev = append(ev, evPricesDiffer.Because("The prices differ.")...)
	}
	return ev, c.fit, c
}

// isLump reports whether a document charges a sum in one line of text while the other has
// counted goods: a down payment, or all deliveries of a month.
func isLump(d, other *Document) bool {
	return (d.Type == document.Invoice || d.Type == document.CreditNote) && singleSum(d) &&
		(len(other.items) > 1 || units(other.items) > 1)
}

// comparison holds the common lines of two documents, and counts of them.
type comparison struct {
	lines       []line
	n, m        int // items of each that count
	fit         Fit
	equal       int // lines of one quantity
	nearly      int // or nearly one
	unknown     int // of quantities that cannot be compared
	within      [2]int
	samePrices  int
	otherPrices int
	digits      int       // of the quantities that are equal
	how         alignment // of the least certain line
}

func compareLines(a, b []item) comparison {
	c := comparison{lines: align(a, b), fit: Fit{units(a), units(b), 0}, n: len(a), m: len(b), how: sameArticle}
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	for _, l := range c.lines {
		usedA[l.i], usedB[l.j] = true, true
		c.count(l, &a[l.i], &b[l.j])
	}
	for i := range a {
		if a[i].minor && !usedA[i] {
			c.n--
		}
	}
	for j := range b {
		if b[j].minor && !usedB[j] {
			c.m--
		}
	}
	return c
}

func (c *comparison) count(l line, x, y *item) {
	if x.minor { // it is an item after all
		c.fit.A += x.quantity.plain
	}
	if y.minor {
		c.fit.B += y.quantity.plain
	}
	c.how = min(c.how, l.how)
	if l.samePrice {
		c.samePrices++
	}
	if l.otherPrice {
		c.otherPrices++
	}
	p, q := x.quantity.plain, y.quantity.plain
	if l.byValue { // in the smaller unit
		c.fit.A += max(p, q) - p
		c.fit.B += max(p, q) - q
		p, q = max(p, q), max(p, q)
	}
	if l.is != unrelated {
		c.fit.Common += min(p, q)
	}
	switch {
	case l.is == equal:
		c.equal++
		c.digits += x.quantity.digits()
	case l.nearly:
		c.nearly++
	case l.is == unrelated:
		c.unknown++
	}
	if l.is != less {
		c.within[0]++
	}
	if l.is != more {
		c.within[1]++
	}
}

// evidence judges the common lines by their share of both documents.
func (c comparison) evidence(first, second *Document) []Evidence {
	common := len(c.lines)
	switch {
	case common == 0:
		return evItemsOther.Because("They have no item in common.")
	case c.equal == c.n && c.n == c.m:
		return c.same()
	case c.equal == min(c.n, c.m):
		return c.several(evItemWhole, evItemsWhole).Because("%s", partOf(first, second, c.m <= c.n,
			c.certain("All items of the %s are in the %s, in the same quantities.",
				"All items of the %s are like items of the %s in quantity, and in price, numbers or words.")))
	case c.equal+c.nearly == c.n && c.n == c.m:
		return evItemsNear.Because("%s", c.certain("The items are the same, in nearly the same quantities.",
			"The items are alike in price, numbers or words, and nearly in quantity."))
	case c.unknown > 0 && common == min(c.n, c.m):
		return evItemsNamed.Because("%s", partOf(first, second, common == c.m,
			"The items of the %s are in the %s, in quantities that cannot be compared."))
	case second.Type == document.CreditNote && c.within[0] == c.m && c.otherPrices == 0:
		return evItemsCredited.Because("All items of the credit note are in the %s.", first.Type.Words())
	case c.within[0] == c.m || c.within[1] == c.n:
		return c.several(evItemPart, evItemsPart).Because("%s", partOf(first, second, c.within[0] == c.m,
			c.certain("The items of the %s are a part of those of the %s.",
				"The items of the %s are, by prices, numbers or words, a part of those of the %s.")))
	case c.equal > 0:
		return evItemsSome.Because("They have %d lines of one item and quantity in common, but each has others.", c.equal)
	}
	return evItemsExceed.Because("They have items in common, but neither has all items of the other in these quantities.")
}

// several chooses the kind of evidence for one common line or for several, because one is more
// often a coincidence.
func (c comparison) several(one, many Kind) Kind {
	if len(c.lines) == 1 {
		return one
	}
	return many
}

// certain chooses the sentence for items that are surely, or only probably, the same.
func (c comparison) certain(sure, probable string) string {
	if c.how == sameArticle {
		return sure
	}
	return probable
}

func (c comparison) same() []Evidence {
	switch {
	case c.how == guessedArticle:
		return evQuantities.Because("The quantities are the same, the items have other names.")
	case c.how == likeArticle:
		return evItemsAlike.Because("The quantities are the same, and by prices, numbers or words the items as well.")
	case c.equal == 1 && c.digits < 2 && c.fit.A >= 10:
		return evItemEqualRound.Because("The item and its quantity are the same, a round one.")
	case c.equal == 1 && c.fit.A < 10:
		return evItemEqualFew.Because("The item and its quantity are the same.")
	case c.equal == 1:
		return evItemEqual.Because("The item and its quantity are the same.")
	}
	return evItemsEqual.Because("The items and quantities are the same.")
}

// partOf formats a sentence with the part first and the whole second.
func partOf(first, second *Document, secondIsPart bool, format string) string {
	if secondIsPart {
		return fmt.Sprintf(format, second.Type.Words(), first.Type.Words())
	}
	return fmt.Sprintf(format, first.Type.Words(), second.Type.Words())
}

// compareContract looks for the items of an order or an invoice among those in a contract. A
// contract without article numbers is compared by its words.
func compareContract(contract, d *Document) []Evidence {
	c := compareLines(contract.items, d.items)
	named := nameItems(contract, d, c)
	return append(named, contractPrices(contract, d, c.lines, slices.ContainsFunc(named, evItemsBilled.Is))...)
}

// contractPrices compares the prices of common items, whatever the quantities: a contract seldom
// has any. Prices that were raised since count against an invoice only.
func contractPrices(contract, d *Document, lines []line, billed bool) []Evidence {
	same, far, all := 0, 0, 0
	for _, l := range lines {
		x, y := &contract.items[l.i], &d.items[l.j]
		if x.price == 0 || y.price == 0 || !x.quantity.unit.comparable(y.quantity.unit) {
			continue
		}
		all++
		switch p, q := max(x.price, y.price), min(x.price, y.price); {
		case near(p, q, samePrice):
			same++
		case p > q*raised:
			far++
		}
	}
	switch {
	case all == 0:
		return nil
	case same == all:
		return evPrices.Because("The prices are the contract's.")
	case far == all:
		return evPriceContract.Because("The prices aren't the contract's.")
	case same == 0 && billed:
		return evPricesDiffer.Because("The prices aren't the contract's.")
	}
	return nil
}

// raised is the factor between a contract's price and a later one: prices are raised by some
// per cent a year.
const raised = 1.25

func nameItems(contract, d *Document, c comparison) []Evidence {
	numbered := slices.ContainsFunc(contract.items, func(it item) bool { return it.sku != "" })
	words := compareWords(contract, d)
	switch own, _ := ownWords(contract, d); {
	case !numbered && len(own) == 0:
		return nil
	case !numbered && words != nil && words[0].Points > 0:
		return words
	case c.m > 0 && len(c.lines) == c.m && d.Type == document.Invoice:
		return evItemsBilled.Because("The contract names all items.")
	case c.m > 0 && len(c.lines) == c.m:
		return evItemsContract.Because("The contract names all items.")
	case len(c.lines) > 0:
		return evItemsSome.Because("The contract names some of the items.")
	case numbered:
		return evItemsOther.Because("The contract names none of the items.")
	}
	return words
}

func compareWords(first, second *Document) []Evidence {
	switch s := overlap(ownWords(first, second)); {
	case s >= 0.7:
		return evDescription.Because("The descriptions agree.")
	case s < 0.2:
		return evOtherDescription.Because("The descriptions differ.")
	}
	return nil
}

// ownWords lists the words of the lines of two documents, sorted, without the names of the parties,
// since these count as parties.
func ownWords(first, second *Document) (a, b []string) {
	names := words(strings.Join([]string{first.Buyer.Name, second.Buyer.Name, first.Supplier.Name, second.Supplier.Name}, " "))
	collect := func(d *Document) (list []string) {
		for _, it := range d.items {
			list = append(list, it.words...)
		}
		slices.Sort(list)
		return slices.DeleteFunc(slices.Compact(list), func(word string) bool { return slices.Contains(names, word) })
	}
	return collect(first), collect(second)
}

// overlap is the share of words that two sorted lists have in common.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0.5
	}
	n := common(a, b)
	return float64(n) / float64(len(a)+len(b)-n)
}

package score

import (
	"cmp"
	"slices"
	"strings"
)

// alignment is the certainty that two items are one article.
type alignment int

const (
	otherArticle   alignment = iota
	guessedArticle           // the only ones left, in the same quantity
	likeArticle              // by quantity and price, or by numbers: use if texts are abbreviated or translated
	sameArticle              // by article number or by words
)

// line is an item of one document paired with the same item of the other.
type line struct {
	i, j       int
	how        alignment
	is         relation // of the quantities
	nearly     bool     // the quantities differ by a tenth at most
	byValue    bool     // the units differ, but the amounts are the same
	samePrice  bool
	otherPrice bool
	bySKU      bool // same article number
	likeness   float64
}

// maxFuzzy bounds the items of a document that are aligned by their words.
const maxFuzzy = 50

// align pairs the items of two documents: by article number, or else by words, numbers,
// quantities and prices, most alike first. Documents with a common article number use the same
// numbering, so items with different numbers are then different, however similar their names.
func align(a, b []item) (lines []line) {
	usedA, usedB := make([]bool, len(a)), make([]bool, len(b))
	take := func(l line) {
		if !usedA[l.i] && !usedB[l.j] {
			lines, usedA[l.i], usedB[l.j] = append(lines, l), true, true
		}
	}
	numbers := make(map[string]int, len(b))
	for j := range b {
		numbers[b[j].sku] = j
	}
	for i := range a {
		if j, ok := numbers[a[i].sku]; ok && a[i].sku != "" {
			l := lineOf(&a[i], &b[j], i, j, sameArticle)
			l.bySKU = true
			take(l)
		}
	}
	numberedAlike := len(lines) > 0
	var found []line
	for i := range a[:min(len(a), maxFuzzy)] {
		for j := range b[:min(len(b), maxFuzzy)] {
			if usedA[i] || usedB[j] || numberedAlike && a[i].sku != "" && b[j].sku != "" && a[i].looseSKU != b[j].looseSKU {
				continue
			}
			if l := a[i].compare(&b[j], i, j); l.how != otherArticle {
				found = append(found, l)
			}
		}
	}
	slices.SortStableFunc(found, func(x, y line) int { return cmp.Compare(y.likeness, x.likeness) })
	for _, l := range found {
		take(l)
	}
	return complete(lines, a, b, usedA, usedB)
}

// complete pairs the remaining items of two documents by quantity, since their texts may be in
// different languages. It must pair all of them, and the quantities must not be round numbers;
// otherwise it returns the lines unchanged. Texts with other numbers are other articles, unless
// several lines have the same quantities and prices.
func complete(lines []line, a, b []item, usedA, usedB []bool) []line {
	if len(lines) == len(a) || len(a) != len(b) || len(a) > maxFuzzy {
		return lines
	}
	all, digits := slices.Clone(lines), 0
	for i := range a {
		for j := range b {
			if usedA[i] || usedB[j] {
				continue
			}
			it, other := &a[i], &b[j]
			l := lineOf(it, other, i, j, guessedArticle)
			priced := len(a) > 1 && l.samePrice
			others := !priced && it.wording.like(&other.wording).contradicts
			if l.is == equal && !l.otherPrice && !others && !bothNumbered(it, other, lines) {
				all, usedA[i], usedB[j] = append(all, l), true, true
				digits += it.quantity.digits()
			}
		}
	}
	if len(all) < len(a) || digits < tellingDigits {
		return lines
	}
	return all
}

// tellingDigits is the minimum of significant digits for equal quantities to mean something.
const tellingDigits = 3

func bothNumbered(it, other *item, lines []line) bool {
	return it.sku != "" && other.sku != "" && slices.ContainsFunc(lines, func(l line) bool { return l.bySKU })
}

// compare decides whether two items are one article.
func (it *item) compare(other *item, i, j int) line {
	l := lineOf(it, other, i, j, otherArticle)
	w := it.wording.like(&other.wording)
	signals := 0.0
	if l.is == equal {
		signals++
	}
	if l.samePrice {
		signals++
	}
	text := 0.0
	if len(it.words) > 0 && len(other.words) > 0 {
		text = overlap(it.words, other.words)
	}
	l.likeness = signals + w.words + text
	if w.numbers {
		l.likeness++
	}
	switch {
	case it.isNamedBy(other) || other.isNamedBy(it), it.reads(other):
		l.how, l.likeness = sameArticle, l.likeness+4
	case w.contradicts:
	case w.variant:
		if signals == 2 || l.is == equal && it.quantity.digits() >= tellingDigits && !l.otherPrice {
			l.how = likeArticle
		}
	case w.words == 1 && (w.exact > 0 || w.numbers), text >= 0.5:
		l.how, l.likeness = sameArticle, l.likeness+2
	case !l.otherPrice:
		if w.numbers {
			signals++
		}
		if w.sizes {
			signals++
		}
		if w.words >= 0.5 {
			signals++
		}
		if signals >= 2 {
			l.how = likeArticle
		}
	}
	return l
}

// isNamedBy reports whether the other's text contains this item's article number.
func (it *item) isNamedBy(other *item) bool {
	return len(it.sku) >= minNamed && strings.Contains(other.text, it.sku)
}

// reads reports whether two texts or article numbers are one, but for misread characters.
func (it *item) reads(other *item) bool {
	return len(it.loose) >= tellingText && it.loose == other.loose || len(it.looseSKU) >= minNamed && it.looseSKU == other.looseSKU
}

// minNamed is the minimum length of an article number found in a text.
const minNamed = 5

// Relative differences: up to samePrice two prices differ by rounding, up to nearQuantity two
// quantities differ by the tolerance of a delivery.
const (
	samePrice    = 0.001
	nearQuantity = 0.1
)

func lineOf(x, y *item, i, j int, how alignment) line {
	l := line{i: i, j: j, how: how, is: x.quantity.compare(y.quantity)}
	if l.is != equal && (y.quantity.isOneOf(x.lots) || x.quantity.isOneOf(y.lots)) {
		l.is = equal
	}
	if l.is != equal && x.quantity.unit.of != y.quantity.unit.of && sameValue(x, y) {
		l.is, l.byValue, l.samePrice = equal, true, true
		return l
	}
	if x.price > 0 && y.price > 0 && l.is != unrelated {
		l.samePrice = near(x.price, y.price, samePrice)
		l.otherPrice = !l.samePrice
	}
	l.nearly = l.is != equal && l.is != unrelated && near(x.quantity.plain, y.quantity.plain, nearQuantity)
	return l
}

// sameValue reports whether two items have the same amount, such as 10 cartons of bottles at
// 28.80 and 240 bottles at 1.20.
func sameValue(x, y *item) bool {
	return x.amount > 0 && near(x.amount, y.amount, sameAmount*10) && x.quantity.plain > 0 && y.quantity.plain > 0
}

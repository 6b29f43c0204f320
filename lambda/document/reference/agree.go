package reference

import "strings"

// Agreement grades how well a cited number agrees with a document's number.
type Agreement int

// The agreements, from least to best.
const (
	Different Agreement = iota // nothing in common
	Series                     // another number of the same form and beginning
	OneOff                     // one digit differs: misread, or the next one
	Nearly                     // two digits are transposed, or one is missing or too many
	Misread                    // equal if letters and digits that look alike are one
	Part                       // without its year, its beginning or its prefix; or within a range
	Same                       // the whole number, with or without more
)

// Agrees compares a number, as cited, with a document's number. strength is the Strength of
// the agreeing digits.
//
//	cited                                    document's
//	"PO 42/2026", "Ihre Best. PO-0042/26"    PO-0042/26   Same
//	"4500010046/10 v. 3.3.26", "4711, 4712"  4500010046, 4711  Same
//	"010046", "42"                           4500010046, PO-0042/26  Part
//	"45O0010046"                             4500010046   Misread
//	"4500010064", "450010046"                4500010046   Nearly
//	"4500010047"                             4500010046   OneOff
func (n Number) Agrees(with Number) (a Agreement, strength float64) {
	if a, strength = n.Means(with); a == Different {
		return n.nearly(with.first()), with.Strength
	}
	return a, strength
}

// Means is Agrees without the grades for a wrong digit. Use it if differing digits don't
// matter: it returns Different for them, otherwise Misread, Part or Same.
func (n Number) Means(with Number) (a Agreement, strength float64) {
	if n.Canonical != "" && n.Canonical == with.Canonical {
		return Same, with.Strength
	}
	first := with.first()
	if n.meets(first) {
		a, strength = n.windows(first)
	}
	if n.misread != with.misread && a > Misread {
		a = Misread
	}
	if a < Misread && n.Loose != "" && n.Loose == with.Loose {
		return Misread, Strength(n.Loose)
	}
	if a == Different && n.inRange(first) {
		return Part, with.Strength
	}
	return a, strength
}

// first is the number without the runs of digits that stand apart from the first ones.
func (n Number) first() *Number {
	n.digits = n.digits[:n.groupEnd(0, len(n.digits))]
	return &n
}

// meets reports by the last two digits whether digits of one number could be in the other,
// since most compared numbers have nothing in common.
func (n *Number) meets(with *Number) bool {
	for _, i := range n.digits {
		for _, j := range with.digits {
			a, b := n.runs[i].value, with.runs[j].value
			if a[max(0, len(a)-2):] == b[max(0, len(b)-2):] || a[len(a)-1] == b[len(b)-1] && (len(a) == 1 || len(b) == 1) {
				return true
			}
		}
	}
	return false
}

// windows looks for the number in each place of n.
func (n *Number) windows(with *Number) (best Agreement, strength float64) {
	if len(with.digits) == 0 || len(with.digits) == 1 && isYear(with.all(0, 1)) {
		return Different, 0
	}
	for from := range n.digits {
		for to := from + 1; to <= n.groupEnd(from, len(with.digits)+2); to++ {
			a, s := n.window(from, to, with)
			if a > best || a == best && s > strength {
				best, strength = a, s
			}
		}
	}
	return best, strength
}

// groupEnd is the end of the runs of digits standing together from the run from, at most most.
func (n *Number) groupEnd(from, most int) int {
	to := min(from+1, len(n.digits))
	for to < len(n.digits) && to-from < most && n.distance(from, to, to+1) <= blank {
		to++
	}
	return to
}

// window compares the runs of digits in [from, to) with a number.
func (n *Number) window(from, to int, with *Number) (Agreement, float64) {
	a, digits := n.covers(from, to, with)
	if a == Different {
		return a, 0
	}
	strength := Strength(digits)
	switch n.prefixOf(from, to, with) {
	case samePrefix:
		strength = max(strength, Strength(with.lettersBefore(with.digits[0])+digits))
	case otherPrefix:
		if strength < 1 {
			return Different, 0
		}
		a = min(a, Part)
	case noPrefixes:
	}
	if !n.explains(from, to, with, strength, a) {
		return Different, 0
	}
	return a, strength
}

// covers reports whether the runs are all digits of a number, or the part that identifies it.
// It also returns the agreeing digits.
func (n *Number) covers(from, to int, with *Number) (Agreement, string) {
	all := with.all(0, len(with.digits))
	if n.equal(from, to, with, 0, len(with.digits)) || n.swapped(from, to, with) {
		return Same, trimZeros(all)
	}
	joined := n.all(from, to)
	if trimZeros(joined) == trimZeros(all) || trimZeros(joined) == trimZeros(with.shortYear()) {
		return Same, trimZeros(all)
	}
	return n.part(from, to, with, joined, all)
}

// part looks for a part of the number: without the year, without a short run at the end, its
// last run, or its last digits.
func (n *Number) part(from, to int, with *Number, joined, all string) (Agreement, string) {
	last := len(with.digits)
	year := with.yearAt()
	switch {
	case year == 0 && n.equal(from, to, with, 1, last):
		return Part, trimZeros(with.all(1, last))
	case year == last-1 && year > 0 && n.equal(from, to, with, 0, last-1):
		return Part, trimZeros(with.all(0, last-1))
	case last > 1 && len(with.runs[with.digits[last-1]].text) <= 3 && n.equal(from, to, with, 0, last-1):
		return Part, trimZeros(with.all(0, last-1))
	case last > 1 && year != last-1 && n.equal(from, to, with, last-1, last):
		return Part, with.runs[with.digits[last-1]].value
	case len(joined) >= leastForm && len(joined) < len(all) && !isYear(joined) && strings.HasSuffix(all, joined):
		if len(joined) < tailLength { // five digits end many numbers
			return Part, joined[len(joined)-shortTail:]
		}
		return Part, trimZeros(joined)
	}
	return Different, ""
}

// shortTail is the number of digits counted for the last four or five digits of a number.
const shortTail = 3

// equal compares runs of digits one by one, from a to b of n and from c to d of the other.
func (n *Number) equal(a, b int, with *Number, c, d int) bool {
	if b-a != d-c || c == d {
		return false
	}
	for i := range b - a {
		x, y := n.runs[n.digits[a+i]], with.runs[with.digits[c+i]]
		if x.value != y.value && (d-c == 1 || !sameYear(x.text, y.text)) {
			return false
		}
	}
	return true
}

// swapped compares two runs if one is the year: 2026/0374 and 0374-26.
func (n *Number) swapped(from, to int, with *Number) bool {
	year := with.yearAt()
	if to-from != 2 || len(with.digits) != 2 || year < 0 {
		return false
	}
	x, y := n.runs[n.digits[to-1-year]], n.runs[n.digits[from+year]]
	return y.value == with.runs[with.digits[1-year]].value && sameYear(x.text, with.runs[with.digits[year]].text)
}

// shortYear joins all digits, with the year in two digits.
func (n *Number) shortYear() string {
	at := n.yearAt()
	if at < 0 || len(n.runs[n.digits[at]].text) != 4 {
		return ""
	}
	return n.all(0, at) + n.runs[n.digits[at]].text[2:] + n.all(at+1, len(n.digits))
}

// prefixes is the result of comparing the letters of two numbers.
type prefixes int

const (
	noPrefixes  prefixes = iota // one of them is empty
	samePrefix                  // they are the same
	otherPrefix                 // they differ: another series
)

// prefixOf compares the letters before and between the runs of digits. Words for a kind of
// document, or standing apart, don't belong to the number.
func (n *Number) prefixOf(from, to int, with *Number) prefixes {
	first, last := n.digits[from], n.digits[to-1]
	found := compareLetters(n.lettersBefore(first), with.lettersBefore(with.digits[0]))
	if to-from == len(with.digits) {
		for k := 1; k < to-from; k++ {
			found = max(found, compareLetters(n.lettersBetween(from+k), with.lettersBetween(k)))
		}
		end := with.digits[len(with.digits)-1]
		x, y := n.lettersBehind(last), with.lettersBehind(end)
		if len(x) == 1 && len(y) == 1 {
			found = max(found, compareLetters(x, y))
		}
	}
	return found
}

func compareLetters(a, b string) prefixes {
	switch {
	case a == "" || b == "" || onlySaid(a) || onlySaid(b):
		return noPrefixes
	case a == b, lookAlike.Replace(a) == lookAlike.Replace(b):
		return samePrefix
	case strings.HasSuffix(a, b), strings.HasSuffix(b, a), strings.HasPrefix(a, b), strings.HasPrefix(b, a):
		return noPrefixes
	}
	return otherPrefix
}

// lettersBefore are the letters belonging to the run i of digits: before it, without a blank.
func (n *Number) lettersBefore(i int) string {
	if i == 0 || n.runs[i].gap > tight || n.runs[i-1].digit {
		return ""
	}
	return n.runs[i-1].text
}

func (n *Number) lettersBetween(k int) string {
	if i := n.digits[k]; i > 0 && !n.runs[i-1].digit {
		return n.runs[i-1].text
	}
	return ""
}

func (n *Number) lettersBehind(i int) string {
	if i+1 == len(n.runs) || n.runs[i+1].gap > tight || n.runs[i+1].digit {
		return ""
	}
	return n.runs[i+1].text
}

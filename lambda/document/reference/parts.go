package reference

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Number is a printed number in its parts: runs of letters and of digits. Numbers are compared
// by their parts (Agrees), because one is often printed with more than the other, or with
// less: its label, a position, a date, a year, a person, or only its last digits.
type Number struct {
	Canonical string  // see Canonical
	Loose     string  // see Loose
	Strength  float64 // see Strength
	runs      []run
	digits    []int // indices of the runs of digits
	misread   bool  // letters among digits were read as digits
	keys      []string
	mask      uint64 // a bit for each key, because most numbers share none
}

// run is a sequence of letters or of digits.
type run struct {
	text  string // in capitals, without marks
	value string // of digits: without zeros in front
	gap   gap    // what stands before it
	digit bool
}

// gap classifies the text between two runs.
type gap int

const (
	glued gap = iota // nothing: letters and digits
	tight            // one separator
	blank            // blanks
	dash             // a dash between blanks, as in a range
	apart            // anything else, such as a comma or a bracket
)

// Bounds for reading one number, because a field may have a list of them.
const (
	mostBytes = 400
	mostRuns  = 48
)

// Read takes a number apart.
func Read(printed string) Number {
	n := Number{Canonical: Canonical(printed)}
	n.Loose, n.Strength = loose(n.Canonical), strength(n.Canonical)
	if len(printed) > mostBytes {
		printed = printed[:mostBytes]
	}
	n.split(norm.NFKD.String(strings.ToValidUTF8(printed, " ")))
	for i, r := range n.runs {
		if r.digit {
			n.digits = append(n.digits, i)
		}
	}
	n.keys = n.forms()
	for _, k := range n.keys {
		n.mask |= 1 << (fnv1a(k) % 64)
	}
	return n
}

// split finds the runs of s.
func (n *Number) split(s string) {
	between, at := apart, 0
	for at < len(s) && len(n.runs) < mostRuns {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			from := at
			for at < len(s) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				at += size
				r, size = utf8.DecodeRuneInString(s[at:])
			}
			between = gapOf(s[from:at])
			continue
		}
		at = n.word(s, at, between)
		between = glued
	}
}

// gapOf classifies the characters between two runs.
func gapOf(s string) gap {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	switch t := strings.TrimSpace(s); {
	case s == "":
		return glued
	case t == "":
		return blank
	case strings.Trim(t, "-\u2010\u2011\u2012\u2013\u2014~\u301c") == "" && t != s, t == "..", t == "...":
		return dash
	case utf8.RuneCountInString(s) == 1 && strings.ContainsAny(s, "-/._\u2010\u2011\u2012\u2013\u2014'\\|#"):
		return tight
	}
	return apart
}

// word appends the runs of the letters and digits at i, and returns their end. A letter
// between two digits becomes a digit if it looks like one.
func (n *Number) word(s string, i int, before gap) int {
	end := alnumOrMarkAt(s, i)
	text := []rune(strings.ToUpper(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s[i:end])))
	for j := 1; j+1 < len(text); j++ {
		if isDigitRune(text[j-1]) && strings.ContainsRune(misread, text[j]) && isDigitRune(text[j+1]) {
			text[j] = []rune(lookAlike.Replace(string(text[j])))[0]
			n.misread = true
		}
	}
	for from := 0; from < len(text) && len(n.runs) < mostRuns; before = glued {
		to := from + 1
		for to < len(text) && isDigitRune(text[to]) == isDigitRune(text[from]) {
			to++
		}
		r := run{text: string(text[from:to]), gap: before, digit: isDigitRune(text[from])}
		if r.digit {
			r.value = trimZeros(r.text)
		}
		n.runs = append(n.runs, r)
		from = to
	}
	return end
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

func alnumOrMarkAt(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			break
		}
		i += size
	}
	return i
}

// Keys lists forms of the number. Use them to find a number: two that agree, other than nearly
// or in a short part, share a form.
func (n Number) Keys() []string { return n.keys }

// Meets reports whether two numbers share a key.
func (n *Number) Meets(with *Number) bool {
	return n.mask&with.mask != 0 && slices.ContainsFunc(n.keys, func(k string) bool { return slices.Contains(with.keys, k) })
}

func fnv1a(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Alike reports whether two numbers have one form: equally long runs of digits, and no other
// letters in front.
func (n *Number) Alike(with *Number) bool {
	if len(n.digits) == 0 || len(n.digits) != len(with.digits) {
		return false
	}
	for k, i := range n.digits {
		if len(n.runs[i].text) != len(with.runs[with.digits[k]].text) {
			return false
		}
	}
	return n.prefixOf(0, len(n.digits), with) != otherPrefix
}

// mostForms bounds the forms of a number, tailLength their length in digits; leastForm is the
// minimum of digits for a form.
const (
	mostForms  = 16
	tailLength = 6
	leastForm  = 4
)

func (n *Number) forms() (list []string) {
	add := func(s string) {
		if s != "" && len(list) < mostForms && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(n.Canonical)
	add(n.Loose)
	short := func(digits string) {
		if t := trimZeros(digits[max(0, len(digits)-tailLength):]); len(t) >= leastForm {
			add(t)
		}
	}
	for from := range n.digits {
		for to := from + 1; to <= n.groupEnd(from, mostJoined); to++ {
			joined := n.all(from, to)
			if to-from > 1 || !isYear(joined) {
				short(joined)
				short(n.values(from, to))
			}
		}
		if from > 0 {
			short(n.ofYear(from-1, from))
			short(n.ofYear(from, from-1))
			if y := n.runs[n.digits[from-1]].text; isYear(y) && n.distance(from-1, from, from+1) <= blank {
				short(y[2:] + n.runs[n.digits[from]].text)
			}
		}
	}
	return list
}

// mostJoined bounds the runs of digits joined to a form.
const mostJoined = 4

// all joins the digits of the runs n.digits[a:b].
func (n *Number) all(a, b int) string {
	if b-a == 1 {
		return n.runs[n.digits[a]].text
	}
	var s strings.Builder
	for _, i := range n.digits[a:b] {
		s.WriteString(n.runs[i].text)
	}
	return s.String()
}

// values joins two runs of digits, each without leading zeros. Other numbers of runs give "".
func (n *Number) values(a, b int) (s string) {
	if b-a == 2 {
		s = n.runs[n.digits[a]].value + n.runs[n.digits[a+1]].value
	}
	return s
}

// ofYear joins a run of digits and the year next to it, in two digits and at the end, so that
// 2026/0374 and 0374-26 have the same form. It is empty without a year.
func (n *Number) ofYear(k, year int) string {
	x, y := n.runs[n.digits[k]], n.runs[n.digits[year]]
	if !isYear(y.text) && !isTwoDigitYear(y.text) || n.runs[n.digits[max(k, year)]].gap > blank {
		return ""
	}
	if isYear(x.text) {
		return x.text[2:] + y.text[len(y.text)-2:]
	}
	return x.value + y.text[len(y.text)-2:]
}

// yearAt returns the index of the year in digits, or -1. Two digits must be at an end.
func (n *Number) yearAt() int {
	last := len(n.digits) - 1
	for k, i := range n.digits {
		if isYear(n.runs[i].text) && last > 0 {
			return k
		}
	}
	for _, k := range []int{last, 0} {
		if last > 0 && isTwoDigitYear(n.runs[n.digits[k]].text) {
			return k
		}
	}
	return -1
}

// isTwoDigitYear reports whether two digits may be a year.
func isTwoDigitYear(s string) bool { return len(s) == 2 && "15" <= s && s <= "45" }

// sameYear reports whether two runs are one year, in two digits or four.
func sameYear(a, b string) bool {
	if len(a) == len(b) {
		return a == b
	}
	year := func(s string) bool { return isYear(s) || isTwoDigitYear(s) }
	return year(a) && year(b) && a[len(a)-2:] == b[len(b)-2:]
}

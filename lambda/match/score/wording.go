package score

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/internal/lazy"
)

// wording is an article's description in comparable form: names, numbers, sizes and variants.
type wording struct {
	names   []string // words and parts of words without digits, in the order of the text
	numbers []string // and single letters, sorted, each once; M6x20 has 6, 20 and m
	months  []string // by their English names, sorted, each once
}

// Bounds of a wording, needed because names are compared each with each.
const (
	maxNames   = 12
	maxNumbers = 12
)

// wordLetters are single letters that are words, or the sign between two sizes.
const wordLetters = "aeiouyx"

// readWording splits a text into names and numbers. A decimal uses a point or a comma; 6 and
// 6.0 are one number. Dates are left out.
func readWording(text string) (w wording) {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	for _, token := range strings.FieldsFunc(fold(text), func(r rune) bool { return !partOfUnit(r) && !partOfDate(r) }) {
		if isDate(token) {
			continue
		}
		for _, piece := range strings.FieldsFunc(token, partOfDate) {
			for _, part := range splitNumbers(piece) {
				w.add(part)
			}
		}
	}
	if len(w.months) > 0 { // January 2026 is a month, not two numbers
		w.numbers = slices.DeleteFunc(w.numbers, isYear)
	}
	w.numbers, w.months = sorted(w.numbers), sorted(w.months)
	return w
}

func (w *wording) add(part string) {
	if part[0] >= '0' && part[0] <= '9' {
		if n := plainNumber(part); n != "" && len(w.numbers) < maxNumbers {
			w.numbers = append(w.numbers, n)
		}
		return
	}
	for _, name := range strings.FieldsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) }) {
		month := reference.Month(name)
		switch {
		case month > 0:
			w.months = append(w.months, month.String())
		case len(name) == 1: // a size, M or L
			if !strings.Contains(wordLetters, name) && len(w.numbers) < maxNumbers {
				w.numbers = append(w.numbers, name)
			}
		case len(w.names) < maxNames && !slices.Contains(w.names, name):
			w.names = append(w.names, name)
		}
	}
}

func isYear(n string) bool { return len(n) == 4 && (n[:2] == "19" || n[:2] == "20") }

// plainNumber is a number without leading zeros and trailing decimal zeros: 06 is 6, 8,0 is 8.
func plainNumber(s string) string {
	whole, fraction, _ := strings.Cut(strings.ReplaceAll(s, ",", "."), ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0.")
	if fraction == "" {
		return whole
	}
	return cmp.Or(whole, "0") + "." + fraction
}

func partOfDate(r rune) bool { return r == '/' || r == '-' }

// isDate reports whether a token is a date in digits: three numbers, one of them a year. 3/4
// and 2x4x8 aren't.
func isDate(token string) bool { return strings.ContainsAny(token, "/-.") && date().MatchString(token) }

var date = lazy.Regexp(`^[/.-]*([0-9]{1,2}[/.-]+[0-9]{1,2}[/.-]+[0-9]{4}|[0-9]{1,2}[/.-]+[0-9]{4}[/.-]+[0-9]{1,2}|` +
	`[0-9]{4}[/.-]+[0-9]{1,2}[/.-]+[0-9]{1,2})[/.-]*$`)

// contradict reports whether each list has a number missing in the other: two articles.
func contradict(a, b []string) bool { return common(a, b) < min(len(a), len(b)) }

// common counts the texts of both lists, which must be sorted and have each text once.
func common(a, b []string) (n int) {
	for _, s := range a {
		if _, both := slices.BinarySearch(b, s); both {
			n++
		}
	}
	return n
}

type likeness struct {
	words       float64 // the share of names in common, of the shorter one
	exact       int     // names of three letters and more that are equal
	variant     bool    // both have common names and different ones: black and cyan
	numbers     bool    // they have numbers in common
	sizes       bool    // all numbers are the same, and several
	contradicts bool    // each has a number or a month missing in the other
}

func (w *wording) like(v *wording) (l likeness) {
	l.contradicts = contradict(w.numbers, v.numbers) || contradict(w.months, v.months)
	l.numbers = common(w.numbers, v.numbers) > 0
	l.sizes = len(w.numbers) >= 2 && slices.Equal(w.numbers, v.numbers) &&
		len(strings.Join(w.numbers, "")) >= tellingDigits
	short, long := w.names, v.names
	if len(long) < len(short) {
		short, long = long, short
	}
	if l.contradicts || len(short) == 0 {
		return l
	}
	found := 0
	for _, a := range short {
		switch {
		case slices.Contains(long, a):
			found++
			if len(a) >= 3 {
				l.exact++
			}
		case slices.ContainsFunc(long, func(b string) bool {
			return abbreviates(a, b) || abbreviates(b, a) || misread(a, b)
		}):
			found++
		}
	}
	l.words = float64(found) / float64(len(short))
	l.variant = l.exact > 0 && l.words >= 0.5 && l.words < 1
	return l
}

// abbreviates reports whether s may be short for word: kbl for Kabel, cat for Catheter, jas
// for Werkjas.
func abbreviates(s, word string) bool {
	if len(s) < 2 || len(s) >= len(word) {
		return false
	}
	if len(s) >= 3 && strings.HasSuffix(word, s) {
		return true
	}
	rest := []rune(s)
	for i, r := range word {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		} else if i == 0 {
			return false
		}
	}
	return len(rest) == 0
}

// misread reports whether two words of five letters or more differ by one letter: replaced,
// added, or swapped with the next.
func misread(a, b string) bool { return min(len(a), len(b)) >= 5 && company.Within(a, b, 1) }

// looseText is a text in capitals in which characters that a scan mistakes for each other are one.
func looseText(text string) string { return mistaken.Replace(text) }

var mistaken = strings.NewReplacer("RN", "M", "RI", "N", "VV", "W", "O", "0", "Q", "0", "I", "1", "L", "1", "S", "5", "B", "8",
	"Z", "2", "G", "6", "C", "E")

// tellingText is the minimum length of a text for its likeness to mean one article.
const tellingText = 8

package printed

import (
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// Amount is a number in a text. Its digits may leave open which separator is the decimal one:
// 1.234 has two readings.
type Amount struct {
	Text       string // as printed
	Start, End int    // byte offsets in the text
	Percent    bool   // a percent sign follows
	Money      bool   // it has two decimals, or a dash for them: 1.200,-
	Readings   []document.Amount
}

const digits = "0123456789"

var (
	amountForm  = lazy.Regexp(`\d+(?:[.,'’ \x{a0}\x{202f}]\d+)*`)
	spaces      = " \u00a0\u202f"
	dashForm    = lazy.Regexp(`^[.,] ?(?:--?|[–—−])(?:$|[ \x{a0}\x{202f}€$£)])`)
	percentForm = lazy.Regexp(`^[ \x{a0}\x{202f}]?(%|v\.?H\.)`)
)

// Amounts finds the numbers of a text, in order. If a space may separate either thousands or
// two numbers, it lists both: "2 100,00" is 2100.00, and 2, and 100.00. It skips dates and
// parts of words.
func Amounts(text string) (found []Amount) {
	if !strings.ContainsAny(text, digits) {
		return nil // most texts: use no expression
	}
	dates := Dates(text)
	for _, at := range amountForm().FindAllStringIndex(text, -1) {
		if within(dates, at[0], at[1]) || glued(text, at[0], at[1]) {
			continue
		}
		whole, ok := amountAt(text, at[0], at[1])
		if ok {
			found = append(found, whole)
		}
		if strings.ContainsAny(text[at[0]:at[1]], spaces) {
			found = append(found, pieces(text, at[0], at[1])...)
		}
	}
	return found
}

func pieces(text string, from, to int) (found []Amount) {
	start := from
	for i, r := range text[from:to] + " " {
		if !strings.ContainsRune(spaces, r) {
			continue
		}
		if end := from + i; end > start {
			if a, ok := amountAt(text, start, end); ok {
				found = append(found, a)
			}
		}
		start = from + i + len(string(r))
	}
	return found
}

func within(dates []Date, from, to int) bool {
	for _, d := range dates {
		if from < d.End && d.Start < to {
			return true
		}
	}
	return false
}

var perForm = lazy.Regexp(`(?:\pL|\d[.,]\d\d) ?/ ?$`)

// glued reports whether the digits belong to a word: RE4711, 20x30, 12:30. A price per 100 may
// be printed as 12,50/100.
func glued(text string, from, to int) bool {
	before, after := lastRune(text[:from]), firstRune(text[to:])
	per := strings.HasPrefix(text[from:to], "10") && perForm().MatchString(text[:from])
	switch {
	case per && before == '/' && after != '/':
		return false
	case letter(before), before == '/', before == ':', before == '#', after == '/' && !money(text[from:to]):
		return true
	case before == '-' && letterOrDigit(lastRune(strings.TrimRight(text[:from], "-"))):
		return true
	}
	marked := money(text[from:to]) && taxMark().MatchString(text[to:])
	return letter(after) && !currencyAhead(text[to:]) && !marked || after == ':' && digit(firstRune(text[to+1:]))
}

var currencyForm = lazy.Regexp(`^(EUR|CHF|USD|GBP|Euro|Fr\.|kg|g|m|St|Stk|pcs)\b`)

// taxMark stands behind the amount of a taxed line: 838.50T.
var taxMark = lazy.Regexp(`^[A-Z]$`)

func currencyAhead(s string) bool { return currencyForm().MatchString(s) }

func amountAt(text string, from, to int) (Amount, bool) {
	digits := text[from:to]
	readings := readings(digits)
	if len(readings) == 0 {
		return Amount{}, false
	}
	a := Amount{Start: from, End: to, Percent: percentForm().MatchString(text[to:]), Money: money(digits)}
	if dash := dashForm().FindString(text[to:]); dash != "" {
		readings, a.Money = readings[:1], true // no decimals
		to += len(strings.TrimRight(dash, spaces+"€$£"))
		a.End = to
	}
	if negative(text[:from], text[to:]) {
		for i := range readings {
			readings[i] = readings[i].Negated()
		}
		if r := lastRune(text[:from]); r == '-' || r == '−' || r == '(' {
			a.Start -= len(string(r))
		}
	}
	a.Text, a.Readings = text[a.Start:a.End], readings
	return a, true
}

var minusAfter = lazy.Regexp(`^ ?[-−]($|[ €])`)

func negative(before, after string) bool {
	trimmed := strings.TrimRight(before, spaces+"€$£")
	switch r := lastRune(trimmed); {
	case r == '-' || r == '−':
		rest := strings.TrimSuffix(strings.TrimSuffix(trimmed, "-"), "−")
		return rest == "" || lastRune(rest) == ' ' && lastRune(before) == r
	case r == '(':
		return strings.HasPrefix(strings.TrimLeft(after, spaces+"€$£"), ")")
	}
	return minusAfter().MatchString(after)
}

func money(digits string) bool {
	n := len(digits)
	return n > 3 && (digits[n-3] == ',' || digits[n-3] == '.')
}

var separator = lazy.Regexp(`[.,'’ \x{a0}\x{202f}]`)

// readings returns the possible values of digits with separators.
func readings(digits string) (values []document.Amount) {
	groups := separator().Split(digits, -1)
	signs := separator().FindAllString(digits, -1)
	if thousands(groups, signs) {
		values = appendAmount(values, strings.Join(groups, ""))
	}
	if n := len(signs); n > 0 && (signs[n-1] == "." || signs[n-1] == ",") && thousands(groups[:n], signs[:n-1]) &&
		(n == 1 || signs[n-1] != signs[n-2]) {
		values = appendAmount(values, strings.Join(groups[:n], "")+"."+groups[n])
	}
	return values
}

// thousands reports whether the groups are a whole number: one group, or groups of three with
// the same sign between them.
func thousands(groups, signs []string) bool {
	for i, g := range groups[1:] {
		if len(g) != 3 || signs[i] != signs[0] {
			return false
		}
	}
	return len(signs) == 0 || len(groups[0]) <= 3 && groups[0][0] != '0'
}

func appendAmount(values []document.Amount, plain string) []document.Amount {
	if a, err := document.ParseAmount(plain); err == nil {
		values = append(values, a)
	}
	return values
}

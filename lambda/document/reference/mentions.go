package reference

import (
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

// Mentions lists possible document numbers in a text of any language, whatever precedes them,
// each once, at most most: words with three digits or more, other than dates, years, amounts,
// percentages, bank accounts, telephone numbers and the numbers of customers. Groups of digits are also joined, and a
// range of two numbers is one mention.
//
//	"注文番号: 778812, 12.50 EUR" 778812
//	"Pedido PO 018 828"            018 828
//	"4711 - 4718"                  4711, 4718, 4711 - 4718
func Mentions(text string, most int) (list []string) {
	s := clean(text)
	add := func(w string) {
		if len(list) < most && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	last, from := number{}, 0 // the mention before, and where its group of digits began
	none := [2]int{len(s), len(s)}
	before := none // where the two words before the mention begin
	for i := 0; i < len(s) && len(list) < most; {
		r, size := runeAt(s, i)
		if r == '+' && isDigitAt(s, i+size) {
			i = afterPhone(s, i+size)
			continue
		}
		if !isAlnum(r) {
			i += size
			continue
		}
		end := wordAt(s, i)
		n := number{i, end}
		if i = max(end, i+size); n.to == n.from || utf8.RuneCountInString(s[n.from:n.to]) > longest {
			i = alnumAt(s, i)
			continue
		}
		word := s[n.from:n.to]
		if digits(word) == 0 {
			before = [2]int{before[1], n.from}
		} else if numbersCustomer(s, before) {
			before = none
			continue
		}
		if mentioned(s, n) {
			add(word)
			if between := s[last.to:n.from]; last.to > 0 && len(between) < 8 && gapOf(between) == dash {
				add(s[last.from:n.to])
			}
		}
		if digits(word) != len(word) {
			last, from = n, n.to
			continue
		}
		if last.to == 0 || from >= last.to || s[last.to:n.from] != " " || n.to-from > 2*mostDigits {
			from = n.from
		} else if group := s[from:n.to]; digits(group) >= leastForm && digits(group) <= mostDigits {
			add(group)
		}
		last = n
	}
	return list
}

var (
	customer = lazy.Regexp(`^(?:kd|customer|client[aei]?|kunden?|kund|klant|klienta?|debitor(?:en)?|debtor|debiteur|` +
		`zakaznik|asiakas|ugyfel)(nr|nummer|numero|no|nro|code|kod|konto)?$`)
	counter = lazy.Words(`no nr n num number numero nummer code codigo cod codice kod cislo`)
)

// numbersCustomer reports whether the words at two places announce the number of a customer:
// Kundennummer, customer no., code client. A customer's order, reference or name may be an order's.
func numbersCustomer(s string, at [2]int) bool {
	first, second := fold(s[at[0]:lettersAt(s, at[0])]), fold(s[at[1]:lettersAt(s, at[1])])
	if counter()[second] {
		return customer().MatchString(first)
	}
	m := customer().FindStringSubmatch(second)
	return m != nil && (m[1] != "" || counter()[first])
}

// mentioned reports whether the word may be the number of a document.
func mentioned(s string, n number) bool {
	word := s[n.from:n.to]
	count := digits(word)
	before := strings.TrimRight(s[max(0, n.from-4):n.from], " ")
	switch r, _ := runeAt(s, n.to); {
	case count < 3, isYear(word), isDate(word), isAccount(word), r == '%', r == '°':
		return false
	case r == ',' && isCents(s[n.to+1:]), n.from > 1 && s[n.from-1] == ',' && isDigit(s[n.from-2]) && count < 4:
		return false // 1,250.00
	case isDecimal(word), strings.HasPrefix(s[n.to:], " %"):
		return false
	}
	for _, sign := range []string{"€", "$", "£", "¥"} {
		if strings.HasSuffix(before, sign) || strings.HasPrefix(strings.TrimLeft(s[n.to:], " "), sign) {
			return false
		}
	}
	return letterRun(word) <= 6
}

// isCents reports whether s begins with one to three digits, as after the comma of an amount.
func isCents(s string) bool {
	n := leadingDigits(s[:min(len(s), 4)])
	return n >= 1 && n <= 3
}

// isDecimal reports whether the word is an amount: 12.50, 1.250.00, 1.250.
func isDecimal(word string) bool {
	if digits(word)+strings.Count(word, ".") != len(word) || !strings.Contains(word, ".") {
		return false
	}
	parts := strings.Split(word, ".")
	for i, p := range parts {
		if i > 0 && i < len(parts)-1 && len(p) != 3 || i == 0 && len(p) > 3 {
			return false
		}
	}
	n := len(parts[len(parts)-1])
	return n == 2 || n == 3 && len(parts) > 2
}

// isAccount reports whether the word has the form of an international account number.
func isAccount(word string) bool {
	return len(word) > 14 && leadingLetters(word) == 2 && digits(word[2:4]) == 2 && digits(word) > 8 &&
		!strings.ContainsAny(word, "-/._")
}

// letterRun returns the length of the longest run of letters. Long words aren't in numbers.
func letterRun(word string) (most int) {
	n := 0
	for _, r := range word {
		if n++; !isLetter(r) {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

func isDigitAt(s string, i int) bool { return i < len(s) && isDigit(s[i]) }

// afterPhone returns the end of a telephone number after its plus sign.
func afterPhone(s string, i int) int {
	for n := 0; i < len(s) && n < 24 && (isDigit(s[i]) || strings.IndexByte(" -/().", s[i]) >= 0); n++ {
		i++
	}
	return i
}

package reference

import (
	"strings"
	"unicode/utf8"
)

const longest = 64

// number is a number in a text, as byte offsets.
type number struct{ from, to int }

// number reads the number at i.
func (t *tail) number(i int) (number, bool) {
	from := i
	to := wordAt(t.s, i)
	if utf8.RuneCountInString(t.s[i:to]) > longest {
		t.at = to // nor is a part of it a number
		return number{}, false
	}
	if to > i && digits(t.s[i:to]) == 0 { // LS 88120
		next := to + 1
		if !isPrefix(t.s[i:to]) || to >= len(t.s) || t.s[to] != ' ' || next >= len(t.s) || !isDigit(t.s[next]) {
			return number{}, false
		}
		i, to = next, wordAt(t.s, next)
	}
	if to == i {
		return number{}, false
	}
	if isDate(t.s[i:to]) || i == from && t.refuses(i, to) {
		return number{}, false
	}
	to = t.groups(i, to)
	text := t.s[from:to]
	if to == i || utf8.RuneCountInString(text) > longest || t.isAmount(i, to) || !t.mark && !plausible(text) {
		return number{}, false
	}
	return number{from, to}, true
}

// wordAt returns the end of the word at i: letters and digits with single separators between
// them. It stops as soon as the word is too long.
func wordAt(s string, i int) int {
	for end := i; ; {
		next := alnumUpTo(s, end, i+4*longest+4)
		r, size := runeAt(s, next)
		after, _ := runeAt(s, next+size)
		joint := r == '-' || r == '/' || r == '.' || r == '_' || isDash(r)
		if next == end && end != i || next == i || !joint || !isAlnum(after) || next-i > 4*longest {
			return next
		}
		end = next + size
	}
}

func alnumUpTo(s string, i, limit int) int {
	for i < limit {
		r, size := runeAt(s, i)
		if size == 0 || !isAlnum(r) {
			break
		}
		i += size
	}
	return i
}

// refuses reports whether the word is a date, a year, a month or an amount, not a number.
func (t *tail) refuses(i, to int) bool {
	text := t.s[i:to]
	if digits(text) <= 2 && len(text) <= 2 && followedBy(t.s, to, months()) {
		return true
	}
	if t.mark {
		return false
	}
	a, b, _ := strings.Cut(text, "-")
	month, year, _ := strings.Cut(text, "/")
	cents := strings.LastIndexByte(text, '.')
	return isYear(text) || isYear(a) && isYear(b) || len(month) <= 2 && month <= "12" && isYear(year) ||
		cents > 0 && cents == len(text)-3 && digits(text) == len(text)-strings.Count(text, ".")
}

// isAmount reports whether the following text makes it a quantity, a percentage or an amount.
func (t *tail) isAmount(i, to int) bool {
	rest := t.s[to:]
	if strings.HasPrefix(rest, ",") {
		n := leadingDigits(rest[1:min(len(rest), 6)])
		whole := to - i
		if n == 2 || n == 1 || n == 3 && whole <= 3 || strings.HasPrefix(rest, ",-") {
			return true
		}
	}
	rest = strings.TrimPrefix(rest, " ")
	if strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "‰") {
		return true
	}
	return !t.mark && isMeasure(t.s, to)
}

// isMeasure reports whether a unit or a currency follows.
func isMeasure(s string, i int) bool {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	r, size := runeAt(s, i)
	if size > 0 && strings.ContainsRune("€$£¥", r) {
		return !digitFollows(s, i+size)
	}
	end := lettersAt(s, i)
	word := fold(s[i:end])
	return units()[word] || leading()[word] && !digitFollows(s, end)
}

func digitFollows(s string, i int) bool {
	if i < len(s) && s[i] == '.' {
		i++
	}
	return i < len(s) && isDigit(s[i]) || i+1 < len(s) && s[i] == ' ' && isDigit(s[i+1])
}

// plausible reports whether the text looks like a number even without a mark: it must have three
// significant characters, two digits, and no letters that make words (a 30-day, 2nd, 24h).
func plausible(text string) bool {
	count := digits(text)
	if significant(text) < 3 || count < 2 {
		return false
	}
	run := 0 // of lower-case letters
	for _, r := range text {
		if !isLetter(r) || r == toUpperASCII(r) {
			run = 0
			continue
		}
		if run++; run > 4 || count < 4 && isDigit(text[0]) {
			return false
		}
	}
	return true
}

func toUpperASCII(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}

// isPrefix reports whether letters may belong to the number after them: one to three capitals
// that don't make a word, also joined ones (PO-BL), or an abbreviation in lower case.
func isPrefix(letters string) bool {
	if len(letters) > len("INV-INV-INV") {
		return false
	}
	for part := range strings.SplitSeq(letters, "-") {
		if len(part) == 0 || len(part) > 3 || noPrefix()[fold(part)] {
			return false
		}
		if part != strings.ToUpper(part) && !lowerPrefix()[fold(part)] {
			return false
		}
	}
	return true
}

const mostDigits = 14

// groups extends the number by the groups of digits that follow after single blanks: 09 433
// 444, 4500 0000 27, 2024 00620, 24/00534 B. It returns from if that is too much for a number.
func (t *tail) groups(from, to int) int {
	count, total := 1, digits(t.s[from:to])
	for to < len(t.s) && t.s[to] == ' ' {
		next := to + 1
		end := wordAt(t.s, next)
		text := t.s[next:end]
		if t.isLetterAtEnd(from, to, text) {
			return end
		}
		n := leadingGroup(text)
		last := lastDigits(t.s[from:to])
		apart := count < 2 && (n < 3 || isYear(text)) // 4711 12, Q4 2026
		if n == 0 || n > 5 || last == 0 || last > 5 || apart ||
			t.label.how&several != 0 && n >= 4 && n == last ||
			isMeasure(t.s, end) || t.isAmount(next, end) || followedBy(t.s, end, months()) {
			return to
		}
		if count, total, to = count+1, total+n, end; total > mostDigits {
			return from // an IBAN, a card, a row of a table
		}
	}
	return to
}

// leadingGroup returns the number of digits in text, including misread ones, if text is
// nothing else but these and up to one letter after a separator. Otherwise it returns 0.
func leadingGroup(text string) int {
	n := len(text) - len(strings.TrimLeft(text, "0123456789OISBZG"))
	rest := text[n:]
	letter := len(rest) == 2 && strings.ContainsAny(rest[:1], "-/.") && 'A' <= rest[1] && rest[1] <= 'Z'
	if digits(text) == 0 || rest != "" && !letter {
		return 0
	}
	return n
}

// lastDigits returns the number of digits at the end of s, including misread ones.
func lastDigits(s string) int {
	return len(s) - len(strings.TrimRight(s, "0123456789OISBZG"))
}

// isLetterAtEnd reports whether text is one capital after digits, before punctuation or a date.
func (t *tail) isLetterAtEnd(from, to int, text string) bool {
	if len(text) != 1 || text[0] < 'A' || text[0] > 'Z' || !isDigit(t.s[to-1]) || digits(t.s[from:to]) < 4 {
		return false
	}
	end := to + 2
	r, size := runeAt(t.s, end)
	return size == 0 || strings.ContainsRune(".,;)\n", r) || followedBy(t.s, end, dateIntroductions())
}

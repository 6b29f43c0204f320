package reference

import (
	"strings"
	"unicode/utf8"
)

// tail reads the text after a label.
type tail struct {
	s       string
	label   *label
	at      int
	mark    bool // a number mark was seen
	colon   bool
	numbers []string
}

// read reads the numbers of the label at i and moves on past them.
func (t *tail) read(i int) bool {
	at, stopped := t.lead(i)
	if stopped || t.label.how&marked != 0 && !t.mark {
		return false
	}
	n, ok := t.number(at)
	if !ok || t.label.typ == "" && significant(t.s[n.from:n.to]) < 4 {
		return false
	}
	for {
		t.at = max(t.at, n.to)
		t.add(n)
		if len(t.numbers) >= most {
			return true
		}
		if n, ok = t.another(n); !ok {
			return true
		}
	}
}

// add takes a number, or the two of "orders 1001/1002".
func (t *tail) add(n number) {
	text := t.s[n.from:n.to]
	a, b, ok := strings.Cut(text, "/")
	numbers := ok && len(a) == len(b) && len(a) >= 4 && digits(a) == len(a) && digits(b) == len(b)
	if numbers && t.label.how&several != 0 && !isYear(a) {
		t.numbers = append(t.numbers, a, b)
		return
	}
	t.numbers = append(t.numbers, text)
}

// farthest bounds the bytes between a label and its number.
const farthest = 60

// lead skips punctuation, number marks and a date between a label at i and its number. It
// stops at text that cannot precede a number.
func (t *tail) lead(i int) (at int, stopped bool) {
	start, newline, dated := t.at, false, false
	dot := abbreviated(t.s[i:t.at]) // a dot is not the end of a sentence
	for at = t.at; at-start <= farthest; {
		r, size := runeAt(t.s, at)
		switch {
		case size == 0:
			return at, true
		case r == '#':
			t.mark = true
		case r == ':' || r == '=' || r == '|':
			t.colon = true
		case r == '\n' || r == '\r':
			newline = true
		case r == '.' && dot, r == '°' && dot, r == ',' && dated, isSpace(r), isBracket(r):
		case isDash(r) && (at == start || t.s[at-1] == '.' || isSpace(rune(t.s[at-1]))):
			// PO-4711, Best.-Nr., order - 4711
			if at == start && t.label.words == "PO" && wordGoesOn(t.s, at+size) {
				return i, false // the number begins with its own label
			}
		case r == '/' && t.mark: // order no. / date
			next, ok := skipWord(t.s, at+size, dateWords())
			if !ok {
				return at, true
			}
			at = next
			continue
		case isLetter(r):
			next, ok := t.leadWord(at, &dated)
			if !ok {
				return at, newline && !t.mark && !t.colon || dated && !t.mark
			}
			at, dot = next, true
			continue
		case '0' <= r && r <= '9':
			if at == start && t.label.words == "PO" {
				return i, false
			}
			return at, newline && !t.mark && !t.colon || dated && !t.mark
		default:
			return at, true
		}
		if r != '.' && r != '°' {
			dot = dot && at == start
		}
		at += size
	}
	return at, true
}

// leadWord skips a number mark, or a date and the word before it.
func (t *tail) leadWord(at int, dated *bool) (int, bool) {
	end := lettersAt(t.s, at)
	word := fold(t.s[at:end])
	glued := wordGoesOn(t.s, end)
	switch {
	case marks()[word] && !(glued && len(word) == 1):
		t.mark = true
		return end, true
	case dateIntroductions()[word] && !glued:
		if next, ok := skipDate(t.s, end); ok {
			*dated = true
			return next, true
		}
	}
	return at, false
}

// abbreviated reports whether a dot may follow the label.
func abbreviated(label string) bool {
	return utf8.RuneCountInString(label) <= 4 || strings.HasSuffix(fold(label), "nr")
}

func isBracket(r rune) bool { return strings.ContainsRune(`([{"'„“”«»*`, r) }

func isDash(r rune) bool { return r == '-' || '\u2010' <= r && r <= '\u2014' }

// another returns the next number of a list: after a comma, a slash between blanks or a word
// like "and". Unless the label is plural, it must have the shape of the last one.
func (t *tail) another(last number) (number, bool) {
	at, joined := last.to, false
	for range 6 {
		r, size := runeAt(t.s, at)
		switch {
		case r == ' ':
			at += size
		case r == ',' || r == ';' || r == '+' || r == '&' || r == '/':
			at, joined = at+size, true
		case r == '#' && joined:
			at, t.mark = at+size, true
		case isLetter(r):
			next, ok := skipWord(t.s, at, conjunctions())
			if !ok && joined {
				if next, ok = skipWord(t.s, at, marks()); ok && next < len(t.s) && t.s[next] == '.' {
					next++
				}
			}
			if !ok {
				return t.similar(at, last, joined)
			}
			at, joined = next, true
		default:
			return t.similar(at, last, joined)
		}
	}
	return t.similar(at, last, joined)
}

func (t *tail) similar(at int, last number, joined bool) (number, bool) {
	if !joined {
		return number{}, false
	}
	mark := t.mark
	t.mark = false // every further number must look like one
	n, ok := t.number(at)
	t.mark = mark
	if !ok {
		return n, false
	}
	text, first := t.s[n.from:n.to], t.s[last.from:last.to]
	if t.label.how&several != 0 {
		return n, true
	}
	// 10115 Berlin is not a second order.
	place, _ := runeAt(t.s, n.to+1)
	inTown := digits(text) == len(text) && n.to < len(t.s) && t.s[n.to] == ' ' && 'A' <= place && place <= 'Z'
	return n, shape(text) == shape(first) && text[0] == first[0] && !inTown
}

// shape replaces all digits of a number by 9, and all letters by A.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return '9'
		case isLetter(r):
			return 'A'
		}
		return r
	}, s)
}

// skipWord skips blanks and a word of the set.
func skipWord(s string, i int, words map[string]bool) (int, bool) {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	end := lettersAt(s, i)
	if wordGoesOn(s, end) || !words[fold(s[i:end])] {
		return i, false
	}
	return end, true
}

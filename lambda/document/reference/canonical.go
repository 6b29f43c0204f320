package reference

import (
	"strings"
	"unicode"

	"matchbook/lambda/internal/lazy"

	"golang.org/x/text/unicode/norm"
)

// kinds lists words before a number that only name its kind. It must not contain abbreviations
// used by companies inside their numbers (RE-2026-0042, LS 88120, RV-2022-040), because two
// series of one company may differ in nothing else. PO is in the list, because the same number
// is printed with and without it.
var kinds = lazy.Words(`PO ORDER PURCHASE INVOICE DELIVERY NOTE CONTRACT REF REFERENCE
	BEST BESTELL BESTELLUNG RECHNUNG RECHNUNGS LIEFERSCHEIN GUTSCHRIFT VERTRAG VERTRAGS RAHMENVERTRAG AUFTRAG AUFTRAGS
	COMMANDE FACTURE CONTRAT ORDINE FATTURA CONTRATTO DDT
	BESTELLNUMMER RECHNUNGSNUMMER LIEFERSCHEINNUMMER VERTRAGSNUMMER AUFTRAGSNUMMER
	BESTELLNR RECHNUNGSNR LIEFERSCHEINNR VERTRAGSNR AUFTRAGSNR
	NR NO NUMBER NUMMER NUMERO NUM`)

// numberMarks end a label: all words before one are part of the label.
var numberMarks = lazy.Words("NR NO NUMBER NUMMER NUMERO NUM")

const longestKind = len("LIEFERSCHEINNUMMER")

// Canonical returns a number in a form that is equal for its spellings: upper-case letters
// without accents, and digits. It returns "" for a number without letters and digits.
//
//	"RE-2026-0042", "re 2026/42"                   RE202642
//	"PO-2024-00620", "Best.-Nr. 2024/620"          2024620
//	"4500010032", "45.0001.0032", "#0004500010032" 4500010032
//	"2022/0374", "20220374"                        2022374
//	"DN0009020", "DN 9020"                         DN9020
//
// Separators never count, because they vary most. So zeros are dropped only where they lead
// without separators: at the front, after leading letters, and after a leading year (1990 to
// 2049). Two numbers of equal length therefore never become one. Use Loose for years of two
// digits: 22/0374 and 22/374 may be one number, but 220374 and 22374 mostly aren't.
//
// Words for the kind of number are dropped if a digit follows (see kinds), and so is every
// word before a number mark.
func Canonical(number string) string {
	s := strings.Join(withoutLabel(strings.Fields(plain(number))), "")
	for {
		t := strings.TrimLeft(s, "0")
		if t == "" {
			return s[:min(len(s), 1)]
		}
		letters := leadingLetters(t)
		if letters > 0 && letters < len(t) && onlySaid(t[:letters]) {
			t = t[letters:]
		}
		if t == s {
			return s[:letters] + withoutPadding(s[letters:], isYear, 4)
		}
		s = t
	}
}

// plain returns s in capitals without marks, each run of separators as one blank. It must
// decompose rather than compose, because removing a character could otherwise compose its
// neighbours; so plain text stays as it is.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank, word := true, 0                                            // word: where the last one began
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) { // norm skips the text behind an invalid byte
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if blank {
				word = b.Len()
			}
			b.WriteRune(unicode.ToUpper(r))
			blank = false
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r): // accents, soft hyphens, zero width
		case !blank:
			// N° and n. are marks, P.O. is one word, an N or a P is neither.
			switch last := b.String()[word:]; {
			case last == "N" && (r == '°' || r == '.' && word == 0):
				b.WriteByte('O')
			case last == "P" && r == '.' && word == 0:
				continue
			}
			b.WriteByte(' ')
			blank = true
		}
	}
	return b.String()
}

// withoutLabel drops the leading words that label the rest.
func withoutLabel(words []string) []string {
	last := -1 // word with a digit
	for i, w := range words {
		if digits(w) > 0 {
			last = i
		}
	}
	from := 0
	for from < last {
		n := throughMark(words[from:last])
		p0 := words[from] == "P0" && isDigit(words[from+1][0])
		if n == 0 && !p0 && !kinds()[words[from]] {
			break
		}
		from += max(n, 1)
	}
	return words[from:]
}

// throughMark returns the number of leading words, without a number among them, up to a number
// mark. Misread words may be part of a label too: 8est.-Nr. 4711.
func throughMark(words []string) int {
	for i, w := range words[:min(len(words), 6)] {
		if numberMarks()[w] {
			return i + 1
		}
		if len(w) < 2 || digits(w) > 1 {
			break
		}
	}
	return 0
}

// onlySaid reports whether letters are only words for the kind of number: PO, ORDERNO.
func onlySaid(letters string) bool {
	for letters != "" {
		n := min(len(letters), longestKind)
		for n > 0 && !kinds()[letters[:n]] {
			n--
		}
		if n == 0 {
			return false
		}
		letters = letters[n:]
	}
	return true
}

// withoutPadding drops leading zeros, and zeros after a year of width digits. s must begin
// with a digit; one digit stays.
func withoutPadding(s string, year func(string) bool, width int) string {
	n := leadingDigits(s)
	run, rest := s[:n], s[n:]
	run = trimZeros(run)
	if len(run) > width && year(run[:width]) {
		run = run[:width] + trimZeros(run[width:])
	}
	return run + rest
}

func trimZeros(digits string) string {
	t := strings.TrimLeft(digits, "0")
	if t == "" {
		return digits[:min(len(digits), 1)]
	}
	return t
}

// isYear reports whether s is a plausible year for a document, in four digits.
func isYear(s string) bool {
	return len(s) == 4 && (s[:3] == "199" || s[:2] == "20" && s[2] <= '4') && digits(s) == 4
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func leadingLetters(s string) int {
	for i := range len(s) {
		if isDigit(s[i]) {
			return i
		}
	}
	return len(s)
}

func leadingDigits(s string) int {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return i
		}
	}
	return len(s)
}

func digits(s string) (n int) {
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

package score

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxText bounds the compared text, in bytes.
const maxText = 4_000

// umlauts are spelled out before other marks are dropped: ü becomes ue, é becomes e.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "oe", "å", "aa")

// words lists the words of a text in comparable form, sorted, each once.
func words(text string) []string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	list := strings.FieldsFunc(fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(list)
	return slices.Compact(list)
}

// fold returns a text in lower case, without accents.
func fold(text string) string {
	text = umlauts.Replace(strings.ToLower(norm.NFKC.String(text)))
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
}

// alphanumeric is s in upper case without separators, each character in its plain form:
// full-width digits become digits, a letter and its mark one letter.
func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, norm.NFKC.String(s))
}

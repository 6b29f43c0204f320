package company

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Name is a company's name in comparable form. The zero Name is empty.
type Name struct {
	words []word // in the order printed
	key   string
	parts []Name // see readings; nil for one plain name
}

// ParseName reads a printed name. It uses only the first 200 characters and 20 words.
func ParseName(s string) Name {
	s = withoutForms(norm.NFKC.String(strings.ReplaceAll(cut(s, maxName), "´", "'"))) // NFKC makes a space of it
	text := legalForms().without(split(s))
	words := wordsOf(text)
	if len(words) == 0 {
		return Name{}
	}
	name := nameOf(words)
	if severalNames(s, text) {
		name.parts = readings(s)
	}
	return name
}

// wordsOf returns the words that count, at most maxWords.
func wordsOf(text text) (words []word) {
	for i := 0; i < len(text.words) && len(words) < maxWords; {
		n := text.initials(i)
		if n > 1 || !text.silent(i) {
			first, last := text.words[i], text.words[i+n-1]
			words = append(words, newWord(text.letters[first.start:last.end], last.dotted && n == 1))
		}
		i += n
	}
	return words
}

func nameOf(words []word) Name {
	var buffer [maxWords]string
	sorted := buffer[:0]
	for _, w := range words {
		sorted = append(sorted, w.text)
	}
	slices.Sort(sorted)
	return Name{words: words, key: strings.Join(sorted, " ")}
}

// IsZero reports whether the name is empty: without a letter or a digit.
func (n Name) IsZero() bool { return len(n.words) == 0 }

// Words lists the name's words in the order printed, without legal form and connectives (&, +,
// and, und, et): lower case, in ASCII where possible, ä as ae. Letters with dots or alone are
// one word: A.B.C. is abc. A name that is only a legal form keeps it.
func (n Name) Words() []string {
	words := make([]string, len(n.words))
	for i, w := range n.words {
		words[i] = w.text
	}
	return words
}

// Key is equal for the same words in another order. It is "" for the zero Name.
func (n Name) Key() string { return n.key }

const maxKeys = 4

// Keys lists at most five keys for looking up a company. Names of the same company share one,
// even if a word is misread or abbreviated, because characters mistaken for each other are the
// same in them. They are the longest words; generic words, short words and possible abbreviations
// are used only without others. A name of several words also has its initials.
func (n Name) Keys() []string {
	words := slices.Clone(n.words)
	slices.SortFunc(words, func(a, b word) int {
		switch {
		case a.weak != b.weak && b.weak:
			return -1
		case a.weak != b.weak:
			return 1
		}
		return cmp.Or(cmp.Compare(len(b.rough), len(a.rough)), strings.Compare(a.rough, b.rough))
	})
	var keys []string
	for _, w := range words {
		if len(keys) == maxKeys || w.weak && !words[0].weak {
			break
		}
		if !slices.Contains(keys, w.rough) {
			keys = append(keys, w.rough)
		}
	}
	if words := n.first().words; len(words) > 2 && len(words) <= maxParts {
		keys = append(keys, rough(initials(words)))
	}
	return keys
}

// text is a name split into words: its letters and digits, and their words.
type text struct {
	letters string
	words   []token
}

type token struct {
	start, end int
	dotted     bool // a dot follows
	joined     bool // an & or + came before
}

func (t text) word(i int) string { return t.letters[t.words[i].start:t.words[i].end] }
func (t text) from(i int) string { return t.letters[t.words[i].start:] }
func (t text) before(i int) text { return text{t.letters[:t.words[i].start], t.words[:i]} }

// initials returns the number of single letters from word i that belong together, at least 1.
func (t text) initials(i int) int {
	n := 0
	for i+n < len(t.words) && len(t.word(i+n)) == 1 && (n == 0 || !t.words[i+n].joined) {
		n++
	}
	return max(n, 1)
}

// silent reports whether word i joins its neighbours, or is a leading word for a firm.
func (t text) silent(i int) bool {
	if i == 0 {
		return len(t.words) > 1 && (t.word(0) == "firma" || t.word(0) == "fa")
	}
	return i < len(t.words)-1 && !t.words[i].dotted && connectives[t.word(i)]
}

// split finds the words of a text, which must be in normal form KC: runs of letters and
// digits. An apostrophe doesn't end a word.
func split(s string) text {
	letters := make([]byte, 0, len(s)+len(s)/4)
	words := make([]token, 0, 8)
	inside, joined := false, false
	for i, r := range s {
		switch r = unicode.ToLower(r); {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', unicode.IsLetter(r), unicode.IsDigit(r):
			if !inside {
				words = append(words, token{start: len(letters), joined: joined})
				inside, joined = true, false
			}
			letters = appendASCII(letters, r, s[i:])
			words[len(words)-1].end = len(letters)
		case inside && (r == '\'' || r == '’' || r == '‘' || r == '`' || unicode.Is(unicode.Mn, r)):
		default:
			if inside {
				words[len(words)-1].dotted = r == '.'
			}
			inside, joined = false, joined || r == '&' || r == '+'
		}
	}
	return text{string(letters), words}
}

// appendASCII appends a lower-case letter as ASCII where possible. source must begin with the
// same letter in either case.
func appendASCII(letters []byte, r rune, source string) []byte {
	if r < 0x80 {
		return append(letters, byte(r))
	}
	if spelled, ok := spelling()[string(r)]; ok {
		return append(letters, spelled...)
	}
	if parts := norm.NFD.PropertiesString(source).Decomposition(); parts != nil {
		for _, part := range string(parts) {
			if part = unicode.ToLower(part); unicode.Is(unicode.Mn, part) {
				continue
			} else if spelled, ok := spelling()[string(part)]; ok {
				letters = append(letters, spelled...)
			} else {
				letters = append(letters, string(part)...)
			}
		}
		return letters
	}
	return append(letters, string(r)...)
}

// spelling is the ASCII spelling of letters without an ASCII letter in them, or not read as
// the letter without its mark. Cyrillic follows Bulgaria, and Greek ISO 843 type 2, so that
// legal forms have one spelling.
var spelling = pairs(`
	ä ae ö oe ü ue ß ss æ ae ø oe å aa œ oe ð d đ d þ th ł l ħ h ı i ŋ n ŧ t
	а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p
	р r с s т t у u ф f х h ц ts ч ch ш sh щ sht ъ a ь y ю yu я ya
	α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o
	π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o`)

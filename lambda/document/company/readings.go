package company

import (
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/internal/lazy"
)

const maxReadings = 4

// readings lists the names within a printed name that contains several, or more than a name:
// "Amsel GmbH, Branch Köln" is Amsel, "AMSEL Plus (Fink & Amsel KG)" is AMSEL Plus and Fink &
// Amsel, "Fink AG (formerly Amsel)" is Fink and Amsel, "Amsel c/o Depot 4" is Amsel. The whole
// name isn't among them. It returns nil if s is one name and nothing else.
//
// The signs are brackets, a legal form in the middle, a separator between blanks, and words in
// lower case before one in upper case.
func readings(s string) (names []Name) {
	outside := brackets().ReplaceAllString(s, " ")
	pieces := separators().Split(outside, maxReadings)
	main := readPiece(pieces[0])
	for _, p := range pieces[1:] {
		if q := readPiece(p); q.formed && !main.formed {
			main = q
		}
	}
	if len(pieces) == 1 && outside == s && !main.more {
		return nil
	}
	add := func(p piece) {
		if len(names) < maxReadings && identifies(p.words) {
			names = append(names, nameOf(p.words))
		}
	}
	add(main)
	for _, part := range alsoNamed(s, outside) {
		name := afterLowerCase(part)
		if p := readPiece(name); p.formed || len(p.words) > 1 || name != part {
			add(p)
		}
	}
	return names
}

func identifies(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return !w.weak })
}

// severalNames reports whether a name may contain more than one. The check must be cheap,
// since most names don't. words must not have the legal form at the end.
func severalNames(s string, words text) bool {
	if strings.ContainsAny(s, "([,;|") || legalForms().inside(words) > 0 {
		return true
	}
	for _, sign := range []string{" -", " –", " —", " /", "c/o", "C/O"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

var (
	brackets   = lazy.Regexp(`[(\[]([^()\[\]]*)[)\]]?`)
	separators = lazy.Regexp(`(?i)\s[-–—/|]\s|[;|]|\sc/o\s`)
	// alias stands between two names of one company.
	alias = lazy.Regexp(`(?i)\s(?:d\.?/?b\.?/?a\.?|t/a|a/?k/?a|f/?k/?a)\s+(.*)`)
)

// alsoNamed lists possible other names of the company: in brackets, or after an alias.
func alsoNamed(s, outside string) (parts []string) {
	for _, m := range brackets().FindAllStringSubmatch(s, maxReadings) {
		parts = append(parts, m[1])
	}
	if m := alias().FindStringSubmatch(outside); m != nil {
		parts = append(parts, m[1])
	}
	return parts
}

// afterLowerCase returns the text from its first word in upper case on, or all of it.
func afterLowerCase(s string) string {
	s = strings.TrimSpace(s)
	for rest := s; rest != ""; {
		r := []rune(rest)[0]
		if !unicode.IsLower(r) {
			return rest
		}
		_, rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimSpace(rest)
	}
	return s
}

// piece is a part of a printed name.
type piece struct {
	words  []word
	formed bool // it has a legal form, so it is a name
	more   bool // something follows the name
}

// readPiece reads a name up to its legal form, or up to a comma after one.
func readPiece(s string) piece {
	for i, r := range s {
		if r != ',' {
			continue
		}
		if text := split(s[:i]); len(legalForms().without(text).words) < len(text.words) {
			return piece{wordsOf(legalForms().without(text)), true, true}
		}
	}
	text := split(s)
	bare := legalForms().without(text)
	if inner := legalForms().inside(bare); inner > 0 {
		return piece{wordsOf(legalForms().without(bare.before(inner))), true, true}
	}
	return piece{wordsOf(bare), len(bare.words) < len(text.words), false}
}

// inside returns the index of the first legal form in the middle, or 0. A form of two letters
// doesn't count, because it is more likely a word there.
func (t formTable) inside(text text) int {
	for from := 1; from < len(text.words)-1; from++ {
		for end := from + 1; end < min(len(text.words), from+maxForm+1); end++ {
			if letters := text.before(end).from(from); len(letters) > 2 && t.exact[letters] {
				return from
			}
		}
	}
	return 0
}

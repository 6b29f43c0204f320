package category

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

const (
	maxWords   = 200 // of a sentence; a longer one is cut
	maxQuote   = 600 // bytes
	maxHeading = 8   // words
	maxWord    = 100 // bytes; longer runs aren't words
	// maxContents bounds a line of a table of contents, in bytes.
	maxContents = 150
)

type word struct {
	text       string
	start, end int
}

// wordsOf returns the words of a text. A hyphen inside a word belongs to it; an apostrophe
// ends it. A possessive s extends the word's place, but not its text.
func wordsOf(text string) (words []word) {
	start, last := -1, rune(0)
	end := func(at int) {
		if start < 0 {
			return
		}
		raw := strings.TrimRight(text[start:at], "-")
		w := word{strings.ToLower(raw), start, start + len(raw)}
		switch n := len(words); {
		case w.text == "s" && n > 0 && isApostrophe(text[words[n-1].end:start]):
			words[n-1].end = w.end
		case len(raw) <= maxWord:
			words = append(words, w)
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if start < 0 {
				start = i
			}
		case r == '-' && start >= 0 && last != '-':
		default:
			end(i)
		}
		last = r
	}
	end(len(text))
	return words
}

func isApostrophe(s string) bool { return s == "'" || s == "’" }

type sentence struct{ words []word }

// sentences splits a text, skipping tables of contents.
func sentences(text string) (list []sentence) {
	contents := contentsLines(text)
	words := wordsOf(text)
	begin := 0
	for i, w := range words {
		last := i == len(words)-1
		if !last && i-begin+1 < maxWords && !ends(text, w, words[i+1]) {
			continue
		}
		if s := (sentence{words[begin : i+1]}); !s.within(contents) {
			list = append(list, s)
		}
		begin = i + 1
	}
	return list
}

// contentsLine ends with dots, or a wide space, and a page number.
var contentsLine = lazy.Regexp(`(?m)^.*(?:\.[. ]{3,}|\t| {4,}) *\d{1,3}[ \t]*$`)

// contentsLines returns the places of short lines matching contentsLine.
func contentsLines(text string) [][]int {
	return slices.DeleteFunc(contentsLine().FindAllStringIndex(text, -1),
		func(r []int) bool { return r[1]-r[0] > maxContents })
}

func (s sentence) within(ranges [][]int) bool {
	i, _ := slices.BinarySearchFunc(ranges, s.words[0].start, func(r []int, at int) int { return r[1] - at })
	return i < len(ranges) && ranges[i][0] <= s.words[0].start
}

// ends reports whether a sentence ends between two words: at an empty line, or at a full stop
// before a capital or a number, unless the stop belongs to an abbreviation or a clause's
// number.
func ends(text string, w, next word) bool {
	between := text[w.end:next.start]
	if paragraph().MatchString(between) {
		return true
	}
	stop := strings.IndexAny(between, ".!?")
	if stop < 0 || !strings.ContainsAny(between[stop:], " \t\n") {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(text[next.start:]); unicode.IsLower(first) {
		return false
	}
	isNumber := w.text[0] >= '0' && w.text[0] <= '9' && len(w.text) < 4
	return !isNumber && utf8.RuneCountInString(w.text) > 1 && !slices.Contains(abbreviations, w.text)
}

var (
	paragraph     = lazy.Regexp(`\n[ \t\r]*\n|\n[ \t]*(?:#|\*\*|[-*] )`)
	abbreviations = strings.Fields("inc corp ltd no nr art abs sec co dr st vs bzw ca ggf etc par al sarl")
)

// isHeading reports whether the sentence is a title: few words, no verb of a contract, and no day.
func (s sentence) isHeading() bool {
	return len(s.words) <= maxHeading && !slices.ContainsFunc(s.words, func(w word) bool {
		return slices.Contains(verbs, w.text) || years().MatchString(w.text)
	})
}

var years = lazy.Regexp(`^(?:19|20)\d\d(?:-\d\d-\d\d)?$`)

var verbs = strings.Fields(`shall will may must is are was be has have means mean governed grants agree agrees owns
	gilt ist sind wird werden kann können darf dürfen hat haben muss haftet verlängert unterliegt bedarf
	räumt stellt kündigen est sont sera seront peut peuvent doit doivent ont régi soumis souscrit garantit cède accorde
	concède bénéficie applies apply governs govern anzuwenden maßgeblich beginnt applique régit`)

// around returns the place of the sentence, or of a quotable part around a word.
func (s sentence) around(at int) (from, to int) {
	first, last := at, at
	for {
		switch {
		case last+1 < len(s.words) && s.words[last+1].end-s.words[first].start <= maxQuote:
			last++
		case first > 0 && s.words[last].end-s.words[first-1].start <= maxQuote:
			first--
		default:
			return s.words[first].start, s.words[last].end
		}
	}
}

package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

// kind ranks edges by strength, weakest first.
type kind int

const (
	inWord kind = iota // within a very long word
	word
	sentence
	paragraph // or list item
	clause
	section
)

// edge is a place before a word, where a part may begin. See splitter for the choice.
type edge struct {
	end     int // of the word before it
	at      int // of the word after it
	weight  int // of everything before it, in words
	kind    kind
	heading *heading // beginning here
}

// Byte lengths. A word longer than longest has several edges; parts of it and of white space
// count as words.
const (
	perWord  = 16
	perSpace = 64
	longest  = 4 * perWord
)

// weigh counts the words of a text. A long word counts more than once; see words.
func weigh(text string) (weight int) {
	words(text, func(before, _, from, to int) { weight += cost(before, from, to) })
	return weight
}

func cost(before, from, to int) int { return 1 + (to-from-1)/perWord + (from-before)/perSpace }

// words calls f for each word, or each piece of a long word, with the end of the previous
// word, the first byte of the whole word, and the piece.
func words(text string, f func(before, first, from, to int)) {
	before := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		end := len(text)
		if i := strings.IndexFunc(text[at:], unicode.IsSpace); i >= 0 {
			end = at + i
		}
		for from := at; from < end; {
			to := end
			if end-from > longest {
				to = from + longest
				for !utf8.RuneStart(text[to]) {
					to--
				}
			}
			f(before, at, from, to)
			before, from = to, to
		}
		at = end
	}
}

// scan calls f for each edge of a text, including the one after the last word.
func scan(text string, f func(edge)) {
	s := scanner{text: text}
	end := 0
	words(text, func(before, first, from, to int) {
		e := edge{end: before, at: from, weight: s.weight, kind: inWord}
		if from == first {
			s.judge(&e)
			s.last = first
		}
		f(e)
		s.weight += cost(before, from, to)
		end = to
	})
	f(edge{end: end, at: end, weight: s.weight, kind: section})
}

// scanner knows the text before an edge.
type scanner struct {
	text   string
	weight int
	last   int      // start of the previous word
	line   int      // start of its line
	within *heading // the previous heading
}

func (s *scanner) judge(e *edge) {
	gap, previous := s.text[e.end:e.at], s.text[s.last:e.end]
	newlines := strings.Count(gap, "\n") + strings.Count(gap, "\f")
	ended := ends(previous)
	e.kind = word
	switch next, _ := utf8.DecodeRuneInString(s.text[e.at:]); {
	case newlines > 1 && (ended || !unicode.IsLower(next)), newlines > 0 && closes(previous):
		e.kind = paragraph
	case ended && !unicode.IsLower(next) && !abbreviated(previous):
		e.kind = sentence
	}
	if s.mayHead(gap, previous, newlines, ended) {
		e.heading = s.head(e.at, gap)
	}
	switch below := s.within != nil && e.end <= s.within.alone; {
	case below: // a heading stays with its clause
		e.kind = word
	case e.heading == nil:
	case ended || closes(previous) || e.end == 0:
		e.kind = e.heading.kind()
	default: // a sentence may continue after a page header
		e.kind = paragraph
	}
	if e.heading != nil {
		s.within = e.heading
	}
	if newlines > 0 {
		s.line = e.at
	}
}

// mayHead reports whether a heading may begin after a gap: on a new line not continuing a
// sentence, or after enough spaces to have been a line end.
func (s *scanner) mayHead(gap, previous string, newlines int, ended bool) bool {
	switch {
	case previous == "":
		return true
	case refers()[strings.ToLower(strings.Trim(previous, "(\"“"))]:
		return false
	case newlines > 1:
		return true
	case newlines == 1:
		headed := s.within != nil && s.within.at >= s.line
		return ended || closes(previous) || headed || len(s.text[s.line:s.last])+len(previous) < 50
	}
	return len(gap) > 2 || len(gap) == 2 && ended
}

// refers are the words before a number in a reference to a clause.
var refers = lazy.Words("section sections article articles clause clauses paragraph paragraphs exhibit schedule annex and or to of in " +
	"under by see with § §§ artikel ziffer ziff. abs. absatz nr. no. und oder nach gemäß l'article et ou à")

func ends(w string) bool {
	w = strings.TrimRight(w, "\"'”’»)]*_")
	return strings.HasSuffix(w, ".") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, "?") ||
		strings.HasSuffix(w, "。") || strings.HasSuffix(w, "؟")
}

// closes reports whether a word at a line's end ends or introduces a list item.
func closes(w string) bool { return strings.HasSuffix(w, ";") || strings.HasSuffix(w, ":") }

// abbreviated reports whether a word's final point doesn't end a sentence, because it belongs
// to an initial, a clause's number or an abbreviation.
func abbreviated(w string) bool {
	w = strings.ToLower(strings.Trim(w, "\"'“”‘’»«()[]*_"))
	letters := strings.TrimRight(w, ".")
	return utf8.RuneCountInString(letters) <= 1 || strings.Trim(letters, "0123456789.") == "" && len(letters) < 4 ||
		strings.Contains(letters, ".") && len(letters) < 6 && strings.Trim(letters, "0123456789.") != "" || abbreviations()[letters]
}

var abbreviations = lazy.Words("inc ltd corp co llc lp no nos sec art dr mr mrs ms st vs etc approx incl dept gen al " +
	"abs nr ziff bzw ca ggf usw vgl gem lit ff st str mio evtl sog inkl zzgl av ch env m mm mme")

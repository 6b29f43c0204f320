package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is how much an edge divides, the least first.
type kind int

const (
	inWord kind = iota // within a very long word
	word
	sentence
	paragraph // or an item of a list
	clause
	section
)

// edge is a place where a part may begin: before a word.
type edge struct {
	end     int // of the word before it
	at      int // of the word behind it
	weight  int // of all before it, in words
	kind    kind
	heading *heading // that begins here
}

// The bytes of a word that count as a word of their own, and of white space. A
// word of more than longest bytes is several edges.
const (
	perWord  = 16
	perSpace = 64
	longest  = 4 * perWord
)

// weigh returns the number of words of a text; long ones count more than once.
func weigh(text string) (weight int) {
	words(text, func(before, _, from, to int) { weight += cost(before, from, to) })
	return weight
}

func cost(before, from, to int) int { return 1 + (to-from-1)/perWord + (from-before)/perSpace }

// words calls f for each word, or piece of a long word: the end of the word
// before it, the first byte of the whole word, and the piece.
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

// scan calls f for the edges of a text, the one behind its last word included.
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

// scanner knows what stands before an edge.
type scanner struct {
	text   string
	weight int
	last   int      // where the word before begins
	line   int      // where its line begins
	within *heading // the heading before
}

// judge finds the kind of an edge before a word.
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
	case below: // nothing divides a heading from its clause
		e.kind = word
	case e.heading == nil:
	case ended || closes(previous) || e.end == 0:
		e.kind = e.heading.kind()
	default: // a sentence may go on behind the head of a new page
		e.kind = paragraph
	}
	if e.heading != nil {
		s.within = e.heading
	}
	if newlines > 0 {
		s.line = e.at
	}
}

// mayHead reports whether a heading may begin behind a gap: in a new line that
// does not go on with a sentence, or behind so many spaces that they were an end
// of a line.
func (s *scanner) mayHead(gap, previous string, newlines int, ended bool) bool {
	switch {
	case previous == "":
		return true
	case refers[strings.ToLower(strings.Trim(previous, "(\"“"))]:
		return false
	case newlines > 1:
		return true
	case newlines == 1:
		headed := s.within != nil && s.within.at >= s.line
		return ended || closes(previous) || headed || len(s.text[s.line:s.last])+len(previous) < 50
	}
	return len(gap) > 2 || len(gap) == 2 && ended
}

// refers are words before a number that refers to a clause.
var refers = set("section sections article articles clause clauses paragraph paragraphs exhibit schedule annex and or to of in " +
	"under by see with § §§ artikel ziffer ziff. abs. absatz nr. no. und oder nach gemäß l'article et ou à")

// ends reports whether a word ends a sentence.
func ends(w string) bool {
	w = strings.TrimRight(w, "\"'”’»)]*_")
	return strings.HasSuffix(w, ".") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, "?") ||
		strings.HasSuffix(w, "。") || strings.HasSuffix(w, "؟")
}

// closes reports whether a word at the end of a line ends an item of a list or
// introduces one.
func closes(w string) bool { return strings.HasSuffix(w, ";") || strings.HasSuffix(w, ":") }

// abbreviated reports whether the point of a word is no end of a sentence: it
// ends an initial, a number of a clause or an abbreviation.
func abbreviated(w string) bool {
	w = strings.ToLower(strings.Trim(w, "\"'“”‘’»«()[]*_"))
	letters := strings.TrimRight(w, ".")
	return utf8.RuneCountInString(letters) <= 1 || strings.Trim(letters, "0123456789.") == "" && len(letters) < 4 ||
		strings.Contains(letters, ".") && len(letters) < 6 && strings.Trim(letters, "0123456789.") != "" || abbreviations[letters]
}

var abbreviations = set("inc ltd corp co llc lp no nos sec art dr mr mrs ms st vs etc approx incl dept gen al " +
	"abs nr ziff bzw ca ggf usw vgl gem lit ff st str mio evtl sog inkl zzgl av ch env m mm mme")

func set(words string) map[string]bool {
	found := map[string]bool{}
	for _, w := range strings.Fields(words) {
		found[w] = true
	}
	return found
}

package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

// Limits of headings, in bytes.
const (
	maxTitle = 80
	maxPath  = 200
	maxLine  = 240 // of a line; the rest is ignored
)

// heading is a heading, or a clause's number.
type heading struct {
	at    int
	alone int    // end of the line holding only the heading; 0: text follows on it
	rank  int    // nesting level by kind of number: lower ranks enclose higher ones
	mark  string // its number
	title string
}

// The ranks of headings. Markdown uses 1 to 6. Numbers with more points or a deeper indent
// rank higher than plain ones.
const (
	rankBook    = 7  // Exhibit A
	rankArticle = 8  // Article IV
	rankCapital = 9  // TERMINATION
	rankSection = 10 // Section 5
	rankRoman   = 11 // IV.
	rankNumber  = 12 // 1. and up to 1.1.1.1.1 (with the indent)
	rankLetter  = 20 // A.
	rankItem    = 21 // (a)
	rankSubItem = 22 // (i)
	rankLast    = 23 // (A), (1)
)

func (h *heading) kind() kind {
	switch {
	case h.rank <= rankNumber:
		return section
	case h.rank <= rankLetter:
		return clause
	}
	return paragraph
}

func (h *heading) text() string { return strings.TrimSpace(h.mark + " " + h.title) }

var (
	markdown = lazy.Regexp(`^(#{1,6})\s+`)
	named    = lazy.Regexp(`^(?i:(exhibit|schedule|annexe?|appendix|attachment|anlage|anhang|part|teil|titre|title)|` +
		`(article|artikel|chapter|kapitel|chapitre|§)|(section|clause|abschnitt|ziffer|klausel|clausule))` +
		`\s*(\d{1,3}(?:\.\d{1,3})*[a-z]?|[IVXLC]{1,7}|[A-Z](?:-\d)?)\b[.:)]?(?:\s+[-–—]\s+|\s+|$)`)
	decimal = lazy.Regexp(`^(\d{1,3}((?:\.\d{1,3}){0,5}))([.)]?)\s+`)
	roman   = lazy.Regexp(`^([IVXL]{1,7})[.)]\s+`)
	letter  = lazy.Regexp(`^([A-Z])[.)]\s+`)
	item    = lazy.Regexp(`^(?:\(([a-zA-Z]{1,4}|\d{1,2})\)|([a-z]{1,4})\))\s+`)
	tags    = lazy.Regexp(`<[^<>]{0,200}>|\*\*|__`)
	rules   = lazy.Regexp(`[-=_*~.]{3,}`) // rules under or after a title
	verbs   = lazy.Regexp(`(?i)\b(shall|will|may|is|are|has|have|means|wird|ist|sind|hat|est|sont)\b`)
)

// head returns the heading beginning at an offset, or nil.
func (s *scanner) head(at int, gap string) *heading {
	first := s.text[at]
	if first >= 'a' && first <= 'z' && !item().MatchString(s.text[at:min(at+8, len(s.text))]) {
		return nil
	}
	line, whole := s.lineAt(at)
	h := s.numbered(line, gap)
	if h == nil && whole && (gap == "" || strings.ContainsAny(gap, "\n\f")) {
		h = s.capitals(line, at)
	}
	if h == nil {
		return nil
	}
	h.at = at
	if whole && len(h.title) >= len(squeeze(line))-len(h.mark)-4 {
		h.alone = at + s.lineLength(at)
	}
	return h
}

// lineAt returns a line without tags, and whether it is complete.
func (s *scanner) lineAt(at int) (line string, whole bool) {
	n := s.lineLength(at)
	line = s.text[at : at+n]
	if strings.ContainsAny(line, "<*_") {
		line = strings.TrimSpace(tags().ReplaceAllString(line, ""))
	}
	return line, n < maxLine
}

func (s *scanner) lineLength(at int) int {
	rest := s.text[at:min(at+maxLine, len(s.text))]
	if i := strings.IndexAny(rest, "\n\f"); i >= 0 {
		return i
	}
	for len(rest) > 0 && at+len(rest) < len(s.text) && !utf8.RuneStart(s.text[at+len(rest)]) {
		rest = rest[:len(rest)-1]
	}
	return len(rest)
}

// numbered reads a heading beginning with a number or a Markdown mark.
func (s *scanner) numbered(line, gap string) *heading {
	if m := markdown().FindStringSubmatch(line); m != nil {
		return &heading{rank: len(m[1]), title: cutTitle(squeeze(line[len(m[0]):]))}
	}
	if m := named().FindStringSubmatch(line); m != nil && opens(line[len(m[0]):]) {
		rank := rankSection
		if m[1] != "" {
			rank = rankBook
		} else if m[2] != "" {
			rank = rankArticle
		}
		return titled(rank, line, m[0])
	}
	if m := decimal().FindStringSubmatch(line); m != nil && m[2]+m[3] != "" && opens(line[len(m[0]):]) {
		rank := rankNumber + strings.Count(m[2], ".") + indent(gap)/4
		return titled(min(rank, rankLetter-1), line, m[0])
	}
	if m := roman().FindStringSubmatch(line); m != nil && opens(line[len(m[0]):]) && !s.follows(m[1], rankLetter) {
		return titled(rankRoman, line, m[0])
	}
	if m := letter().FindStringSubmatch(line); m != nil && opens(line[len(m[0]):]) {
		return titled(rankLetter, line, m[0])
	}
	if m := item().FindStringSubmatch(line); m != nil {
		return titled(s.itemRank(m[1]+m[2]), line, m[0])
	}
	return nil
}

func (s *scanner) itemRank(mark string) int {
	switch {
	case mark < "a":
		return rankLast
	case strings.Trim(mark, "ivx") == "" && !s.follows(mark, rankItem):
		return rankSubItem
	}
	return rankItem
}

// follows reports whether a letter, maybe a Roman number, continues a list of letters.
func (s *scanner) follows(mark string, rank int) bool {
	if s.within == nil || s.within.rank != rank || len(mark) != 1 {
		return false
	}
	before := strings.Trim(s.within.mark, "(.) ")
	return len(before) == 1 && before[0]+1 == mark[0]
}

// opens reports whether rest reads as a clause after its number. "3 years" doesn't.
func opens(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, "\"“„«'([ "))
	reference := strings.HasPrefix(rest, "Abs.") || strings.HasPrefix(rest, "Absatz") || strings.HasPrefix(rest, "Satz")
	return !unicode.IsLower(r) && !unicode.IsDigit(r) && !strings.ContainsRune(",;.)", r) && !reference
}

// titled returns a heading from a number and the title after it. If the clause's text follows
// at once, the heading is the number alone.
func titled(rank int, line, mark string) *heading {
	return &heading{rank: rank, mark: squeeze(strings.TrimRight(mark, " \t-–—")), title: title(line[len(mark):])}
}

func title(rest string) string {
	end := len(rest)
	for _, stop := range []string{". ", ".\t", "   ", ": ", " - ", " – "} {
		if i := strings.Index(rest, stop); i >= 0 {
			end = min(end, i)
		}
	}
	t := squeeze(rest[:end])
	if len(rest) >= maxLine-20 && end == len(rest) || len(t) > maxTitle || strings.Count(t, " ") > 8 || verbs().MatchString(t) {
		return capitalsBefore(t)
	}
	if r, _ := utf8.DecodeRuneInString(t); unicode.IsLower(r) {
		return ""
	}
	return strings.TrimRight(t, ".:;,")
}

func capitalsBefore(text string) string {
	var found []string
	letters := 0
	for _, w := range strings.Fields(text) {
		if strings.ToUpper(w) != w || len(found) > 8 {
			break
		}
		found, letters = append(found, w), letters+len(w)
	}
	if letters < 5 {
		return ""
	}
	return cutTitle(strings.TrimRight(strings.Join(found, " "), ".:;,"))
}

// capitals reads a line in capitals, or one with a rule under it, as a heading. Several such
// lines in a row are running text.
func (s *scanner) capitals(line string, at int) *heading {
	t := squeeze(line)
	ruled := strings.IndexFunc(t, unicode.IsLetter) >= 0 && len(rules().FindString(line)) > 4
	if len(t) > maxTitle || strings.Count(t, " ") > 10 || strings.HasSuffix(t, ",") || strings.HasSuffix(t, ";") {
		return nil
	}
	if !ruled && (!upper(t) || s.capitalsBehind(at)) {
		return nil
	}
	h := &heading{rank: rankCapital, title: strings.TrimRight(t, ".:")}
	if preambles()[strings.ToLower(h.title)] {
		h.rank = rankNumber
	}
	return h
}

// preambles are the unnumbered headings on the same level as the first number.
var preambles = lazy.Words("recitals witnesseth background preamble whereas präambel vorbemerkung préambule")

func (s *scanner) capitalsBehind(at int) bool {
	next := at + s.lineLength(at) + 1
	if next >= len(s.text) {
		return false
	}
	line, _ := s.lineAt(next)
	return len(line) > 40 && upper(line)
}

// upper reports whether a text has at least four letters, all of them capitals.
func upper(text string) bool {
	letters := 0
	for _, r := range text {
		switch {
		case unicode.IsLower(r):
			return false
		case unicode.IsUpper(r):
			letters++
		}
	}
	return letters >= 4
}

func squeeze(text string) string {
	return strings.Join(strings.Fields(rules().ReplaceAllString(text, " ")), " ")
}

func indent(gap string) int {
	i := strings.LastIndexAny(gap, "\n\f")
	if i < 0 {
		return 0
	}
	return len(gap) - i - 1
}

func cutTitle(t string) string {
	if len(t) <= maxTitle {
		return t
	}
	return strings.TrimSpace(strings.ToValidUTF8(t[:maxTitle-len("…")], "")) + "…"
}

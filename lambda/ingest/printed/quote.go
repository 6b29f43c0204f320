package printed

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"matchbook/lambda/ingest/transcript"
)

// Quotes finds quotes in a transcription.
type Quotes struct{ pages []folded }

// folded is a text without white space: as printed, row by row; and column by column, for an
// address next to another one. Few quotes need the columns.
type folded struct {
	number  int
	rows    [2]squeezed
	columns func() [2]squeezed
}

// squeezed is a text without white space. gap marks characters after a space.
type squeezed struct {
	text string
	gap  []bool // by byte; one more than text has; the first and the last are true
}

// QuotesOf prepares a transcription for searches.
func QuotesOf(t transcript.Transcription) Quotes {
	q := Quotes{}
	for _, p := range t.Pages {
		q.pages = append(q.pages, folded{p.Number, fold(p.Lines),
			sync.OnceValue(func() [2]squeezed { return fold(columns(p.Lines)) })})
	}
	return q
}

// Pages lists the pages that contain the quote, regardless of white space and hyphenation.
// Part of a number or of a word is not a quote of it.
func (q Quotes) Pages(quote string) (numbers []int) {
	wanted := squeeze(quote).text
	for _, p := range q.pages {
		if p.contains(wanted) {
			numbers = append(numbers, p.number)
		}
	}
	return numbers
}

// First returns the first page that contains the quote.
func (q Quotes) First(quote string) (number int, ok bool) {
	wanted := squeeze(quote).text
	for _, p := range q.pages {
		if p.contains(wanted) {
			return p.number, true
		}
	}
	return 0, false
}

// On reports whether the page contains the quote.
func (q Quotes) On(page int, quote string) bool {
	wanted := squeeze(quote).text
	return slices.ContainsFunc(q.pages, func(p folded) bool { return p.number == page && p.contains(wanted) })
}

func (f folded) contains(wanted string) bool {
	in := func(texts [2]squeezed) bool { return texts[0].contains(wanted) || texts[1].contains(wanted) }
	return wanted != "" && (in(f.rows) || in(f.columns()))
}

// fold joins lines, also with words joined across a hyphen at the end of a line.
func fold(lines []transcript.Line) [2]squeezed {
	return [2]squeezed{squeeze(transcript.Page{Lines: lines}.Text()), squeeze(dehyphenate(lines))}
}

// Shows reports whether a quote contains the whole value, regardless of white space.
func Shows(quote, value string) bool {
	wanted := squeeze(value).text
	return wanted != "" && squeeze(quote).contains(wanted)
}

func dehyphenate(lines []transcript.Line) string {
	var b strings.Builder
	for _, l := range lines {
		text := strings.TrimRightFunc(l.Text, unicode.IsSpace)
		if joined, ok := strings.CutSuffix(text, "-"); ok {
			b.WriteString(joined)
			continue
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return b.String()
}

func squeeze(text string) squeezed {
	s, space := squeezed{}, true
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.Is(unicode.Cf, r): // a soft hyphen, too
			continue
		case r == '‐' || r == '‑':
			r = '-'
		case r == '’':
			r = '\''
		}
		for range len(string(r)) {
			s.gap = append(s.gap, space)
			space = false
		}
		b.WriteRune(r)
	}
	s.text, s.gap = b.String(), append(s.gap, true)
	return s
}

func (s squeezed) contains(wanted string) bool {
	for from := 0; ; {
		i := strings.Index(s.text[from:], wanted)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(wanted)
		if s.edge(start) && s.edge(end) {
			return true
		}
		from = start + 1
	}
}

// edge reports whether a value can begin or end before byte i. It must not split a word, or
// digits from the separators of their number.
func (s squeezed) edge(i int) bool {
	if s.gap[i] {
		return true
	}
	before, after := lastRune(s.text[:i]), firstRune(s.text[i:])
	if letterOrDigit(before) && letterOrDigit(after) {
		return false
	}
	return !s.inNumber(i, before, after)
}

func (s squeezed) inNumber(i int, before, after rune) bool {
	const separators = ".,'/-"
	if digit(before) && strings.ContainsRune(separators, after) {
		next := i + len(string(after))
		return !s.gap[next] && digit(firstRune(s.text[next:]))
	}
	if strings.ContainsRune(separators, before) && digit(after) {
		at := i - len(string(before))
		return !s.gap[at] && digit(lastRune(s.text[:at]))
	}
	return false
}

package ingest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/lazy"

	"golang.org/x/text/encoding/charmap"
)

const (
	letter = 0.6 // width, in heights of a line, as on typewriters
	tab    = 8   // letters between two stops
)

// plain transcribes a text file. A form feed begins a page.
func plain(data []byte) transcript.Transcription {
	text := strings.TrimRight(decoded(data), " \t\n\f")
	t := transcript.Transcription{Engine: "text", Version: "2"}
	for i, page := range strings.Split(text, "\f") {
		p := blank(1)[0]
		if lines := typed(page); len(lines) > 0 {
			p = transcript.Page{Quality: 1, Lines: lines}
		}
		p.Number = i + 1
		t.Pages = append(t.Pages, p)
	}
	return t
}

// typed arranges a page. Each letter has a place, as if the page was printed with letters of one
// width, because blanks and tabs set columns. Empty lines divide paragraphs.
func typed(page string) []transcript.Line {
	rows := strings.Split(strings.TrimRight(page, " \t\n"), "\n")
	var words []transcript.Word
	var empty []transcript.Line
	width, height := 0.0, float64(len(rows))
	for i, text := range rows {
		row := float64(i)
		found := wordsOf(text, row)
		for _, w := range found {
			words, width = append(words, w), max(width, w.Box.Right)
		}
		if len(found) == 0 {
			empty = append(empty, transcript.Line{Confidence: 1,
				Box: transcript.Box{Top: row / height, Right: 1, Bottom: (row + 1) / height}})
		}
	}
	lines, _ := transcript.Arrange(words, width, height)
	if len(lines) == 0 {
		return nil
	}
	lines = append(lines, empty...)
	slices.SortStableFunc(lines, func(a, b transcript.Line) int { return cmp.Compare(a.Box.Top, b.Box.Top) })
	return lines
}

// decoded returns the text as UTF-8 with simple line ends, and without what PostgreSQL can't
// store.
func decoded(data []byte) string {
	if !utf8.Valid(data) {
		data, _ = charmap.Windows1252.NewDecoder().Bytes(data) // it has no errors
	}
	return strings.NewReplacer("\ufeff", "", "\x00", "\uFFFD", "\r\n", "\n", "\r", "\n").Replace(string(data))
}

// rule is a drawn line, and spread a title with blanks between its letters.
var (
	rule   = lazy.Regexp(`^[-=_+*~─═]{3,}$`)
	spread = lazy.Regexp(`(?:^|  )(?:\p{Lu} {1,3}){4,}\p{Lu}(?:  |$)`)
)

// filler stands for the blank between two letters of a title.
const filler = '\u200b'

// closed puts fillers between the letters of titles.
func closed(line string) string {
	return spread().ReplaceAllStringFunc(line, func(title string) string {
		inside := strings.Trim(title, " ")
		letters := strings.NewReplacer("   ", string([]rune{filler, filler, ' '}), "  ", string([]rune{filler, ' '}), " ", string(filler))
		return strings.Replace(title, inside, letters.Replace(inside), 1)
	})
}

// wordsOf divides a line. A bar between columns is no word, nor is a drawn line.
func wordsOf(line string, row float64) (words []transcript.Word) {
	line = closed(line)
	table := strings.Count(line, "|") > 1
	at, begin := 0, -1
	var word strings.Builder
	end := func() {
		if text := word.String(); text != "" && !rule().MatchString(text) {
			words = append(words, transcript.Word{Text: text, Confidence: 1,
				Box: transcript.Box{Left: float64(begin) * letter, Top: row, Right: float64(at) * letter, Bottom: row + 1}})
		}
		word.Reset()
	}
	for _, r := range line {
		switch {
		case r == '\t':
			end()
			at = max(at+2, at+tab-at%tab) // one letter would not divide columns
			continue
		case r == ' ' || r == '\u00a0' && word.Len() == 0 || r == '|' && table:
			end()
		case r == filler:
		default:
			if word.Len() == 0 {
				begin = at
			}
			word.WriteRune(r)
		}
		at++
	}
	end()
	return words
}

package whole

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
)

// Bounds of a clause for the rules, in bytes. They skip other text.
const (
	shortest = 20
	longest  = 2_000
)

type clause struct {
	start, end int    // in the contract
	text       string // verbatim
	line       string // on one line
}

// clausesOf returns the sentences of the read parts, or without a text the marks' quotes.
func clausesOf(t record.Task) (all []clause) {
	if t.Text == "" {
		for _, m := range t.Marks {
			all = append(all, clauseOf(m.Quote, m.Start))
		}
		return all
	}
	for start := 0; start < len(t.Text); {
		end := start + sentence(t.Text[start:])
		text := strings.TrimSpace(t.Text[start:end])
		at := t.Chunk.Start + start + strings.Index(t.Text[start:end], text)
		if len(text) >= shortest && len(text) <= longest && wasRead(t.Chunks, at) {
			all = append(all, clauseOf(text, at))
		}
		start = end
	}
	return all
}

func clauseOf(text string, start int) clause {
	line := strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "’", "'")
	return clause{start: start, end: start + len(text), text: text, line: line}
}

// isRead reports whether a part was searched for clauses, even if an analyst failed on it.
func isRead(c record.Chunk) bool { return c.Status == job.StatusSucceeded || c.Searched }

// wasRead reports whether some part that was read covers the place.
func wasRead(chunks []record.Chunk, at int) bool {
	first, _ := slices.BinarySearchFunc(chunks, at, func(c record.Chunk, at int) int {
		if c.End <= at {
			return -1
		}
		return 1
	})
	for _, c := range chunks[first:] {
		if c.Start > at {
			return false
		}
		if isRead(c) {
			return true
		}
	}
	return false
}

// sentence returns the length of the first sentence with the white space after it: up to an
// empty line, or up to a final mark followed by a capital.
func sentence(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '\n':
			if rest := strings.TrimLeft(text[i+1:min(len(text), i+80)], " \t\r"); strings.HasPrefix(rest, "\n") {
				return i + 1
			}
		case '.', ';', '!', '?':
			if ends(text[:i], text[i+1:]) {
				return i + 1
			}
		}
	}
	return len(text)
}

// abbreviations are words with a point that doesn't end a sentence.
var abbreviations = []string{"No", "Nos", "Inc", "Ltd", "Co", "Corp", "Art", "Sec", "Nr", "Abs", "bzw", "vs", "Mr",
	"Ms"}

func ends(before, after string) bool {
	next, size := utf8.DecodeRuneInString(after)
	if !unicode.IsSpace(next) {
		return false
	}
	begin, _ := utf8.DecodeRuneInString(strings.TrimLeft(after[size:min(len(after), 80)], " \t\r\n"))
	if !unicode.IsUpper(begin) && begin != '(' && begin != '"' {
		return false
	}
	before = before[max(0, len(before)-10):]
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	return utf8.RuneCountInString(word) != 1 && !slices.Contains(abbreviations, word)
}

package card

import (
	"strings"
	"unicode"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/lazy"
	"matchbook/lambda/review/record"
)

// mostDefinitions bounds a card.
const mostDefinitions = 150

const quoted = `["“”„«]\s?(?:\*\*)?(\p{Lu}[^"“”„«»\n]{1,48}?)(?:\*\*)?\s?["”“»]`

var (
	// means finds a term at the beginning of its definition.
	means = lazy.Regexp(quoted + `(?:\*\*)?,?\s+(?:or [^.;]{1,60} )?(?:shall mean|means?|has the meaning|refers to|includes|` +
		`bezeichnet|bezeichnen|bedeutet|bedeuten|meint|ist|sind|désigne|signifie|s'entend)\b`)
	// named finds a term at the end of its definition.
	named = lazy.Regexp(`[(–—-]\s?(?:[\p{L}',:-]+ ){0,8}?` + quoted + `(?: (?:or|oder|ou|genannt) [^)]{0,60})?\s?[)–—-]`)
)

// Definitions finds the terms that a contract defines, in the order of their places.
func Definitions(text string) (list []record.Fact) {
	known := map[string]bool{}
	add := func(name string, start, end int) {
		key := words(name)
		if key != "" && !known[key] && len(list) < mostDefinitions {
			known[key] = true
			list = append(list, record.Fact{Name: term.Clean(name, mostLine), Quote: term.Clean(text[start:end], mostTerm),
				Start: start, End: end})
		}
	}
	for _, m := range means().FindAllStringSubmatchIndex(text, -1) {
		add(text[m[2]:m[3]], m[0], m[0]+sentenceAfter(text[m[0]:]))
	}
	for _, m := range named().FindAllStringSubmatchIndex(text, -1) {
		start := max(sentenceBefore(text[:m[0]]), m[1]-mostTerm)
		for start < m[0] && !unicode.IsSpace(rune(text[start])) && start > 0 && !unicode.IsSpace(rune(text[start-1])) {
			start++
		}
		add(text[m[2]:m[3]], start, m[1])
	}
	return list
}

// sentenceAfter returns the length of a definition: up to the paragraph's end.
func sentenceAfter(text string) int {
	if end := strings.Index(text, "\n\n"); end >= 0 {
		text = text[:end]
	}
	return len(strings.TrimSpace(cut(text, mostTerm)))
}

// sentenceBefore returns the start of the last sentence.
func sentenceBefore(text string) int {
	start := 0
	for _, stop := range []string{". ", ".\n", "\n\n", "; "} {
		start = max(start, strings.LastIndex(text, stop)+len(stop))
	}
	return min(start, len(text))
}

// words returns a text's words, separated by single blanks.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

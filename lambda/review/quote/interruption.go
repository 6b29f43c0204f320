package quote

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/internal/lazy"
)

// span is a range of a text in bytes.
type span struct{ start, end int }

// line is a line with words.
type line struct {
	span
	text         string
	above, below bool // an empty line or a new page separates it
	first, last  bool // of a page
	key          string
}

// interruptions returns the feet and heads of pages that stand inside a sentence: lines
// separated from a sentence that isn't finished before them. They're a page's number, a line
// repeated on other pages, or stand at a page's edge and the sentence continues in lower case.
func interruptions(text string) (skipped []span) {
	lines := linesOf(text)
	known := repeated(lines)
	for i := 1; i < len(lines); i++ {
		if !lines[i].above || finished(lines[i-1].text) {
			continue
		}
		for to := edge(lines, known, i); to > i; to-- {
			single := slices.ContainsFunc(lines[i:to], func(l line) bool { return !known[l.key] })
			if to < len(lines) && lines[to-1].below && (!single || continues(lines[to].text)) {
				skipped = append(skipped, span{lines[i].start, lines[to-1].end})
				i = to
				break
			}
		}
	}
	return skipped
}

const (
	mostLines     = 6   // of a foot with the head after it
	mostFurniture = 120 // bytes
)

// edge returns the end of the lines from i that may be a foot and a head.
func edge(lines []line, known map[string]bool, i int) (to int) {
	for to = i; to < len(lines) && to-i < mostLines && len(lines[to].text) <= mostFurniture; to++ {
		if l := lines[to]; !known[l.key] && !l.first && !l.last {
			break
		}
	}
	return to
}

func finished(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, `"'”’»)]*_`))
	return strings.ContainsRune(".!?:;。", last)
}

// continues reports whether a sentence goes on.
func continues(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r) || r == '(' || r == ','
}

// linesOf returns the lines with words, and what separates them.
func linesOf(text string) (lines []line) {
	start, newlines, page := 0, 0, true
	for at := 0; at <= len(text); at++ {
		if at < len(text) && text[at] != '\n' && text[at] != '\f' {
			continue
		}
		if words := strings.TrimSpace(text[start:at]); words != "" {
			from := start + strings.Index(text[start:at], words)
			l := line{span: span{from, from + len(words)}, text: words, above: newlines > 1 || page, first: page}
			if n := len(lines); n > 0 {
				lines[n-1].below, lines[n-1].last = l.above, page
			}
			lines, newlines, page = append(lines, l), 0, false
		}
		if at < len(text) {
			newlines++
			page = page || text[at] == '\f'
			start = at + 1
		}
	}
	if n := len(lines); n > 0 {
		lines[n-1].below = true
	}
	return lines
}

var (
	outer  = lazy.Regexp(`^\D{0,80}?\d{1,4}\b|\b\d{1,4}\D{0,12}$`)
	digits = lazy.Regexp(`\d+`)
	counts = lazy.Regexp(`^[-–—|\[( ]*\p{L}*\.? ?(\d{1,4}) ?(?:/|\p{L}{1,4}) ?(\d{1,4})[-–—|\]). ]*$`)
	framed = lazy.Regexp(`^[-–—]+ *\d{1,4} *[-–—]+$`)
)

// repeated returns the keys of lines that pages repeat: the same line apart from a number that
// counts the pages. A price list repeats lines too, but its numbers don't count by one.
func repeated(lines []line) map[string]bool {
	known, seen, numbers := map[string]bool{}, map[string]bool{}, map[string]int{}
	for i := range lines {
		l := &lines[i]
		if len(l.text) > mostFurniture {
			continue
		}
		l.key = l.text
		if at := outer().FindStringIndex(l.text); at != nil {
			number, _ := strconv.Atoi(digits().FindString(l.text[at[0]:at[1]]))
			l.key = l.text[:at[0]] + digits().ReplaceAllString(l.text[at[0]:at[1]], "#") + l.text[at[1]:]
			if last, ok := numbers[l.key]; ok && number == last+1 {
				known[l.key] = true
			}
			numbers[l.key] = number
		}
		if m := counts().FindStringSubmatch(l.text); m != nil && !larger(m[1], m[2]) || framed().MatchString(l.text) {
			known[l.key] = true
		}
		if seen[l.text] && l.above && l.below && strings.IndexFunc(l.text, unicode.IsLetter) >= 0 {
			known[l.key] = true
		}
		seen[l.text] = true
	}
	return known
}

func larger(a, b string) bool {
	n, _ := strconv.Atoi(a)
	of, _ := strconv.Atoi(b)
	return n > of
}

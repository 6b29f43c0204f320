package taught

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

// spot is a printed value that may be a field's.
type spot struct {
	line, start, end int // its line, and its bytes in there
	text             string
	day              *printed.Date
	amount           *printed.Amount
}

// form chooses between the readings of an ambiguous value, as the taught value was read.
type form string

const (
	dayFirst   form = "day-first"
	monthFirst form = "month-first"
	whole      form = "whole" // a separator is between thousands
	decimals   form = "decimals"
)

// spotsOf lists the values of a field's kind. A number must have the shape of like.
func spotsOf(lines []Line, path, like string) (all []spot) {
	for i, l := range lines {
		switch kinds[path] {
		case extraction.Day:
			for _, d := range printed.Dates(l.Text) {
				all = append(all, spot{i, d.Start, d.End, d.Text, &d, nil})
			}
		case extraction.Number:
			all = append(all, amountsIn(l.Text, i)...)
		default:
			for _, at := range shape(like).FindAllStringIndex(l.Text, -1) {
				if edges(l.Text, at[0], at[1]) {
					all = append(all, spot{i, at[0], at[1], l.Text[at[0]:at[1]], nil, nil})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spot) int { return a.line*1000 + a.start - b.line*1000 - b.start })
	return all
}

// amountsIn lists the amounts of a line, without the parts of one printed with blanks.
func amountsIn(text string, line int) (all []spot) {
	for _, a := range printed.Amounts(text) {
		part := slices.ContainsFunc(all, func(s spot) bool { return a.Start < s.end && s.start < a.End })
		if !a.Percent && !part {
			all = append(all, spot{line, a.Start, a.End, a.Text, nil, &a})
		}
	}
	return all
}

var runs = lazy.Regexp(`\d+|\pL+|[^\d\pL]+`)

// shape matches numbers with the letters and digits of value in the same order. Digits may be two
// more or less, since numbers grow.
func shape(value string) *regexp.Regexp {
	var b strings.Builder
	for _, run := range runs().FindAllString(value, -1) {
		n := utf8.RuneCountInString(run)
		switch first, _ := utf8.DecodeRuneInString(run); {
		case unicode.IsDigit(first):
			fmt.Fprintf(&b, `\d{%d,%d}`, max(n-2, 1), n+2)
		case unicode.IsLetter(first):
			fmt.Fprintf(&b, `\pL{%d}`, n)
		default:
			b.WriteString(regexp.QuoteMeta(run))
		}
	}
	return regexp.MustCompile(b.String())
}

// edges reports whether the bytes are a whole number and not a part of one.
func edges(text string, start, end int) bool {
	part := func(near, far rune) bool {
		word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
		return word(near) || strings.ContainsRune("-./_,", near) && near != 0 && word(far)
	}
	before, n := utf8.DecodeLastRuneInString(text[:start])
	farther, _ := utf8.DecodeLastRuneInString(text[:start-n])
	after, m := utf8.DecodeRuneInString(text[end:])
	beyond, _ := utf8.DecodeRuneInString(text[end+m:])
	if n == 0 {
		before = 0
	}
	if m == 0 {
		after = 0
	}
	return !part(before, farther) && !part(after, beyond)
}

// means reports whether the spot is the value, and in which form.
func (s spot) means(v extraction.Value, credit bool) (form, bool) {
	switch {
	case s.day != nil:
		if len(s.day.Readings) == 2 {
			return []form{dayFirst, monthFirst}[max(slices.Index(s.day.Readings, v.Date), 0)], slices.Contains(s.day.Readings, v.Date)
		}
		f := form("")
		if first, ok := s.day.DayFirst(); ok && first {
			f = dayFirst
		} else if ok {
			f = monthFirst
		}
		return f, s.day.Readings[0] == v.Date
	case s.amount != nil:
		at := slices.IndexFunc(s.amount.Readings, func(a document.Amount) bool {
			return a.Equal(v.Amount) || credit && a.Abs().Equal(v.Amount.Abs())
		})
		if at < 0 || len(s.amount.Readings) == 1 {
			return "", at >= 0
		}
		return []form{whole, decimals}[at], true
	}
	return "", s.text == v.Text
}

// read returns the value of the spot as data has it; false if that stays open.
func (s spot) read(f form) (string, bool) {
	pick := func(n int, second form) (int, bool) { return bit(f == second && n > 1), n == 1 || f != "" }
	switch {
	case s.day != nil:
		at, ok := pick(len(s.day.Readings), monthFirst)
		return s.day.Readings[at].String(), ok
	case s.amount != nil:
		at, ok := pick(len(s.amount.Readings), decimals)
		return s.amount.Readings[at].Canonical(), ok
	}
	return s.text, true
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// labelOf returns the words of a value's label.
func labelOf(lines []Line, s spot, where Where) string {
	at, ok := s.line, false
	switch where {
	case Behind:
		return words(lines[s.line].Text[:s.start])
	case Right:
		at, ok = leftOf(lines, s.line)
	case Below:
		at, ok = above(lines, s.line)
	}
	if !ok {
		return ""
	}
	return words(lines[at].Text)
}

// matches lists the values at this place.
func (p Place) matches(lines []Line, spots []spot) (same []spot) {
	for _, s := range spots {
		if p.Where != Fixed && labelOf(lines, s, p.Where) == p.Label || p.Where == Fixed && p.near(lines[s.line]) {
			same = append(same, s)
		}
	}
	return same
}

// near reports whether a line stands where the taught one stood: a value may be longer, so one
// side is enough.
func (p Place) near(l Line) bool {
	const aside, down = 0.02, 0.015
	off := func(edge int) float64 { return max(p.Box[edge]-l.Box[edge], l.Box[edge]-p.Box[edge]) }
	return p.Page == l.Page && off(top) < down && min(off(left), off(right)) < aside
}

// alone reports whether the spots have one value.
func (p Place) alone(same []spot) bool {
	first, ok := same[0].read(p.Form)
	return ok && !slices.ContainsFunc(same, func(s spot) bool { v, _ := s.read(p.Form); return v != first })
}

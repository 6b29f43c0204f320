package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// articlePrefix begins the lines of Raw.Known that are articles, not identities.
const articlePrefix = "article:"

// taughtArticle is one article under two numbers, as a person's confirmation of a match taught it.
type taughtArticle struct {
	Numbers [2]string // as compared: letters and digits; the smaller first
	Source  source
}

// source has the numbers of the confirmed documents, in quotes.
type source [2]string

func sourceOf(a, b *Document) source { return source{quoted(a.Number), quoted(b.Number)} }

// String names the confirmed match in words.
func (s source) String() string { return fmt.Sprintf("the confirmed match of %s and %s", s[0], s[1]) }

// maxArticle bounds a taught article number, in bytes.
const maxArticle = 64

// Lessons lists what a confirmed match teaches, as lines of Raw.Known.
func Lessons(a, b Document) []string {
	first, second := inOrder(&a, &b)
	return slices.Concat(factLines(articlePrefix, taughtArticles(&a, &b)), factLines(labelPrefix, taughtLabels(second, first)),
		factLines(HabitPrefix, shownHabits(first, second)))
}

// Lesson describes a line of Raw.Known that a confirmed match taught: its kind, its words, and the
// match. It is empty for other lines.
func Lesson(fact string) (kind, words, source string) {
	if a, ok := factOf[taughtArticle](fact, articlePrefix); ok {
		return "article", fmt.Sprintf("%s is %s", quoted(a.Numbers[0]), quoted(a.Numbers[1])), a.Source.String()
	}
	if l, ok := factOf[taughtLabel](fact, labelPrefix); ok {
		return "label", fmt.Sprintf("%s names the %s", quoted(l.Word), l.To.Words()), l.Source.String()
	}
	if h, ok := factOf[habit](fact, HabitPrefix); ok && habitWords[h.Is] != "" {
		return "habit", h.words(), h.Source.String()
	}
	return "", "", ""
}

// factLines writes facts of one kind as lines of Raw.Known.
func factLines[T any](prefix string, facts []T) (lines []string) {
	for _, f := range facts {
		raw, _ := json.Marshal(f) // of strings, so it cannot fail
		lines = append(lines, prefix+string(raw))
	}
	return lines
}

// factOf parses a line of Raw.Known, unless it's of another kind.
func factOf[T any](line, prefix string) (fact T, ok bool) {
	raw, ok := strings.CutPrefix(line, prefix)
	return fact, ok && json.Unmarshal([]byte(raw), &fact) == nil
}

// factsOf parses the lines of one kind in Raw.Known.
func factsOf[T any](known, prefix string) (facts []T) {
	for line := range strings.SplitSeq(known, "\n") {
		if f, ok := factOf[T](line, prefix); ok {
			facts = append(facts, f)
		}
	}
	return facts
}

// taughtArticles lists lines of different article numbers that agree in quantity and in price or
// words. It lists none if the documents have a common number, because they share a numbering.
func taughtArticles(a, b *Document) (list []taughtArticle) {
	lines := align(a.items, b.items)
	if slices.ContainsFunc(lines, func(l line) bool { return l.bySKU }) {
		return nil
	}
	for _, l := range lines {
		x, y := a.items[l.i].printed, b.items[l.j].printed
		differ := x != "" && y != "" && x != y && max(len(x), len(y)) <= maxArticle
		if !differ || l.is != equal || l.otherPrice || l.how < likeArticle && !l.samePrice {
			continue
		}
		list = append(list, taughtArticle{[2]string{min(x, y), max(x, y)}, sourceOf(a, b)})
	}
	return list
}

// learn gives the items the common number of their article. A number of two taught articles, or of
// two items of the document, keeps its own.
func (d *Document) learn(articles []taughtArticle) {
	other, count := map[string]taughtArticle{}, map[string]int{}
	for _, a := range articles {
		for _, n := range a.Numbers {
			switch known, is := other[n]; {
			case !is:
				other[n], count[n] = a, 1
			case known.Numbers != a.Numbers:
				count[n]++
			}
		}
	}
	has := map[string]int{}
	for i := range d.items {
		d.items[i].sku, d.items[i].taught = d.items[i].printed, ""
		has[d.items[i].printed]++
	}
	for i := range d.items {
		a, is := other[d.items[i].printed]
		if !is || count[a.Numbers[0]] > 1 || count[a.Numbers[1]] > 1 || has[a.Numbers[0]] > 0 && has[a.Numbers[1]] > 0 {
			continue
		}
		d.items[i].sku = a.Numbers[0]
		d.items[i].taught = fmt.Sprintf("Articles %s and %s are one, by %s.", quoted(a.Numbers[0]), quoted(a.Numbers[1]), a.Source)
	}
}

// taught adds the source of the taught articles among the common lines to the evidence about the
// items.
func (c comparison) taught(a, b *Document, evidence []Evidence) []Evidence {
	if len(evidence) == 0 {
		return evidence
	}
	for _, l := range c.lines {
		x, y := &a.items[l.i], &b.items[l.j]
		if said := max(x.taught, y.taught); l.bySKU && said != "" && x.printed != y.printed {
			evidence[0].Text += " " + said
			break
		}
	}
	return evidence
}

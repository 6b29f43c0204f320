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
	Source  [2]string // the numbers of the confirmed documents
}

// fact is the article as a line of Raw.Known.
func (a taughtArticle) fact() string {
	raw, _ := json.Marshal(a) // of strings, so it cannot fail
	return articlePrefix + string(raw)
}

// maxArticle bounds a taught article number, in bytes.
const maxArticle = 64

// Lessons lists what a confirmed match teaches, as lines of Raw.Known.
func Lessons(a, b Document) (facts []string) {
	for _, article := range taughtArticles(a, b) {
		facts = append(facts, article.fact())
	}
	first, second := inOrder(&a, &b)
	for _, l := range taughtLabels(second, first) {
		facts = append(facts, l.fact())
	}
	for _, h := range shownHabits(a, b) {
		facts = append(facts, h.fact())
	}
	return facts
}

// Lesson describes a line of Raw.Known that a confirmed match taught: its kind, its words, and the
// match. It is empty for other lines.
func Lesson(fact string) (kind, words, source string) {
	var a taughtArticle
	var l taughtLabel
	var h habit
	by := func(s [2]string) string { return fmt.Sprintf("the confirmed match of %s and %s", s[0], s[1]) }
	switch {
	case isFact(fact, articlePrefix, &a):
		return "article", fmt.Sprintf("%s is %s", quoted(a.Numbers[0]), quoted(a.Numbers[1])), by(a.Source)
	case isFact(fact, labelPrefix, &l):
		return "label", fmt.Sprintf("%s names the %s", quoted(l.Word), l.To.Words()), by(l.Source)
	case isFact(fact, HabitPrefix, &h) && habitWords[h.Is] != "":
		return "habit", h.words(), by(h.Source)
	}
	return "", "", ""
}

// isFact parses a line of Raw.Known of one kind.
func isFact(line, prefix string, to any) bool {
	raw, ok := strings.CutPrefix(line, prefix)
	return ok && json.Unmarshal([]byte(raw), to) == nil
}

// taughtArticles lists lines of different article numbers that agree in quantity and in price or
// words. It lists none if the documents have a common number, because they share a numbering.
func taughtArticles(a, b Document) (list []taughtArticle) {
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
		list = append(list, taughtArticle{[2]string{min(x, y), max(x, y)}, [2]string{quoted(a.Number), quoted(b.Number)}})
	}
	return list
}

// learn gives the items the common number of their article. A number of two taught articles, or of
// two items of the document, keeps its own.
func (d *Document) learn(facts []string) {
	other, count := map[string]taughtArticle{}, map[string]int{}
	for _, fact := range facts {
		var a taughtArticle
		if !isFact(fact, articlePrefix, &a) {
			continue
		}
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
		d.items[i].taught = fmt.Sprintf("Articles %s and %s are one, by the confirmed match of %s and %s.",
			quoted(a.Numbers[0]), quoted(a.Numbers[1]), a.Source[0], a.Source[1])
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

package score

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
)

// labelPrefix begins the lines of Raw.Known that are labels.
const labelPrefix = "label:"

// taughtLabel is a supplier's word for documents of a type, as a person's confirmation of a match
// taught it.
type taughtLabel struct {
	Word   string        `json:"word"` // folded, as reference.Unknown has it
	On     document.Type `json:"on"`   // the documents that print it
	To     document.Type `json:"to"`   // the documents that it names
	Source source        `json:"source"`
}

// taughtLabels lists the unknown words before the number of b in a's texts, if a doesn't cite it by
// a known one.
func taughtLabels(a, b *Document) (list []taughtLabel) {
	cited := func(n number) bool {
		agreement, strength := n.parts.Means(b.number.parts)
		return agreement == reference.Same && (strength >= tiny || n.Raw == b.Number && len(n.Raw) > 2) ||
			agreement == reference.Part && strength >= short
	}
	if a.Type == b.Type || slices.ContainsFunc(a.cites, func(c *citation) bool { return c.Type != "" && cited(c.number) }) {
		return nil
	}
	for _, f := range reference.Unknown(strings.Join(a.texts(), "\n")) {
		l := taughtLabel{f.Type, a.Type, b.Type, sourceOf(a, b)}
		if cited(normaliseNumber(f.Number)) && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return list
}

// learnLabels reads the citations again, with the labels taught for documents of this type. A word
// that names two types names none.
func (d *Document) learnLabels(labels []taughtLabel) {
	if len(labels) == 0 && len(d.labels) == 0 {
		return
	}
	d.labels = map[string]taughtLabel{}
	for _, l := range labels {
		if l.On != d.Type || l.Word == "" {
			continue
		}
		if other, is := d.labels[l.Word]; is && other.To != l.To {
			l.To = ""
		} else if is {
			l = other
		}
		d.labels[l.Word] = l
	}
	d.readCitations()
}

// citeLabelled adds the numbers behind taught labels, even if they're cited without a type.
func (d *Document) citeLabelled() {
	var words []string
	for word, l := range d.labels {
		if l.To != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return
	}
	labels := reference.NewLabels(words)
	for _, text := range d.texts() {
		for _, f := range labels.Find(text) {
			l, n := d.labels[f.Type], normaliseNumber(f.Number)
			d.cites = slices.DeleteFunc(d.cites, func(c *citation) bool { return c.Type == "" && c.Canonical == n.Canonical })
			d.cite(citation{Type: string(l.To), number: n, InText: true, taught: fmt.Sprintf(
				"%s names the %s, by %s.", quoted(l.Word), l.To.Words(), l.Source)})
		}
	}
}

// explained adds what was taught about the citations to the evidence.
func explained(evidence []Evidence, citations ...*citation) []Evidence {
	for _, c := range citations {
		if len(evidence) > 0 && c.taught != "" {
			evidence[0].Text += " " + c.taught
			break
		}
	}
	return evidence
}

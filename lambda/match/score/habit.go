package score

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

const (
	// HabitPrefix begins the lines of Raw.Known that are habits.
	HabitPrefix = "habit:"
	// HabitSource begins the source in such a line.
	HabitSource = `,"source"`
	// HabitFrom is the number of confirmed matches that make a habit, for SQL.
	HabitFrom = "3"
	habitFrom = 3
)

// habit is something that speaks against a match, and a person confirmed the match: what a supplier
// does again and again is no evidence against its documents.
type habit struct {
	Is     string        `json:"is"`     // a key of habitWords
	First  document.Type `json:"first"`  // in the order of business
	Second document.Type `json:"second"` // the other one
	Source source        `json:"source"`
}

// habits are the kinds of evidence that may be habits.
var habits = map[string]string{evDateEarly.name: "dates", evDateOrder.name: "dates", evPricesDiffer.name: "prices"}

var habitWords = map[string]string{"dates": "%ss are dated before the %s", "prices": "%ss have other prices than the %s"}

func (h habit) words() string {
	return fmt.Sprintf(habitWords[h.Is], h.Second.Words(), h.First.Words())
}

// shownHabits lists the habits that a match of the two shows, in the order of business.
func shownHabits(first, second *Document) (list []habit) {
	for _, ev := range first.Score(*second).Evidence {
		if is, ok := habits[ev.Name]; ok && first.Type != second.Type {
			list = append(list, habit{is, first.Type, second.Type, sourceOf(first, second)})
		}
	}
	return list
}

// learnHabits keeps the habits that enough confirmed matches show, with their sources.
func (d *Document) learnHabits(shown []habit) {
	d.habits = map[habit][]string{}
	for _, h := range shown {
		from := h.Source[0] + " and " + h.Source[1]
		if h.Source = (source{}); habitWords[h.Is] != "" && !slices.Contains(d.habits[h], from) {
			d.habits[h] = append(d.habits[h], from)
		}
	}
}

// accustomed takes the points from evidence that is a habit of the supplier, and says why.
func accustomed(first, second *Document, evidence []Evidence) []Evidence {
	for i, ev := range evidence {
		h := habit{Is: habits[ev.Name], First: first.Type, Second: second.Type}
		from := first.habits[h]
		if len(from) < len(second.habits[h]) {
			from = second.habits[h]
		}
		if len(from) < habitFrom {
			continue
		}
		evidence[i].Points = 0
		evidence[i].Text += fmt.Sprintf(" The supplier's %s, by the confirmed matches of %s.", h.words(), strings.Join(from, ", "))
	}
	return evidence
}

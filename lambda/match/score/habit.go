package score

import (
	"encoding/json"
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
	Source [2]string     `json:"source"` // the numbers of the confirmed documents
}

func (h habit) fact() string {
	raw, _ := json.Marshal(h) // of strings, so it cannot fail
	return HabitPrefix + string(raw)
}

// of is the habit without its source.
func (h habit) of() habit {
	h.Source = [2]string{}
	return h
}

// habits are the kinds of evidence that may be habits.
var habits = map[string]string{evDateEarly.name: "dates", evDateOrder.name: "dates", evPricesDiffer.name: "prices"}

var habitWords = map[string]string{"dates": "%ss are dated before the %s", "prices": "%ss have other prices than the %s"}

func (h habit) words() string {
	return fmt.Sprintf(habitWords[h.Is], h.Second.Words(), h.First.Words())
}

// shownHabits lists the habits that a match of the two shows.
func shownHabits(a, b Document) (list []habit) {
	first, second := inOrder(&a, &b)
	for _, ev := range a.Score(b).Evidence {
		if is, ok := habits[ev.Name]; ok && a.Type != b.Type {
			list = append(list, habit{is, first.Type, second.Type, [2]string{quoted(first.Number), quoted(second.Number)}})
		}
	}
	return list
}

// learnHabits keeps the habits that enough confirmed matches show, with their sources.
func (d *Document) learnHabits(facts []string) {
	d.habits = nil
	for _, fact := range facts {
		var h habit
		if !isFact(fact, HabitPrefix, &h) || habitWords[h.Is] == "" {
			continue
		}
		if d.habits == nil {
			d.habits = map[habit][]string{}
		}
		source := h.Source[0] + " and " + h.Source[1]
		if of := h.of(); !slices.Contains(d.habits[of], source) {
			d.habits[of] = append(d.habits[of], source)
		}
	}
}

// accustomed takes the points from evidence that is a habit of the supplier, and says why.
func accustomed(first, second *Document, evidence []Evidence) []Evidence {
	for i, ev := range evidence {
		h := habit{Is: habits[ev.Name], First: first.Type, Second: second.Type}
		sources := max(len(first.habits[h]), len(second.habits[h]))
		if h.Is == "" || sources < habitFrom {
			continue
		}
		from := first.habits[h]
		if len(from) < sources {
			from = second.habits[h]
		}
		evidence[i].Points = 0
		evidence[i].Text += fmt.Sprintf(" The supplier's %s, by the confirmed matches of %s.", h.words(), strings.Join(from, ", "))
	}
	return evidence
}

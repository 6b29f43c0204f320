package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"
)

// Finding is a finding with its disposition.
type Finding struct {
	record.Finding
	record.Disposition
}

// With returns the findings of a review with their dispositions, in the same order.
func With(findings []record.Finding, actions []record.Action) []Finding {
	all := record.DispositionsOf(actions)
	list := make([]Finding, len(findings))
	for i, f := range findings {
		d, ok := all[f.Seq]
		if !ok {
			d = record.DispositionOf(nil)
		}
		list[i] = Finding{Shown(f), d}
	}
	return list
}

// Shown returns a finding as people and programs get it: a question to a person has no severity.
func Shown(f record.Finding) record.Finding {
	if f.Analyst == whole.Doubts {
		f.Severity = record.ToCheck
	}
	return f
}

// Stands reports whether there is something to decide about the finding: it neither repeats
// another one nor was withdrawn.
func (f Finding) Stands() bool { return f.Repeats == 0 && !f.Withdrawn }

// Decided describes the decision about the finding in one line, and the person assigned to it. It's
// empty for an open finding of nobody.
func (f Finding) Decided() string {
	var parts []string
	if f.State != record.Open {
		line := capital(string(f.State)) + " by " + byOn(f.DecidedBy, *f.DecidedAt)
		if f.Carried {
			line += ", in an earlier review of this clause"
		}
		if reason := term.Clean(f.Reason, mostText); reason != "" {
			line += ": " + reason
		}
		parts = append(parts, line)
	}
	if f.Assignee != "" {
		parts = append(parts, "Assigned to "+term.Clean(f.Assignee, mostName))
	}
	return strings.Join(parts, " · ")
}

// Comments returns the comments, each in one line.
func (f Finding) Comments() (lines []string) {
	for _, a := range f.History {
		if a.Kind == record.Comment {
			lines = append(lines, byOn(a.By, a.At)+": "+term.Clean(a.Text, mostText))
		}
	}
	return lines
}

func byOn(person string, at time.Time) string {
	return term.Clean(person, mostName) + " on " + at.UTC().Format(time.DateOnly)
}

// Filter selects findings. An empty list selects all.
type Filter struct {
	Severities []record.Severity
	Analysts   []string
	States     []record.State // selects only findings with something to decide
}

// NewFilter parses lists separated by commas.
func NewFilter(severities, analysts, states string) (f Filter, err error) {
	if f.Severities, err = oneOf("severity", severities, record.Choices()); err != nil {
		return f, err
	}
	f.Analysts = listed[string](analysts)
	f.States, err = oneOf("state", states, record.States())
	return f, err
}

func listed[T ~string](text string) (list []T) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, T(part))
		}
	}
	return list
}

func oneOf[T ~string](name, text string, known []T) ([]T, error) {
	list := listed[T](text)
	for _, value := range list {
		if !slices.Contains(known, value) {
			return nil, fmt.Errorf("%s: invalid value %.40q, expected some of %s", name, string(value),
				strings.Trim(fmt.Sprint(known), "[]"))
		}
	}
	return list, nil
}

// Select returns the selected findings, the heaviest first, then by place.
func (f Filter) Select(findings []Finding) (list []Finding) {
	for _, g := range findings {
		inState := len(f.States) == 0 || g.Stands() && chosen(f.States, g.State)
		if inState && chosen(f.Severities, g.Severity) && chosen(f.Analysts, g.Analyst) {
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return a.Compare(b.Finding) })
	return list
}

func chosen[T comparable](list []T, value T) bool {
	return len(list) == 0 || slices.Contains(list, value)
}

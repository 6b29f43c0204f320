package playbook

import (
	"slices"
	"strings"

	"matchbook/lambda/review/category"
	"matchbook/lambda/review/record"
)

// ByRules returns the findings about a chunk without a model: one for each unwanted clause,
// and one for each clause with terms a person must compare. The latter are one severity lower,
// because presence alone proves nothing. A clause that binds only the other side is for
// information.
func (p Playbook) ByRules(marks []record.Mark) (found []record.Finding) {
	for _, m := range marks {
		position, ok := p.Position(m.Category)
		if !ok || position.Clause == accepted {
			continue
		}
		f := position.finding(m.Category)
		f.Quote, f.Start, f.End = m.Quote, m.Start, m.End
		var title string
		f.Severity, title = p.weigh(m, position)
		f.Title = title + words(m.Category)
		f.Explanation = sentences(labelled("Acceptable", position.Acceptable), labelled("Unwanted", position.Unwanted),
			position.Reason)
		if position.Clause == unwanted {
			f.Explanation = sentences(position.Reason, labelled("Unwanted", position.Unwanted))
		}
		found = append(found, f)
	}
	return found
}

// Missing returns the findings about required clauses. marks must hold the marks of all
// chunks, otherwise clauses are reported by mistake.
func (p Playbook) Missing(marks []record.Mark) (found []record.Finding) {
	for _, c := range record.All() {
		position, ok := p.Position(c)
		marked := func(m record.Mark) bool { // an exclusion of all liability is no cap
			return m.Category == c && (c != record.LiabilityCap || !category.ExcludesAll(m.Quote))
		}
		if !ok || !position.Required || slices.ContainsFunc(marks, marked) {
			continue
		}
		f := position.finding(c)
		f.Title = "Missing clause: " + words(c)
		f.Explanation = sentences(position.Reason, labelled("Acceptable", position.Acceptable))
		found = append(found, f)
	}
	return found
}

func (p Position) finding(c record.Category) record.Finding {
	return record.Finding{Analyst: Analyst, Category: c, Severity: p.Severity, Fallback: p.Fallback}
}

func lighter(s record.Severity) record.Severity {
	all := record.Severities()
	return all[min(slices.Index(all, s)+1, len(all)-1)]
}

func words(c record.Category) string { return strings.ReplaceAll(string(c), "-", " ") }

func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + ": " + text
}

func sentences(texts ...string) string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, " ")
}

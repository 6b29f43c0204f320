package whole

import (
	"slices"
	"strings"

	text "matchbook/lambda/cli/term"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
)

// absent begins the title of a model's finding about a missing protection. The rules' findings
// about missing clauses begin otherwise.
const absent = "Absent: "

// weighed separates a finding's explanation from the reason for its final severity.
const weighed = " Seen with the whole contract: "

// Read adds the model's answer to a result: findings about two clauses and about absent
// protections, which findings repeat others, and the severities that change. An entry with a
// quote missing from the contract, or a number not in the list, is dropped and counted, because
// the others still hold. kept counts the rest.
func Read(answer string, t record.Task, into *record.Result) (kept int, err error) {
	form, err := answers.Read(answer, mostAnswer)
	if err != nil {
		return 0, err
	}
	r := reading{task: t, Result: into, known: map[int]record.Finding{}}
	r.Findings, r.Same, r.Weighed, r.Dropped = nil, map[int]int{}, nil, 0
	for _, f := range standing(t.Findings) {
		r.known[f.Seq] = f
	}
	for _, l := range []struct {
		name string
		read func(entry) bool
	}{{"together", r.together}, {"same", r.same}, {"weights", r.weight}, {"absent", r.absent}} {
		for i, e := range form[l.name].([]any) {
			if i < mostOfList && l.read(entry(e.(map[string]any))) {
				kept++
			} else {
				r.Dropped++
			}
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b record.Finding) int { return a.Start - b.Start })
	return kept, nil
}

// reading is an answer as far as it is read.
type reading struct {
	*record.Result
	task  record.Task
	known map[int]record.Finding // by number
}

// entry is an entry of a list.
type entry map[string]any

func (e entry) number(field string) int { return int(e[field].(float64)) }

func (e entry) line(field string, most int) string { return text.Clean(e[field].(string), most) }

// finding returns the entry's finding, and false if it lacks a text.
func (e entry) finding() (record.Finding, bool) {
	f := record.Finding{Analyst: string(record.Contract), Category: record.Category(e["category"].(string)),
		Severity: record.Severity(e["severity"].(string)), Title: e.line("title", mostTitle),
		Explanation: e.line("explanation", mostReason), Fallback: e.line("fallback", mostReason)}
	return f, f.Title != "" && f.Explanation != ""
}

// together reads what two clauses do together. The one first in the contract comes first. A
// contradiction that rules found already is no news.
func (r *reading) together(e entry) bool {
	f, ok := e.finding()
	start, end, first := quote.Find(r.task.Text, e["first"].(string))
	from, to, second := quote.Find(r.task.Text, e["second"].(string))
	if !ok || !first || !second || start < to && from < end {
		return false
	}
	if from < start {
		start, end, from, to = from, to, start, end
	}
	f.Start, f.End, f.SecondStart, f.SecondEnd = start, end, from, to
	taken := func(f record.Finding) bool { return known(r.task.Findings, f) || known(r.Findings, f) }
	if taken(f) { // a clause is logged once; the other may be free
		f.Start, f.End, f.SecondStart, f.SecondEnd = from, to, start, end
	}
	f.Quote, f.Second = r.task.Text[f.Start:f.End], r.task.Text[f.SecondStart:f.SecondEnd]
	byRules := func(d difference) bool { return d.isOf(f) }
	if !taken(f) && !slices.ContainsFunc(differencesIn(r.task), byRules) {
		r.Findings = append(r.Findings, f)
	}
	return true
}

func (r *reading) absent(e entry) bool {
	f, ok := e.finding()
	f.Title = text.Clean(absent+f.Title, mostTitle)
	if ok && !known(r.task.Findings, f) && !known(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
	return ok
}

// same reads a repetition. The finding that stays gets the heavier severity.
func (r *reading) same(e entry) bool {
	a, b := e.number("finding"), e.number("as")
	later, ok := r.known[max(a, b)]
	first, stands := r.known[min(a, b)]
	if !ok || !stands || a == b {
		return false
	}
	for r.Same[first.Seq] != 0 {
		first = r.known[r.Same[first.Seq]]
	}
	r.Same[later.Seq] = first.Seq
	if heavier(later.Severity, first.Severity) {
		r.weigh(first, later.Severity, "a finding about the same clause weighs it so.")
	}
	return true
}

func (r *reading) weight(e entry) bool {
	f, ok := r.known[e.number("finding")]
	reason, severity := e.line("reason", mostReason), record.Severity(e["severity"].(string))
	if !ok || reason == "" {
		return false
	}
	if severity != f.Severity {
		r.weigh(f, severity, reason)
	}
	return true
}

// weigh changes a finding's severity. A reason from the whole contract replaces the other.
func (r *reading) weigh(f record.Finding, s record.Severity, reason string) {
	explanation, _, _ := strings.Cut(f.Explanation, weighed)
	w := record.Weighed{Seq: f.Seq, Severity: s, Explanation: explanation + weighed + reason}
	i := slices.IndexFunc(r.Weighed, func(w record.Weighed) bool { return w.Seq == f.Seq })
	if i < 0 {
		r.Weighed = append(r.Weighed, w)
	} else if heavier(s, r.Weighed[i].Severity) {
		r.Weighed[i] = w
	}
}

func heavier(a, b record.Severity) bool {
	all := record.Severities()
	return slices.Index(all, a) < slices.Index(all, b)
}

// isOf reports whether a finding is about the difference's two clauses.
func (d difference) isOf(f record.Finding) bool {
	at := func(t term, start, end int) bool { return t.start < end && start < t.end }
	return at(d.first, f.Start, f.End) && at(d.second, f.SecondStart, f.SecondEnd) ||
		at(d.second, f.Start, f.End) && at(d.first, f.SecondStart, f.SecondEnd)
}

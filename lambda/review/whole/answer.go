package whole

import (
	"maps"
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
	r := reading{task: t, Result: into, known: map[int]record.Finding{}, weights: map[int]record.Weighed{}}
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
	r.settle()
	slices.SortStableFunc(r.Findings, func(a, b record.Finding) int { return a.Start - b.Start })
	return kept, nil
}

// reading is an answer as far as it is read.
type reading struct {
	*record.Result
	task  record.Task
	known map[int]record.Finding // by number
	// weights are the answer's own, with its reasons.
	weights map[int]record.Weighed
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
	if e["contradiction"] == true && !Contradicts(f) {
		f.Title = text.Clean(contradiction+f.Title, mostTitle)
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

// same reads a repetition, as a number and the smaller one that stands for it.
func (r *reading) same(e entry) bool {
	a, b := e.number("finding"), e.number("as")
	_, ok := r.known[a]
	_, stands := r.known[b]
	if !ok || !stands || a == b {
		return false
	}
	if a, b = r.root(a), r.root(b); a != b {
		r.Same[max(a, b)] = min(a, b)
	}
	return true
}

func (r *reading) root(seq int) int {
	for r.Same[seq] != 0 {
		seq = r.Same[seq]
	}
	return seq
}

// weight reads a severity. Of two for one finding the heavier counts.
func (r *reading) weight(e entry) bool {
	f, ok := r.known[e.number("finding")]
	reason, severity := e.line("reason", mostReason), record.Severity(e["severity"].(string))
	if !ok || reason == "" {
		return false
	}
	if w, again := r.weights[f.Seq]; !again || heavier(severity, w.Severity) {
		r.weights[f.Seq] = record.Weighed{Seq: f.Seq, Severity: severity, Explanation: reason}
	}
	return true
}

// settle gives a finding the heaviest severity of its repetitions, unless the answer weighs it. It
// runs after all lists are read, because their order means nothing.
func (r *reading) settle() {
	final := maps.Clone(r.weights)
	for _, seq := range slices.Sorted(maps.Keys(r.Same)) {
		first := r.root(seq)
		r.Same[seq] = first
		w, ok := r.weights[seq]
		if !ok {
			w = record.Weighed{Severity: r.known[seq].Severity, Explanation: "a finding about the same clause weighs it so."}
		}
		w.Seq = first
		now, merged := final[first]
		if !merged {
			now.Severity = r.known[first].Severity
		}
		if _, own := r.weights[first]; !own && heavier(w.Severity, now.Severity) {
			final[first] = w
		}
	}
	for _, seq := range slices.Sorted(maps.Keys(final)) {
		f, w := r.known[seq], final[seq]
		if w.Severity == f.Severity {
			continue
		}
		explanation, _, _ := strings.Cut(f.Explanation, weighed) // of an earlier try
		w.Explanation = explanation + weighed + w.Explanation
		r.Weighed = append(r.Weighed, w)
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

// Package whole is the last step of a review: it reads the contract as a whole,
// when all its parts have an end. It finds what no part shows by itself.
//
//   - Repetitions: parts overlap, and a clause in the overlap is read twice.
//   - Missing clauses: the playbook asks for a category that no part has. Where
//     parts were not read, the finding is limited to the parts that were.
//   - Contradictions: two clauses that cannot both hold. Rules compare the
//     governing law, the notice of a termination for convenience, the period and
//     the notice of a renewal, and the cap of a liability. They report a
//     difference only where subject, object and condition of both clauses are
//     equal: a shorter notice for a breach contradicts nothing. A model, if there
//     is one, is asked for further ones, over the numbered quotes of all parts.
//
// It asks nothing and stores nothing: package review does.
package whole

import (
	"fmt"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// Conclude returns the findings about the contract as a whole, and the findings
// that repeat others. A review that was started again, for parts that it had not
// read, gets only findings that it does not have, and those of the rules that no
// longer hold are withdrawn.
func Conclude(t record.Task, rules playbook.Playbook) record.Result {
	hold := append(contradictionsOf(t), missing(t, rules)...)
	added := slices.DeleteFunc(slices.Clone(hold), func(f record.Finding) bool { return known(t.Findings, f) })
	return record.Result{Stage: record.Contract, Outcome: record.Done, Findings: added, Same: repeated(t),
		Withdrawn: withdrawn(t.Findings, hold)}
}

// known reports whether a finding about the contract as a whole is in the list: a
// contradiction by the place of its clause, which is in the log once, and a
// missing clause by its title.
func known(list []record.Finding, f record.Finding) bool {
	return slices.ContainsFunc(list, func(e record.Finding) bool {
		return e.Analyst == f.Analyst && e.Category == f.Category && e.Start == f.Start && e.End == f.End &&
			(e.Title == f.Title || f.Quote != "")
	})
}

// withdrawn returns the findings of earlier readings by the rules that are not
// among those that hold. What a model has found stays: the clauses still stand.
func withdrawn(earlier, hold []record.Finding) (seqs []int) {
	for _, e := range earlier {
		byRules := e.Analyst == string(record.Contract) && (e.Quote == "" || ofRules(e))
		if byRules && !e.Withdrawn && !known(hold, e) {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs
}

// missing returns the clauses that the contract should have.
func missing(t record.Task, rules playbook.Playbook) []record.Finding {
	unread := 0
	for _, c := range t.Chunks {
		if c.Status != job.StatusSucceeded {
			unread++
		}
	}
	found := rules.Missing(t.Marks)
	for i := range found {
		f := &found[i]
		f.Analyst = string(record.Contract)
		if unread > 0 {
			f.Title += " (in the parts that were read)"
			f.Explanation = fmt.Sprintf("Not found in the parts that were read; %d of %d parts were not. %s",
				unread, len(t.Chunks), f.Explanation)
		}
	}
	return found
}

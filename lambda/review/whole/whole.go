// Package whole is the last step of a review. It runs when all parts have finished, and finds
// problems visible only in the contract as a whole.
//
//   - Repetitions: parts overlap, so a clause in the overlap is read twice.
//   - Missing clauses: the playbook requires a category found in no part. If parts are unread,
//     the finding is limited to the read ones. If only the model or only the rules see the
//     clause, a person is asked instead.
//   - Contradictions: two clauses that cannot both hold. Rules compare the governing law,
//     the courts, the first term, notices and renewals, the payment term, the survival of secrecy
//     and the cap on liability. They require the same subject, object and condition in both clauses, because
//     a shorter notice for a breach contradicts nothing.
//
// These are recorded first. If there is a model, one question over the contract and all findings
// then asks what clauses do together, which findings are the same, which weigh more or less, and
// which protections are absent.
//
// It neither calls the model nor the store; see package review for both.
package whole

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// Conclude returns the findings about the contract as a whole, and which findings repeat
// others. On a retry it returns only new findings, and withdraws the rules' earlier ones if
// they no longer hold.
func Conclude(t record.Task, rules playbook.Playbook) record.Result {
	hold := slices.Concat(contradictionsOf(t), missing(t, rules), doubted(t, rules))
	added := slices.DeleteFunc(slices.Clone(hold), func(f record.Finding) bool { return known(t.Findings, f) })
	return record.Result{Stage: record.Contract, Outcome: record.Done, Findings: added, Same: repeated(t),
		Withdrawn: withdrawn(t.Findings, hold)}
}

// known reports whether the list has f. It compares contradictions by place, since each clause
// is logged once, and missing clauses by title.
func known(list []record.Finding, f record.Finding) bool {
	return slices.ContainsFunc(list, func(e record.Finding) bool {
		return e.Analyst == f.Analyst && e.Category == f.Category && e.Start == f.Start && e.End == f.End &&
			(e.Title == f.Title || f.Quote != "")
	})
}

// withdrawn returns the rules' earlier findings that no longer hold. A model's findings stay,
// because their clauses still stand.
func withdrawn(earlier, hold []record.Finding) (seqs []int) {
	for _, e := range earlier {
		missing := e.Quote == "" && !strings.HasPrefix(e.Title, absent)
		byRules := e.Analyst == Doubts || e.Analyst == string(record.Contract) && (missing || ofRules(e))
		if byRules && !e.Withdrawn && !known(hold, e) {
			seqs = append(seqs, e.Seq)
		}
	}
	return seqs
}

func unread(t record.Task) (n int) {
	for _, c := range t.Chunks {
		if !isRead(c) {
			n++
		}
	}
	return n
}

// missing returns the findings about clauses required by the playbook and found by nobody.
func missing(t record.Task, rules playbook.Playbook) []record.Finding {
	unread := unread(t)
	found := expected(t, rules.Missing(append(slices.Clone(t.Marks), marksByRules(t)...)))
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

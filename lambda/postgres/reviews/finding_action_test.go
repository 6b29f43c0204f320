package reviews_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/report"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// finished returns a review that ended with these findings.
func (r *fixture) finished(findings ...record.Finding) (review uuid.UUID) {
	r.T.Helper()
	review, stamped := r.create(1)
	f := r.takeAll(stamped)[0]
	must.Get(r.store.Task(r.T.Context(), f))(r.T)
	r.record(f, "liability", findings...)
	r.end(f, job.StatusSucceeded)
	r.end(r.claimed(r.whole(review).ID), job.StatusSucceeded)
	return review
}

// weighed is a finding at a place with a severity, about a clause.
func weighed(severity record.Severity, start int, clause string) record.Finding {
	f := finding("x", start)
	f.Severity, f.Clause, f.Title = severity, clause, fmt.Sprint("Title ", start)
	return f
}

func (r *fixture) act(review uuid.UUID, ref string, kind record.ActionKind, text, by string) record.Disposition {
	r.T.Helper()
	a := record.Request{Action: record.Action{Kind: kind, Text: text, By: by, Origin: "page"}, Form: uuid.New()}
	return must.Get(r.store.Act(r.T.Context(), review, must.Get(record.ParseRef(ref))(r.T), a))(r.T)
}

// stands compares a review's findings, the heaviest first: name, severity, state, and who decided.
func (r *fixture) stands(review uuid.UUID, want string) {
	r.T.Helper()
	findings := must.Get(r.store.Findings(r.T.Context(), review, 0, 100))(r.T)
	states := record.DispositionsOf(must.Get(r.store.Actions(r.T.Context(), review))(r.T))
	slices.SortFunc(findings, record.Finding.Compare)
	var list []string
	for _, f := range findings {
		d := states[f.Seq]
		list = append(list, strings.TrimSpace(fmt.Sprint(f.Name(), " ", f.Severity, " ", d.State, " ", d.DecidedBy)))
	}
	if got := strings.Join(list, ", "); got != want {
		r.T.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNumbersStay(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	fences := r.takeAll(stamped)
	must.Get(r.store.Task(t.Context(), fences[0]))(t)
	missing := record.Finding{Analyst: "contract", Category: record.LiabilityCap, Severity: record.High, Title: "No cap", Explanation: "None."}
	r.record(fences[0], "liability", weighed(record.High, 4, ""), weighed(record.Critical, 6, ""), weighed(record.High, 2, ""),
		weighed(record.Low, 1, ""), missing, weighed(record.Info, 0, ""))
	r.stands(review, "2 critical, 5 high, 3 high, 1 high, 4 low, 6 info") // no numbers yet
	r.end(fences[0], job.StatusSucceeded)
	r.end(fences[1], job.StatusFailed)
	whole := r.claimed(r.whole(review).ID)
	must.Get(r.store.Record(t.Context(), whole, []record.Result{{Stage: record.Contract, Outcome: record.Done,
		Same: map[int]int{6: 4}, Withdrawn: []int{3}}}))(t)
	r.end(whole, job.StatusSucceeded)
	r.stands(review, "F1 critical, F2 high, 3 high, F3 high, F4 low, 6 info")
	for _, m := range must.Get(r.store.Retry(t.Context(), review))(t) {
		f := r.claimed(m.ID)
		r.record(f, "payment", weighed(record.Critical, 12, ""), weighed(record.Critical, 11, ""))
		r.end(f, job.StatusSucceeded)
	}
	r.end(r.claimed(r.whole(review).ID), job.StatusSucceeded)
	r.stands(review, "F1 critical, F5 critical, F6 critical, F2 high, 3 high, F3 high, F4 low, 6 info")
}

func TestFindingActions(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review := r.finished(weighed(record.High, 1, "c1"), weighed(record.High, 2, "c2"), weighed(record.Critical, 3, ""))
	waiting := func(want int) {
		t.Helper()
		postgrestest.Equal(t, "waiting", postgrestest.Value[int](t, r.Conn, "SELECT waiting FROM review_job WHERE id = $1", review), want)
	}
	waiting(3)
	reviews := func(want int) {
		t.Helper()
		postgrestest.Equal(t, "reviews that wait", must.Get(report.From(r.DB).WaitingCounts(t.Context(), report.WaitingFilter{Tenant: tenant}))(t)[report.WaitingReview], want)
	}
	later := r.finished(weighed(record.Low, 1, ""))
	r.Exec("UPDATE review_job SET ended_at = ended_at + interval '1 hour' WHERE id = $1", later)
	reviews(1)
	r.Exec("UPDATE review_job SET document_id = (SELECT document_id FROM review_job WHERE id = $1) WHERE id = $2", review, later)
	reviews(0) // the latest of a contract counts
	r.act(review, "F2", record.Accept, "", "Anna")
	r.act(review, "2", record.Reject, "agreed by phone", "Ben") // by seq: F3
	r.stands(review, "F1 critical, F2 high accepted Anna, F3 high rejected Ben")
	waiting(1)
	d := r.act(review, "F3", record.Comment, "who called?", "Anna")
	d2 := r.act(review, "F3", record.Comment, "who called?", "Anna") // sent twice
	d3 := r.act(review, "F3", record.Assign, "Ben", "Anna")
	if d.Reason != "agreed by phone" || d.DecidedAt == nil || len(d.History) != 2 || len(d2.History) != 2 || d2.Version != d.Version ||
		d3.Assignee != "Ben" || d3.Version <= d.Version || d3.State != record.Rejected {
		t.Errorf("got %+v\n%+v\n%+v", d, d2, d3)
	}
	r.act(review, "F3", record.Reopen, "", "Carl")
	r.stands(review, "F1 critical, F2 high accepted Anna, F3 high open Carl")
	waiting(2)
	early := int64(1)
	must.Get(r.store.Act(t.Context(), review, record.Ref{Number: 3}, record.Request{Action: record.Action{Kind: record.Comment, Text: "so?", By: "x",
		Origin: "page"}, Form: uuid.New(), Seen: &early}))(t) // a comment is never too late
	for name, want := range map[string]error{"F4": job.ErrNotFound, "9": job.ErrNotFound, "stale": record.ErrChanged, "obsolete": record.ErrObsolete} {
		ref, stale := record.Ref{Number: 3}, int64(1)
		switch name {
		case "stale":
		case "obsolete":
			r.Exec("UPDATE review_finding SET withdrawn = true WHERE job_id = $1 AND seq = 3", review)
			ref = record.Ref{Seq: 3}
		default:
			ref = must.Get(record.ParseRef(name))(t)
		}
		before := r.Dump("finding_action", "review_job")
		_, err := r.store.Act(t.Context(), review, ref, record.Request{Action: record.Action{Kind: record.Accept, By: "x", Origin: "page"},
			Form: uuid.New(), Seen: &stale})
		if !errors.Is(err, want) || r.Dump("finding_action", "review_job") != before {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Eight people press the same button, and one form is sent eight times.
func TestActionsAtOnce(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review := r.finished(weighed(record.High, 1, "c1"))
	var clicks sync.WaitGroup
	form, seen := uuid.New(), int64(0)
	comment := func(text string) record.Request { // of one form, filled in twice
		return record.Request{Action: record.Action{Kind: record.Comment, Text: text, By: "p", Origin: "page"}, Form: form}
	}
	for i := range 8 {
		a := record.Request{Action: record.Action{Kind: record.Reject, Text: fmt.Sprint("reason ", i), By: "p", Origin: "page"}, Form: uuid.New(), Seen: &seen}
		clicks.Go(func() {
			if _, err := r.store.Act(t.Context(), review, record.Ref{Seq: 1}, a); err != nil && !errors.Is(err, record.ErrChanged) {
				t.Error(err)
			}
		})
		clicks.Go(func() {
			if _, err := r.store.Act(t.Context(), review, record.Ref{Seq: 1}, comment(fmt.Sprint(i%2))); err != nil && !errors.Is(err, record.ErrChanged) {
				t.Error(err)
			}
		})
	}
	clicks.Wait()
	postgrestest.EqualLists(t, "stored", postgrestest.Values[string](t, r.Conn, "SELECT action || count(*) FROM finding_action GROUP BY action ORDER BY 1"), []string{"comment1", "reject1"})
}

// A rejected finding is rejected in the next review of the clause, and only of it: not of another
// tenant, and not after someone took that back.
func TestRejectedStaysRejected(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	clauses := []record.Finding{weighed(record.High, 1, "c1"), weighed(record.High, 2, "c2"), weighed(record.High, 3, ""), weighed(record.High, 4, "c4")}
	first := r.finished(clauses...)
	r.act(first, "F1", record.Reject, "no risk", "Anna")
	r.act(first, "F2", record.Accept, "", "Anna")
	r.act(first, "F3", record.Reject, "no clause is known", "Anna")
	second := r.finished(clauses...)
	r.stands(second, "F1 high rejected Anna, F2 high, F3 high, F4 high")
	got := must.Get(r.store.Actions(t.Context(), second))(t)
	want := must.Get(r.store.Actions(t.Context(), first))(t)[0]
	if len(got) != 1 || !got[0].Carried || got[0].Text != "no risk" || !got[0].At.Equal(want.At) || want.Carried {
		t.Errorf("carried %+v of %+v", got, want)
	}
	postgrestest.Equal(t, "waiting", postgrestest.Value[int](t, r.Conn, "SELECT waiting FROM review_job WHERE id = $1", second), 3)
	r.act(second, "F1", record.Reopen, "", "Ben")
	r.stands(first, "F1 high rejected Anna, F2 high accepted Anna, F3 high rejected Anna, F4 high")
	r.stands(r.finished(clauses...), "F1 high, F2 high, F3 high, F4 high")
	r.act(second, "F1", record.Reject, "no risk after all", "Ben")
	r.stands(r.finished(clauses...), "F1 high rejected Ben, F2 high, F3 high, F4 high")
	r.Exec("UPDATE finding_action SET tenant_id = $1", otherTenant)
	r.stands(r.finished(clauses...), "F1 high, F2 high, F3 high, F4 high")
}

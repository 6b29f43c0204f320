package reviews_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// record records a stage that is done, with findings.
func (r *fixture) record(f job.Attempt, stage record.Stage, findings ...record.Finding) record.Standing {
	r.T.Helper()
	return must.Get(r.store.Record(r.T.Context(), f, []record.Result{{Stage: stage, Outcome: record.Done, Calls: 1, Cost: 7, Findings: findings}}))(r.T)
}

// found lists the findings of a review: seq, quote and place.
func (r *fixture) found(review uuid.UUID) (list []string) {
	r.T.Helper()
	findings := must.Get(r.store.Findings(r.T.Context(), review, 0, 100))(r.T)
	for _, f := range findings {
		list = append(list, fmt.Sprintf("%d %s %d-%d", f.Seq, f.Quote, f.Start, f.End))
	}
	return list
}

func TestFindingSeqHasNoGaps(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	fences := r.takeAll(stamped)
	must.Get(r.store.Task(t.Context(), fences[0]))(t)
	missing := record.Finding{Analyst: "contract", Category: record.LiabilityCap, Severity: record.High, Title: "No cap", Explanation: "None."}
	r.record(fences[0], "liability", finding("b", 4), finding("a", 2), finding("b", 4))
	r.record(fences[1], "liability", finding("a", 2), missing, finding("c", 12), missing) // a is found in the overlap, too
	r.record(fences[1], "liability", finding("d", 14))                                    // recorded already
	r.record(fences[0], "indemnity", missing)
	want := []string{"1 b 4-5", "2 a 2-3", "3  0-0", "4 c 12-13"}
	postgrestest.EqualLists(t, "found", r.found(review), want)
	later, err := r.store.Findings(t.Context(), review, 2, 1)
	want3 := missing
	want3.Seq, want3.ChunkID = 3, fences[1].ID
	if err != nil || len(later) != 1 || later[0] != want3 {
		t.Errorf("after 2: %+v, %v", later, err)
	}
	if j, _ := r.store.Job(t.Context(), review); j.Findings != 4 || j.Calls != 3 || j.Cost != 21 {
		t.Errorf("the review is %+v", j)
	}
}

func TestCancelEndsFindings(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	fences := r.takeAll(stamped)
	must.Get(r.store.Task(t.Context(), fences[0]))(t)
	r.record(fences[0], "liability", finding("a", 2))

	// Another connection cancels while the next stage is about to be recorded.
	release := r.Blocks("UPDATE review_job SET status = 'cancelling' WHERE id = $1", review)
	var standing record.Standing
	recorded := r.Meanwhile(func() (err error) {
		standing, err = r.store.Record(t.Context(), fences[0], []record.Result{{Stage: "indemnity", Outcome: record.Done, Calls: 1, Cost: 7,
			Findings: []record.Finding{finding("b", 4)}}})
		return err
	})
	release()
	must.OK(t, recorded())
	postgrestest.Equal(t, "status", standing.Status, record.Cancelling)
	must.Get(r.store.End(t.Context(), fences[0], job.StatusCancelled, "cancelled-at-stage-4", ""))(t)
	var outcome string
	var cost float64
	r.scan("SELECT outcome, cost_usd FROM review_checkpoint WHERE chunk_id = $1 AND stage = 'indemnity'", fences[0].ID, &outcome, &cost)
	if got := r.found(review); !slices.Equal(got, []string{"1 a 2-3"}) || outcome != "cancelled-at-stage-4" || cost != 0.000007 {
		t.Errorf("found %q; the stage is %s and cost %f", got, outcome, cost)
	}
	if j, _ := r.store.Job(t.Context(), review); j.Calls != 2 || j.Cost != 14 {
		t.Errorf("the review is %+v", j)
	}
}

func TestBudgetIsReserved(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	r.Exec("UPDATE review_job SET budget_usd = 0.000100 WHERE id = $1", review)
	fences := r.takeAll(stamped)
	begin := func(f job.Attempt, want error, left record.USD, calls ...record.Call) {
		t.Helper()
		if s, err := r.store.Begin(t.Context(), f, "m", calls); !errors.Is(err, want) || s.Left != left {
			t.Errorf("left %d, %v; want %d, %v", s.Left, err, left, want)
		}
	}
	if s, err := r.store.Begin(t.Context(), fences[0], "m", nil); s.Status != record.Queued || err != nil {
		t.Errorf("before the review runs: %+v, %v", s, err)
	}
	must.Get(r.store.Task(t.Context(), fences[0]))(t)
	begin(fences[0], nil, 40, record.Call{Stage: "liability", Estimate: 60})
	begin(fences[1], record.ErrBudget, 40, record.Call{Stage: "liability", Estimate: 30}, record.Call{Stage: "indemnity", Estimate: 11})
	begin(fences[1], nil, 0, record.Call{Stage: "liability", Estimate: 30}, record.Call{Stage: "indemnity", Estimate: 10})
	begin(fences[0], nil, 5, record.Call{Stage: "liability", Estimate: 55}) // begun again by another attempt
	if s := r.record(fences[0], "liability"); s.Left != 53 || s.Unspent != 93 {
		t.Errorf("after a call of 7: %+v", s)
	}
	r.end(fences[1], job.StatusFailed) // its reservations are free
	if s, err := r.store.Standing(t.Context(), review, "m"); s.Left != 93 || s.Unspent != 93 || err != nil {
		t.Errorf("the standing is %+v, %v", s, err)
	}
	begin(fences[0], nil, 93, record.Call{Stage: "liability", Estimate: 1000}) // it is done
	begin(fences[0], record.ErrBudget, 93, record.Call{Stage: "indemnity", Estimate: 94})
	begin(job.Attempt{ID: fences[0].ID, Number: 2}, job.ErrFenceLost, 0, record.Call{Stage: "indemnity", Estimate: 1})
	var stages int
	r.scan("SELECT count(*) FROM review_checkpoint WHERE job_id = $1", review, &stages)
	postgrestest.Equal(t, "recorded stages", stages, 3)
}

func TestStageResumes(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	_, stamped := r.create(1)
	f := r.takeAll(stamped)[0]
	marks := []record.Mark{{Category: record.Renewal, Score: 80, Quote: "lease", Start: 2, End: 7}}
	must.Get(r.store.Task(t.Context(), f))(t)
	for stage, outcome := range map[record.Stage]record.Outcome{record.Categories: record.Done, "liability": record.StageFailed} {
		must.Get(r.store.Record(t.Context(), f, []record.Result{{Stage: stage, Outcome: outcome, Reason: "why", Calls: 2, Cost: 9, Dropped: 1, Marks: marks}}))(t)
	}
	r.Advance(time.Minute)
	task, err := r.store.Task(t.Context(), r.claimed(f.ID))
	want := map[record.Stage]record.Result{record.Categories: {Stage: record.Categories, Outcome: record.Done, Reason: "why",
		Calls: 2, Cost: 9, Dropped: 1, Marks: marks}}
	if err != nil || !reflect.DeepEqual(task.Ended, want) || task.Text != "A lease 0\n" || string(task.Playbook) != "{}" || task.Chunk.Heading != "Terms" {
		t.Errorf("the task is %+v, %v", task, err)
	}
	if _, err := r.store.Task(t.Context(), f); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("the task of a stale fence: %v", err)
	}
	if _, err := r.store.Record(t.Context(), f, nil); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("a record of a stale fence: %v", err)
	}
}

func TestRepeatedFindings(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1)
	f := r.takeAll(stamped)[0]
	must.Get(r.store.Task(t.Context(), f))(t)
	r.record(f, "liability", finding("a", 1), finding("b", 2), finding("c", 3))
	same := map[int]int{3: 1, 1: 2, 9: 1} // a finding repeats an earlier one only
	must.Get(r.store.Record(t.Context(), f, []record.Result{{Stage: record.Contract, Outcome: record.Done, Same: same}}))(t)
	findings, err := r.store.Findings(t.Context(), review, 0, 10)
	if err != nil || findings[0].Repeats != 0 || findings[1].Repeats != 0 || findings[2].Repeats != 1 {
		t.Errorf("findings are %+v, %v", findings, err)
	}
}

func TestHostileTextIsStored(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	const hostile = "a\x00b\xff\u202e\\u0000'; DROP TABLE review_job; --"
	n := record.New{ID: uuid.New(), TenantID: tenant, DocumentID: uuid.New(), Name: hostile, Text: strings.Repeat(hostile, 2),
		Chunks:   []record.Chunk{{Start: 0, End: len(hostile), Heading: hostile}},
		Playbook: []byte(hostile), PlaybookVersion: hostile, Model: hostile}
	stamped := must.Get(r.store.Create(t.Context(), n))(t)
	f := r.takeAll(stamped)[0]
	task, err := r.store.Task(t.Context(), f)
	if err != nil || task.Text != hostile || string(task.Playbook) != hostile {
		t.Errorf("the task is %+v, %v", task, err)
	}
	if text, err := r.store.Text(t.Context(), n.ID); err != nil || text != n.Text {
		t.Errorf("the text is %q, %v", text, err)
	}
	bad := record.Finding{Analyst: hostile, Category: hostile, Severity: record.Low, Title: hostile, Explanation: hostile,
		Quote: hostile, Start: 0, End: 9, Fallback: hostile}
	result := record.Result{Stage: "liability", Outcome: record.Done, Reason: hostile, Calls: 1 << 40,
		Findings: []record.Finding{bad}, Marks: []record.Mark{{Category: hostile, Quote: hostile}}, Card: &record.Card{Type: hostile}}
	must.Get(r.store.Record(t.Context(), f, []record.Result{result}))(t)
	must.OK(t, r.store.Pause(t.Context(), hostile, time.Second))
	r.end(f, job.StatusSucceeded)
	const safe = "a\ufffdb\ufffd\u202e\\u0000'; DROP TABLE review_job; --"
	marks, err := r.store.Marks(t.Context(), n.ID)
	if err != nil || len(marks) != 1 || marks[0].Quote != safe {
		t.Errorf("marks are %+v, %v", marks, err)
	}
	if findings, err := r.store.Findings(t.Context(), n.ID, 0, 1); err != nil || findings[0].Title != safe {
		t.Errorf("findings are %+v, %v", findings, err)
	}
}

func TestCreateIsIdempotent(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	n := record.New{ID: uuid.New(), TenantID: tenant, DocumentID: uuid.New(), Text: "one two", Budget: 2_500_000, Estimate: 7,
		Model: "m", Chunks: []record.Chunk{{Position: 0, Start: 0, End: 4}, {Position: 1, Start: 4, End: 7}}, Playbook: []byte("{}")}
	stamped, err := r.store.Create(t.Context(), n)
	if err != nil || len(stamped) != 2 || stamped[0].Tenant != tenant || stamped[0].PublishedAt.IsZero() {
		t.Fatalf("published %+v, %v", stamped, err)
	}
	before := r.Dump(tables...)
	if stamped, err := r.store.Create(t.Context(), n); len(stamped) != 0 || err != nil || r.Dump(tables...) != before {
		t.Errorf("the same again published %+v, %v", stamped, err)
	}
	j, err := r.store.Job(t.Context(), n.ID)
	if err != nil || j.Budget != 2_500_000 || j.Estimate != 7 || j.Chunks != 2 || j.DocumentID != n.DocumentID || j.Model != "m" {
		t.Errorf("the review is %+v, %v", j, err)
	}
	chunks, err := r.store.Chunks(t.Context(), n.ID)
	if err != nil || len(chunks) != 3 || chunks[1].Start != 4 || chunks[1].Kind != record.Text || chunks[2].Position != 2 || chunks[2].End != 7 {
		t.Errorf("the chunks are %+v, %v", chunks, err)
	}
	n.ID, n.TenantID = uuid.New(), otherTenant
	if _, err := r.store.Create(t.Context(), n); !errors.Is(err, postgres.ErrOtherTenant) {
		t.Errorf("a document of another tenant: %v", err)
	}
	unknown := uuid.New()
	_, jobErr := r.store.Job(t.Context(), unknown)
	_, chunksErr := r.store.Chunks(t.Context(), unknown)
	_, textErr := r.store.Text(t.Context(), unknown)
	_, findingsErr := r.store.Findings(t.Context(), unknown, 0, 1)
	_, marksErr := r.store.Marks(t.Context(), unknown)
	_, cancelErr := r.store.Cancel(t.Context(), unknown)
	_, retryErr := r.store.Retry(t.Context(), unknown)
	_, standingErr := r.store.Standing(t.Context(), unknown, "m")
	for i, err := range []error{jobErr, chunksErr, textErr, findingsErr, marksErr, cancelErr, retryErr, standingErr} {
		if !errors.Is(err, job.ErrNotFound) {
			t.Errorf("read %d of an unknown review: %v", i, err)
		}
	}
}

func TestPauseHoldsForAll(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1)
	r.Exec("UPDATE review_job SET model = 'm' WHERE id = $1", review)
	f := r.takeAll(stamped)[0]
	for _, d := range []time.Duration{time.Minute, time.Second} { // the longer one holds
		must.OK(t, r.store.Pause(t.Context(), "m", d))
	}
	r.Advance(20 * time.Second)
	for name, want := range map[string]time.Duration{"m": 40 * time.Second, "other": 0} {
		if s, err := r.store.Standing(t.Context(), review, name); err != nil || s.Paused != want {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if s, err := r.store.Begin(t.Context(), f, "m", nil); err != nil || s.Paused != 40*time.Second {
		t.Errorf("%+v, %v", s, err)
	}
	r.Advance(time.Minute)
	if s, err := r.store.Standing(t.Context(), review, "m"); err != nil || s.Paused != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	must.OK(t, r.store.Pause(t.Context(), "m", 1000*time.Hour))
	if s, _ := r.store.Standing(t.Context(), review, "m"); s.Paused != time.Hour {
		t.Errorf("a provider that asks for weeks: %+v", s)
	}
}

func TestReopenFreesBudget(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	r.Exec("UPDATE review_job SET budget_usd = 0.000100 WHERE id = $1", review)
	fences := r.takeAll(stamped)
	r.end(fences[0], job.StatusSucceeded)
	r.end(fences[1], job.StatusFailed)
	whole := r.claimed(r.whole(review).ID)
	must.Get(r.store.Task(t.Context(), whole))(t)
	if s, err := r.store.Begin(t.Context(), whole, "m", []record.Call{{Stage: record.Contract, Estimate: 60}}); err != nil || s.Left != 40 {
		t.Fatal(s, err)
	}
	must.Get(r.store.Publish(t.Context(), []uuid.UUID{fences[1].ID}))(t)
	if s, err := r.store.Standing(t.Context(), review, ""); err != nil || s.Left != 100 {
		t.Errorf("the standing is %+v, %v", s, err)
	}
	if _, err := r.store.Record(t.Context(), whole, nil); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("the contract as a whole is recorded before its chunks: %v", err)
	}
}

// The last step of a review that was started again withdraws findings of its own
// earlier run, in the transaction that adds new ones.
func TestFindingsWithdrawn(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	missing := record.Finding{Analyst: "contract", Category: record.LiabilityCap, Severity: record.High, Title: "No cap", Explanation: "None."}
	review, stamped := r.create(2)
	other, others := r.create(1)
	for _, s := range []job.Stamped{stamped[0], others[0]} {
		f := r.claimed(s.ID)
		must.Get(r.store.Task(t.Context(), f))(t)
		r.record(f, record.Categories, finding("a", 2), finding("b", 4))
		r.end(f, job.StatusSucceeded)
	}
	r.end(r.claimed(stamped[1].ID), job.StatusFailed)
	f := r.claimed(r.whole(review).ID)
	r.record(f, record.Contract, missing)
	r.end(f, job.StatusSucceeded)
	again, err := r.store.Retry(t.Context(), review)
	if err != nil || len(again) != 1 {
		t.Fatalf("a retry published %v, %v", again, err)
	}
	r.end(r.takeAll(again)[0], job.StatusSucceeded)

	f = r.claimed(r.whole(review).ID)
	task, err := r.store.Task(t.Context(), f)
	if err != nil || len(task.Findings) != 3 || task.Findings[2].Withdrawn {
		t.Fatalf("the task is %+v, %v", task, err)
	}
	whole := missing
	whole.Title = "No liability"
	result := record.Result{Stage: record.Contract, Outcome: record.Done, Findings: []record.Finding{whole}, Withdrawn: []int{3}}
	r.Exec("UPDATE review_finding SET seq = 3 WHERE job_id = $1 AND seq = 2", other) // that one is of another review
	for range 2 {                                                                    // the second time as after a lost answer
		must.Get(r.store.Record(t.Context(), f, []record.Result{result}))(t)
	}
	state := func(review uuid.UUID) (list []string) {
		findings := must.Get(r.store.Findings(t.Context(), review, 0, 10))(t)
		for _, f := range findings {
			list = append(list, fmt.Sprintf("%d %s %v", f.Seq, f.Title, f.Withdrawn))
		}
		return list
	}
	postgrestest.EqualLists(t, "found", state(review), []string{"1 It renews false", "2 It renews false", "3 No cap true", "4 No liability false"})

	// Neither another fence nor a cancelled review withdraws anything.
	if _, err := r.store.Record(t.Context(), job.Attempt{ID: f.ID, Number: f.Number - 1}, []record.Result{{Stage: record.Contract,
		Outcome: record.Done, Withdrawn: []int{1}}}); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("an old fence: %v", err)
	}
	f = r.claimed(r.whole(other).ID)
	r.cancelled(other, record.Cancelling)
	must.Get(r.store.Record(t.Context(), f, []record.Result{{Stage: record.Contract, Outcome: record.Done, Withdrawn: []int{1}}}))(t)
	got := slices.Concat(state(review)[:1], state(other))
	postgrestest.EqualLists(t, "found", got, []string{"1 It renews false", "1 It renews false", "3 It renews false"})
}

// A finding about two clauses keeps both quotes, and gets its final severity with the reason.
func TestFindingsWeighed(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	f := r.takeAll(stamped)[0]
	must.Get(r.store.Task(t.Context(), f))(t)
	two := finding("A lease", 0)
	two.Second, two.SecondStart, two.SecondEnd = "lease 1", 12, 19
	r.record(f, record.Categories, two, finding("lease", 2))
	must.Get(r.store.Record(t.Context(), f, []record.Result{{Stage: record.Contract, Outcome: record.Done,
		Weighed: []record.Weighed{{Seq: 2, Severity: record.Info, Explanation: "Clause 2 allows it."}}}}))(t)
	got := must.Get(r.store.Findings(t.Context(), review, 0, 10))(t)
	if len(got) != 2 || got[0].Second != "lease 1" || got[0].SecondStart != 12 || got[0].SecondEnd != 19 || got[0].Severity != record.High ||
		got[1].Severity != record.Info || got[1].Explanation != "Clause 2 allows it." || got[1].SecondEnd != 0 {
		t.Errorf("got %+v", got)
	}
}

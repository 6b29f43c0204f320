package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// reviews is a fixture with contracts to review.
type reviews struct {
	*fixture
	store *postgres.Reviews
}

func newReviews(t *testing.T) *reviews {
	f := newFixture(t)
	return &reviews{f, f.Reviews()}
}

var reviewTables = append(slices.Clone(allTables), "review_job", "review_text", "review_chunk", "review_checkpoint", "review_finding", "finding_action", "model_pause")

func TestChunksConform(t *testing.T) {
	testenv.OnlyThorough(t, "is the suite of stores once more, on another table")
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		r := newReviews(t)
		return jobtest.Fixture{
			Store: r.store,
			Work:  r.read,
			New:   r.lone,
			Lock:  func(id uuid.UUID) func() { return r.lock("review_chunk", id) },
			Spoil: func(id uuid.UUID) { r.exec("UPDATE review_chunk SET ready = false WHERE id = $1", id) },
			Cancel: func(id uuid.UUID) {
				r.exec("UPDATE review_chunk SET status = 'cancelled', lease_until = NULL, due_at = NULL WHERE id = $1", id)
			},
			Row:     r.chunk,
			Dump:    func() string { return r.dump(reviewTables...) },
			Now:     r.now,
			Advance: r.advance,
		}
	})
}

// lone inserts a chunk, as any program may, of a review that has another one, so
// that it does not end.
func (r *reviews) lone() uuid.UUID {
	r.t.Helper()
	id, review, doc := uuid.New(), uuid.New(), uuid.New()
	r.exec("INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $2, NULL)", doc, tenant)
	r.exec("INSERT INTO review_job (id, tenant_id, document_id, chunks, chunks_open) VALUES ($1, $2, $3, 2, 2)", review, tenant, doc)
	r.exec("INSERT INTO review_text VALUES ($1, 'A lease.', '{}')", review)
	r.exec(`INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, created_at, due_at)
		VALUES ($1, $2, $3, 0, 0, 8, now(), now())`, id, tenant, review)
	return id
}

func (r *reviews) chunk(id uuid.UUID) jobtest.Row {
	r.t.Helper()
	return r.rowOf(id, "status, attempts, error, due_at, failed_at", "review_chunk")
}

// read is the work on a chunk: one stage, which finds the word lease.
func (r *reviews) read(ctx context.Context, f job.Attempt) error {
	task, err := r.store.Task(ctx, f)
	if err != nil {
		return err
	}
	if _, err := r.store.Begin(ctx, f, "m", []record.Call{{Stage: record.Categories, Estimate: 10}}); err != nil {
		return err
	}
	result := record.Result{Stage: record.Categories, Outcome: record.Done, Calls: 1, Cost: 7,
		Marks:    []record.Mark{{Category: record.Renewal, Score: 90, Quote: "lease", Start: task.Chunk.Start + 2, End: task.Chunk.Start + 7}},
		Findings: []record.Finding{finding("lease", task.Chunk.Start+2)}}
	if _, err := r.store.Record(ctx, f, []record.Result{result}); err != nil {
		return err
	}
	_, err = r.store.End(ctx, f, job.StatusSucceeded, "", "")
	return err
}

func finding(quote string, start int) record.Finding {
	return record.Finding{Analyst: "renewal-trap", Category: record.Renewal, Severity: record.High,
		Title: "It renews", Explanation: "By itself.", Quote: quote, Start: start, End: start + len(quote)}
}

// create starts a review of a contract with n chunks of 10 bytes.
func (r *reviews) create(n int) (review uuid.UUID, stamped []job.Stamped) {
	r.t.Helper()
	return r.createWith(n, "")
}

// createWith starts a review with a model, in which the chunks wait for the card, or without.
func (r *reviews) createWith(n int, model string) (review uuid.UUID, stamped []job.Stamped) {
	r.t.Helper()
	review = uuid.New()
	contract := record.New{ID: review, TenantID: tenant, DocumentID: uuid.New(), Name: "lease.md", Playbook: []byte(`{}`), PlaybookVersion: "1",
		Model: model, CardFirst: model != ""}
	for i := range n {
		contract.Text += fmt.Sprintf("A lease %d\n", i%10)
		contract.Chunks = append(contract.Chunks, record.Chunk{Position: i, Start: 10 * i, End: 10*i + 10, Heading: "Terms"})
	}
	return review, must.Get(r.store.Create(r.t.Context(), contract))(r.t)
}

func (r *reviews) claimed(id uuid.UUID) job.Attempt {
	r.t.Helper()
	return r.claimOf(r.store, id)
}

func (r *reviews) end(f job.Attempt, status job.Status) []job.Stamped {
	r.t.Helper()
	reason := map[job.Status]string{job.StatusFailed: "the budget is spent"}[status]
	return must.Get(r.store.End(r.t.Context(), f, status, "", reason))(r.t)
}

// is compares the state of a review: its status, open chunks, gaps and error.
func (r *reviews) is(review uuid.UUID, status record.Status, open, gaps int, reason string) {
	r.t.Helper()
	j, err := r.store.Job(r.t.Context(), review)
	if err != nil || j.Status != status || j.ChunksOpen != open || j.Gaps != gaps || j.Error != reason ||
		(j.EndedAt != nil) != status.Over() {
		r.t.Errorf("the review is %+v, %v; want %s, %d open, %d gaps, %q", j, err, status, open, gaps, reason)
	}
}

// One analyst failed in each chunk, and two in the second. The error counts questions, and names
// the stage of its reason, not the one that began last.
func TestFailedAnalystsAreGaps(t *testing.T) {
	t.Parallel()
	r := newReviews(t)
	review, stamped := r.create(2)
	for i, f := range r.takeAll(stamped) {
		must.Get(r.store.Task(t.Context(), f))(t)
		failed := []record.Result{{Stage: "renewal", Outcome: record.StageFailed, Reason: "HTTP 503", Dropped: 2},
			{Stage: "payment", Outcome: record.StageFailed, Reason: "refused"}}[:i+1]
		must.Get(r.store.Record(t.Context(), f, append(failed, record.Result{Stage: record.Categories, Outcome: record.Done, Cost: 7})))(t)
		must.Get(r.store.End(t.Context(), f, job.StatusFailed, "", "stage renewal: HTTP 503"))(t)
	}
	whole := must.Get(r.store.Task(t.Context(), r.claimed(r.whole(review).ID)))(t)
	for _, c := range whole.Chunks {
		if c.Stage != "renewal" || !c.Searched {
			t.Errorf("a chunk is %+v", c)
		}
	}
	r.end(job.Attempt{ID: whole.Chunk.ID, Number: whole.Chunk.Attempt}, job.StatusSucceeded)
	r.is(review, record.CompletedWithGaps, 0, 2, "chunk 1, stage renewal: HTTP 503; and 2 more")
	asked := must.Get(r.store.Questions(t.Context(), review))(t)
	want := record.Question{ChunkID: whole.Chunks[1].ID, Stage: "renewal", Outcome: record.StageFailed, Reason: "HTTP 503", Dropped: 2}
	if len(asked) != 5 || !slices.Contains(asked, want) {
		t.Errorf("asked %+v", asked)
	}
}

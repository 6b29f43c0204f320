package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/jobtest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// fixture is one with contracts to review.
type fixture struct {
	*postgrestest.Fixture
	store *reviews.Store
}

func newFixture(t *testing.T) *fixture {
	f := postgrestest.NewFixture(t)
	return &fixture{f, reviews.New(f.DB)}
}

func TestMain(m *testing.M) {
	postgrestest.Parallel("8")
	os.Exit(m.Run())
}

var tenant, otherTenant, start = postgrestest.Tenant, postgrestest.OtherTenant, postgrestest.Start

var tables = append(slices.Clone(postgrestest.Tables), "review_job", "review_text", "review_chunk", "review_checkpoint", "review_finding", "finding_action", "model_pause")

func TestChunksConform(t *testing.T) {
	testenv.OnlyThorough(t, "is the suite of stores once more, on another table")
	t.Parallel()
	jobtest.TestStore(t, func(t *testing.T) jobtest.Fixture {
		r := newFixture(t)
		return jobtest.Fixture{
			Store: r.store,
			Work:  r.read,
			New:   r.lone,
			Lock:  func(id uuid.UUID) func() { return r.Lock("review_chunk", id) },
			Spoil: func(id uuid.UUID) { r.Exec("UPDATE review_chunk SET ready = false WHERE id = $1", id) },
			Cancel: func(id uuid.UUID) {
				r.Exec("UPDATE review_chunk SET status = 'cancelled', lease_until = NULL, due_at = NULL WHERE id = $1", id)
			},
			Row:     r.chunk,
			Dump:    func() string { return r.Dump(tables...) },
			Now:     r.Now,
			Advance: r.Advance,
		}
	})
}

// lone inserts a chunk, as any program may, of a review that has another one, so
// that it does not end.
func (r *fixture) lone() uuid.UUID {
	r.T.Helper()
	id, review, doc := uuid.New(), uuid.New(), uuid.New()
	r.Exec("INSERT INTO document (id, tenant_id, matching_due_at) VALUES ($1, $2, NULL)", doc, tenant)
	r.Exec("INSERT INTO review_job (id, tenant_id, document_id, chunks, chunks_open) VALUES ($1, $2, $3, 2, 2)", review, tenant, doc)
	r.Exec("INSERT INTO review_text VALUES ($1, 'A lease.', '{}')", review)
	r.Exec(`INSERT INTO review_chunk (id, tenant_id, job_id, position, start_offset, end_offset, created_at, due_at)
		VALUES ($1, $2, $3, 0, 0, 8, now(), now())`, id, tenant, review)
	return id
}

func (r *fixture) chunk(id uuid.UUID) jobtest.Row {
	r.T.Helper()
	return jobtest.Row(r.Row(id, "status, attempts, error, due_at, failed_at", "review_chunk"))
}

// read is the work on a chunk: one stage, which finds the word lease.
func (r *fixture) read(ctx context.Context, f job.Attempt) error {
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
func (r *fixture) create(n int) (review uuid.UUID, stamped []job.Stamped) {
	r.T.Helper()
	return r.createWith(n, "")
}

// createWith starts a review with a model, in which the chunks wait for the card, or without.
func (r *fixture) createWith(n int, model string) (review uuid.UUID, stamped []job.Stamped) {
	r.T.Helper()
	review = uuid.New()
	contract := record.New{ID: review, TenantID: tenant, DocumentID: uuid.New(), Name: "lease.md", Playbook: []byte(`{}`), PlaybookVersion: "1",
		Model: model, CardFirst: model != ""}
	for i := range n {
		contract.Text += fmt.Sprintf("A lease %d\n", i%10)
		contract.Chunks = append(contract.Chunks, record.Chunk{Position: i, Start: 10 * i, End: 10*i + 10, Heading: "Terms"})
	}
	return review, must.Get(r.store.Create(r.T.Context(), contract))(r.T)
}

func (r *fixture) claimed(id uuid.UUID) job.Attempt {
	r.T.Helper()
	return r.Claimed(r.store, id)
}

func (r *fixture) end(f job.Attempt, status job.Status) []job.Stamped {
	r.T.Helper()
	reason := map[job.Status]string{job.StatusFailed: "the budget is spent"}[status]
	return must.Get(r.store.End(r.T.Context(), f, status, "", reason))(r.T)
}

// is compares the state of a review: its status, open chunks, gaps and error.
func (r *fixture) is(review uuid.UUID, status record.Status, open, gaps int, reason string) {
	r.T.Helper()
	j, err := r.store.Job(r.T.Context(), review)
	if err != nil || j.Status != status || j.ChunksOpen != open || j.Gaps != gaps || j.Error != reason ||
		(j.EndedAt != nil) != status.Over() {
		r.T.Errorf("the review is %+v, %v; want %s, %d open, %d gaps, %q", j, err, status, open, gaps, reason)
	}
}

// One analyst failed in each chunk, and two in the second. The error counts questions, and names
// the stage of its reason, not the one that began last.
func TestFailedAnalystsAreGaps(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
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

func TestPlaybookPerTenant(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	other := uuid.New()
	read := func(id uuid.UUID) string {
		t.Helper()
		raw := must.Get(r.store.Playbook(t.Context(), id))(t)
		if raw == nil {
			return ""
		}
		p := must.Get(playbook.Parse(raw))(t)
		return p.Version()
	}
	put := func(id uuid.UUID, side string) {
		t.Helper()
		text := `{"name": "", "version": "1", "side": "` + side + `", "positions": {}}`
		must.OK(t, r.store.PutPlaybook(t.Context(), id, []byte(text)))
	}
	put(tenant, "customer")
	customer := read(tenant)
	if customer == "" || read(other) != "" {
		t.Errorf("got %q, and %q for another tenant", customer, read(other))
	}
	put(other, "supplier")
	if supplier := read(other); supplier == "" || supplier == customer || read(tenant) != customer {
		t.Errorf("got %q and %q, was %q", supplier, read(tenant), customer)
	}
	put(tenant, "supplier")
	postgrestest.Equal(t, "the version of a new playbook", read(tenant), read(other))
}

// card is a full one, to see that every field is stored.
var card = record.Card{ByModel: true, Type: "lease", Parties: []record.Party{{Name: "A", Term: "Lessor", Role: "lessor", Ours: true}},
	Effective: "2026-01-01", End: "2026-12-31", Term: record.Span{N: 1, Unit: "year", Fact: record.Fact{Quote: "a year", Start: 1, End: 7}},
	LastNotice: "2026-09-30", Sums: []record.Fact{{Name: "rent", Quote: "EUR 5"}}, Definitions: []record.Fact{{Name: "Rent"}},
	Absent: []record.Fact{{Name: "cap", Quote: "none"}}, Outline: "1. Rent"}

// The first chunk gets the contract until the card is done, and all others the card.
func TestChunksWaitForCard(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.createWith(3, "m")
	if len(stamped) != 1 {
		t.Fatalf("%d chunks are published at first, want 1", len(stamped))
	}
	f := r.claimed(stamped[0].ID)
	if task := must.Get(r.store.Task(t.Context(), f))(t); task.Contract != "A lease 0\nA lease 1\nA lease 2\n" || task.Card != nil {
		t.Errorf("the first task is %+v", task)
	}
	result := record.Result{Stage: record.CardStage, Outcome: record.Done, Calls: 1, Card: &card}
	must.Get(r.store.Record(t.Context(), f, []record.Result{result}))(t)
	waiting := must.Get(r.store.Open(t.Context(), f))(t)
	if len(waiting) != 2 || waiting[0].Tenant != tenant || len(must.Get(r.store.Open(t.Context(), f))(t)) != 0 {
		t.Fatalf("published are %v, and then more", waiting)
	}
	for _, task := range []record.Task{must.Get(r.store.Task(t.Context(), f))(t),
		must.Get(r.store.Task(t.Context(), r.claimed(waiting[1].ID)))(t)} {
		if task.Contract != "" || task.Card == nil || !reflect.DeepEqual(*task.Card, card) {
			t.Errorf("the next task is %+v", task)
		}
	}
	r.end(f, job.StatusSucceeded)
	r.is(review, record.Running, 2, 0, "")
	if _, err := r.store.Open(t.Context(), job.Attempt{ID: f.ID, Number: 7}); err != nil {
		t.Error(err)
	}
}

// The chunks don't wait for a first chunk that is over, however it ended.
func TestEndOfFirstOpensOthers(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.createWith(3, "m")
	if waiting := r.end(r.claimed(stamped[0].ID), job.StatusFailed); len(waiting) != 2 {
		t.Fatalf("the first chunk's end publishes %d chunks, want 2", len(waiting))
	}
	r.is(review, record.Queued, 2, 1, "")

	review, stamped = r.createWith(3, "m") // the worker dies three times
	f := r.claimed(stamped[0].ID)
	r.Exec("UPDATE review_chunk SET status = 'failed', failed_at = now(), error = 'x' WHERE id = $1", f.ID)
	if n := postgrestest.Value[int](t, r.Conn, "SELECT count(*) FROM review_chunk WHERE job_id = $1 AND kind = 'text' AND status = 'pending' AND due_at <= now()", review); n != 2 {
		t.Errorf("%d chunks wait for the sweep, want 2", n)
	}
}

// Cancelled before the card, a retried review asks for it first again.
func TestCancelBeforeCard(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.createWith(3, "m")
	f := r.claimed(stamped[0].ID)
	r.cancelled(review, record.Cancelling)
	if waiting := r.end(f, job.StatusCancelled); len(waiting) != 0 {
		t.Errorf("a cancelled review publishes %v", waiting)
	}
	r.is(review, record.Cancelled, 0, 3, "chunk 1, cancelled-at-stage-1: ; and 2 more")
	again := must.Get(r.store.Retry(t.Context(), review))(t)
	if len(again) != 1 || again[0].ID != f.ID {
		t.Fatalf("a retry publishes %v", again)
	}
	r.is(review, record.Running, 3, 0, "")
	if waiting := must.Get(r.store.Open(t.Context(), r.claimed(f.ID)))(t); len(waiting) != 2 {
		t.Errorf("%d chunks follow the card, want 2", len(waiting))
	}
}

// Chunks of two reviews end: each review counts its own, and the one without an open chunk
// goes on with its contract as a whole.
func TestChunksEnd(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	one, first := r.create(2)
	two, second := r.create(3)
	var fences []job.Attempt
	for _, s := range append(first, second...) {
		fences = append(fences, r.claimed(s.ID))
	}
	fences[4].Number-- // of an earlier attempt
	var whole []job.Stamped
	for i, f := range fences {
		published, err := r.store.End(t.Context(), f, job.StatusSucceeded, "", "")
		if want := map[bool]error{i == 4: job.ErrFenceLost}[true]; !errors.Is(err, want) {
			t.Fatalf("chunk %d: got %v, want %v", i, err, want)
		}
		whole = append(whole, published...)
	}
	if len(whole) != 1 || whole[0].ID != r.whole(one).ID {
		t.Errorf("published %+v, want the first contract as a whole", whole)
	}
	r.is(one, record.Queued, 0, 0, "")
	r.is(two, record.Queued, 1, 0, "")
}

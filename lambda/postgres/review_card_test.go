package postgres_test

import (
	"reflect"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
)

// card is a full one, to see that every field is stored.
var card = record.Card{ByModel: true, Type: "lease", Parties: []record.Party{{Name: "A", Term: "Lessor", Role: "lessor", Ours: true}},
	Effective: "2026-01-01", End: "2026-12-31", Term: record.Span{N: 1, Unit: "year", Fact: record.Fact{Quote: "a year", Start: 1, End: 7}},
	LastNotice: "2026-09-30", Sums: []record.Fact{{Name: "rent", Quote: "EUR 5"}}, Definitions: []record.Fact{{Name: "Rent"}},
	Absent: []record.Fact{{Name: "cap", Quote: "none"}}, Outline: "1. Rent"}

// The first chunk gets the contract until the card is done, and all others the card.
func TestChunksWaitForCard(t *testing.T) {
	t.Parallel()
	r := newReviews(t)
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
	r := newReviews(t)
	review, stamped := r.createWith(3, "m")
	if waiting := r.end(r.claimed(stamped[0].ID), job.StatusFailed); len(waiting) != 2 {
		t.Fatalf("the first chunk's end publishes %d chunks, want 2", len(waiting))
	}
	r.is(review, record.Queued, 2, 1, "")

	review, stamped = r.createWith(3, "m") // the worker dies three times
	f := r.claimed(stamped[0].ID)
	r.exec("UPDATE review_chunk SET status = 'failed', failed_at = now(), error = 'x' WHERE id = $1", f.ID)
	if n := r.count("SELECT count(*) FROM review_chunk WHERE job_id = $1 AND kind = 'text' AND status = 'pending' AND due_at <= now()", review); n != 2 {
		t.Errorf("%d chunks wait for the sweep, want 2", n)
	}
}

// Cancelled before the card, a retried review asks for it first again.
func TestCancelBeforeCard(t *testing.T) {
	t.Parallel()
	r := newReviews(t)
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

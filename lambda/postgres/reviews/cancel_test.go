package reviews_test

import (
	"errors"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

func TestCancelBeforeLastChunk(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(3)
	fences := r.takeAll(stamped[:2])
	r.end(fences[0], job.StatusSucceeded)
	r.cancelled(review, record.Cancelling)
	r.is(review, record.Cancelling, 1, 1, "")
	if whole := r.end(fences[1], job.StatusSucceeded); len(whole) != 0 {
		t.Errorf("the contract as a whole is published: %v", whole)
	}
	r.is(review, record.Cancelled, 0, 1, "chunk 3, cancelled-at-stage-1: the review was cancelled")
	if w := r.whole(review); w.Status != job.StatusCancelled || w.Stage != "cancelled-at-stage-13" {
		t.Errorf("the contract as a whole is %+v", w)
	}
	r.cancelled(review, record.Cancelled)
}

func TestCancelAfterLastChunk(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1)
	r.end(r.takeAll(stamped)[0], job.StatusSucceeded)
	r.cancelled(review, record.Cancelled) // the contract as a whole was pending
	r.is(review, record.Cancelled, 0, 0, "")

	review, stamped = r.create(1)
	r.end(r.takeAll(stamped)[0], job.StatusSucceeded)
	whole := r.claimed(r.whole(review).ID)
	r.cancelled(review, record.Cancelling) // it is at work
	r.end(whole, job.StatusCancelled)
	r.is(review, record.Cancelled, 0, 0, "")

	review, stamped = r.create(1)
	r.end(r.takeAll(stamped)[0], job.StatusSucceeded)
	r.end(r.claimed(r.whole(review).ID), job.StatusSucceeded)
	r.cancelled(review, record.Completed)
}

func (r *fixture) cancelled(review uuid.UUID, want record.Status) {
	r.T.Helper()
	if status, err := r.store.Cancel(r.T.Context(), review); status != want || err != nil {
		r.T.Errorf("cancelling returns %s, %v; want %s", status, err, want)
	}
}

// The two transactions meet: whichever comes first, the review ends.
func TestCancelMeetsLastChunk(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	for _, cancelFirst := range []bool{true, false} {
		review, stamped := r.create(1)
		f := r.takeAll(stamped)[0]
		first, want := "UPDATE review_chunk SET status = 'succeeded' WHERE id = $1", record.Cancelled
		second := func() error { _, err := r.store.Cancel(t.Context(), review); return err }
		id := f.ID
		if cancelFirst {
			first, id = "UPDATE review_job SET status = 'cancelling' WHERE id = $1", review
			second = func() error { _, err := r.store.End(t.Context(), f, job.StatusSucceeded, "", ""); return err }
		}
		release := r.Blocks(first, id)
		end := r.Meanwhile(second)
		release()
		must.OK(t, end())
		r.is(review, want, 0, 0, "")
	}
}

// A worker gives its chunk back while the review is cancelled: the chunk does not
// wait for its next delivery.
func TestCancelMeetsRelease(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1)
	f := r.takeAll(stamped)[0]
	release := r.Blocks("UPDATE review_chunk SET status = 'pending', lease_until = NULL, due_at = now() WHERE id = $1", f.ID)
	cancel := r.Meanwhile(func() error { _, err := r.store.Cancel(t.Context(), review); return err })
	release()
	must.OK(t, cancel())
	r.is(review, record.Cancelled, 0, 1, "chunk 1, cancelled-at-stage-1: the review was cancelled")
}

// A chunk of a review that is cancelling is claimed if its worker is gone, and its
// work ends it. It does not wait for another delivery.
func TestCancelStopsChunks(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(3)
	fences := r.takeAll(stamped)
	r.cancelled(review, record.Cancelling)
	v := job.Release{Status: job.StatusPending, Reason: "the model is busy", Due: 5 * time.Minute}
	if ok, err := r.store.Release(t.Context(), fences[0], v); !ok || err != nil {
		t.Fatal(ok, err)
	}
	r.Advance(time.Minute)
	f := r.claimed(fences[1].ID)
	if task, err := r.store.Task(t.Context(), f); err != nil || task.Job.Status != record.Cancelling {
		t.Errorf("the task is %+v, %v", task, err)
	}
	r.end(f, job.StatusCancelled)
	r.is(review, record.Cancelling, 1, 2, "")
	r.Advance(time.Hour)
	again, err := r.store.Republish(t.Context(), sweep.Waits{Visibility: time.Minute, Lapses: 3, Times: 3}, 10)
	if err != nil || len(again) != 1 {
		t.Errorf("the sweep repaired %v, %v", again, err)
	}
	r.is(review, record.Cancelled, 0, 3, "chunk 1, cancelled-at-stage-1: the review was cancelled; and 2 more")
}

// After a retry nothing that was finished is done again.
func TestRetryKeepsFinished(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	must.OK(t, r.read(t.Context(), r.claimed(stamped[0].ID)))
	f := r.claimed(stamped[1].ID)
	must.Get(r.store.Record(t.Context(), f, []record.Result{{Stage: record.Categories, Outcome: record.Done, Calls: 1, Cost: 3}}))(t)
	r.cancelled(review, record.Cancelling)
	if _, err := r.store.Retry(t.Context(), review); !errors.Is(err, record.ErrStopping) {
		t.Errorf("a review that is stopping was begun again: %v", err)
	}
	r.end(f, job.StatusCancelled)
	again, err := r.store.Retry(t.Context(), review)
	if err != nil || len(again) != 1 || again[0].ID != f.ID || !again[0].PublishedAt.After(stamped[1].PublishedAt) {
		t.Fatalf("a retry published %v, %v", again, err)
	}
	r.is(review, record.Running, 1, 0, "")
	f = r.takeAll(again)[0]
	task, err := r.store.Task(t.Context(), f)
	if ended, ok := task.Ended[record.Categories]; err != nil || !ok || ended.Cost != 3 {
		t.Errorf("the task is %+v, %v", task, err)
	}
	r.end(f, job.StatusSucceeded)
	r.end(r.claimed(r.whole(review).ID), job.StatusSucceeded)
	r.is(review, record.Completed, 0, 0, "")
	if again, err := r.store.Retry(t.Context(), review); len(again) != 0 || err != nil {
		t.Errorf("a completed review: %v, %v", again, err)
	}
}

package reviews_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// whole returns the chunk of the contract as a whole.
func (r *fixture) whole(review uuid.UUID) record.Chunk {
	r.T.Helper()
	chunks, err := r.store.Chunks(r.T.Context(), review)
	if err != nil || chunks[len(chunks)-1].Kind != record.Whole {
		r.T.Fatalf("chunks are %+v, %v", chunks, err)
	}
	return chunks[len(chunks)-1]
}

// take claims every chunk.
func (r *fixture) takeAll(stamped []job.Stamped) (fences []job.Attempt) {
	r.T.Helper()
	var deliveries []job.Delivery
	for _, s := range stamped {
		deliveries = append(deliveries, job.Delivery{ID: s.ID, PublishedAt: s.PublishedAt, Count: 1})
	}
	claims := must.Get(r.store.Claim(r.T.Context(), deliveries, time.Minute, false))(r.T)
	for _, c := range claims {
		if c.Found != job.Claimed {
			r.T.Fatalf("claim found %+v", c)
		}
		fences = append(fences, c.Attempt)
	}
	return fences
}

func TestNoChunksFails(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(0)
	r.is(review, record.Failed, 0, 0, "missing contract text")
	if chunks, err := r.store.Chunks(t.Context(), review); len(stamped) != 0 || len(chunks) != 0 || err != nil {
		t.Errorf("published %v, chunks %v, %v", stamped, chunks, err)
	}
	if stamped, err := r.store.Retry(t.Context(), review); len(stamped) != 0 || err != nil {
		t.Errorf("a retry published %v, %v", stamped, err)
	}
	r.is(review, record.Failed, 0, 0, "missing contract text")
}

func TestOneChunkReview(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1)
	r.is(review, record.Queued, 1, 0, "")
	must.OK(t, r.read(t.Context(), r.claimed(stamped[0].ID)))
	r.is(review, record.Running, 0, 0, "")
	f := r.claimed(r.whole(review).ID)
	task, err := r.store.Task(t.Context(), f)
	if err != nil || len(task.Chunks) != 1 || len(task.Marks) != 1 || len(task.Findings) != 1 || task.Text != "A lease 0\n" {
		t.Errorf("the task is %+v, %v", task, err)
	}
	if whole := r.end(f, job.StatusSucceeded); len(whole) != 0 {
		t.Errorf("published %+v", whole)
	}
	r.is(review, record.Completed, 0, 0, "")
}

func TestThousandChunks(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1000)
	fences, published := r.takeAll(stamped), make(chan job.Stamped, 1000)
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for i := w; i < len(fences); i += 8 {
				whole, err := r.store.End(t.Context(), fences[i], job.StatusSucceeded, "", "")
				if err != nil {
					t.Error(err)
				}
				for _, s := range whole {
					published <- s
				}
			}
		})
	}
	workers.Wait()
	r.is(review, record.Queued, 0, 0, "") // no chunk of it was asked about
	if len(published) != 1 {
		t.Fatalf("the contract as a whole is published %d times", len(published))
	}
	r.end(r.takeAll([]job.Stamped{<-published})[0], job.StatusSucceeded)
	r.is(review, record.Completed, 0, 0, "")
}

func TestAllChunksFailed(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(3)
	fences := r.takeAll(stamped)
	for _, f := range fences[:2] {
		r.end(f, job.StatusFailed)
	}
	r.is(review, record.Queued, 1, 2, "")
	v := job.Release{Status: job.StatusFailed, Reason: "the model is away", Kind: "transient", Delivery: 3}
	if ok, err := r.store.Release(t.Context(), fences[2], v); !ok || err != nil {
		t.Fatal(ok, err)
	}
	r.is(review, record.Failed, 0, 3, "chunk 1, categories: the budget is spent; and 2 more")
	if w := r.whole(review); w.Status != job.StatusNone {
		t.Errorf("the contract as a whole is %+v", w)
	}
}

func TestMissingChunkIsGap(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	fences := r.takeAll(stamped)
	r.end(fences[0], job.StatusSucceeded)
	must.Get(r.store.End(t.Context(), fences[1], job.StatusFailed, "liability", "the model refuses"))(t)
	r.end(r.claimed(r.whole(review).ID), job.StatusSucceeded)
	r.is(review, record.CompletedWithGaps, 0, 1, "chunk 2, liability: the model refuses")
}

func TestFailedWholeIsGap(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(1)
	r.end(r.takeAll(stamped)[0], job.StatusSucceeded)
	r.end(r.claimed(r.whole(review).ID), job.StatusFailed)
	r.is(review, record.CompletedWithGaps, 0, 1, "the contract as a whole, contract: the budget is spent")
	stamped, err := r.store.Retry(t.Context(), review)
	if err != nil || len(stamped) != 1 || stamped[0].ID != r.whole(review).ID {
		t.Fatalf("a retry published %v, %v", stamped, err)
	}
	r.is(review, record.Running, 0, 0, "")
	r.end(r.takeAll(stamped)[0], job.StatusSucceeded)
	r.is(review, record.Completed, 0, 0, "")
}

// One chunk's transaction waits for the other's, which has not seen it.
func TestLastChunksTogether(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	for _, first := range []string{"succeeded", "failed"} {
		review, stamped := r.create(2)
		fences := r.takeAll(stamped)
		release, published := r.Blocks("UPDATE review_chunk SET status = $2, failed_at = now() WHERE id = $1", fences[0].ID, first), 0
		end := r.Meanwhile(func() error {
			whole, err := r.store.End(t.Context(), fences[1], job.StatusSucceeded, "", "")
			published = len(whole)
			return err
		})
		release()
		must.OK(t, end())
		if w := r.whole(review); published != 1 || w.Status != job.StatusPending {
			t.Errorf("after one that %s: published %d times, and is %+v", first, published, w)
		}
	}
}

func TestChunkRedelivered(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	fences := r.takeAll(stamped)
	r.end(fences[0], job.StatusSucceeded)
	r.end(fences[1], job.StatusFailed)
	waiting := r.Dump(tables...)
	if _, err := r.store.End(t.Context(), fences[1], job.StatusFailed, "", ""); !errors.Is(err, job.ErrFenceLost) {
		t.Errorf("a stale fence: %v", err)
	}
	if r.Dump(tables...) != waiting {
		t.Error("a stale fence changed rows while the contract as a whole waits")
	}
	whole := r.claimed(r.whole(review).ID)
	r.end(whole, job.StatusSucceeded)
	unchanged := r.Unchanged(tables...)
	for _, f := range append(fences, whole) {
		claims, err := r.store.Claim(t.Context(), []job.Delivery{{ID: f.ID, Count: 2}}, time.Minute, true)
		if err != nil || claims[0].Found != job.Done {
			t.Errorf("the message of %v found %+v, %v", f, claims, err)
		}
		if err := r.read(t.Context(), f); !errors.Is(err, job.ErrFenceLost) {
			t.Errorf("a stale fence: %v", err)
		}
		if _, err := r.store.End(t.Context(), f, job.StatusCancelled, "", ""); !errors.Is(err, job.ErrFenceLost) {
			t.Errorf("a stale fence: %v", err)
		}
	}
	unchanged("redelivered chunks")
}

func TestSweepFailsCrasher(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	r.end(r.takeAll(stamped[:1])[0], job.StatusSucceeded)
	for range 3 {
		f := r.claimed(stamped[1].ID)
		must.Get(r.store.Begin(t.Context(), f, "m", []record.Call{{Stage: record.Categories, Estimate: 5}}))(t)
		r.Advance(time.Minute)
	}
	r.Advance(time.Hour)
	lost, crashed, err := r.store.GiveUp(t.Context(), sweep.Waits{Visibility: time.Minute, Lapses: 3, Times: 3}, 10)
	if lost != 0 || crashed != 1 || err != nil {
		t.Fatal(lost, crashed, err)
	}
	again, err := r.store.Republish(t.Context(), sweep.Waits{Visibility: time.Minute, Grace: -time.Minute, Lapses: 3, Times: 3}, 10)
	if err != nil || len(again) != 1 || again[0].ID != r.whole(review).ID {
		t.Fatalf("the sweep published %+v, %v; want the contract as a whole", again, err)
	}
	r.end(r.takeAll([]job.Stamped{again[0].Stamped})[0], job.StatusSucceeded)
	r.is(review, record.CompletedWithGaps, 0, 1, "chunk 2, categories: crashed: 3 attempts in a row ended without a result")
}

func TestRetryReopensReview(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	review, stamped := r.create(2)
	fences := r.takeAll(stamped)
	r.end(fences[0], job.StatusSucceeded)
	r.end(fences[1], job.StatusFailed)
	whole := r.claimed(r.whole(review).ID)
	r.end(whole, job.StatusSucceeded)
	again := must.Get(r.store.Publish(t.Context(), []uuid.UUID{fences[1].ID}))(t)
	r.is(review, record.Running, 1, 0, "")
	if w := r.whole(review); w.Status != job.StatusNone {
		t.Errorf("the contract as a whole is %+v", w)
	}
	r.end(r.takeAll(again)[0], job.StatusSucceeded)
	r.end(r.claimed(whole.ID), job.StatusSucceeded)
	r.is(review, record.Completed, 0, 0, "")
}

// Many connections claim, end, cancel and retry at random.
func TestJoinUnderRaces(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.Exec(closingSQL)
	reviews := make([]uuid.UUID, 3)
	var all []job.Stamped
	for i := range reviews {
		var stamped []job.Stamped
		reviews[i], stamped = r.create(6)
		all = append(all, append(stamped, job.Stamped{ID: r.whole(reviews[i]).ID})...)
	}
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(15, uint64(w)))
			for range testenv.Size(40, 2000) {
				r.meet(rng, reviews[rng.IntN(len(reviews))], all[rng.IntN(len(all))].ID)
			}
		})
	}
	workers.Wait()
	var broken int
	r.scan(`SELECT count(*) FROM review_job AS j, LATERAL (SELECT count(*) FILTER (WHERE kind = 'text' AND open) AS open, count(*) FILTER (WHERE gap) AS gaps,
			bool_or(status IN ('pending', 'in-progress')) AS moving, bool_or(kind = 'whole' AND ready) AS ready
			FROM (SELECT *, coalesce(status NOT IN ('succeeded', 'failed', 'cancelled'), true) AS open,
				coalesce(status = 'failed' OR status = 'cancelled' AND kind = 'text', false) AS gap
				FROM review_chunk AS c WHERE c.job_id = j.id) AS c) AS has
		WHERE j.chunks_open <> has.open OR j.gaps <> has.gaps OR (j.ended_at IS NULL) <> has.moving OR has.ready AND has.open > 0
			OR j.reserved_usd <> (SELECT coalesce(sum(estimate_usd), 0) FROM review_checkpoint AS k WHERE k.job_id = j.id AND finished_at IS NULL)
			OR j.cost_usd <> (SELECT coalesce(sum(cost_usd), 0) FROM review_checkpoint AS k WHERE k.job_id = j.id)
			OR j.findings <> (SELECT count(*) FROM review_finding AS f WHERE f.job_id = j.id)
			OR j.findings <> (SELECT coalesce(max(seq), 0) FROM review_finding AS f WHERE f.job_id = j.id)
			OR $1::uuid IS NULL`, tenant, &broken)
	if broken > 0 {
		t.Errorf("%d of %d reviews do not agree with their chunks:\n%s", broken, len(reviews), r.Dump("review_job", "review_chunk"))
	}
}

// meet is a random act of one worker or person.
func (r *fixture) meet(rng *rand.Rand, review, chunk uuid.UUID) {
	ctx := r.T.Context()
	var err error
	switch rng.IntN(12) {
	case 0:
		_, err = r.store.Cancel(ctx, review)
	case 1:
		_, err = r.store.Retry(ctx, review)
	case 2:
		_, err = r.store.Publish(ctx, []uuid.UUID{chunk})
	default:
		err = r.meetAsWorker(ctx, rng, chunk)
	}
	if err != nil && !errors.Is(err, job.ErrFenceLost) && !errors.Is(err, record.ErrStopping) {
		r.T.Error(err)
	}
}

func (r *fixture) meetAsWorker(ctx context.Context, rng *rand.Rand, chunk uuid.UUID) error {
	claims, err := r.store.Claim(ctx, []job.Delivery{{ID: chunk, Count: 1, Last: true, SentAt: start.Add(time.Hour)}}, time.Minute, true)
	if err != nil || claims[0].Found != job.Claimed {
		return err
	}
	switch f := claims[0].Attempt; rng.IntN(4) {
	case 0:
		_, err = r.store.End(ctx, f, job.StatusFailed, "", "no")
	case 1:
		_, err = r.store.Release(ctx, f, job.Release{Status: job.StatusPending, Reason: "busy"})
	default:
		err = r.read(ctx, f)
	}
	return err
}

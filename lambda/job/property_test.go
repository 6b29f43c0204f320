package job_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"pgregory.net/rapid"
)

// For all rows, work, stores and deliveries: an Ack is proved by the row,
// the queue gets every other settlement exactly once, and abandoned work changes
// no settled row.
func TestRandomBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "rows")
		rows := rapid.SliceOfN(rapid.Custom(drawRow), n, n).Draw(rt, "rows")
		works := rapid.SliceOfN(rapid.SampledFrom(slices.Sorted(maps.Keys(behaviours))), n, n).Draw(rt, "works")
		lost := rapid.SampledFrom([]error{job.ErrFenceLost, errDown}).Draw(rt, "error when lost")
		batch := rapid.SliceOfN(drawDelivery(n+1), 0, 10).Draw(rt, "deliveries") // the last row does not exist

		var ends []job.Settlement
		var before, after, late map[int]row
		var sent [][]job.Settled
		synctest.Test(t, func(t *testing.T) {
			r, release := newRig(t), make(chan struct{})
			for i := range n {
				row := rows[i]
				r.store.rows[id(i+1)] = &row
				r.work[id(i+1)] = func(ctx context.Context, f job.Attempt) error {
					return behaviours[works[i]](ctx, turn{r.store, f, lost, release})
				}
			}
			before = r.store.snapshot()
			ends = r.run(batch...)
			after, sent = r.store.snapshot(), r.queue.sent
			close(release)
			synctest.Wait()
			late = r.store.snapshot()
		})
		checkEnds(rt, batch, ends, before, after)
		checkSent(rt, ends, sent)
		for n, row := range after {
			if row.attempt < before[n].attempt || row.notified > 1 || row.release.Status == job.StatusFailed &&
				row.notified == 0 {
				rt.Fatalf("row %d: from %+v to %+v", n, before[n], row)
			}
			if late[n] != row && row.releaseErr == nil {
				rt.Fatalf("row %d: abandoned work made %+v of %+v", n, late[n], row)
			}
		}
	})
}

func checkEnds(t *rapid.T, batch []job.Delivery, ends []job.Settlement, before, after map[int]row) {
	if len(ends) != len(batch) {
		t.Fatalf("%d ends for %d deliveries", len(ends), len(batch))
	}
	for i, d := range batch {
		n := number(d.ID)
		switch ends[i].Action {
		case job.Ack:
			if !over(before, n, d) && !over(after, n, d) && !takenOver(before[n], after[n], d) {
				t.Fatalf("delivery %d is acknowledged, but its row was %+v and is %+v", i, before[n], after[n])
			}
		case job.DeadLetter:
			if d.Count <= len(schedule) {
				t.Fatalf("delivery %d is given up although it is not the last", i)
			}
		case job.Retry:
		default:
			t.Fatalf("delivery %d has no end", i)
		}
	}
}

// over reports whether the row proves that nothing is left to do for the delivery.
func over(rows map[int]row, n int, d job.Delivery) bool {
	r, ok := rows[n]
	return !ok && d.Count > 1 || r.status == job.StatusSucceeded || r.status == job.StatusCancelled ||
		r.status == job.StatusFailed && !r.failedAt.Before(d.SentAt) ||
		!d.PublishedAt.IsZero() && d.PublishedAt.Before(r.published) ||
		ok && r.status == job.StatusNone && r.unworkable != ""
}

// takenOver reports whether the waiting row has a message of its own, and
// this message would not be delivered again.
func takenOver(before, after row, d job.Delivery) bool {
	return d.Count > len(schedule) && after.status == job.StatusPending && after.published != before.published
}

func checkSent(t *rapid.T, ends []job.Settlement, sent [][]job.Settled) {
	if slices.ContainsFunc(sent[len(sent)-1], func(s job.Settled) bool { return s.Action == job.Ack }) {
		t.Fatalf("an Ack that is left to the response was sent: %+v", sent)
	}
	times := make([]int, len(ends))
	for _, s := range slices.Concat(sent...) {
		times[s.Index]++
		if s.Settlement != ends[s.Index] {
			t.Fatalf("sent %+v, but the end is %+v", s, ends[s.Index])
		}
	}
	for i, end := range ends {
		if times[i] > 1 || times[i] == 0 && end.Action != job.Ack {
			t.Fatalf("delivery %d, %+v: sent %d times", i, end, times[i])
		}
	}
}

func (m *memory) snapshot() map[int]row {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := map[int]row{}
	for id, r := range m.rows {
		rows[number(id)] = *r
	}
	return rows
}

// bubbleTime is the time at which every bubble begins.
var bubbleTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// around returns a time up to two minutes earlier or later; messages are sent one minute before.
var around = rapid.Custom(func(t *rapid.T) time.Time {
	return bubbleTime.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "minutes")) * time.Minute)
})

func drawDelivery(rows int) *rapid.Generator[job.Delivery] {
	return rapid.Custom(func(t *rapid.T) job.Delivery {
		d := job.Delivery{ID: id(rapid.IntRange(1, rows).Draw(t, "row")),
			Count: rapid.IntRange(1, 4).Draw(t, "count"), SentAt: bubbleTime.Add(-time.Minute)}
		if rapid.Bool().Draw(t, "stamped") {
			d.PublishedAt = around.Draw(t, "published")
		}
		return d
	})
}

func drawRow(t *rapid.T) row {
	r := row{
		status: rapid.SampledFrom([]job.Status{job.StatusNone, job.StatusPending, job.StatusInProgress,
			job.StatusSucceeded, job.StatusFailed, job.StatusCancelled}).Draw(t, "status"),
		attempt:   rapid.IntRange(0, 3).Draw(t, "attempt"),
		published: around.Draw(t, "published"),
		commits:   rapid.Bool().Draw(t, "commits"),
	}
	switch r.status {
	case job.StatusInProgress:
		r.lease = around.Draw(t, "lease")
	case job.StatusFailed:
		r.failedAt = around.Draw(t, "failed at")
	}
	if rapid.IntRange(0, 5).Draw(t, "unworkable") == 5 {
		r.unworkable = "no type"
	}
	for _, err := range []*error{&r.claimErr, &r.releaseErr, &r.findErr} {
		*err = rapid.SampledFrom([]error{nil, nil, nil, nil, errDown}).Draw(t, "fault")
	}
	return r
}

// turn is work under way.
type turn struct {
	store   *memory
	fence   job.Attempt
	lost    error           // its error when it has lost the row
	release <-chan struct{} // closed when the invocation is over
}

// behaviours lists the possible ends of work: success, failure, no end, or a lost fence.
var behaviours = map[string]func(context.Context, turn) error{
	"succeeds":       func(_ context.Context, w turn) error { return w.store.succeed(w.fence) },
	"fails":          func(context.Context, turn) error { return errDown },
	"fails for good": func(context.Context, turn) error { return failure.Permanently("no counterparty") },
	"panics":         func(context.Context, turn) error { panic("x") },
	"succeeds, but the answer is lost": func(_ context.Context, w turn) error {
		_ = w.store.succeed(w.fence)
		return errDown
	},
	"is out of time":    func(ctx context.Context, _ turn) error { <-ctx.Done(); return ctx.Err() },
	"never returns":     func(_ context.Context, w turn) error { <-w.release; return w.store.succeed(w.fence) },
	"is published":      loses(func(m *memory, f job.Attempt) { m.publish(number(f.ID)) }),
	"is deleted":        loses(func(m *memory, f job.Attempt) { m.remove(number(f.ID)) }),
	"is taken":          loses(set(job.StatusInProgress, 1, time.Minute)),
	"is taken and left": loses(set(job.StatusInProgress, 1, 0)),
	"is done elsewhere": loses(set(job.StatusSucceeded, 1, 0)),
}

func loses(to func(*memory, job.Attempt)) func(context.Context, turn) error {
	return func(_ context.Context, w turn) error {
		to(w.store, w.fence)
		return w.lost
	}
}

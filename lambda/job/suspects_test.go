package job_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
)

// A suspect may kill the process. So it harms no other delivery: settled ones are
// sent first, and waiting ones are not claimed.
func TestSuspectsRunAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), expired(5), pending(0), expired(2), expired(2), &row{status: job.StatusSucceeded})
		slowly := func(ctx context.Context, f job.Attempt) error {
			synctest.Wait() // until no other goroutine can go on: all work beside it has begun by now
			r.store.note("end %d", number(f.ID))
			return r.store.succeed(f)
		}
		r.work[id(3)] = func(ctx context.Context, f job.Attempt) error {
			synctest.Wait()
			return errDown
		}
		r.work[id(4)], r.work[id(5)] = slowly, slowly
		r.work[id(2)] = fails(errDown)
		got := r.run(first(1), first(2), first(3), first(4), first(5), first(6))
		waits := writes(job.StatusPending, retry(m5))
		wantEnds(t, got, ack, waits, waits, ack, ack, ack)
		slices.Sort(r.store.lines[1:3]) // these two run at once
		want := []string{
			"claim [1 2 3 4 5 6]", "work 1", "work 3", "pending 3",
			"sent 0 ack, 2 retry, 5 ack",
			"claim [4]", "work 4", "end 4", "sent 3 ack",
			"claim [5]", "work 5", "end 5", "sent 4 ack",
			"claim [2]", "work 2", "pending 2", "sent 1 retry",
		}
		if !slices.Equal(r.store.lines, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(r.store.lines, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestSuspectReclaimed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		now   func(m *memory) // what becomes of it while another suspect works
		count int
		want  job.Settlement
	}{
		{"still a suspect", func(*memory) {}, 1, ack},
		{"succeeded", func(m *memory) { m.change(2, func(r *row) { r.status = job.StatusSucceeded }) }, 1, ack},
		{"held", func(m *memory) { m.change(2, func(r *row) { r.lease = time.Now().Add(time.Minute) }) }, 1,
			retry(time.Minute)},
		{"held beyond the invocation, last delivery",
			func(m *memory) { m.change(2, func(r *row) { r.lease = time.Now().Add(time.Hour) }) }, 3, deadLetter},
		{"published again", func(m *memory) { m.publish(2) }, 1, ack},
		{"deleted", func(m *memory) { m.remove(2) }, 2, ack},
		{"unreachable", func(m *memory) { m.change(2, func(r *row) { r.claimErr = errDown }) }, 2,
			job.Settlement{Action: job.Retry, Visibility: givenBack}},
		{"unreachable, last delivery", func(m *memory) { m.change(2, func(r *row) { r.claimErr = errDown }) }, 3,
			deadLetter},
	} {
		bubble(t, tc.name, func(t *testing.T) {
			r := newRig(t, expired(1), expired(2), expired(3))
			var waiting row
			r.work[id(1)] = func(_ context.Context, f job.Attempt) error {
				waiting = r.store.row(2)
				tc.now(r.store)
				return r.store.succeed(f)
			}
			got := byTheBackoff(t, r.run(first(1), delivery(2, tc.count), first(3)), m30)
			wantEnds(t, got, ack, tc.want, ack)
			if waiting.attempt != 2 {
				t.Errorf("attempt %d before its turn, want 2: a crash of the first would cost it one",
					waiting.attempt)
			}
		})
	}
}

func TestSuspectsShareTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, expired(1), expired(2), expired(3))
		var shares []time.Duration
		for n := 1; n <= 3; n++ {
			r.work[id(n)] = func(ctx context.Context, f job.Attempt) error {
				deadline, _ := ctx.Deadline()
				shares = append(shares, time.Until(deadline))
				if number(f.ID) != 2 {
					<-ctx.Done() // it uses all of it
				}
				return r.store.succeed(f)
			}
		}
		r.run(first(1), first(2), first(3))
		all := length - manifest.SettleReserve
		want := []time.Duration{all / 3, all / 3, all * 2 / 3} // the second used nothing
		if !slices.Equal(shares, want) {
			t.Errorf("shares %v, want %v", shares, want)
		}
		for i, lease := range r.store.leases[1:] {
			if want := shares[i] + manifest.SettleReserve + manifest.LeaseMargin; lease != want {
				t.Errorf("suspect %d: lease %v, want %v", i, lease, want)
			}
		}
	})
}

func TestSuspectsNoDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, expired(1), expired(2))
		wantEnds(t, r.runContext(context.Background(), first(1), first(2)), ack, ack)
	})
}

// When the batch has used up the time, no suspect begins, so there is no reason
// to send the settlements before each: if the queue does not answer, that would
// cost the response of the whole batch.
func TestSlowQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0))
		r.work[id(1)] = func(ctx context.Context, _ job.Attempt) error {
			<-ctx.Done()
			return ctx.Err()
		}
		batch := []job.Delivery{first(1)}
		want := []job.Settlement{writes(job.StatusPending, retry(m5))}
		for n := 2; n <= manifest.Match.BatchSize; n++ {
			r.store.rows[id(n)] = expired(n)
			batch, want = append(batch, first(n)), append(want, retry(givenBack))
		}
		r.queue.slow = func() { <-time.After(5 * time.Second) }
		begin := time.Now()
		wantEnds(t, byTheBackoff(t, r.run(batch...), m5), want...)
		if took := time.Since(begin); took >= length {
			t.Errorf("the response was ready after %v, but the invocation ended after %v", took, length)
		}
		if got := len(slices.Concat(r.queue.sent...)); got != len(batch) {
			t.Errorf("sent %d messages, want each of the %d once", got, len(batch))
		}
	})
}

package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/job"
)

// beating is a rig whose claims live for five minutes: a beat a minute.
func beating(t *testing.T, rows ...*row) *rig {
	r := newRig(t, rows...)
	r.lease = m5
	return r
}

// takes is work that goes on for that long, or until its context ends, and is
// then committed.
func (r *rig) takes(d time.Duration) rowWork {
	return func(ctx context.Context, f job.Attempt) error {
		select {
		case <-time.After(d):
			return r.store.succeed(f)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *rig) wantJournal(want ...string) {
	r.t.Helper()
	if lines := r.store.lines; !slices.Equal(lines, want) {
		r.t.Errorf("what happened:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// A beat extends leases and messages of what is at work, and of nothing else.
func TestHeartbeatExtends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := beating(t, pending(0), pending(0), inProgress(1, time.Hour))
		r.work[id(1)], r.work[id(2)] = r.takes(90*time.Second), r.takes(3*time.Minute+time.Second)
		lease := make(chan time.Duration, 1)
		go func() {
			<-time.After(3*time.Minute + time.Second/2)
			lease <- time.Until(r.store.row(2).lease)
		}()
		wantEnds(t, r.runFor(15*time.Minute, first(1), first(2), first(3)), ack, ack, retry(time.Hour))
		if left, want := <-lease, m5-time.Second/2; left != want {
			t.Errorf("half a second after a beat the lease lives for %s, want %s", left, want)
		}
		slices.Sort(r.store.lines[2:4]) // work begins at once
		r.wantJournal("claim [1 2 3]", "hide [0 1] for 5m2s", "work 1", "work 2",
			"extend 2 of 2", "hide [0 1] for 5m2s",
			"extend 1 of 1", "hide [1] for 5m2s", "extend 1 of 1", "hide [1] for 5m2s",
			"sent 2 retry")
	})
}

// The message of a suspect that waits for its turn comes back with those at work
// when this process dies, and not after the queue's own visibility timeout.
func TestSuspectStaysHidden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := beating(t, pending(0), expired(1))
		r.work[id(1)], r.work[id(2)] = r.takes(90*time.Second), r.takes(time.Second)
		wantEnds(t, r.runFor(15*time.Minute, first(1), first(2)), ack, ack)
		r.wantJournal("claim [1 2]", "hide [0 1] for 5m2s", "work 1", "extend 1 of 1", "hide [0 1] for 5m2s",
			"sent 0 ack", "claim [2]", "hide [1] for 5m2s", "work 2", "sent ")
	})
}

func TestLostFenceStopsWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := beating(t, pending(0), pending(0))
		r.work[id(1)], r.work[id(2)] = r.takes(time.Hour), r.takes(2*time.Minute)
		began := time.Now()
		var stopped time.Duration
		work := r.work[id(1)]
		r.work[id(1)] = func(ctx context.Context, f job.Attempt) error {
			err := work(ctx, f)
			stopped = time.Since(began)
			return err
		}
		go func() {
			<-time.After(30 * time.Second)
			r.store.publish(1)
		}()
		wantEnds(t, r.runFor(15*time.Minute, first(1), first(2)), retry(job.KeepVisibility), ack)
		if stopped != time.Minute {
			t.Errorf("stopped after %s, want the first beat's minute", stopped)
		}
		r.wantStatus(1, job.StatusPending)
	})
}

// Work whose lease cannot be extended ends before the lease does, and what it
// says then is not believed to be the cause.
func TestUnextendedLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := beating(t, pending(0))
		began := time.Now()
		r.work[id(1)] = func(ctx context.Context, _ job.Attempt) error {
			r.store.mu.Lock()
			r.store.down = began.Add(4*time.Minute + 30*time.Second)
			r.store.mu.Unlock()
			<-ctx.Done()
			if passed := time.Since(began); passed >= m5 || passed < 3*time.Minute {
				t.Errorf("stopped after %s of a lease of 5m", passed)
			}
			return errors.New("interrupted")
		}
		wantEnds(t, r.runFor(15*time.Minute, first(1)), writes(job.StatusPending, retry(m5)))
		if reason := r.store.row(1).release.Reason; !strings.Contains(reason, "lease") {
			t.Errorf("the reason is %q", reason)
		}
	})
}

// One beat that fails is made up for by the next.
func TestOneMissedBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := beating(t, pending(0))
		r.work[id(1)] = r.takes(10 * time.Minute)
		go func() {
			<-time.After(50 * time.Second)
			r.store.mu.Lock()
			defer r.store.mu.Unlock()
			r.store.down = time.Now().Add(2 * time.Minute)
		}()
		wantEnds(t, r.runFor(15*time.Minute, first(1)), ack)
	})
}

// The call of a beat under way ends before a settlement's call begins,
// whatever moment of the beat the work ends in.
func TestSettlementOutlastsBeat(t *testing.T) {
	t.Parallel()
	for ends := 59 * time.Second; ends <= 63*time.Second; ends += 250 * time.Millisecond {
		bubble(t, ends.String(), func(t *testing.T) {
			r := beating(t, pending(0))
			r.queue.slow = func() {
				<-time.After(2 * time.Second)
				r.store.note("answered")
			}
			r.work[id(1)] = func(context.Context, job.Attempt) error {
				<-time.After(ends - 2*time.Second) // the first call takes two
				return errDown
			}
			r.runFor(15*time.Minute, first(1))
			lines := r.store.lines
			if n := len(lines); n < 3 || lines[n-2] != fmt.Sprintf("sent 0 %s", job.Retry) || lines[n-3] != "pending 1" && lines[n-3] != "answered" {
				t.Errorf("the settlement is not the last call:\n%s", strings.Join(lines, "\n"))
			}
		})
	}
}

// A settlement that is sent before a deferred delivery runs waits for the beat
// under way: that beat would hide the message for longer, or for less.
func TestSettlementAwaitsBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := beating(t, pending(0), expired(5))
		r.queue.slow = func() {
			<-time.After(2 * time.Second)
			r.store.note("answered")
		}
		r.work[id(1)] = func(context.Context, job.Attempt) error {
			<-time.After(59 * time.Second) // the first call takes two: it ends while the beat hides the message
			return errDown
		}
		r.work[id(2)] = r.takes(time.Second)
		r.runFor(15*time.Minute, first(1), first(2))
		want := []string{"claim [1 2]", "hide [0 1] for 5m2s", "answered", "work 1",
			"extend 1 of 1", "hide [0 1] for 5m2s", "pending 1", "answered", "sent 0 retry", "answered"}
		if lines := r.store.lines; len(lines) < len(want) || !slices.Equal(lines[:len(want)], want) {
			t.Errorf("what happened:\n%s\nwant first:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	})
}

// Without a lease of its own a claim lives until the invocation ends.
func TestHeartbeatNeedsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0))
		r.work[id(1)] = r.takes(2 * time.Minute)
		r.run(first(1))
		r.wantJournal("claim [1]", "work 1", "sent ")
	})
}

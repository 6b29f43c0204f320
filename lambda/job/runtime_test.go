package job_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
)

const (
	m5, m30 = 5 * time.Minute, 30 * time.Minute
	// length is the length of an invocation.
	length = 3 * time.Minute
)

var (
	ack        = job.Settlement{Action: job.Ack}
	deadLetter = job.Settlement{Action: job.DeadLetter}
	errDown    = errors.New("the database is down")
)

func retry(after time.Duration) job.Settlement {
	return job.Settlement{Action: job.Retry, Visibility: after}
}

// writes returns a settlement with the status that is written before it.
func writes(status job.Status, s job.Settlement) job.Settlement {
	s.Write = status
	return s
}

func TestSettlementTable(t *testing.T) {
	t.Parallel()
	var (
		missing      = func() *row { return nil }
		waits        = func() *row { return pending(0) }
		none         = func() *row { return &row{} }
		succeeded    = func() *row { return &row{status: job.StatusSucceeded, attempt: 1} }
		failedNow    = func() *row { return &row{status: job.StatusFailed, attempt: 1, failedAt: time.Now()} }
		failedBefore = func() *row {
			return &row{status: job.StatusFailed, attempt: 1,
				failedAt: time.Now().Add(-time.Hour)}
		}
		superseded = func() *row { return &row{status: job.StatusPending, published: time.Now().Add(1)} }
		unworkable = func() *row { return &row{status: job.StatusPending, unworkable: "no type"} }
		held       = func() *row { return inProgress(1, time.Minute) }
		heldLong   = func() *row { return inProgress(1, time.Hour) }

		transient = fails(errors.New("anything unknown"))
		permanent = fails(failure.Permanently("no counterparty"))
		asks      = func(d time.Duration) rowWork { return fails(&failure.Error{Sentence: "429", RetryAfter: d}) }
		never     = panics("there is nothing to do")
	)
	for _, tc := range []struct {
		name   string
		row    func() *row
		count  int
		work   rowWork // nil: it succeeds
		want   job.Settlement
		status job.Status
		level  string
	}{
		{"success", waits, 1, nil, ack, job.StatusSucceeded, "INFO"},
		{"success of a row that was never queued", none, 1, nil, ack, job.StatusSucceeded, "INFO"},
		{"success on the last delivery", waits, 3, nil, ack, job.StatusSucceeded, "INFO"},
		{"success of a redriven message", failedBefore, 1, nil, ack, job.StatusSucceeded, "INFO"},
		{"done", succeeded, 1, never, ack, job.StatusSucceeded, "INFO"},
		{"failed by an earlier delivery", failedNow, 2, never, ack, job.StatusFailed, "INFO"},
		{"superseded", superseded, 3, never, ack, job.StatusPending, "INFO"},
		{"missing, delivery 1", missing, 1, never, retry(m5), "", "WARN"},
		{"missing, delivery 2", missing, 2, never, ack, "", "WARN"},
		{"unworkable", unworkable, 1, never, ack, job.StatusNone, "WARN"},
		{"held", held, 1, never, retry(time.Minute), job.StatusInProgress, "WARN"},
		{"held beyond the invocation, last delivery", heldLong, 3, never, deadLetter, job.StatusInProgress, "ERROR"},
		{"transient, delivery 1", waits, 1, transient, writes(job.StatusPending, retry(m5)), job.StatusPending, "WARN"},
		{"transient, delivery 2", waits, 2, transient, writes(job.StatusPending, retry(m30)), job.StatusPending,
			"WARN"},
		{"transient, last delivery", waits, 3, transient, writes(job.StatusFailed, deadLetter), job.StatusFailed,
			"ERROR"},
		{"transient, beyond the last delivery",
			waits, 9, transient, writes(job.StatusFailed, deadLetter), job.StatusFailed, "ERROR"},
		{"Retry-After longer than the schedule", waits, 1, asks(time.Hour), writes(job.StatusPending, retry(time.Hour)),
			job.StatusPending, "WARN"},
		{"Retry-After shorter than the schedule", waits, 2, asks(time.Minute), writes(job.StatusPending, retry(m30)),
			job.StatusPending, "WARN"},
		{"Retry-After on the last delivery", waits, 3, asks(time.Hour), writes(job.StatusFailed, deadLetter),
			job.StatusFailed, "ERROR"},
		{"permanent", waits, 1, permanent, writes(job.StatusFailed, ack), job.StatusFailed, "ERROR"},
		{"permanent, last delivery", waits, 3, permanent, writes(job.StatusFailed, ack), job.StatusFailed, "ERROR"},
		{"panic", waits, 1, panics("x"), writes(job.StatusFailed, ack), job.StatusFailed, "ERROR"},
	} {
		bubble(t, tc.name, func(t *testing.T) {
			r := newRig(t, tc.row())
			r.work[id(1)] = tc.work
			d := delivery(1, tc.count)
			d.PublishedAt = time.Now()
			wantEnds(t, r.run(d), tc.want)
			r.wantStatus(1, tc.status)
			logged := r.log.of(t, "settled", id(1))
			if len(logged) != 1 || logged[0].Level != tc.level || logged[0].Delivery != tc.count ||
				logged[0].Action != tc.want.Action.String() {
				t.Errorf("logged %+v, want one line at %s", logged, tc.level)
			}
		})
	}
}

func TestReleaseReasonAndDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(6), pending(0))
		r.work[id(1)] = fails(failure.At("ask the model", &failure.Error{Sentence: "429", RetryAfter: time.Hour}))
		r.work[id(2)] = fails(failure.At("read", failure.Permanently("no counterparty")))
		r.run(delivery(1, 2), delivery(2, 1))
		for n, want := range map[int]job.Release{
			1: {Status: job.StatusPending, Reason: "ask the model: 429", Due: time.Hour, Kind: "transient",
				Delivery: 2},
			2: {Status: job.StatusFailed, Reason: "read: no counterparty", Kind: "permanent", Delivery: 1},
		} {
			if got := r.store.row(n).release; got != want {
				t.Errorf("row %d: release %+v, want %+v", n, got, want)
			}
		}
		if got := r.log.of(t, "settled", id(1)); len(got) != 1 || got[0].Attempt != 7 ||
			got[0].Reason != "ask the model: 429" || got[0].Result != "transient" {
			t.Errorf("logged %+v, want the attempt, the reason and the result", got)
		}
	})
}

func TestSettlementOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, expired(1), pending(0), pending(0), inProgress(1, time.Minute))
		r.work[id(2)] = fails(errDown)
		r.work[id(3)] = fails(failure.Permanently("no"))
		got := r.run(first(4), first(1), first(9), first(3), delivery(2, 2))
		wantEnds(t, got, retry(time.Minute), ack, retry(m5), writes(job.StatusFailed, ack),
			writes(job.StatusPending, retry(m30)))
	})
}

func TestEachRetrySentOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), pending(0), pending(0), inProgress(1, time.Minute))
		r.work[id(2)], r.work[id(3)] = fails(errDown), fails(errDown)
		ends := r.run(first(1), first(2), delivery(3, 3), first(4))
		want := [][]job.Settled{{{1, ends[1]}, {2, ends[2]}, {3, ends[3]}}}
		if !reflect.DeepEqual(r.queue.sent, want) {
			t.Errorf("sent %+v, want %+v", r.queue.sent, want)
		}
	})
}

func TestEmptyBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		if got := r.run(); len(got) != 0 || len(r.store.leases) != 0 {
			t.Errorf("got %v after %d claims, want nothing", got, len(r.store.leases))
		}
	})
}

func TestDuplicateMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), expired(1))
		got := r.run(first(1), first(1), first(2), first(2))
		wantEnds(t, got, ack, retry(length+manifest.LeaseMargin), ack, retry(length+manifest.LeaseMargin))
		if one, two := r.store.row(1).attempt, r.store.row(2).attempt; one != 1 || two != 2 {
			t.Errorf("attempts %d and %d, want 1 and 2", one, two)
		}
	})
}

func TestWorkStartsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 10
		r := newRig(t)
		var started atomic.Int32
		everybody := make(chan struct{})
		var batch []job.Delivery
		for i := 1; i <= n; i++ {
			r.store.rows[id(i)] = pending(0)
			batch = append(batch, first(i))
			r.work[id(i)] = func(ctx context.Context, f job.Attempt) error {
				if started.Add(1) == n {
					close(everybody)
				}
				select {
				case <-everybody:
					return r.store.succeed(f)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		for i, got := range r.run(batch...) {
			if got != ack {
				t.Errorf("delivery %d: got %+v, want an ack: all %d wait for each other", i, got, n)
			}
		}
	})
}

func TestPanicIsIsolated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), pending(0), pending(0))
		r.work[id(2)] = panics("Muster GmbH owes 100.00")
		wantEnds(t, r.run(first(1), first(2), first(3)), ack, writes(job.StatusFailed, ack), ack)
		logged := r.log.of(t, "panic", id(2))
		if len(logged) != 1 || logged[0].Level != "ERROR" || !strings.Contains(logged[0].Stack, "fake_test.go") {
			t.Errorf("logged %+v, want the stack, once", logged)
		}
		if got, want := r.store.row(2).release.Reason, "panic (string)"; got != want {
			t.Errorf("reason %q, want %q", got, want)
		}
		if strings.Contains(r.log.String(), "Muster") {
			t.Errorf("the panic's value is in the log: it may hold row text")
		}
	})
}

func TestHungWorkIsAbandoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), pending(0), pending(0))
		release, late := make(chan struct{}), make(chan error)
		r.work[id(2)] = func(_ context.Context, f job.Attempt) error {
			<-release
			err := r.store.succeed(f)
			late <- err
			return err
		}
		r.work[id(3)] = fails(errDown)
		begin := time.Now()
		got := r.runFor(300*time.Millisecond, first(1), first(2), first(3))
		wantEnds(t, got, ack, writes(job.StatusPending, retry(m5)), writes(job.StatusPending, retry(m5)))
		if got, want := time.Since(begin), 225*time.Millisecond+time.Second; got != want {
			t.Errorf("took %v, want %v: three quarters of the time and a second to notice", got, want)
		}
		close(release)
		if err := <-late; !errors.Is(err, job.ErrFenceLost) {
			t.Errorf("it wrote later: error %v, want %v", err, job.ErrFenceLost)
		}
		r.wantStatus(2, job.StatusPending)
	})
}

// Work that notices the end and still gets its commit through has succeeded.
func TestGracePeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0))
		r.work[id(1)] = func(ctx context.Context, f job.Attempt) error {
			<-ctx.Done()
			<-time.After(time.Second - 1)
			return r.store.succeed(f)
		}
		wantEnds(t, r.run(first(1)), ack)
	})
}

func TestWorkLeavesSettleTime(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ length, want time.Duration }{
		{3 * time.Minute, 3*time.Minute - manifest.SettleReserve},
		{time.Minute, time.Minute - manifest.SettleReserve},
		{20 * time.Second, 15 * time.Second}, // a quarter, so that something is left to work in
	} {
		bubble(t, tc.length.String(), func(t *testing.T) {
			r := newRig(t, pending(0))
			var got time.Duration
			r.work[id(1)] = func(ctx context.Context, f job.Attempt) error {
				deadline, _ := ctx.Deadline()
				got = time.Until(deadline)
				return r.store.succeed(f)
			}
			r.runFor(tc.length, first(1))
			if got != tc.want {
				t.Errorf("%v to work, want %v", got, tc.want)
			}
			if got, want := r.store.leases[0], tc.want+manifest.SettleReserve+manifest.LeaseMargin; got != want {
				t.Errorf("lease %v, want %v: nobody else may begin while this invocation lives", got, want)
			}
		})
	}
}

// Outside of Lambda there may be no deadline.
func TestLeaseWithoutDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0))
		wantEnds(t, r.runContext(context.Background(), first(1)), ack)
		if got, want := r.store.leases[0], manifest.MaxTimeout+manifest.LeaseMargin; got != want {
			t.Errorf("lease %v, want %v", got, want)
		}
	})
}

func TestSettlingOutlivesStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), pending(0))
		ctx, stop := context.WithTimeout(context.Background(), length)
		r.work[id(1)] = func(ctx context.Context, _ job.Attempt) error {
			stop()
			return ctx.Err()
		}
		r.work[id(2)] = func(ctx context.Context, f job.Attempt) error {
			<-ctx.Done()
			r.store.publish(2)
			return job.ErrFenceLost // the row is read again, which takes a live context as well
		}
		got := r.runContext(ctx, first(1), first(2))
		wantEnds(t, got, writes(job.StatusPending, retry(m5)), retry(job.KeepVisibility))
		r.wantStatus(1, job.StatusPending)
		for _, got := range r.store.limits {
			if got <= 0 || got > manifest.SettleReserve/2 {
				t.Errorf("a write may take %v, want a limit of its own, well within the %v kept free",
					got, manifest.SettleReserve)
			}
		}
	})
}

func TestNoClaimAfterDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(4), pending(4))
		got := r.runFor(0, first(1), delivery(2, 3))
		wantEnds(t, byTheBackoff(t, got, m5), retry(givenBack), deadLetter)
		if len(r.store.leases) != 0 || r.store.row(1).attempt != 4 {
			t.Errorf("%d claims, attempt %d; want none and 4", len(r.store.leases), r.store.row(1).attempt)
		}
	})
}

func TestFailedClaimAcksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), &row{status: job.StatusSucceeded}, pending(0), pending(0))
		r.store.rows[id(4)].claimErr = errDown
		r.store.slow = 7 * time.Second // the end of the time cuts a try short
		for n := 1; n <= 4; n++ {
			r.work[id(n)] = panics("it began without a claim")
		}
		begin := time.Now()
		got := r.run(first(1), first(2), delivery(3, 2), delivery(4, 3))
		if took := time.Since(begin); took < length-manifest.SettleReserve || took > length {
			t.Errorf("gave the messages back after %v: a claim that does not wait empties the queue into the dead letters", took)
		}
		if got[2].Visibility <= m5 {
			t.Errorf("the second retry comes after %v", got[2].Visibility)
		}
		wantEnds(t, byTheBackoff(t, got[:2], m5), retry(givenBack), retry(givenBack))
		wantEnds(t, byTheBackoff(t, got[2:], m30), retry(givenBack), deadLetter)
		for n, level := range map[int]string{1: "WARN", 4: "ERROR"} {
			logged := r.log.of(t, "settled", id(n))
			if len(logged) != 1 || logged[0].Level != level || logged[0].Result != "unsettled" ||
				logged[0].Reason != "claim rows: "+failure.Of(errDown).Text {
				t.Errorf("row %d: logged %+v, want it unsettled at %s", n, logged, level)
			}
		}
	})
}

package job_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
)

func TestLostCommitAnswer(t *testing.T) {
	t.Parallel()
	permanent := failure.Permanently("no counterparty")
	for _, tc := range []struct {
		name  string
		err   error
		count int
		want  job.Settlement
	}{
		{"pending", errDown, 2, writes(job.StatusPending, retry(m30))},
		{"failed, last delivery", errDown, 3, writes(job.StatusFailed, deadLetter)},
		{"failed, permanent", permanent, 1, writes(job.StatusFailed, ack)},
	} {
		bubble(t, tc.name, func(t *testing.T) {
			r := newRig(t, &row{status: job.StatusPending, releaseErr: errDown, commits: true})
			r.work[id(1)] = fails(tc.err)
			wantEnds(t, r.run(delivery(1, tc.count)), tc.want)
			if len(r.store.limits) != 1 {
				t.Errorf("written %d times, want once: nothing is repeated blindly", len(r.store.limits))
			}
		})
	}
}

// A second try finds the fence gone because the first one has committed, which
// could not be read in between.
func TestLostAnswerRecognized(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]job.Settlement{
		2: writes(job.StatusPending, retry(m30)),
		3: writes(job.StatusFailed, deadLetter),
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, &row{status: job.StatusPending, releaseErr: errDown, commits: true, findErr: errDown})
			r.work[id(1)] = func(context.Context, job.Attempt) error {
				time.AfterFunc(10*time.Millisecond, func() { r.store.change(1, func(r *row) { r.findErr = nil }) })
				return errDown
			}
			if got := r.run(delivery(1, count))[0]; got != want {
				t.Errorf("delivery %d: got %+v, want %+v", count, got, want)
			}
			if n := len(r.store.limits); n != 2 {
				t.Errorf("delivery %d: written %d times, want twice", count, n)
			}
		})
	}
}

// A settlement is tried again until the invocation has to respond. The message
// then comes back when the lease ends: a longer wait would leave the row in
// progress without a worker.
func TestUnreachableStore(t *testing.T) {
	t.Parallel()
	atLeaseEnd := retry(manifest.LeaseMargin + manifest.RespondReserve)
	permanent := failure.Permanently("no counterparty")
	for _, tc := range []struct {
		name  string
		row   row // its faults
		work  error
		count int
		want  job.Settlement
	}{
		{"not written", row{releaseErr: errDown}, errDown, 1, atLeaseEnd},
		{"not written, permanent", row{releaseErr: errDown}, permanent, 2, atLeaseEnd},
		{"not written, last delivery", row{releaseErr: errDown}, permanent, 3, deadLetter},
		{"not even read", row{releaseErr: errDown, findErr: errDown}, permanent, 1, atLeaseEnd},
		{"committed, but the database does not answer",
			row{releaseErr: errDown, commits: true, findErr: errDown}, permanent, 1, atLeaseEnd},
		{"fence lost, and the row cannot be read", row{findErr: errDown}, job.ErrFenceLost, 2, atLeaseEnd},
		{"fence lost, last delivery", row{findErr: errDown}, job.ErrFenceLost, 3, deadLetter},
	} {
		bubble(t, tc.name, func(t *testing.T) {
			tc.row.status = job.StatusPending
			r := newRig(t, &tc.row, pending(0))
			r.work[id(1)] = fails(tc.work)
			wantEnds(t, r.run(delivery(1, tc.count), first(2)), tc.want, ack)
		})
	}
}

func TestForeignRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &row{status: job.StatusPending, releaseErr: errDown})
		r.work[id(1)] = func(_ context.Context, f job.Attempt) error {
			set(job.StatusFailed, 1, 0)(r.store, f)
			return failure.Permanently("no counterparty")
		}
		// The other attempt's failure ends the row, and with it this message.
		wantEnds(t, r.run(first(1)), ack)
	})
}

func TestLostSuccessNotInDLQ(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &row{status: job.StatusPending, releaseErr: errDown})
		r.work[id(1)] = func(_ context.Context, f job.Attempt) error {
			set(job.StatusSucceeded, 0, 0)(r.store, f)
			return errors.New("the answer of the commit was lost")
		}
		wantEnds(t, r.run(delivery(1, 3)), ack)
	})
}

func TestLostFence(t *testing.T) {
	t.Parallel()
	unknown := errors.New("the answer of the commit was lost")
	for _, tc := range []struct {
		name  string
		now   func(m *memory, f job.Attempt)
		count int
		want  job.Settlement
	}{
		{"succeeded by itself", func(m *memory, f job.Attempt) { _ = m.succeed(f) }, 1, ack},
		{"succeeded by another attempt", set(job.StatusSucceeded, 1, 0), 1, ack},
		{"failed by another attempt", set(job.StatusFailed, 1, 0), 3, ack},
		{"cancelled by a person", set(job.StatusCancelled, 0, 0), 1, ack},
		{"cancelled by a person, last delivery", set(job.StatusCancelled, 0, 0), 3, ack},
		{"not queued any more", set(job.StatusNone, 0, 0), 1, ack},
		{"under way", set(job.StatusInProgress, 1, time.Minute), 1, retry(time.Minute)},
		{"under way, last delivery", set(job.StatusInProgress, 1, time.Minute), 3, deadLetter},
		{"under way, but the lease has ended", set(job.StatusInProgress, 1, 0), 2, retry(time.Second)},
		{"published", func(m *memory, _ job.Attempt) { m.publish(1) }, 1, retry(job.KeepVisibility)},
		{"published, last delivery", func(m *memory, _ job.Attempt) { m.publish(1) }, 3, ack},
		{"waiting for the message of a later attempt, last delivery", set(job.StatusPending, 1, 0), 3, ack},
		{"deleted, delivery 1", func(m *memory, _ job.Attempt) { m.remove(1) }, 1, retry(m5)},
		{"deleted, later", func(m *memory, _ job.Attempt) { m.remove(1) }, 2, ack},
	} {
		for how, err := range map[string]error{
			"the work says so":     fmt.Errorf("write matches: %w", job.ErrFenceLost),
			"the release finds it": unknown,
		} {
			bubble(t, tc.name+", "+how, func(t *testing.T) {
				r := newRig(t, pending(4))
				var after row
				r.work[id(1)] = func(_ context.Context, f job.Attempt) error {
					tc.now(r.store, f)
					after = r.store.row(1)
					return err
				}
				wantEnds(t, r.run(delivery(1, tc.count)), tc.want)
				if got := r.store.row(1); got != after {
					t.Errorf("without a fence it wrote %+v over %+v", got, after)
				}
			})
		}
	}
}

// set makes another worker's write, that many attempts later.
func set(status job.Status, attempts int, leaseLeft time.Duration) func(*memory, job.Attempt) {
	return func(m *memory, f job.Attempt) {
		m.change(number(f.ID), func(r *row) {
			r.status, r.lease = status, time.Now().Add(leaseLeft)
			r.attempt += attempts
		})
	}
}

// releases writes a release, with results.
type releases = func(context.Context, job.Attempt, job.Release) (bool, error)

// partially is work that fails with err and has results, which write commits.
func partially(err error, write releases) rowWork {
	return func(_ context.Context, f job.Attempt) error {
		return failure.At("ask", &job.Partial{Err: err, Release: func(ctx context.Context, r job.Release) (bool, error) {
			return write(ctx, f, r)
		}})
	}
}

// Work that failed and has results ends exactly like work that failed: the same
// status, error, due time and message, written once.
func TestPartialWithRelease(t *testing.T) {
	t.Parallel()
	permanent := failure.Permanently("refused")
	for _, tc := range []struct {
		err     error
		count   int
		want    job.Settlement
		release job.Release
	}{
		{errDown, 1, writes(job.StatusPending, retry(m5)),
			job.Release{Status: job.StatusPending, Due: m5, Kind: "transient", Delivery: 1}},
		{errDown, 2, writes(job.StatusPending, retry(m30)),
			job.Release{Status: job.StatusPending, Due: m30, Kind: "transient", Delivery: 2}},
		{errDown, 3, writes(job.StatusFailed, deadLetter), job.Release{Status: job.StatusFailed, Kind: "transient", Delivery: 3}},
		{permanent, 1, writes(job.StatusFailed, ack), job.Release{Status: job.StatusFailed, Kind: "permanent", Delivery: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, pending(0))
			var got []job.Release
			r.work[id(1)] = partially(tc.err, func(ctx context.Context, f job.Attempt, v job.Release) (bool, error) {
				got = append(got, v)
				return r.store.Release(ctx, f, v)
			})
			tc.release.Reason = failure.Of(failure.At("ask", tc.err)).Text
			wantEnds(t, r.run(delivery(1, tc.count)), tc.want)
			if want := []job.Release{tc.release}; !reflect.DeepEqual(got, want) || len(r.store.limits) != 1 {
				t.Errorf("released %+v, want %+v; the store was called %d times", got, want, len(r.store.limits))
			}
		})
	}
}

// Results that cannot be written never keep the failure from being settled as the
// table has it, in time and once.
func TestPartialWriteFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		write  func(store releases) releases
		warned int
	}{
		"an error": {warned: 1, write: func(releases) releases {
			return func(context.Context, job.Attempt, job.Release) (bool, error) { return false, errors.New("SECRET") }
		}},
		"a panic": {warned: 1, write: func(releases) releases {
			return func(context.Context, job.Attempt, job.Release) (bool, error) { panic("SECRET") }
		}},
		"it hangs": {warned: 1, write: func(releases) releases {
			return func(ctx context.Context, _ job.Attempt, _ job.Release) (bool, error) {
				<-ctx.Done()
				return false, ctx.Err()
			}
		}},
		"its commit's answer is lost": {warned: 1, write: func(store releases) releases {
			return func(ctx context.Context, f job.Attempt, v job.Release) (bool, error) {
				_, _ = store(ctx, f, v)
				return false, errDown
			}
		}},
		"its commit's answer is lost, and it finds the fence gone": {write: func(store releases) releases {
			return func(ctx context.Context, f job.Attempt, v job.Release) (bool, error) {
				_, _ = store(ctx, f, v)
				return false, nil
			}
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, pending(0))
			r.work[id(1)] = func(ctx context.Context, f job.Attempt) error {
				<-ctx.Done() // the work's time is up: only the reserve is left
				return partially(ctx.Err(), tc.write(r.store.Release))(ctx, f)
			}
			began := time.Now()
			if got, want := r.run(delivery(1, 3))[0], writes(job.StatusFailed, deadLetter); got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
			if took := time.Since(began); took > length {
				t.Errorf("%s: it took %s of %s", name, took, length)
			}
			if n := r.store.row(1).notified; n != 1 {
				t.Errorf("%s: %d notifications, want one", name, n)
			}
			warned := r.log.of(t, "results of failed work not written", id(1))
			if len(warned) != tc.warned || len(warned) > 0 && (warned[0].Reason == "" || warned[0].Reason == "SECRET") {
				t.Errorf("%s: logged %+v", name, warned)
			}
		})
	}
}

// Another attempt took over: neither results nor failure are written.
func TestPartialOnLostFence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0))
		r.work[id(1)] = partially(errDown, func(ctx context.Context, f job.Attempt, v job.Release) (bool, error) {
			set(job.StatusInProgress, 1, time.Minute)(r.store, f)
			return r.store.Release(ctx, f, v)
		})
		wantEnds(t, r.run(first(1)), retry(time.Minute))
		r.wantStatus(1, job.StatusInProgress)
	})
}

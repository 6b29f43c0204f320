package job_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
)

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

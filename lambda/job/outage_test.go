package job_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
)

// givenBack stands for the visibility of a message that could not be claimed.
const givenBack = -time.Hour

// byTheBackoff puts givenBack in the place of visibilities that are at
// most a quarter less than the schedule's.
func byTheBackoff(t *testing.T, ends []job.Settlement, want time.Duration) []job.Settlement {
	t.Helper()
	replaced := append([]job.Settlement(nil), ends...)
	for i, s := range replaced {
		if s.Write == job.StatusNone && s.Action == job.Retry && s.Visibility <= want && s.Visibility >= want*3/4 {
			replaced[i].Visibility = givenBack
		}
	}
	return replaced
}

func TestClaimWaitsForDB(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, pending(0), pending(0))
		r.store.down = time.Now().Add(20 * time.Second)
		wantEnds(t, r.run(first(1), delivery(2, 3)), ack, ack)
	})
}

func TestSettlingWaitsForDB(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		row  row
		err  error // of the work
		want job.Settlement
	}{
		"retry":      {row{}, errDown, writes(job.StatusPending, retry(m5))},
		"fence lost": {row{}, job.ErrFenceLost, ack},
		"retry whose answer is lost too": {row{releaseErr: errDown, commits: true}, errDown,
			writes(job.StatusPending, retry(m5))},
	} {
		bubble(t, name, func(t *testing.T) {
			tc.row.status = job.StatusPending
			r := newRig(t, &tc.row)
			r.work[id(1)] = func(_ context.Context, f job.Attempt) error {
				if tc.err == job.ErrFenceLost {
					set(job.StatusSucceeded, 1, 0)(r.store, f)
				}
				r.store.mu.Lock()
				defer r.store.mu.Unlock()
				r.store.down = time.Now().Add(time.Minute)
				return tc.err
			}
			begin := time.Now()
			wantEnds(t, r.run(first(1)), tc.want)
			if took := time.Since(begin); took < time.Minute || took > time.Minute+2*time.Second {
				t.Errorf("took %v, want the minute of the outage", took)
			}
		})
	}
}

// A parked row keeps the wait that its call was asked for, however early its service is back.
func TestParkedKeepsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parked := &row{status: job.StatusPending}
		r := newRig(t, parked)
		r.work[id(1)] = fails(&failure.Error{Kind: failure.Parked, Service: "gpt-test", RetryAfter: 20 * time.Minute})
		wantEnds(t, r.run(first(1)), writes(job.StatusPending, ack))
		if got := parked.release; got.Due != job.ParkedFor+20*time.Minute || got.Service != "gpt-test" {
			t.Errorf("released with %+v", got)
		}
	})
}

func TestBusyRowIsClaimedLater(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		locked, count int
		want          job.Settlement
	}{
		"a short lock":                       {5, 1, ack},
		"a long lock":                        {1e6, 1, retry(5 * time.Second)},
		"a long lock, last delivery":         {20, 3, ack},
		"locked for ever, its last delivery": {1e6, 3, deadLetter},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, &row{status: job.StatusPending, locked: tc.locked}, pending(0))
			wantEnds(t, r.run(delivery(1, tc.count), first(2)), tc.want, ack)
		})
	}
}

// A message that finds its row held on its last delivery would become a
// dead letter although the row may well succeed.
func TestLastDeliveryWaits(t *testing.T) {
	t.Parallel()
	bubble(t, "its holder finishes", func(t *testing.T) {
		r := newRig(t, inProgress(1, time.Hour))
		r.work[id(1)] = panics("it is held")
		time.AfterFunc(time.Minute, func() { r.store.change(1, func(r *row) { r.status = job.StatusSucceeded }) })
		wantEnds(t, r.run(delivery(1, 3)), ack)
	})
	bubble(t, "its holder is dead", func(t *testing.T) {
		r := newRig(t, inProgress(1, time.Minute))
		if got := r.run(delivery(1, 3))[0]; got != ack || r.store.row(1).attempt != 2 {
			t.Errorf("got %+v, attempt %d; want it worked on when the lease has ended", got, r.store.row(1).attempt)
		}
	})
}

func TestEarlyRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for n := 1; n <= 3; n++ {
			r.store.rows[id(n)] = &row{status: job.StatusPending, attempt: 1, due: time.Now().Add(m30)}
		}
		r.store.rows[id(3)].due = time.Now().Add(time.Minute) // within what clocks may differ
		wantEnds(t, r.run(delivery(1, 2), delivery(2, 3), delivery(3, 2)), retry(m30), ack, ack)
		if n := r.store.row(1).attempt; n != 1 {
			t.Errorf("attempt %d, want 1", n)
		}
	})
}

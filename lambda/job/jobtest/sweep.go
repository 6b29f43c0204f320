package jobtest

import (
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

const (
	times = 3 // of publishing again
	limit = 1000
)

// repairs are the counts of one sweep.
type repairs struct{ overdue, lost, crashed, republished int }

// sweep repairs as package sweep does, in its order.
func (r *rig) sweep() (n repairs, again []job.Stamped) {
	r.Helper()
	var err error
	if n.overdue, err = r.Store.Overdue(r.Context(), visibility); err != nil {
		r.Fatal(err)
	}
	if n.lost, n.crashed, err = r.Store.GiveUp(r.Context(), visibility, times, limit); err != nil {
		r.Fatal(err)
	}
	if again, err = r.Store.Republish(r.Context(), visibility, times, limit); err != nil {
		r.Fatal(err)
	}
	n.republished = len(again)
	return n, again
}

func (r *rig) sweepFinds(want repairs) []job.Stamped {
	r.Helper()
	got, again := r.sweep()
	if got != want {
		r.Fatalf("the sweep repaired %+v, want %+v", got, want)
	}
	return again
}

// givenUp is the row of a document that the sweep has just failed.
func (r *rig) givenUp(id uuid.UUID, attempt int, notifications string) {
	r.Helper()
	row := r.row(id)
	if row.Error == "" {
		r.Error("it is failed without a reason")
	}
	r.rowIs(id, Row{Status: job.StatusFailed, Attempt: attempt, Error: row.Error, FailedAt: r.now(), Notifications: notifications})
}

// The notification of a lost document needs a key of its own, so giving up
// counts as an attempt.
func lostIsRepublished(r *rig) {
	id := r.New()
	notifications := ""
	for round := 1; round <= 2; round++ {
		last := r.publish(id)
		for _, wait := range []time.Duration{visibility, 2 * visibility, 4 * visibility} {
			r.Advance(wait)
			r.sweepFinds(repairs{})
			r.Advance(tick)
			again := r.sweepFinds(repairs{overdue: 1, republished: 1})
			if again[0].ID != id || !again[0].PublishedAt.After(last) {
				r.Errorf("republished as %+v after %v", again[0], last)
			}
			r.rowIs(id, Row{Status: job.StatusPending, Attempt: round - 1, Due: r.now(), Notifications: notifications})
			if _, got := r.claim(job.Delivery{ID: id, PublishedAt: last}, false); got != superseded {
				r.Errorf("the message that got lost found %v, want it superseded", got)
			}
			last = again[0].PublishedAt
		}
		r.Advance(8 * visibility)
		r.sweepFinds(repairs{})
		r.Advance(tick)
		r.sweepFinds(repairs{overdue: 1, lost: 1})
		r.sweepFinds(repairs{})
		if notifications != "" {
			notifications += ", "
		}
		notifications += fmt.Sprintf("lost %d", round)
		r.givenUp(id, round, notifications)
	}
	f := r.redrive(id)
	if f.Attempt != 3 {
		r.Errorf("redriven as attempt %d, want 3", f.Attempt)
	}
	r.succeed(f)
}

func claimResetsRepublishing(r *rig) {
	id := r.New()
	r.publish(id)
	for attempt := 1; attempt <= times+1; attempt++ {
		before := r.row(id)
		r.Advance(visibility + retryIn + tick)
		r.sweepFinds(repairs{overdue: 1, republished: 1})
		before.Due = r.now()
		r.rowIs(id, before) // the error of the last try stays
		r.settle(r.take(id), job.Verdict{Status: job.StatusPending, Reason: busy, Due: retryIn})
	}
}

func crashedIsFailed(r *rig) {
	id := r.in(retrying)
	f := r.take(id)
	r.Advance(lease + visibility)
	r.sweepFinds(repairs{})
	r.Advance(tick)
	r.sweepFinds(repairs{overdue: 1, crashed: 1})
	r.sweepFinds(repairs{})
	r.givenUp(id, 2, "crashed 2")
	r.refused(f)
	r.succeed(r.redrive(id))
	r.rowIs(id, Row{Status: job.StatusSucceeded, Attempt: 3, Notifications: "crashed 2"})
}

func nothingElseIsOverdue(r *rig) {
	for _, s := range []state{neverPublished, succeeded, failed, spoiled} {
		r.in(s)
	}
	r.Advance(1000 * time.Hour)
	r.unchanged("the sweep", func() { r.sweepFinds(repairs{}) })
}

// broken makes documents for each of the repairs, n but for the crashed ones.
func (r *rig) broken(n, nCrashed int) (lost, crashed, missed []uuid.UUID) {
	r.Helper()
	for range n {
		lost = append(lost, r.in(published))
	}
	for range times {
		r.Advance(8 * visibility)
		r.sweepFinds(repairs{overdue: n, republished: n})
	}
	for range nCrashed {
		crashed = append(crashed, r.in(inProgress))
	}
	for range n {
		missed = append(missed, r.in(retrying))
	}
	r.Advance(9 * visibility)
	return lost, crashed, missed
}

func repairsRespectLimit(r *rig) {
	r.broken(3, 3)
	for _, want := range []int{4, 2, 0} {
		if lost, crashed, err := r.Store.GiveUp(r.Context(), visibility, times, 4); lost+crashed != want || err != nil {
			r.Errorf("gave up %d lost and %d crashed, error %v; want %d", lost, crashed, err, want)
		}
	}
	for _, want := range []int{2, 1, 0} {
		if again, err := r.Store.Republish(r.Context(), visibility, times, 2); len(again) != want || err != nil {
			r.Errorf("republished %d, error %v; want %d", len(again), err, want)
		}
	}
}

func sweepsRepairOnce(r *rig) {
	const n, workers, rounds = 10, 6, 10
	for round := 1; round <= rounds; round++ { // after the first one, everybody is connected
		// A crashed document has its notification's key, which would undo the
		// doubling of a lost one in the same transaction: only every other time.
		nCrashed := round % 2 * n
		lost, crashed, missed := r.broken(n, nCrashed)
		total := repairs{}
		for _, got := range atOnce(workers, r.sweepOnce) {
			total = repairs{0, total.lost + got.lost, total.crashed + got.crashed, total.republished + got.republished}
		}
		if want := (repairs{0, n, nCrashed, n}); total != want {
			r.Fatalf("round %d: together they repaired %+v, want %+v", round, total, want)
		}
		for _, id := range lost {
			r.givenUp(id, 1, "lost 1")
		}
		for _, id := range crashed {
			r.givenUp(id, 1, "crashed 1")
		}
		for _, id := range missed {
			r.rowIs(id, Row{Status: job.StatusPending, Attempt: 1, Error: busy, Due: r.now()})
			r.succeed(r.take(id))
		}
		r.sweepFinds(repairs{})
	}
}

func (r *rig) sweepOnce(worker int) (n repairs) {
	giveUp := func() (err error) {
		n.lost, n.crashed, err = r.Store.GiveUp(r.Context(), visibility, times, limit)
		return err
	}
	republish := func() error {
		again, err := r.Store.Republish(r.Context(), visibility, times, limit)
		n.republished = len(again)
		return err
	}
	steps := []func() error{giveUp, republish}
	if worker%2 == 0 { // so that both repairs are done by several at the same moment
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			r.Error(err)
		}
	}
	return n
}

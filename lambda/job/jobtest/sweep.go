package jobtest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"

	"github.com/google/uuid"
)

const (
	times = 3 // to publish a row again
	limit = 1000
)

// The limits of a sweep with an empty queue, with a drained one, and with a backlog.
var (
	empty   = sweep.Waits{Visibility: visibility, Grace: grace, Lapses: 3, Times: times, Drained: true, Idle: true}
	drained = sweep.Waits{Visibility: visibility, Grace: grace, Lapses: 3, Times: times, Drained: true}
	backlog = sweep.Waits{Visibility: visibility, Grace: grace, Lapses: 3, Times: times}
)

type repairs struct{ overdue, lost, crashed, inserted, lapsed, republished int }

func (n *repairs) add(again []sweep.Republished) {
	for _, a := range again {
		*map[sweep.Repair]*int{sweep.Inserted: &n.inserted, sweep.Lapsed: &n.lapsed,
			sweep.Overdue: &n.republished}[a.Repair]++
	}
}

// sweep repairs in the order of package sweep.
func (r *rig) sweep(w sweep.Waits) (n repairs, again []sweep.Republished) {
	r.Helper()
	var err error
	if n.overdue, err = r.Store.Overdue(r.Context(), w, limit); err != nil {
		r.Fatal(err)
	}
	if n.lost, n.crashed, err = r.Store.GiveUp(r.Context(), w, limit); err != nil {
		r.Fatal(err)
	}
	if again, err = r.Store.Republish(r.Context(), w, limit); err != nil {
		r.Fatal(err)
	}
	n.add(again)
	return n, again
}

func (r *rig) sweepFinds(w sweep.Waits, want repairs) []sweep.Republished {
	r.Helper()
	got, again := r.sweep(w)
	if got != want {
		r.Fatalf("the sweep repaired %+v, want %+v", got, want)
	}
	return again
}

// findsAfter sweeps when this time has just passed; a sweep before it finds nothing.
func (r *rig) findsAfter(wait time.Duration, w sweep.Waits, want repairs) []sweep.Republished {
	r.Helper()
	r.Advance(wait)
	r.sweepFinds(w, repairs{})
	r.Advance(tick)
	return r.sweepFinds(w, want)
}

// givenUp is a row just failed by the sweep.
func (r *rig) givenUp(id uuid.UUID, attempt int, notifications string) {
	r.Helper()
	row := r.row(id)
	if row.Error == "" {
		r.Error("it is failed without a reason")
	}
	r.rowIs(id, Row{Status: job.StatusFailed, Attempt: attempt, Error: row.Error, FailedAt: r.now(),
		Notifications: notifications})
}

func insertedIsPublished(r *rig) {
	id := r.New()
	again := r.findsAfter(grace, backlog, repairs{inserted: 1})
	r.rowIs(id, Row{Status: job.StatusPending, Due: r.now()})
	r.sweepFinds(backlog, repairs{})
	r.finds("claimed", job.Delivery{ID: id, PublishedAt: again[0].PublishedAt}, false, "its message")
	spoiled := r.New()
	r.Spoil(spoiled)
	r.Advance(1000 * time.Hour)
	patient := sweep.Waits{Visibility: 1e6 * time.Hour, Grace: grace, Lapses: 3}
	if again, err := r.Store.Republish(r.Context(), patient, limit); err != nil || len(again) > 0 {
		r.Errorf("unworkable row must not be published: %v, error %v", again, err)
	}
}

// A lost row's notification needs a distinct key, so giving up counts as an attempt.
func lostIsRepublished(r *rig) {
	id := r.New()
	notifications := ""
	for round := 1; round <= 2; round++ {
		last := r.publish(id)
		for _, wait := range []time.Duration{visibility, 2 * visibility, 4 * visibility} {
			again := r.findsAfter(wait, empty, repairs{overdue: 1, republished: 1})
			if again[0].ID != id || !again[0].PublishedAt.After(last) {
				r.Errorf("republished as %+v after %v", again[0], last)
			}
			r.rowIs(id, Row{Status: job.StatusPending, Attempt: round - 1, Due: r.now(), Notifications: notifications})
			r.finds("superseded", job.Delivery{ID: id, PublishedAt: last}, false, "lost message")
			last = again[0].PublishedAt
		}
		r.findsAfter(8*visibility, empty, repairs{overdue: 1, lost: 1})
		r.sweepFinds(empty, repairs{})
		if notifications != "" {
			notifications += ", "
		}
		notifications += fmt.Sprintf("lost %d", round)
		r.givenUp(id, round, notifications)
	}
	f := r.redrive(id)
	if f.Number != 3 {
		r.Errorf("redriven as attempt %d, want 3", f.Number)
	}
	r.succeed(f)
}

func busyQueueLosesNothing(r *rig) {
	id := r.in(published)
	for range times + 1 { // the queue isn't empty
		r.Advance(8*visibility + tick)
		r.sweepFinds(drained, repairs{overdue: 1, republished: 1})
	}
	at := r.in(inProgress)
	r.Advance(16*visibility + tick)
	f := r.take(at)
	r.sweepFinds(empty, repairs{overdue: 1, republished: 1}) // work is in progress
	r.succeed(f)
	r.Advance(32*visibility + tick)
	r.sweepFinds(empty, repairs{overdue: 1, lost: 1})
	r.givenUp(id, 1, "lost 1")
}

// A queue with a backlog has advanced to the oldest stamp in progress.
func backlogExplains(r *rig) {
	before := r.in(published)
	r.Advance(visibility + tick)
	front := r.in(published)
	r.Advance(tick)
	after := r.in(published)
	r.Advance(1000 * visibility)
	r.sweepFinds(backlog, repairs{overdue: 3})
	r.take(front)
	again := r.sweepFinds(backlog, repairs{overdue: 2, republished: 1})
	if again[0].ID != before {
		r.Errorf("published %v again, want %v, which was sent before %v; %v came after it",
			again[0].ID, before, front, after)
	}
}

func claimResetsRepublishing(r *rig) {
	id := r.New()
	r.publish(id)
	for attempt := 1; attempt <= times+1; attempt++ {
		before := r.row(id)
		r.Advance(visibility + retryIn + tick)
		r.sweepFinds(empty, repairs{overdue: 1, republished: 1})
		before.Due = r.now()
		r.rowIs(id, before) // the last attempt's error stays
		retrying.to(r, id)
	}
}

func lapsedIsRecovered(r *rig) {
	id := r.in(retrying)
	for attempt := 2; attempt <= 3; attempt++ {
		f := r.lapse(id)
		r.findsAfter(visibility, backlog, repairs{lapsed: 1})
		r.sweepFinds(backlog, repairs{})
		r.rowIs(id, Row{Status: job.StatusPending, Attempt: attempt, Due: r.now(),
			Error: fmt.Sprintf("attempt %d ended without a result", attempt)})
		r.refused(f)
	}
	f := r.lapse(id)
	r.Advance(visibility + tick)
	r.sweepFinds(backlog, repairs{crashed: 1})
	r.sweepFinds(empty, repairs{})
	r.givenUp(id, 4, "crashed 4")
	r.refused(f)
	r.succeed(r.redrive(id))
	r.rowIs(id, Row{Status: job.StatusSucceeded, Attempt: 5, Notifications: "crashed 4"})

	id = r.New() // taken over by later deliveries of its message
	for range 3 {
		r.lapse(id)
	}
	r.Advance(visibility + tick)
	r.sweepFinds(backlog, repairs{crashed: 1})
	r.givenUp(id, 3, "crashed 3")
}

func settlingResetsLapses(r *rig) {
	for name, reset := range map[string]func(uuid.UUID){
		"a retry":            func(id uuid.UUID) { retrying.to(r, id) },
		"a failure":          func(id uuid.UUID) { r.fail(r.take(id)); r.publish(id) },
		"a success":          func(id uuid.UUID) { r.succeed(r.take(id)); r.publish(id) },
		"a person's publish": func(id uuid.UUID) { r.publish(id) },
	} {
		if r.Final && name == "a success" {
			continue
		}
		id := r.New()
		r.lapse(id)
		r.lapse(id)
		reset(id)
		r.lapse(id)
		r.lapse(id)
		r.Advance(visibility + tick)
		if got, _ := r.sweep(empty); got.lapsed != 1 || got.crashed != 0 {
			r.Errorf("after %s the sweep repaired %+v; must be published again", name, got)
		}
		r.succeed(r.take(id))
	}
}

func nothingElseIsRepaired(r *rig) {
	for _, s := range []state{succeeded, failed, spoiled} {
		r.in(s)
	}
	r.Advance(1000 * time.Hour)
	r.unchanged("the sweep", func() { r.sweepFinds(empty, repairs{}) })
}

// broken makes n rows for each repair but crashed ones, and nCrashed of those.
func (r *rig) broken(n, nCrashed int) (lost, crashed, missed []uuid.UUID) {
	r.Helper()
	for range n {
		lost = append(lost, r.in(published))
	}
	for range times {
		r.Advance(8*visibility + tick)
		r.sweepFinds(empty, repairs{overdue: n, republished: n})
	}
	for range nCrashed {
		crashed = append(crashed, r.New())
	}
	for range 3 {
		for _, id := range crashed {
			r.take(id)
		}
		r.Advance(lease)
	}
	for range n {
		missed = append(missed, r.in(retrying))
		r.Advance(tick)
	}
	r.Advance(9 * visibility)
	return lost, crashed, missed
}

func repairsRespectLimit(r *rig) {
	_, _, missed := r.broken(3, 3)
	for _, want := range []int{2, 2, 2, 0} { // of each kind
		if lost, crashed, err := r.Store.GiveUp(r.Context(), empty, 1); lost+crashed != want || err != nil {
			r.Errorf("gave up %d lost and %d crashed, error %v; want %d", lost, crashed, err, want)
		}
	}
	var order []uuid.UUID
	for _, want := range []int{2, 1, 0} {
		again, err := r.Store.Republish(r.Context(), empty, 2)
		if len(again) != want || err != nil {
			r.Errorf("republished %d, error %v; want %d", len(again), err, want)
		}
		slices.SortFunc(again, func(a, b sweep.Republished) int {
			return cmp.Compare(slices.Index(missed, a.ID), slices.Index(missed, b.ID))
		})
		for _, a := range again {
			order = append(order, a.ID)
		}
	}
	if !slices.Equal(order, missed) {
		r.Errorf("republished %v, want the longest waiting first: %v", order, missed)
	}
}

func sweepsRepairOnce(r *rig) {
	const n, workers = 5, 6
	rounds := testenv.Size(4, 10)
	for round := 1; round <= rounds; round++ { // after the first round all workers are connected
		// A crashed row would find its notification's key taken, and so undo a lost row
		// repaired twice in the same transaction. So include it only every other time.
		nCrashed := round % 2 * n
		lost, crashed, missed := r.broken(n, nCrashed)
		total := repairs{}
		for _, got := range atOnce(workers, r.sweepOnce) {
			total = repairs{0, total.lost + got.lost, total.crashed + got.crashed, 0, total.lapsed + got.lapsed,
				total.republished + got.republished}
		}
		if want := (repairs{0, n, nCrashed, 0, 0, n}); total != want {
			r.Fatalf("round %d: together they repaired %+v, want %+v", round, total, want)
		}
		for _, id := range lost {
			r.givenUp(id, 1, "lost 1")
		}
		for _, id := range crashed {
			r.givenUp(id, 3, "crashed 3")
		}
		for _, id := range missed {
			r.rowIs(id, Row{Status: job.StatusPending, Attempt: 1, Error: busy, Due: r.now()})
			r.succeed(r.take(id))
		}
		r.sweepFinds(empty, repairs{})
	}
}

func (r *rig) sweepOnce(worker int) (n repairs) {
	for step := range 2 {
		var again []sweep.Republished
		var err error
		if step == worker%2 { // so that several workers do each repair at once
			n.lost, n.crashed, err = r.Store.GiveUp(r.Context(), empty, limit)
		} else {
			again, err = r.Store.Republish(r.Context(), empty, limit)
		}
		if err != nil {
			r.Error(err)
		}
		n.add(again)
	}
	return n
}

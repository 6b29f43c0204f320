// Package jobtest tests implementations of the ports of package job: the claims, fences,
// publishes and repairs promised by its documentation, for any workload and its tables. You
// should call TestStore from your store's tests. Each subtest opens a new store and is named
// for its promise.
package jobtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sweep"

	"github.com/google/uuid"
)

// Store joins the ports implemented by a workload's tables.
type Store interface {
	job.Store
	job.PublishStore
	sweep.Store
}

// Fixture is a store without rows, and the means to look behind it. The store and Work must be
// safe for concurrent use; the rest isn't called concurrently.
type Fixture struct {
	Store Store
	// Work does the work of a claim and commits it. With a row of New and a valid fence it
	// must succeed.
	Work func(context.Context, job.Attempt) error
	// New inserts a row never published, as any program may.
	New func() uuid.UUID
	// Lock locks a row in a separate transaction until you call unlock.
	Lock func(uuid.UUID) (unlock func())
	// Spoil removes the row's contents, so that a claim finds it unworkable.
	Spoil func(uuid.UUID)
	// Cancel ends a row in any state, as a person does by cancelling its work. Use nil if the
	// table lacks this status.
	Cancel func(uuid.UUID)
	// Final is true if publishing leaves succeeded and cancelled rows as they are, so that
	// their messages find them done.
	Final bool
	// Row reads a row, but not through the store.
	Row func(uuid.UUID) Row
	// Dump returns every row of every table. Two dumps must differ after any write in between,
	// even of the same values.
	Dump func() string
	// Now reads the database's clock. It must stand still until Advance moves it, forward or
	// back.
	Now     func() time.Time
	Advance func(time.Duration)
}

// Row is a row as stored; NULL is a zero value.
type Row struct {
	Status        job.Status
	Attempt       int
	Error         string
	Due           time.Time // when a message for it is due
	FailedAt      time.Time
	Notifications string // "kind attempt" of each, by attempt: "permanent 1, lost 2"
}

// TestStore tests the stores opened by open, which is called once for each subtest.
func TestStore(t *testing.T, open func(t *testing.T) Fixture) {
	for _, test := range []struct {
		name string
		run  func(*rig)
	}{
		{"claim takes what waits and raises the attempt", claimTakesWhatWaits},
		{"claim holds while a lease lives", claimHolds},
		{"suspect is claimed only when asked for", suspectIsAskedFor},
		{"claim answers in the order of the deliveries", claimAnswersInOrder},
		{"extend keeps claims whose fence holds, and names them", extendKeepsClaims},
		{"one of two deliveries of a row claims it", oneOfTwoDeliveries},
		{"finished row is done", overIsDone},
		{"failed row is claimed for a message sent later", failedIsRedriven},
		{"message of an earlier publish is superseded", earlierPublishIsSuperseded},
		{"row without anything to work on is unworkable", spoiledIsUnworkable},
		{"locked row is busy and waits for nothing", lockedIsBusy},
		{"retry that is not due is early, but for its last delivery", notDueIsEarly},
		{"cancelled row is done, and no longer of its attempt", cancelledIsDone},
		{"row that was given up is claimed for any message", givenUpIsClaimed},
		{"claims at the same moment give each row once", oneOfManyClaims},

		{"retry waits with its error", retryWaits},
		{"failure has one notification", failureHasOneNotification},
		{"success clears the error", successClears},
		{"ended lease alone does not lose the fence", endedLeaseKeepsTheFence},
		{"attempt ends once", attemptEndsOnce},
		{"stale fence changes no row", staleFence},

		{"publish takes a row from any state", publishTakes},
		{"stamps always rise", stampsRise},
		{"publish leaves unknown ids out", publishUnknown},
		{"find reads each state", findReads},

		{"inserted row is published after a moment", insertedIsPublished},
		{"lost row is published three times again, then failed", lostIsRepublished},
		{"row is not lost while the queue holds or delivers anything", busyQueueLosesNothing},
		{"backlog explains what was sent later", backlogExplains},
		{"claim starts the count of republishing again", claimResetsRepublishing},
		{"lapsed row is published again, and failed after three claims in succession", lapsedIsRecovered},
		{"settling and publishing start the count of lapses again", settlingResetsLapses},
		{"nothing else is ever repaired", nothingElseIsRepaired},
		{"repairs take the longest waiting first, up to their limit", repairsRespectLimit},
		{"sweeps at the same moment repair once", sweepsRepairOnce},

		{"random walk makes only legal moves", walk},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(&rig{open(t), t})
		})
	}
}

const (
	lease      = time.Minute
	retryIn    = 5 * time.Minute
	visibility = 10 * time.Minute // of the queue
	grace      = time.Minute      // for newly inserted rows
	tick       = time.Microsecond // the precision of databases and stamps
	busy       = "the model is busy"
)

var (
	retry = job.Release{Status: job.StatusPending, Reason: busy, Due: retryIn}
	// failure ends the last of three attempts.
	failure = job.Release{Status: job.StatusFailed, Reason: busy, Kind: "transient", Delivery: 3}
)

// found names what a claim found: the result, "claimed" or "suspect".
func found(c job.Claim) string {
	switch {
	case c.Suspect:
		return "suspect"
	case c.Found == job.Claimed:
		return "claimed"
	}
	return c.Found.String()
}

// rig is a fixture with methods that end the test on an error.
type rig struct {
	Fixture
	*testing.T
}

// state is a state of a row; to brings a new or published row there.
type state struct {
	name string
	to   func(*rig, uuid.UUID)
}

var (
	neverPublished = state{"never published", func(*rig, uuid.UUID) {}}
	published      = state{"published", func(r *rig, id uuid.UUID) { r.publish(id) }}
	retrying       = state{"waiting for a retry", func(r *rig, id uuid.UUID) { r.release(r.take(id), retry) }}
	inProgress     = state{"in progress", func(r *rig, id uuid.UUID) { r.take(id) }}
	abandoned      = state{"in progress, its lease ended", func(r *rig, id uuid.UUID) { r.lapse(id) }}
	succeeded      = state{"succeeded", func(r *rig, id uuid.UUID) { r.succeed(r.take(id)) }}
	failed         = state{"failed", func(r *rig, id uuid.UUID) { r.fail(r.take(id)) }}
	spoiled        = state{"unworkable", func(r *rig, id uuid.UUID) {
		r.Spoil(id)
		r.finds("unworkable", job.Delivery{ID: id}, false, "spoiled")
	}}
)

func (r *rig) in(s state) uuid.UUID {
	r.Helper()
	id := r.New()
	s.to(r, id)
	return id
}

// finds claims a delivery, and reports an error if it doesn't find want.
func (r *rig) finds(want string, d job.Delivery, suspects bool, when string) job.Claim {
	r.Helper()
	c := r.claims(suspects, d)[0]
	if got := found(c); got != want {
		r.Errorf("%s: found %s; must be %s", when, got, want)
	}
	return c
}

func (r *rig) claims(suspects bool, deliveries ...job.Delivery) []job.Claim {
	r.Helper()
	claims, err := r.Store.Claim(r.Context(), deliveries, lease, suspects)
	if err != nil || len(claims) != len(deliveries) {
		r.Fatalf("%d claims for %d deliveries, error %v", len(claims), len(deliveries), err)
	}
	return claims
}

// take claims a row, and must succeed.
func (r *rig) take(id uuid.UUID) job.Attempt {
	r.Helper()
	c := r.claims(true, job.Delivery{ID: id, Last: true})[0]
	if found(c) != "claimed" {
		r.Fatalf("found %s, row %+v", found(c), r.row(id))
	}
	return c.Attempt
}

// lapse claims a row for a worker that then vanishes.
func (r *rig) lapse(id uuid.UUID) job.Attempt {
	r.Helper()
	f := r.take(id)
	r.Advance(lease)
	return f
}

// release writes a release, and its fence must hold.
func (r *rig) release(f job.Attempt, v job.Release) {
	r.Helper()
	if written, err := r.Store.Release(r.Context(), f, v); !written || err != nil {
		r.Fatalf("written %v, error %v, row %+v", written, err, r.row(f.ID))
	}
}

func (r *rig) fail(f job.Attempt) {
	r.Helper()
	r.release(f, failure)
}

func (r *rig) succeed(f job.Attempt) {
	r.Helper()
	if err := r.Work(r.Context(), f); err != nil {
		r.Fatalf("the work: %v, row %+v", err, r.row(f.ID))
	}
}

func (r *rig) publish(id uuid.UUID) time.Time {
	r.Helper()
	stamped, err := r.Store.Publish(r.Context(), []uuid.UUID{id})
	if err != nil || len(stamped) != 1 || stamped[0].ID != id {
		r.Fatalf("stamped %+v, error %v", stamped, err)
	}
	return stamped[0].PublishedAt
}

// row is Row with comparable times.
func (r *rig) row(id uuid.UUID) Row {
	row := r.Row(id)
	row.Due, row.FailedAt = row.Due.UTC(), row.FailedAt.UTC()
	return row
}

func (r *rig) now() time.Time { return r.Now().UTC() }

func (r *rig) rowIs(id uuid.UUID, want Row) {
	r.Helper()
	if got := r.row(id); got != want {
		r.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// findIs compares the result of Find; an ended lease counts as 0.
func (r *rig) findIs(id uuid.UUID, want job.Row) {
	r.Helper()
	got, err := r.Store.Find(r.Context(), id)
	got.LeaseLeft = max(got.LeaseLeft, 0)
	if got != want || err != nil {
		r.Errorf("found %+v, error %v; want %+v", got, err, want)
	}
}

// unchanged reports an error if do writes anything.
func (r *rig) unchanged(what string, do func()) {
	r.Helper()
	before := r.Dump()
	do()
	if after := r.Dump(); after != before {
		r.Errorf("%s must not write:\nbefore %s\nafter  %s", what, before, after)
	}
}

// ends are the writes that end an attempt.
var ends = []job.Status{job.StatusFailed, job.StatusPending, job.StatusSucceeded}

// end ends an attempt, and returns false if the fence was lost.
func (r *rig) end(f job.Attempt, to job.Status) bool {
	r.Helper()
	var written bool
	var err error
	switch to {
	case job.StatusSucceeded:
		if err = r.Work(r.Context(), f); errors.Is(err, job.ErrFenceLost) {
			return false
		}
		written = err == nil
	case job.StatusFailed:
		written, err = r.Store.Release(r.Context(), f, failure)
	default:
		written, err = r.Store.Release(r.Context(), f, retry)
	}
	if err != nil {
		r.Errorf("end as %s: %v", to, err)
	}
	return written
}

// refused tries every write of an attempt, and reports an error if one is accepted.
func (r *rig) refused(f job.Attempt) {
	r.Helper()
	r.unchanged("a stale fence", func() {
		for _, to := range ends {
			if r.end(f, to) {
				r.Errorf("%s with a stale fence must be refused", to)
			}
		}
	})
}

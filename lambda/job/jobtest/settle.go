package jobtest

import (
	"strconv"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

func retryWaits(r *rig) {
	id := r.New()
	f := r.take(id)
	r.Advance(time.Second)
	r.release(f, retry)
	r.rowIs(id, Row{Status: job.StatusPending, Attempt: 1, Error: busy, Due: r.now().Add(retryIn)})
	r.findIs(id, job.Row{Status: job.StatusPending, Attempt: 1})
	r.release(r.take(id), job.Release{Status: job.StatusPending, Reason: "still busy", Due: 2 * retryIn})
	r.rowIs(id, Row{Status: job.StatusPending, Attempt: 2, Error: "still busy", Due: r.now().Add(2 * retryIn)})
}

// I15: a terminal failure has exactly one notification row.
func failureHasOneNotification(r *rig) {
	id := r.in(retrying)
	f := r.take(id)
	r.Advance(time.Second)
	r.fail(f)
	r.rowIs(id, Row{Status: job.StatusFailed, Attempt: 2, Error: busy, FailedAt: r.now(), Notifications: "transient 2"})
	r.findIs(id, job.Row{Status: job.StatusFailed, Attempt: 2})
	r.publish(id)
	r.release(r.take(id), job.Release{Status: job.StatusFailed, Reason: "broken", Kind: "permanent", Delivery: 1})
	r.rowIs(id, Row{Status: job.StatusFailed, Attempt: 3, Error: "broken", FailedAt: r.now(),
		Notifications: "transient 2, permanent 3"})
}

func successClears(r *rig) {
	id := r.in(retrying)
	r.succeed(r.take(id))
	r.rowIs(id, Row{Status: job.StatusSucceeded, Attempt: 2})
	r.findIs(id, job.Row{Status: job.StatusSucceeded, Attempt: 2})
}

// If no other attempt took over, a late one may still settle the row.
func endedLeaseKeepsTheFence(r *rig) {
	for name, settle := range map[string]func(job.Attempt){"a failure": r.fail, "a success": r.succeed} {
		id := r.New()
		f := r.take(id)
		r.Advance(2 * lease)
		settle(f)
		if row := r.row(id); row.Attempt != 1 || row.Status == job.StatusInProgress {
			r.Errorf("%s left %+v", name, row)
		}
	}
}

// I6: at most one write that ends an attempt is accepted.
func attemptEndsOnce(r *rig) {
	for range 10 {
		id := r.New()
		f := r.take(id)
		accepted := 0
		for _, ok := range atOnce(2*len(ends), func(i int) bool { return r.end(f, ends[i%len(ends)]) }) {
			if ok {
				accepted++
			}
		}
		row := r.row(id)
		if accepted != 1 || row.Attempt != 1 || (row.Notifications != "") != (row.Status == job.StatusFailed) {
			r.Errorf("%d ends were accepted and left %+v", accepted, row)
		}
		r.refused(f)
	}
}

// I7: a stale fence changes no row in any table.
func staleFence(r *rig) {
	for name, takeOver := range map[string]func(job.Attempt){
		"another attempt":             func(f job.Attempt) { r.Advance(lease); r.take(f.ID) },
		"a publish":                   func(f job.Attempt) { r.publish(f.ID) },
		"a publish and an attempt":    func(f job.Attempt) { r.publish(f.ID); r.take(f.ID) },
		"its own retry":               func(f job.Attempt) { r.release(f, retry) },
		"its own retry and a claim":   func(f job.Attempt) { r.release(f, retry); r.take(f.ID) },
		"its own failure":             r.fail,
		"its own failure and a claim": func(f job.Attempt) { r.fail(f); r.redrive(f.ID) },
		"its own success":             r.succeed,
		"the sweep":                   func(job.Attempt) { r.Advance(lease + visibility + tick); r.sweep(empty) },
		"its row being spoiled":       func(f job.Attempt) { r.Advance(lease); spoiled.to(r, f.ID) },
	} {
		f := r.take(r.New())
		takeOver(f)
		if r.refused(f); r.Failed() {
			r.Fatalf("... after %s", name)
		}
	}
	waits, taken := r.New(), r.in(inProgress)
	for i, f := range []job.Attempt{
		{ID: waits}, {ID: waits, Number: 1}, {ID: taken, Number: 2}, {ID: uuid.New(), Number: 1},
	} {
		if r.refused(f); r.Failed() {
			r.Fatal("... of an attempt that no worker has, case " + strconv.Itoa(i))
		}
	}
}

func (r *rig) redrive(id uuid.UUID) job.Attempt {
	r.Helper()
	d := job.Delivery{ID: id, SentAt: r.row(id).FailedAt.Add(tick)}
	return r.finds("claimed", d, false, "a message sent after the failure").Attempt
}

package jobtest

import (
	"errors"
	"slices"
	"time"

	"matchbook/lambda/job"

	"github.com/google/uuid"
)

func publishTakes(r *rig) {
	for _, from := range []state{neverPublished, published, retrying, inProgress, abandoned, succeeded, failed} {
		if r.Final && from.name == succeeded.name {
			r.stays(r.in(from))
			continue
		}
		id := r.in(from)
		before := r.row(id)
		r.Advance(time.Second)
		stamp := r.publish(id)
		r.rowIs(id, Row{Status: job.StatusPending, Attempt: before.Attempt, Due: r.now(),
			Notifications: before.Notifications})
		r.findIs(id, job.Row{Status: job.StatusPending, Attempt: before.Attempt})
		c := r.finds("claimed", job.Delivery{ID: id, PublishedAt: stamp}, false, from.name)
		if c.Attempt.Number != before.Attempt+1 {
			r.Errorf("%s: claimed by attempt %d, want %d", from.name, c.Attempt.Number, before.Attempt+1)
		}
	}
}

// stays publishes a finished row, and expects it to stay finished.
func (r *rig) stays(id uuid.UUID) {
	r.Helper()
	before := r.row(id)
	r.Advance(time.Second)
	stamp := r.publish(id)
	r.rowIs(id, before)
	r.finds("done", job.Delivery{ID: id, PublishedAt: stamp, Last: true}, true, string(before.Status)+", then published")
	r.rowIs(id, before)
}

// Stamps must rise whatever the clock does, so that an earlier message always compares as
// older.
func stampsRise(r *rig) {
	id := r.New()
	last := r.publish(id)
	rises := func(stamp time.Time) {
		r.Helper()
		if !stamp.After(last) || !stamp.Equal(stamp.Truncate(tick)) {
			r.Errorf("stamp %v after %v", stamp, last)
		}
		last = stamp
	}
	for _, step := range []time.Duration{0, 0, time.Second, -time.Hour, 0, 2 * time.Hour, -24 * time.Hour} {
		r.Advance(step)
		rises(r.publish(id))
	}
	r.Advance(visibility + tick) // still a day before the last stamps
	stamped, err := r.Store.Republish(r.Context(), empty, 1)
	if err != nil || len(stamped) != 1 || stamped[0].ID != id {
		r.Fatalf("republished %+v, error %v", stamped, err)
	}
	rises(stamped[0].PublishedAt)
	rises(r.publish(id))
}

func publishUnknown(r *rig) {
	a, b := r.New(), r.New()
	stamped, err := r.Store.Publish(r.Context(), []uuid.UUID{a, uuid.New(), b, a})
	if err != nil {
		r.Fatal(err)
	}
	var got []uuid.UUID
	for _, s := range stamped {
		got = append(got, s.ID)
	}
	if len(got) != 2 || !slices.Contains(got, a) || !slices.Contains(got, b) {
		r.Errorf("published %v, want %v and %v, each once", got, a, b)
	}
	if stamped, err := r.Store.Publish(r.Context(), nil); len(stamped) != 0 || err != nil {
		r.Errorf("publishing nothing: %v, error %v", stamped, err)
	}
}

func findReads(r *rig) {
	for _, tc := range []struct {
		state
		want job.Row
	}{
		{neverPublished, job.Row{}},
		{published, job.Row{Status: job.StatusPending}},
		{retrying, job.Row{Status: job.StatusPending, Attempt: 1}},
		{abandoned, job.Row{Status: job.StatusInProgress, Attempt: 1}},
		{inProgress, job.Row{Status: job.StatusInProgress, Attempt: 1, LeaseLeft: lease}},
		{succeeded, job.Row{Status: job.StatusSucceeded, Attempt: 1}},
		{failed, job.Row{Status: job.StatusFailed, Attempt: 1}},
		{spoiled, job.Row{}},
	} {
		r.findIs(r.in(tc.state), tc.want)
	}
	id := r.in(inProgress)
	r.Advance(lease / 3)
	r.findIs(id, job.Row{Status: job.StatusInProgress, Attempt: 1, LeaseLeft: 2 * lease / 3})
	if _, err := r.Store.Find(r.Context(), uuid.New()); !errors.Is(err, job.ErrNotFound) {
		r.Errorf("find of an unknown id: %v; must be ErrNotFound", err)
	}
}

package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
)

// A queue in memory begins empty: what was published before it is published again.
func TestResume(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	waiting := f.document("matching_status='pending', matching_published_at=now(), matching_republished=3")
	retry := f.document("matching_status='pending', matching_attempts=1, matching_published_at=now(), matching_due_at=now() + interval '5 minutes'")
	f.document("matching_status='pending'") // the sweep's
	f.document("matching_status='in-progress', matching_published_at=now(), matching_lease_until=now() + interval '1 minute'")
	f.document("matching_status='succeeded', matching_published_at=now()")
	f.advance(time.Second)
	since := start.Add(time.Second)
	f.publish(f.document("")) // in the queue

	resume := func() (ids string) {
		t.Helper()
		for _, s := range must.Get(f.Resume(t.Context(), since, limit))(t) {
			ids += s.ID.String()
		}
		return ids
	}
	equal(t, "resumed at once", resume(), waiting.String())
	equal(t, "republished, which doesn't count", f.republished(waiting), 0)
	equal(t, "resumed twice", resume(), "")
	f.advance(5 * time.Minute)
	equal(t, "resumed when due", resume(), retry.String())
}

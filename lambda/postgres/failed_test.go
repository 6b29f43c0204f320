package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// What failed again since it was listed, or was published or claimed by others,
// is left as it is.
func TestRepublishStillFailed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const failed = "matching_status = 'failed', matching_failed_at = now(), matching_error = 'busy', matching_attempts = 2"
	still, again, published := f.document(failed), f.document(failed), f.document(failed)
	list, err := f.Failed(t.Context(), postgres.FailedFilter{})
	if err != nil || len(list.Rows) != 3 {
		t.Fatalf("listed %+v, %v", list, err)
	}
	f.Advance(time.Minute)
	f.publish(published)
	f.Exec("UPDATE document SET matching_failed_at = now() WHERE id = $1", again)
	stamped := must.Get(list.Publish(t.Context(), []uuid.UUID{still, again, published, uuid.New()}))(t)
	if len(stamped) != 1 || stamped[0].ID != still {
		t.Errorf("published %+v, want %s", stamped, still)
	}
	if got := f.State(still); got.Status != "pending" || got.Error != "" || got.Attempts != 2 || got.Failed {
		t.Errorf("got %+v", got)
	}
	postgrestest.Equal(t, "what failed again", f.State(again).Status, "failed")
	if c := f.Deliver(job.Delivery{ID: still}, false); c.Found != 0 || c.Attempt.Number != 3 {
		t.Errorf("its claim found %v, attempt %d", c.Found, c.Attempt.Number)
	}
}

// A queue in memory begins empty: what was published before it is published again.
func TestResume(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	waiting := f.document("matching_status='pending', matching_published_at=now(), matching_republished=3")
	retry := f.document("matching_status='pending', matching_attempts=1, matching_published_at=now(), matching_due_at=now() + interval '5 minutes'")
	f.document("matching_status='pending'") // the sweep's
	f.document("matching_status='in-progress', matching_published_at=now(), matching_lease_until=now() + interval '1 minute'")
	f.document("matching_status='succeeded', matching_published_at=now()")
	f.Advance(time.Second)
	since := start.Add(time.Second)
	f.publish(f.document("")) // in the queue

	resume := func() (ids string) {
		t.Helper()
		for _, s := range must.Get(f.Resume(t.Context(), since, limit))(t) {
			ids += s.ID.String()
		}
		return ids
	}
	postgrestest.Equal(t, "resumed at once", resume(), waiting.String())
	postgrestest.Equal(t, "republished, which doesn't count", f.republished(waiting), 0)
	postgrestest.Equal(t, "resumed twice", resume(), "")
	f.Advance(5 * time.Minute)
	postgrestest.Equal(t, "resumed when due", resume(), retry.String())
}

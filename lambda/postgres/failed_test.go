package postgres_test

import (
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/postgres"

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
	f.advance(time.Minute)
	f.publish(published)
	f.exec("UPDATE document SET matching_failed_at = now() WHERE id = $1", again)
	stamped := must.Get(list.Publish(t.Context(), []uuid.UUID{still, again, published, uuid.New()}))(t)
	if len(stamped) != 1 || stamped[0].ID != still {
		t.Errorf("published %+v, want %s", stamped, still)
	}
	if got := f.state(still); got.Status != "pending" || got.Error != "" || got.Attempts != 2 || got.Failed {
		t.Errorf("got %+v", got)
	}
	equal(t, "what failed again", f.state(again).Status, "failed")
	if c := f.claim(job.Delivery{ID: still}, false); c.Found != 0 || c.Attempt.Number != 3 {
		t.Errorf("its claim found %v, attempt %d", c.Found, c.Attempt.Number)
	}
}

package sweep_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"matchbook/lambda/job/sweep"
)

// unreachable is a store that cannot be read.
type unreachable struct{ sweep.Store }

func (unreachable) Overdue(context.Context, sweep.Waits, int) (int, error) { return 0, errors.New("x") }

// The sweep sends the notifications of all failures, its own too, and also when
// it could not repair.
func TestSweepNotifiesAfterItsRepairsAndWithoutThem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.document("matching_status = 'in-progress', matching_lapses = 2, matching_lease_until = now() - interval '1 day'")
	sent := -1
	notify := func(ctx context.Context) {
		if err := f.conn.QueryRow(ctx, "SELECT count(*) FROM notification").Scan(&sent); err != nil {
			t.Error(err)
		}
	}
	s := sweep.Sweeper{Targets: workload(f.DB, f.queue), Log: slog.New(slog.DiscardHandler), Notify: notify}
	if _, err := s.Run(t.Context()); err != nil || sent != 1 {
		t.Errorf("notified when there were %d notifications (%v)", sent, err)
	}
	sent = -1
	s.Targets[0].Store = unreachable{}
	if _, err := s.Run(t.Context()); err == nil || sent != 1 {
		t.Errorf("a sweep that could not repair notified when there were %d notifications (%v)", sent, err)
	}
}

package sweep_test

import (
	"errors"
	"log/slog"
	"testing"

	"matchbook/lambda/job/sweep"
)

// A workload that cannot be swept does not keep the others from it, wherever it
// stands, and the run fails all the same.
func TestOneBadWorkloadDoesNotKeepTheOthers(t *testing.T) {
	t.Parallel()
	down := errors.New("the queue is down")
	for name, place := range map[string]int{"first": 0, "last": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.document("matching_status = 'pending', matching_published_at = now(), matching_due_at = now()")
			f.advance(visibility + tick)
			list := workload(f.DB, &queue{backlogErr: down})
			list[0].Name = "bad"
			list = append(list, workload(f.DB, f.queue)...)
			list[0], list[place] = list[place], list[0]
			s := &sweep.Sweeper{Targets: list, Log: slog.New(slog.DiscardHandler)}
			got, err := s.Run(t.Context())
			if got.Republished != 1 || !errors.Is(err, down) {
				t.Errorf("got %+v, %v; want one republished and %v", got, err, down)
			}
			if len(f.queue.sent) != 1 {
				t.Errorf("%d messages were sent, want 1", len(f.queue.sent))
			}
		})
	}
}

package sweep_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"matchbook/lambda/job/sweep"
)

// It is measured last, whatever happened, and there is time left for it even
// if everything before took all there was.
func TestMeasuringComesLastAndHasTime(t *testing.T) {
	t.Parallel()
	down := errors.New("the queue is down")
	f := newFixture(t)
	f.document("matching_status = 'pending', matching_due_at = now()")
	f.advance(visibility + tick)
	f.queue.backlogErr = down
	var steps []string
	end := time.Now().Add(time.Hour)
	s := &sweep.Sweeper{Targets: workload(f.DB, f.queue), Log: slog.New(slog.DiscardHandler),
		Notify: func(ctx context.Context) {
			steps = append(steps, "tell")
			if got, _ := ctx.Deadline(); !got.Equal(end.Add(-13 * time.Second)) {
				t.Errorf("notifications have %v less than the run, want 13 s", end.Sub(got))
			}
		},
		Measure: func(ctx context.Context, r sweep.Report, failed error) {
			steps = append(steps, "measure")
			if got, _ := ctx.Deadline(); !got.Equal(end) || r.Overdue != 1 || !errors.Is(failed, down) {
				t.Errorf("got %+v, %v, and %v less than the run", r, failed, end.Sub(got))
			}
		}}
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	if _, err := s.Run(ctx); !errors.Is(err, down) {
		t.Errorf("got %v", err)
	}
	if want := []string{"tell", "measure"}; !slices.Equal(steps, want) {
		t.Errorf("got %v, want %v", steps, want)
	}
}

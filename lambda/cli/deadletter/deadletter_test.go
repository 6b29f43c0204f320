package deadletter_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/deadletter"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

// A redrive goes at its pace, and sees what the workers make of it.
func TestRedrivePace(t *testing.T) {
	t.Parallel()
	const fail = `UPDATE document SET matching_error = 'the model is away' WHERE matching_status = 'pending'`
	interrupted := errors.New("interrupted")
	for name, tc := range map[string]struct {
		worker string // runs in each pause
		pause  error
		want   deadletter.Redriven
		pauses int
	}{
		"healthy":      {worker: "SELECT", want: deadletter.Redriven{Redriven: 10}, pauses: 4},
		"failing":      {worker: fail, want: deadletter.Redriven{Redriven: 6, FailedAgain: 4, Left: 4}, pauses: 2},
		"parked":       {worker: fail + "; UPDATE document SET matching_parked_for = 'm', matching_due_at = now() + interval '1 hour' WHERE matching_error IS NOT NULL", want: deadletter.Redriven{Redriven: 10}, pauses: 4},
		"interrupted":  {worker: "SELECT", pause: interrupted, want: deadletter.Redriven{Redriven: 2, Left: 8}, pauses: 1},
		"changed rows": {worker: "UPDATE document SET matching_status = 'succeeded' WHERE matching_status = 'failed'", want: deadletter.Redriven{Redriven: 2, Others: 8}, pauses: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.URL(t)
			conn := postgrestest.Conn(t, url)
			postgrestest.Exec(t, conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ('10000000-0000-4000-8000-000000000001', 'one') RETURNING id)
				INSERT INTO document (id, tenant_id, type, structured_data, matching_status, matching_failed_at, matching_error, matching_attempts)
				SELECT gen_random_uuid(), id, 'invoice', '{}', 'failed', now() - interval '1 hour', 'the model is away', 3 FROM t, generate_series(1, 10)`)
			pauses := 0
			desk := deadletter.Desk{DB: postgrestest.Open(t, url), Prices: must.Get(cost.ReadModelPrices(""))(t), By: "ada",
				Sources: []deadletter.Source{{Function: manifest.Match}},
				Wait: func(ctx context.Context, d time.Duration) error {
					pauses++
					_, err := conn.Exec(ctx, tc.worker)
					return errors.Join(err, tc.pause)
				}}
			m := term.NewMeter(io.Discard)
			defer m.Close()
			r, err := desk.Redrive(t.Context(), deadletter.Filter{}, deadletter.Pace{PerSecond: 2}, m)
			got := deadletter.Redriven{Redriven: r.Redriven, FailedAgain: r.FailedAgain, Left: r.Left, Others: r.Others}
			stopped := r.Stopped != ""
			if got.Redriven != tc.want.Redriven || got.FailedAgain != tc.want.FailedAgain || got.Left != tc.want.Left || got.Others != tc.want.Others ||
				pauses != tc.pauses || !errors.Is(err, tc.pause) || stopped != (tc.want.FailedAgain > 0) {
				t.Errorf("got %+v after %d pauses, %v; want %+v after %d", got, pauses, err, tc.want, tc.pauses)
			}
			if n := postgrestest.Value[int](t, conn, "SELECT count(*) FROM dead_letter_action WHERE kind = 'redrive'"); n != tc.want.Redriven {
				t.Errorf("%d recorded, want %d", n, tc.want.Redriven)
			}
		})
	}
}

package drill

import (
	"context"
	"sync/atomic"
	"time"

	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
)

// task is a scheduled function, such as the sweep.
type task struct {
	manifest.Task
	function *lambdahost.Function
	next     time.Time   // on the stack's clock
	now      atomic.Bool // it is due whatever the clock says
	running  atomic.Bool
	runs     atomic.Int64
	failed   atomic.Int64 // because of faults
}

// start runs the task in the background if it is due.
func (t *task) start(ctx context.Context, now time.Time) {
	if now.Before(t.next) && !t.now.Load() || !t.running.CompareAndSwap(false, true) {
		return
	}
	t.now.Store(false)
	t.next = now.Add(t.Every)
	go func() {
		defer t.running.Store(false)
		t.runs.Add(1)
		if err := t.run(ctx); err != nil {
			t.failed.Add(1)
		}
	}()
}

func (t *task) run(ctx context.Context) error {
	_, err := t.function.Invoke(ctx, []byte(`{}`))
	return err
}

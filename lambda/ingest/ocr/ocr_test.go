package ocr

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestPagesAreReadAFewAtOnce(t *testing.T) {
	t.Parallel()
	e := New(nil, "x", 300, 3)
	var atWork, most atomic.Int32
	full := make(chan struct{})
	err := e.Each(context.Background(), 30, func(_ context.Context, i int) error {
		n := atWork.Add(1)
		defer atWork.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == 3 && i < 3 {
			close(full)
		}
		if i < 3 {
			<-full // the first three meet
		}
		return nil
	})
	if err != nil || most.Load() != 3 {
		t.Errorf("%d at once, %v; want 3", most.Load(), err)
	}
}

func TestFirstFailureEndsTheRest(t *testing.T) {
	t.Parallel()
	e := New(nil, "x", 300, 2)
	boom := errors.New("boom")
	var begun atomic.Int32
	err := e.Each(context.Background(), 1000, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 0 {
			return boom
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, boom) || begun.Load() > 3 {
		t.Errorf("got %v after %d pages", err, begun.Load())
	}
	if len(e.slots) != 0 {
		t.Errorf("%d slots are lost", len(e.slots))
	}
}

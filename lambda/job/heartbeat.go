package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
)

// beatsPerLease is the number of beats within the time of a lease: four
// beats in succession may fail before the work has to stop.
const beatsPerLease = 5

// errLeaseEnds stops work whose lease could not be extended. It is transient.
var errLeaseEnds = &failure.Error{Sentence: "the lease could not be extended: the database did not answer"}

// heartbeat extends the leases of everything at work in a batch, and the
// visibility of the messages, in one statement and one batch call a beat. It
// runs only where Runtime.Lease is shorter than the invocation.
type heartbeat struct {
	// queue has room for one: a beat, or settlements on their way to the queue. So
	// the visibility that a settlement sets is always the last one. It is no mutex
	// because a test's clock stands still while a goroutine waits for a mutex.
	queue chan struct{}
	mu    sync.Mutex
	work  map[int]*held // by index; what has ended is not in it
	later map[int]bool  // the deferred deliveries that have not begun, by index
}

// held is a claim that is worked on.
type held struct {
	fence Attempt
	until time.Time // the end of its lease, counted from before the call
	stop  context.CancelCauseFunc
}

// hold lets the heartbeat extend a claim until release is called. The context
// that it returns ends when the fence is lost, or before a lease that could not
// be extended does.
func (b *batch) hold(ctx context.Context, i int, f Attempt) (_ context.Context, release func()) {
	ctx, stop := context.WithCancelCause(ctx)
	b.beat.mu.Lock()
	defer b.beat.mu.Unlock()
	b.beat.work[i] = &held{f, b.leases[i], stop}
	return ctx, func() {
		b.beat.mu.Lock()
		defer b.beat.mu.Unlock()
		b.leases[i] = b.beat.work[i].until
		delete(b.beat.work, i)
		stop(nil)
	}
}

// beats extends what is at work until stop is called, which waits for a beat
// under way.
func (b *batch) beats(ctx context.Context) (stop func()) {
	if b.Lease == 0 {
		return func() {}
	}
	return backoff.Every(ctx, b.Lease/beatsPerLease, b.extend)
}

// extend is one beat.
func (b *batch) extend(ctx context.Context) {
	defer b.beat.alone()()
	work := b.beat.atWork()
	if len(work) == 0 {
		return
	}
	call, cancel := context.WithTimeout(ctx, b.Lease/beatsPerLease)
	defer cancel()
	lease, began := b.lease(ctx), time.Now()
	ours, err := b.Store.Extend(call, fences(work), lease)
	if err != nil {
		b.Log.Warn("cannot extend leases", "claims", len(work), "reason", failure.Of(err).Text)
	}
	visible := b.beat.postponed()
	for i, h := range work {
		switch {
		case err == nil && !slices.Contains(ours, h.fence):
			h.stop(ErrFenceLost)
		case err == nil:
			b.beat.extended(i, began.Add(lease))
			visible = append(visible, i)
		case time.Until(h.until) < 2*b.Lease/beatsPerLease: // the next beat may fail, too
			h.stop(errLeaseEnds)
		}
	}
	b.hide(ctx, visible)
}

// hide keeps the messages of claims out of sight for as long as their leases
// live: when this process dies they come back then, not after the queue's own
// visibility timeout.
func (b *batch) hide(ctx context.Context, indexes []int) {
	if b.Lease > 0 && len(indexes) > 0 {
		slices.Sort(indexes)
		b.messages.Extend(ctx, indexes, b.lease(ctx)+extendMargin)
	}
}

// extendMargin is the time from the end of a lease until its message comes back, so
// that it does not find the lease alive by the difference of two clocks.
const extendMargin = 2 * time.Second

// alone waits for the call to the queue that is under way, and keeps others
// waiting until done is called.
func (h *heartbeat) alone() (done func()) {
	h.queue <- struct{}{}
	return func() { <-h.queue }
}

// postpone keeps the messages of deferred deliveries out of sight as well: when this
// process dies they come back with those of the others. It returns their indexes.
func (h *heartbeat) postpone(later []deferred) []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.later = make(map[int]bool, len(later))
	for _, d := range later {
		h.later[d.index] = true
	}
	return slices.Collect(maps.Keys(h.later))
}

// begin ends the postponement of a delivery.
func (h *heartbeat) begin(index int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.later, index)
}

func (h *heartbeat) postponed() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.later))
}

func (h *heartbeat) atWork() map[int]held {
	h.mu.Lock()
	defer h.mu.Unlock()
	work := make(map[int]held, len(h.work))
	for i, w := range h.work {
		work[i] = *w
	}
	return work
}

func (h *heartbeat) extended(i int, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := h.work[i]; w != nil {
		w.until = until
	}
}

func fences(work map[int]held) (list []Attempt) {
	for _, i := range slices.Sorted(maps.Keys(work)) {
		list = append(list, work[i].fence)
	}
	return list
}

// stopped returns the reason for which the heartbeat ended the work, if it did.
func stopped(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if err != nil && (errors.Is(cause, ErrFenceLost) || errors.Is(cause, errLeaseEnds)) {
		return cause
	}
	return err
}

package job

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
)

// beatsPerLease leaves room for failures: work stops after four failed beats in succession.
const beatsPerLease = 5

// errLeaseEnds stops work after its lease couldn't be extended. It is transient.
var errLeaseEnds = &failure.Error{Sentence: "lease not extended: the database did not answer"}

// heartbeat extends the leases of all running work in a batch, and the visibility of its
// messages: one statement and one batch call a beat. It runs only if Runtime.Lease is shorter
// than the invocation.
type heartbeat struct {
	// queue admits one caller: a beat, or settlements on their way to the queue, so that the
	// visibility set by a settlement is always the last one. A mutex won't do, because a
	// test's clock stands still while a goroutine waits for one.
	queue chan struct{}
	mu    sync.Mutex
	held  map[int]*held // running work, and deferred deliveries not started yet, by index
}

// held is a claim; of a deferred delivery it has no fence yet.
type held struct {
	fence Attempt
	until time.Time // the end of its lease, counted from before the call
	stop  context.CancelCauseFunc
}

// hold lets the heartbeat extend a claim until release is called. The returned context is
// cancelled when the fence is lost, or before a lease ends that couldn't be extended.
func (b *batch) hold(ctx context.Context, i int, f Attempt) (_ context.Context, release func()) {
	ctx, stop := context.WithCancelCause(ctx)
	b.beat.mu.Lock()
	defer b.beat.mu.Unlock()
	b.beat.held[i] = &held{f, b.leases[i], stop}
	return ctx, func() {
		b.beat.mu.Lock()
		defer b.beat.mu.Unlock()
		b.leases[i] = b.beat.held[i].until
		delete(b.beat.held, i)
		stop(nil)
	}
}

// beats extends all running work until stop is called. stop waits for the current beat.
func (b *batch) beats(ctx context.Context) (stop func()) {
	if b.Lease == 0 {
		return func() {}
	}
	return backoff.Every(ctx, b.Lease/beatsPerLease, b.extend)
}

func (b *batch) extend(ctx context.Context) {
	defer b.beat.alone()()
	all := b.beat.all()
	var fences []Attempt
	for _, i := range slices.Sorted(maps.Keys(all)) {
		if all[i].fence != (Attempt{}) {
			fences = append(fences, all[i].fence)
		}
	}
	if len(fences) == 0 {
		return
	}
	call, cancel := context.WithTimeout(ctx, b.Lease/beatsPerLease)
	defer cancel()
	lease, began := b.lease(ctx), time.Now()
	ours, err := b.Store.Extend(call, fences, lease)
	if err != nil {
		b.Log.Warn("extending leases failed; next beat retries", "claims", len(fences), "reason", failure.Of(err).Text)
	}
	var visible []int
	for i, h := range all {
		switch {
		case h.fence == (Attempt{}):
			visible = append(visible, i)
		case err == nil && !slices.Contains(ours, h.fence):
			h.stop(ErrFenceLost)
		case err == nil:
			b.beat.extended(i, began.Add(lease))
			visible = append(visible, i)
		case time.Until(h.until) < 2*b.Lease/beatsPerLease: // the next beat may fail too
			h.stop(errLeaseEnds)
		}
	}
	b.hide(ctx, visible)
}

// hide hides the messages of claims for as long as their leases live, so that they come back
// then if this process dies, and not after the queue's visibility timeout.
func (b *batch) hide(ctx context.Context, indexes []int) {
	if b.Lease > 0 && len(indexes) > 0 {
		slices.Sort(indexes)
		b.messages.Extend(ctx, indexes, b.lease(ctx)+extendMargin)
	}
}

// extendMargin delays a message beyond the end of its lease, because two clocks differ and it
// would otherwise find the lease alive.
const extendMargin = 2 * time.Second

// alone waits for the current call to the queue, and keeps others waiting until you call done.
func (h *heartbeat) alone() (done func()) {
	h.queue <- struct{}{}
	return func() { <-h.queue }
}

// postpone hides the messages of deferred deliveries too, so that they come back with the
// others if this process dies.
func (h *heartbeat) postpone(later []indexed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range later {
		h.held[d.index] = &held{}
	}
}

func (h *heartbeat) begin(index int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, index)
}

func (h *heartbeat) all() map[int]held {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make(map[int]held, len(h.held))
	for i, c := range h.held {
		all[i] = *c
	}
	return all
}

func (h *heartbeat) extended(i int, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.held[i]; c != nil {
		c.until = until
	}
}

package job

import (
	"cmp"
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Runtime processes batches of deliveries. Store, Work, Log and a non-empty Backoff are
// required. It is safe for concurrent use.
type Runtime struct {
	Store   Store
	Work    Work
	Backoff Backoff
	Log     *slog.Logger
	// Lease limits a claim without a sign of life from this process; a heartbeat extends it
	// and its message's visibility while the work runs. With 0, claims live until the end of
	// the invocation, and there is no heartbeat.
	Lease   time.Duration
	Observe func(Observation) // called for every settlement, from many goroutines; may be nil
	// Notify sends the notifications of failed rows, within 8 s. Run calls it at most once: if
	// a row of the batch failed, after all deliveries have settled. It may be nil; you should
	// then leave sending to the sweep.
	Notify func(context.Context)
}

const (
	claimTimeout = 10 * time.Second
	// busyPatience limits the repeated claims of a row locked by another transaction. If they
	// fail, its message comes back after busyWait.
	busyPatience, busyWait = 5 * time.Second, 5 * time.Second
	// abandonAfter is the grace period after the deadline. Work still running then is
	// abandoned.
	abandonAfter = time.Second
)

// batch is one run: deliveries and, by index, their settlements.
type batch struct {
	*Runtime
	messages   Messages
	beat       heartbeat
	deliveries []Delivery
	ends       []Settlement
	tenants    []uuid.UUID     // zero while unknown
	leases     []time.Time     // the ends of this batch's claims; zero without one
	worked     []time.Duration // 0 if no work started
	finish     time.Time       // the end of settling
	sent       int             // the number of settled passed on to the queue
	mu         sync.Mutex
	settled    []Settled
	failed     bool // a row was settled as failed
}

// Run processes a batch until every delivery has settled, and returns the settlements in the
// order of the deliveries. Use the invocation's ctx, with its deadline. m carries out retries
// and dead letters, and also the Acks decided before a deferred delivery runs. The caller
// carries out the other Acks in its response.
func (r *Runtime) Run(ctx context.Context, deliveries []Delivery, m Messages) []Settlement {
	n := len(deliveries)
	b := &batch{Runtime: r, messages: m, beat: heartbeat{queue: make(chan struct{}, 1), work: map[int]*held{}},
		deliveries: slices.Clone(deliveries), ends: make([]Settlement, n),
		tenants: make([]uuid.UUID, n), leases: make([]time.Time, n), worked: make([]time.Duration, n)}
	for i := range b.deliveries {
		b.deliveries[i].Last = b.deliveries[i].Count > len(r.Backoff)
	}
	workCtx, cancel := b.reserve(ctx)
	defer cancel()
	stop := b.beats(workCtx)
	b.alone(workCtx, b.together(workCtx))
	stop()
	b.carryOut(ctx, slices.DeleteFunc(b.unsent(), func(s Settled) bool { return s.Action == Ack }))
	b.notify(ctx)
	return b.ends
}

// together claims the batch and works on all its rows at once. It returns the deferred
// deliveries in the order to run them: busy ones, suspects from the fewest attempts to the
// most, held ones.
func (b *batch) together(ctx context.Context) (later []deferred) {
	claims, err := b.claim(ctx, b.deliveries, false)
	if err != nil {
		for i := range b.deliveries {
			b.endUnclaimed(i, Attempt{}, err)
		}
		return nil
	}
	var now, ours []int
	for i, c := range claims {
		b.tenants[i] = c.Tenant
		switch {
		case b.waitsAlone(i, c):
			later = append(later, deferred{i, c})
			continue
		case c.Found == Claimed:
			ours = append(ours, i)
		}
		now = append(now, i)
	}
	b.hide(ctx, slices.Concat(ours, b.beat.postpone(later)))
	var running sync.WaitGroup
	for _, i := range now {
		running.Go(func() { b.run(ctx, i, claims[i]) })
	}
	running.Wait()
	slices.SortStableFunc(later, func(x, y deferred) int {
		return cmp.Or(x.rank()-y.rank(), x.Attempt.Number-y.Attempt.Number)
	})
	return later
}

// carryOut hands settlements to the queue, after the last beat for them.
func (b *batch) carryOut(ctx context.Context, settled []Settled) {
	defer b.beat.alone()()
	b.messages.Settle(ctx, settled)
}

// deferred is a delivery not claimed with its batch: its index and the result of the claim.
type deferred struct {
	index int
	Claim
}

func (d deferred) rank() int {
	return map[Result]int{Busy: -1, Held: 1}[d.Found]
}

// waitsAlone reports whether a delivery is deferred until the others have settled: a suspect,
// because it may kill the process; a busy row, because its lock is short; a held row on its
// last delivery, because it would become a dead letter although the row may well succeed.
func (b *batch) waitsAlone(i int, c Claim) bool {
	return c.Suspect || c.Found == Busy || c.Found == Held && b.deliveries[i].Last
}

// alone runs the deferred deliveries one by one, each with a fair share of the time left.
// Before each one the queue gets all settlements so far, so that no other delivery is lost if
// it kills this process.
func (b *batch) alone(ctx context.Context, later []deferred) {
	for n, d := range later {
		if ctx.Err() == nil { // otherwise no work starts, and a slow queue would cost the response
			b.carryOut(ctx, b.unsent())
		}
		b.beat.begin(d.index)
		share, cancel := withShare(ctx, len(later)-n)
		if c, err := b.claimAlone(share, d); err != nil {
			b.endUnclaimed(d.index, d.Attempt, err)
		} else {
			if c.Found == Claimed {
				b.hide(share, []int{d.index})
			}
			b.run(share, d.index, c)
		}
		cancel()
	}
}

// claimAlone claims one delivery, and waits for its row: up to busyPatience if it is busy, for
// the rest of the time if this is the last delivery.
func (b *batch) claimAlone(ctx context.Context, d deferred) (Claim, error) {
	delivery := b.deliveries[d.index : d.index+1]
	if !delivery[0].Last && d.Found == Busy {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, busyPatience)
		defer cancel()
	}
	for tries := pauses(); ; {
		claims, err := b.claim(ctx, delivery, true)
		switch {
		case err != nil && d.Found != Claimed:
			return d.Claim, nil // time is up: the first claim stands
		case err != nil:
			return Claim{}, err
		case !b.waitsAlone(d.index, claims[0]), !tries.Next(ctx):
			return claims[0], nil
		}
	}
}

// claim claims deliveries. While the database doesn't answer, it retries as long as ctx
// allows: failing at once would use up the deliveries of a whole queue, because an event
// source mapping doesn't slow down.
func (b *batch) claim(ctx context.Context, ds []Delivery, suspects bool) ([]Claim, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	reason := ctx.Err()
	for tries, warned := pauses(), false; ctx.Err() == nil; warned = true {
		claims, err := b.claimOnce(ctx, ds, suspects)
		if err == nil {
			return claims, nil
		}
		if reason == nil || ctx.Err() == nil { // the error of a try cut short is meaningless
			reason = err
		}
		if !warned {
			b.Log.Warn("claim failed; retrying", "deliveries", len(ds), "reason", failure.Of(err).Text)
		}
		tries.Next(ctx)
	}
	return nil, failure.At("claim rows", reason)
}

func (b *batch) claimOnce(ctx context.Context, ds []Delivery, suspects bool) ([]Claim, error) {
	try, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	return b.Store.Claim(try, ds, b.lease(ctx), suspects)
}

// run settles one claim, after its work if there is any.
func (b *batch) run(ctx context.Context, i int, c Claim) {
	switch c.Found {
	case Claimed:
		b.leases[i] = time.Now().Add(b.lease(ctx))
		b.attempt(ctx, i, c.Attempt)
	case Busy:
		b.end(i, c.Attempt, Outcome{Result: Busy, Wait: busyWait}, failure.Failure{})
	default:
		b.end(i, c.Attempt, Outcome{Result: c.Found, Wait: c.Wait}, failure.Failure{Text: c.Reason})
	}
}

func (b *batch) attempt(ctx context.Context, i int, f Attempt) {
	started := time.Now()
	held, release := b.hold(ctx, i, f)
	err := stopped(held, b.work(held, i, f))
	release()
	b.worked[i] = max(time.Since(started), 1) // 0 means that no work started
	b.settle(ctx, i, f, err)
}

// work runs the work in a goroutine that recovers from a panic. Work still running after its
// deadline is abandoned; its fence keeps it from writing later.
func (b *batch) work(ctx context.Context, i int, f Attempt) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				p := &failure.Panic{Value: v, Stack: debug.Stack()}
				b.Log.Error("panic", "id", f.ID, "tenant", b.tenant(i), "delivery", b.deliveries[i].Count,
					"attempt", f.Number, "panic", p.Error(), "stack", string(p.Stack))
				done <- p
			}
		}()
		done <- b.Work(context.WithValue(ctx, attemptKey{}, f), f)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(abandonAfter)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return failure.At("work did not stop", context.DeadlineExceeded)
	}
}

// lease returns the length of a claim: the time for the work and for settling, plus a margin.
// It is at most Lease, which is extended while the work runs.
func (b *batch) lease(ctx context.Context) time.Duration {
	rest := manifest.MaxTimeout
	if deadline, ok := ctx.Deadline(); ok {
		rest = max(time.Until(deadline), 0)
	}
	rest += manifest.SettleReserve + manifest.LeaseMargin
	if b.Lease > 0 {
		return min(rest, b.Lease)
	}
	return rest
}

// reserve sets the deadlines of the work and of settling, so that the work leaves time to
// settle, and settling leaves time to respond.
func (b *batch) reserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(manifest.MaxTimeout)
	}
	left := time.Until(deadline)
	b.finish = deadline.Add(-min(manifest.RespondReserve, left/10))
	return context.WithDeadline(ctx, deadline.Add(-min(manifest.SettleReserve, left/4)))
}

// withShare returns a context with 1/n of the time left.
func withShare(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(n))
}

// pauses returns the backoff between tries of a statement.
func pauses() backoff.Waits { return backoff.Waits{First: 50 * time.Millisecond, Longest: time.Second} }

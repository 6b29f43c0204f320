package job

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Runtime runs batches of deliveries.
type Runtime struct {
	Store    Store
	Work     Work
	Schedule Schedule
	Log      *slog.Logger
	Observe  func(Observation) // called at every end, from many goroutines; may be nil
	// Notify sends the notifications of documents that failed, within 8 s. It is
	// called once a batch, and only if a document of the batch failed, when all
	// is settled and before Run returns; nil sends none.
	Notify func(context.Context)
}

const (
	// claimTimeout bounds one try of a claim.
	claimTimeout = 10 * time.Second
	// busyPatience is how long a claim is tried again for a row that another
	// transaction has locked, and busyWait how long its message waits then.
	busyPatience, busyWait = 5 * time.Second, 5 * time.Second
	// abandonAfter is how long past its deadline work may take to notice.
	abandonAfter = time.Second
)

// batch is one run: deliveries and, by index, how they end.
type batch struct {
	*Runtime
	deliveries []Delivery
	ends       []Settlement
	tenants    []uuid.UUID     // as far as they are known
	leases     []time.Time     // until when a claim of ours lives; zero without one
	worked     []time.Duration // 0 where no work was begun
	finish     time.Time       // when settling has to end
	sent       int             // of settled, the number that the queue has
	mu         sync.Mutex
	settled    []Settled
	failed     bool // a document was settled as failed
}

// Run works on a batch until every delivery has an end, and returns the ends
// in the order of the deliveries. ctx ends when the invocation does. Retries,
// dead letters, and whatever is settled when a deferred delivery is about to
// run, are carried out through m; other Acks are left to the caller's response.
func (r *Runtime) Run(ctx context.Context, deliveries []Delivery, m Messages) []Settlement {
	n := len(deliveries)
	b := &batch{Runtime: r, deliveries: slices.Clone(deliveries), ends: make([]Settlement, n), tenants: make([]uuid.UUID, n),
		leases: make([]time.Time, n), worked: make([]time.Duration, n)}
	for i := range b.deliveries {
		b.deliveries[i].Last = b.deliveries[i].Count > len(r.Schedule)
	}
	workCtx, cancel := b.reserve(ctx)
	defer cancel()
	b.alone(workCtx, b.together(workCtx), m)
	m.Settle(ctx, slices.DeleteFunc(b.unsent(), func(s Settled) bool { return s.Action == Ack }))
	b.notify(ctx)
	return b.ends
}

// together claims the batch and works on everything in it at once, except on
// what is deferred, which it returns: first the busy, then the suspects, the
// least tried first, then the held.
func (b *batch) together(ctx context.Context) (later []deferred) {
	claims, err := b.claim(ctx, b.deliveries, false)
	var running sync.WaitGroup
	for i := range b.deliveries {
		if err != nil {
			b.giveBack(i, Fence{}, err)
			continue
		}
		b.tenants[i] = claims[i].Tenant
		if b.waitsAlone(i, claims[i]) {
			later = append(later, deferred{i, claims[i]})
			continue
		}
		running.Go(func() { b.run(ctx, i, claims[i]) })
	}
	running.Wait()
	slices.SortStableFunc(later, func(x, y deferred) int {
		return cmp.Or(x.rank()-y.rank(), x.Fence.Attempt-y.Fence.Attempt)
	})
	return later
}

// deferred is a delivery that was not claimed with its batch, and its place there.
type deferred struct {
	index int
	Claim
}

func (d deferred) rank() int {
	return map[Result]int{Busy: -1, Held: 1}[d.Found]
}

// waitsAlone reports whether a delivery is looked at again when the others
// have settled: a suspect, since it may kill the process; a busy row, since
// its lock is short; and a held one on its last delivery, which would
// otherwise be a dead letter about a document that is fine.
func (b *batch) waitsAlone(i int, c Claim) bool {
	return c.Suspect || c.Found == Busy || c.Found == Held && b.deliveries[i].Last
}

// alone runs what was deferred, one after the other. Each gets a fair share of
// the time that is left, and the queue gets everything settled before it begins:
// if it kills this process, no other delivery is lost with it.
func (b *batch) alone(ctx context.Context, later []deferred, m Messages) {
	for n, d := range later {
		if ctx.Err() == nil { // or else no work begins, and a slow queue would cost the response
			m.Settle(ctx, b.unsent())
		}
		share, cancel := withShare(ctx, len(later)-n)
		if c, err := b.claimAlone(share, d); err != nil {
			b.giveBack(d.index, d.Fence, err)
		} else {
			b.run(share, d.index, c)
		}
		cancel()
	}
}

// claimAlone claims one delivery, and waits for its row to be free: briefly
// when it is busy, as long as there is time when this is the last delivery.
func (b *batch) claimAlone(ctx context.Context, d deferred) (Claim, error) {
	delivery := b.deliveries[d.index : d.index+1]
	if !delivery[0].Last && d.Found == Busy {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, busyPatience)
		defer cancel()
	}
	for tries := (pauses{}); ; {
		claims, err := b.claim(ctx, delivery, true)
		switch {
		case err != nil && d.Found != 0:
			return d.Claim, nil // time is up: the first claim stands
		case err != nil:
			return Claim{}, err
		case !b.waitsAlone(d.index, claims[0]), !tries.pause(ctx):
			return claims[0], nil
		}
	}
}

// claim claims deliveries, and waits for a database that does not answer as
// long as ctx allows: a claim that failed at once would use up the deliveries
// of a whole queue, since a mapping does not slow down.
func (b *batch) claim(ctx context.Context, ds []Delivery, suspects bool) ([]Claim, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	err := ctx.Err()
	for tries := (pauses{}); ctx.Err() == nil; {
		var claims []Claim
		if claims, err = b.claimOnce(ctx, ds, suspects); err == nil {
			return claims, nil
		}
		if tries.last == 0 {
			b.Log.Warn("cannot claim, trying again", "deliveries", len(ds), "reason", failure.Of(err).Text)
		}
		tries.pause(ctx)
	}
	return nil, failure.At("claim documents", err)
}

func (b *batch) claimOnce(ctx context.Context, ds []Delivery, suspects bool) ([]Claim, error) {
	try, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	return b.Store.Claim(try, ds, lease(ctx), suspects)
}

// run takes one claim to its end.
func (b *batch) run(ctx context.Context, i int, c Claim) {
	switch c.Found {
	case 0:
		b.leases[i] = time.Now().Add(lease(ctx))
		b.attempt(ctx, i, c.Fence)
	case Busy:
		b.end(i, c.Fence, Outcome{Result: Busy, Wait: busyWait}, failure.Failure{})
	default:
		b.end(i, c.Fence, Outcome{Result: c.Found, Wait: c.Wait}, failure.Failure{Text: c.Reason})
	}
}

// attempt works on what is claimed, and settles it.
func (b *batch) attempt(ctx context.Context, i int, f Fence) {
	started := time.Now()
	err := b.work(ctx, i, f)
	b.worked[i] = max(time.Since(started), 1) // 0 says that there was no work
	b.settle(ctx, i, f, err)
}

// work does the work behind its own recover. Work that does not come back
// when its time is up is left alone: its fence keeps it from writing later.
func (b *batch) work(ctx context.Context, i int, f Fence) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				p := &failure.Panic{Value: v, Stack: debug.Stack()}
				b.Log.Error("panic", "document", f.ID, "tenant", b.tenant(i), "delivery", b.deliveries[i].Count, "attempt", f.Attempt,
					"panic", p.Error(), "stack", string(p.Stack))
				done <- p
			}
		}()
		done <- b.Work(ctx, f)
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

// lease returns the time of a claim: the time for the work, for settling
// it, and a margin.
func lease(ctx context.Context) time.Duration {
	rest := manifest.MaxTimeout
	if deadline, ok := ctx.Deadline(); ok {
		rest = max(time.Until(deadline), 0)
	}
	return rest + manifest.SettleReserve + manifest.LeaseMargin
}

// reserve ends work early enough to settle, and settling early enough to respond.
func (b *batch) reserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(manifest.MaxTimeout)
	}
	left := time.Until(deadline)
	b.finish = deadline.Add(-min(manifest.RespondReserve, left/10))
	return context.WithDeadline(ctx, deadline.Add(-min(manifest.SettleReserve, left/4)))
}

// withShare gives one of n the n-th part of the time that is left.
func withShare(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(n))
}

// pauses are the waits between tries: 50 ms at first, twice as long each time
// up to a second, each shortened at random so that workers do not try in step.
type pauses struct{ last time.Duration }

// pause reports false when ctx ended first.
func (p *pauses) pause(ctx context.Context) bool {
	p.last = min(max(2*p.last, 50*time.Millisecond), time.Second)
	timer := time.NewTimer(p.last/2 + rand.N(p.last/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

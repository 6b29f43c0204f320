package job

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/manifest"
	"matchbook/lambda/telemetry/trace"

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
	tenants    []string        // for the log; empty while unknown
	leases     []time.Time     // the ends of this batch's claims; zero without one
	worked     []time.Duration // 0 if no work started
	spans      []*trace.Span   // each nil without a tracer
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
	ctx, cancel := context.WithTimeout(ctx, manifest.MaxTimeout) // an invocation's deadline is earlier
	defer cancel()
	n := len(deliveries)
	b := &batch{Runtime: r, messages: m, beat: heartbeat{queue: make(chan struct{}, 1), held: map[int]*held{}},
		deliveries: slices.Clone(deliveries), ends: make([]Settlement, n), tenants: make([]string, n),
		leases: make([]time.Time, n), worked: make([]time.Duration, n), spans: make([]*trace.Span, n)}
	for i := range b.deliveries {
		b.deliveries[i].Last = b.deliveries[i].Count > len(r.Backoff)
	}
	b.open(ctx)
	workCtx, end := b.reserve(ctx)
	defer end()
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
func (b *batch) together(ctx context.Context) (later []indexed) {
	began := time.Now()
	claims, err := b.claim(ctx, b.deliveries, false)
	for i := range b.spans {
		b.noteClaim(i, began, err)
	}
	if err != nil {
		for i := range b.deliveries {
			b.endUnclaimed(i, Attempt{}, err)
		}
		return nil
	}
	var ours []indexed
	for i, c := range claims {
		if c.Tenant != uuid.Nil {
			b.tenants[i] = c.Tenant.String()
		}
		switch {
		case b.waitsAlone(i, c):
			later = append(later, indexed{i, c})
		case c.Found == Claimed:
			ours = append(ours, indexed{i, c})
		default:
			b.endClaim(i, c)
		}
	}
	b.beat.postpone(later)
	var hidden []int
	for _, c := range slices.Concat(later, ours) {
		hidden = append(hidden, c.index)
	}
	b.hide(ctx, hidden)
	b.attempt(ctx, ours)
	rank := map[Result]int{Busy: -1, Held: 1}
	slices.SortStableFunc(later, func(x, y indexed) int {
		return cmp.Or(rank[x.Found]-rank[y.Found], x.Attempt.Number-y.Attempt.Number)
	})
	return later
}

// carryOut hands settlements to the queue, after the last beat for them.
func (b *batch) carryOut(ctx context.Context, settled []Settled) {
	defer b.beat.alone()()
	b.messages.Settle(ctx, settled)
}

// indexed is a claim with the index of its delivery.
type indexed struct {
	index int
	Claim
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
func (b *batch) alone(ctx context.Context, later []indexed) {
	deadline, _ := ctx.Deadline()
	for n, d := range later {
		if ctx.Err() == nil { // otherwise no work starts, and a slow queue would cost the response
			b.carryOut(ctx, b.unsent())
		}
		b.beat.begin(d.index)
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(later)-n))
		began := time.Now()
		c, err := b.claimAlone(share, d)
		b.noteClaim(d.index, began, err)
		switch {
		case err != nil:
			b.endUnclaimed(d.index, d.Attempt, err)
		case c.Found == Claimed:
			b.hide(share, []int{d.index})
			b.attempt(share, []indexed{{d.index, c}})
		default:
			b.endClaim(d.index, c)
		}
		cancel()
	}
}

// claimAlone claims one delivery, and waits for its row: up to busyPatience if it is busy, for
// the rest of the time if this is the last delivery.
func (b *batch) claimAlone(ctx context.Context, d indexed) (Claim, error) {
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
		try, cancel := context.WithTimeout(ctx, claimTimeout)
		claims, err := b.Store.Claim(try, ds, b.lease(ctx), suspects)
		cancel()
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

// endClaim settles a delivery without work.
func (b *batch) endClaim(i int, c Claim) {
	if c.Found == Busy {
		c.Wait, c.Reason = busyWait, ""
	}
	b.end(i, c.Attempt, Outcome{Result: c.Found, Wait: c.Wait}, failure.Failure{Text: c.Reason})
}

// attempt works on claimed rows, all at once, and settles each as soon as its work has ended.
func (b *batch) attempt(ctx context.Context, claims []indexed) {
	started := time.Now()
	var tasks []*Task
	var settling sync.WaitGroup
	for _, c := range claims {
		i, f := c.index, c.Attempt
		b.leases[i] = started.Add(b.lease(ctx))
		held, release := b.hold(b.spans[i].In(ctx), i, f)
		t := newTask(held, f)
		tasks = append(tasks, t)
		settling.Go(func() {
			err := stopped(held, t.wait())
			release()
			b.worked[i] = max(time.Since(started), 1) // 0 means that no work started
			b.logPanic(i, f, err)
			b.settle(ctx, i, f, err)
		})
	}
	if len(tasks) > 0 {
		go b.Work.run(ctx, tasks)
	}
	settling.Wait()
}

func (b *batch) logPanic(i int, f Attempt, err error) {
	if p := (*failure.Panic)(nil); errors.As(err, &p) {
		b.Log.Error("panic", "id", f.ID, "tenant", b.tenants[i], "delivery", b.deliveries[i].Count,
			"attempt", f.Number, "panic", p.Error(), "stack", string(p.Stack))
	}
}

// lease returns the length of a claim: the time for the work and for settling, plus a margin.
// It is at most Lease, which is extended while the work runs.
func (b *batch) lease(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	rest := max(time.Until(deadline), 0) + manifest.SettleReserve + manifest.LeaseMargin
	if b.Lease > 0 {
		return min(rest, b.Lease)
	}
	return rest
}

// reserve sets the deadlines of the work and of settling, so that the work leaves time to
// settle, and settling leaves time to respond.
func (b *batch) reserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	b.finish = deadline.Add(-min(manifest.RespondReserve, left/10))
	return context.WithDeadline(ctx, deadline.Add(-min(manifest.SettleReserve, left/4)))
}

// pauses returns the backoff between tries of a statement.
func pauses() backoff.Waits { return backoff.Waits{First: 50 * time.Millisecond, Longest: time.Second} }

package job

import (
	"context"
	"errors"
	"log/slog"
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
	Observe  func(Observation) // told of every end, from many goroutines; may be nil
}

const (
	// writeTimeout bounds each write that must finish although time is up.
	writeTimeout = 4 * time.Second
	// abandonAfter is how long past its deadline work may take to notice.
	abandonAfter = time.Second
)

// batch is one run: deliveries and, by index, how they end.
type batch struct {
	*Runtime
	deliveries []Delivery
	ends       []Settlement
	tenants    []uuid.UUID     // as far as they are known
	worked     []time.Duration // 0 where no work was begun
	told       int             // how many of settled the queue was told about
	mu         sync.Mutex
	settled    []Settled
}

// Run works on a batch until every delivery has an end, and returns the ends
// in the order of the deliveries. ctx ends when the invocation does. Retries,
// dead letters, and whatever is settled when a suspect is about to run, are
// carried out through m; other Acks are left to the caller's response.
func (r *Runtime) Run(ctx context.Context, deliveries []Delivery, m Messages) []Settlement {
	n := len(deliveries)
	b := &batch{Runtime: r, deliveries: deliveries, ends: make([]Settlement, n), tenants: make([]uuid.UUID, n), worked: make([]time.Duration, n)}
	workCtx, cancel := withReserve(ctx)
	defer cancel()
	suspects := b.together(workCtx)
	b.alone(workCtx, suspects, m)
	m.Settle(ctx, slices.DeleteFunc(b.untold(), func(s Settled) bool { return s.Action == Ack }))
	return b.ends
}

// together claims the batch and works on everything in it at once, except on
// the suspects, which it returns, the least tried first.
func (b *batch) together(ctx context.Context) (suspects []suspect) {
	claims, err := b.claim(ctx, b.deliveries, false)
	var running sync.WaitGroup
	for i := range b.deliveries {
		if err != nil {
			b.end(i, Fence{}, Outcome{Result: Unsettled}, failure.Of(err))
			continue
		}
		b.tenants[i] = claims[i].Tenant
		if claims[i].Suspect {
			suspects = append(suspects, suspect{i, claims[i]})
			continue
		}
		running.Go(func() { b.run(ctx, i, claims[i]) })
	}
	running.Wait()
	slices.SortStableFunc(suspects, func(x, y suspect) int { return x.Fence.Attempt - y.Fence.Attempt })
	return suspects
}

// suspect is a claim that is not made yet, and its delivery's place in the batch.
type suspect struct {
	index int
	Claim
}

// alone runs suspects one after the other. Each gets a fair share of the time
// that is left, and the queue is told of everything settled before it begins:
// if it kills this process, it takes nobody with it.
func (b *batch) alone(ctx context.Context, suspects []suspect, m Messages) {
	for n, s := range suspects {
		if ctx.Err() == nil { // or else nobody begins, and a slow queue would cost the response
			m.Settle(ctx, b.untold())
		}
		share, cancel := withShare(ctx, len(suspects)-n)
		claims, err := b.claim(share, b.deliveries[s.index:s.index+1], true)
		if err != nil {
			b.end(s.index, s.Fence, Outcome{Result: Unsettled}, failure.Of(err))
		} else {
			b.run(share, s.index, claims[0])
		}
		cancel()
	}
}

func (b *batch) claim(ctx context.Context, ds []Delivery, suspects bool) ([]Claim, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, failure.At("claim documents", ctx.Err())
	}
	claims, err := b.Store.Claim(ctx, ds, lease(ctx), suspects)
	return claims, failure.At("claim documents", err)
}

// run takes one claim to its end.
func (b *batch) run(ctx context.Context, i int, c Claim) {
	if c.Found != 0 {
		b.end(i, c.Fence, Outcome{Result: c.Found, HeldFor: c.HeldFor}, failure.Failure{Text: c.Reason})
		return
	}
	started := time.Now()
	err := b.work(ctx, i, c.Fence)
	b.worked[i] = max(time.Since(started), 1) // 0 says that there was no work
	ctx = context.WithoutCancel(ctx)          // settling finishes although time is up
	switch {
	case err == nil:
		b.end(i, c.Fence, Outcome{Result: Succeeded}, failure.Failure{})
	case errors.Is(err, ErrFenceLost):
		b.end(i, c.Fence, b.lost(ctx, c.Fence), failure.Failure{Text: err.Error()})
	default:
		b.fail(ctx, i, c.Fence, failure.Of(err))
	}
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

// fail writes what the failure means for the document, and ends the delivery.
func (b *batch) fail(ctx context.Context, i int, f Fence, why failure.Failure) {
	o := Outcome{Result: Transient, Delivery: b.deliveries[i].Count, RetryAfter: why.RetryAfter}
	if why.Kind == failure.Permanent {
		o.Result = Permanent
	}
	s := b.Schedule.Decide(o)
	v := Verdict{Status: s.Write, Reason: why.Text, Due: s.Visibility, Kind: why.Kind.String(), Delivery: o.Delivery}
	switch written, err := b.settle(ctx, f, v); {
	case err != nil:
		b.end(i, f, Outcome{Result: Unsettled}, failure.Failure{Text: why.Text + "; then " + failure.Of(err).Text})
	case !written:
		b.end(i, f, b.lost(ctx, f), why)
	default:
		b.end(i, f, o, why)
	}
}

// settle writes a verdict. When the answer is lost, the row is read again: a
// commit is neither assumed nor repeated blindly.
func (b *batch) settle(ctx context.Context, f Fence, v Verdict) (bool, error) {
	writeCtx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	written, err := b.Store.Settle(writeCtx, f, v)
	if err == nil {
		return written, nil
	}
	row, findErr := b.find(ctx, f)
	ours := row.Attempt == f.Attempt
	switch {
	case findErr != nil, ours && row.Status == StatusInProgress:
		return false, failure.At("settle", err)
	case ours && row.Status == v.Status:
		return true, nil
	}
	return false, nil // the fence is gone
}

// lost says what the row is now that the fence is gone.
func (b *batch) lost(ctx context.Context, f Fence) Outcome {
	row, err := b.find(ctx, f)
	switch {
	case errors.Is(err, ErrNotFound):
		return Outcome{Result: Missing}
	case err != nil:
		return Outcome{Result: Unsettled}
	case row.Status == StatusSucceeded && row.Attempt == f.Attempt:
		return Outcome{Result: Succeeded} // our own commit, whose answer was lost
	case row.Status == StatusSucceeded, row.Status == StatusFailed, row.Status == StatusNone:
		return Outcome{Result: Done}
	case row.Status == StatusInProgress && row.LeaseLeft > 0:
		return Outcome{Result: Held, HeldFor: row.LeaseLeft}
	}
	return Outcome{Result: Lost}
}

func (b *batch) find(ctx context.Context, f Fence) (Row, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return b.Store.Find(ctx, f.ID)
}

// end decides how delivery i ends, notes it and logs it, once.
func (b *batch) end(i int, f Fence, o Outcome, why failure.Failure) {
	d := b.deliveries[i]
	o.Delivery = d.Count
	s := b.Schedule.Decide(o)
	level := slog.LevelInfo
	switch {
	case s.Write == StatusFailed || s.Action == DeadLetter:
		level = slog.LevelError
	case s.Action == Retry || o.Result == Missing || o.Result == NotMatchable:
		level = slog.LevelWarn
	}
	b.Log.Log(context.Background(), level, "settled", "document", d.ID, "tenant", b.tenant(i), "delivery", d.Count, "attempt", f.Attempt,
		"result", o.Result.String(), "action", s.Action.String(), "visibility", s.Visibility.String(), "reason", why.Text)
	if b.Observe != nil {
		b.Observe(Observation{o.Result, s.Action, b.worked[i]})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends[i] = s
	b.settled = append(b.settled, Settled{i, s})
}

// untold returns what was settled since it was last called.
func (b *batch) untold() []Settled {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := slices.Clone(b.settled[b.told:])
	b.told = len(b.settled)
	return news
}

// lease is how long a claim is exclusive: the time for the work, for settling
// it, and a margin.
func lease(ctx context.Context) time.Duration {
	rest := 15 * time.Minute // the longest that Lambda runs
	if deadline, ok := ctx.Deadline(); ok {
		rest = max(time.Until(deadline), 0)
	}
	return rest + manifest.SettleReserve + manifest.LeaseMargin
}

// withReserve ends work early enough to settle.
func withReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	reserve := min(manifest.SettleReserve, time.Until(deadline)/4)
	return context.WithDeadline(ctx, deadline.Add(-reserve))
}

// withShare gives one of n the n-th part of the time that is left.
func withShare(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(n))
}

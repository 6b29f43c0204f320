package job

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"matchbook/lambda/failure"
)

// writeTimeout limits each try of a write made after the work's deadline.
const writeTimeout = 4 * time.Second

// partialTimeout limits the write of a release with results. It is longer, because such a
// write may wait for other writers.
const partialTimeout = 20 * time.Second

// ParkedFor is the time after which a parked row counts as overdue, in case that its service is
// never called again. The sweep usually publishes it before; see sweep.Store.Unpark. After a call
// asked to wait, the row is due so much later, and isn't published before the wait is over.
const ParkedFor = 6 * time.Hour

// settle settles work. It outlives the work's deadline and ends when the invocation has to
// respond, but always has time for one try.
func (b *batch) settle(ctx context.Context, i int, f Attempt, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(time.Until(b.finish), writeTimeout))
	defer cancel()
	switch {
	case err == nil:
		b.end(i, f, Outcome{Result: Succeeded}, failure.Failure{})
	case errors.Is(err, ErrFenceLost):
		b.end(i, f, b.lost(ctx, i, f), failure.Failure{Text: err.Error()})
	default:
		b.fail(ctx, i, f, err)
	}
}

func (b *batch) fail(ctx context.Context, i int, f Attempt, err error) {
	why := failure.Of(err)
	result := map[failure.Kind]Result{failure.Transient: Transient, failure.Permanent: Permanent, failure.Parked: Parked}[why.Kind]
	o := Outcome{Result: result, Delivery: b.deliveries[i].Count, RetryAfter: why.RetryAfter}
	s := b.Backoff.Decide(o)
	r := Release{Status: s.Write, Reason: why.Text, Due: s.Visibility, Kind: why.Kind.String(), Delivery: o.Delivery}
	if result == Parked {
		r.Due, r.Service = ParkedFor+why.RetryAfter, why.Service
	}
	switch written, err := b.write(ctx, i, f, r, err); {
	case err != nil:
		b.end(i, f, b.unsettled(i), failure.Failure{Text: why.Text + "; then " + failure.Of(err).Text})
	case !written:
		b.end(i, f, b.lost(ctx, i, f), why)
	default:
		b.conclude(i, f, o, s, why)
	}
}

// write writes a release, with the results of a Partial. While the database doesn't answer, it
// retries as long as ctx allows. After each error it reads the row, because the commit may
// have succeeded and only the response got lost.
func (b *batch) write(ctx context.Context, i int, f Attempt, r Release, why error) (bool, error) {
	var partial *Partial
	hasResults := errors.As(why, &partial)
	if hasResults && b.writePartial(ctx, i, f, r, partial) {
		return true, nil
	}
	tries := pauses()
	for first := !hasResults; ; first = false {
		try, cancel := context.WithTimeout(ctx, writeTimeout)
		written, err := b.Store.Release(try, f, r)
		cancel()
		switch {
		case err == nil && written:
			return true, nil
		case err == nil && first:
			return false, nil // the fence is lost, since no earlier try can have committed
		}
		row, findErr := b.find(ctx, f)
		ours := row.Attempt == f.Number
		switch {
		case findErr == nil && ours && row.Status == r.Status:
			return true, nil
		case findErr == nil && (!ours || row.Status != StatusInProgress), errors.Is(findErr, ErrNotFound):
			return false, nil // the fence is lost
		case err != nil && failure.Of(err).Kind == failure.Permanent, !tries.Next(ctx):
			return false, failure.At("settle", errors.Join(err, findErr))
		}
	}
}

// writePartial writes a release with results. If that fails, it returns false and leaves time
// to write the release alone.
func (b *batch) writePartial(ctx context.Context, i int, f Attempt, r Release, p *Partial) (written bool) {
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	ctx, cancel := context.WithTimeout(ctx, min(max(left-writeTimeout, left/2), partialTimeout))
	defer cancel()
	warn := func(reason string) {
		b.Log.Warn("results of failed work not written", "id", f.ID, "tenant", b.tenants[i],
			"attempt", f.Number, "reason", reason)
	}
	defer func() {
		if v := recover(); v != nil {
			warn((&failure.Panic{Value: v}).Error())
			written = false
		}
	}()
	written, err := p.Release(ctx, r)
	if err != nil {
		warn(failure.Of(err).Text)
	}
	return written && err == nil
}

func (b *batch) find(ctx context.Context, f Attempt) (Row, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return b.Store.Find(ctx, f.ID)
}

// lost reads the row after a lost fence, and returns the outcome.
func (b *batch) lost(ctx context.Context, i int, f Attempt) Outcome {
	row, err := b.find(ctx, f)
	for tries := pauses(); err != nil && !errors.Is(err, ErrNotFound) && tries.Next(ctx); {
		row, err = b.find(ctx, f)
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return Outcome{Result: Missing}
	case err != nil:
		return b.unsettled(i)
	case row.Status == StatusSucceeded && row.Attempt == f.Number:
		return Outcome{Result: Succeeded} // this attempt's commit; only the response got lost
	case row.Status == StatusSucceeded, row.Status == StatusFailed, row.Status == StatusCancelled,
		row.Status == StatusNone:
		return Outcome{Result: Done}
	case row.Status == StatusInProgress:
		return Outcome{Result: Held, Wait: max(row.LeaseLeft, time.Second)}
	}
	return Outcome{Result: Lost}
}

// unsettled is the outcome of a claim with a failed settlement: its message comes back when
// the lease ends.
func (b *batch) unsettled(i int) Outcome {
	return Outcome{Result: Unsettled, Wait: max(time.Until(b.leases[i]), time.Second)}
}

// endUnclaimed settles a delivery that couldn't be claimed. Its message comes back after the
// backoff, jittered by up to a quarter, so that not all messages meet the next outage
// together.
func (b *batch) endUnclaimed(i int, f Attempt, err error) {
	wait := b.Backoff.retry(Outcome{Delivery: min(b.deliveries[i].Count, len(b.Backoff))}, StatusNone).Visibility
	b.end(i, f, Outcome{Result: Unsettled, Wait: wait - rand.N(wait/4+1)}, failure.Of(err))
}

func (b *batch) end(i int, f Attempt, o Outcome, why failure.Failure) {
	o.Delivery = b.deliveries[i].Count
	b.conclude(i, f, o, b.Backoff.Decide(o), why)
}

// conclude logs a settlement and keeps it, once for each delivery. Run passes a Retry or a
// DeadLetter to Messages; an Ack usually just isn't in the response.
func (b *batch) conclude(i int, f Attempt, o Outcome, s Settlement, why failure.Failure) {
	d := b.deliveries[i]
	level := slog.LevelInfo
	switch {
	case s.Write == StatusFailed || s.Action == DeadLetter:
		level = slog.LevelError
	case s.Action == Retry || o.Result == Missing || o.Result == Unworkable || o.Result == Parked:
		level = slog.LevelWarn
	}
	id, tenant := b.names(i, o)
	b.Log.Log(context.Background(), level, "settled",
		"id", id, "tenant", tenant, "delivery", d.Count, "attempt", f.Number,
		"result", o.Result.String(), "action", s.Action.String(), "visibility", s.Visibility.String(),
		"reason", why.Text)
	b.close(i, f, o, s, why)
	if b.Observe != nil {
		b.Observe(Observation{o.Result, s.Action, b.worked[i]})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends[i] = s
	b.failed = b.failed || s.Write == StatusFailed
	b.settled = append(b.settled, Settled{i, s})
}

// unsent returns the deliveries settled since its last call.
func (b *batch) unsent() []Settled {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := slices.Clone(b.settled[b.sent:])
	b.sent = len(b.settled)
	return news
}

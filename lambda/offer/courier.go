package offer

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Receiver gets completed sets. It is safe for concurrent use.
type Receiver interface {
	// Deliver sends a set once, and returns nil if it was accepted. A failure that is
	// transient or refused (see failure.Error) is about the receiver, any other about
	// the set. The set may have arrived all the same: the answer was lost.
	Deliver(ctx context.Context, s Set) error
}

// Outbox holds the completed sets that the receiver has not accepted.
type Outbox interface {
	// ClaimSets takes up to limit due sets, and keeps them from other senders for the
	// time of hold. Sets that were not tried yet come first, and the oldest of them.
	ClaimSets(ctx context.Context, limit int, hold time.Duration) ([]Parcel, error)
	// SetsDelivered records that the receiver has accepted the sets of these jobs.
	SetsDelivered(ctx context.Context, jobs []uuid.UUID) error
	// ReleaseSets ends claims without success. A claim that another sender has taken
	// over is not changed.
	ReleaseSets(ctx context.Context, returned []Return) error
}

// Parcel is a set with its claim.
type Parcel struct {
	Set
	Tries int // with this one; it names the claim
}

// Return is a set that was not accepted.
type Return struct {
	Job   uuid.UUID
	Tries int           // of its Parcel
	Wait  time.Duration // until it is due again
	Error string        // safe to store
}

// Courier brings completed sets to the receiver. Its sends hold no transaction.
// While the receiver is down, this process leaves it alone; its first set
// afterwards goes alone. All invocations of a process share one.
type Courier struct {
	Outbox   Outbox
	Receiver Receiver
	Log      *slog.Logger

	mu    sync.Mutex
	down  bool
	until time.Time // the receiver is left alone
}

const (
	// parallel is the number of sets that are sent at once. They are claimed and
	// recorded together: as many are sent twice if this process dies.
	parallel = 16
	// hold is much longer than sending and recording take.
	hold    = time.Minute
	sendFor = 5 * time.Second
	// downFor is the time for which a process leaves a receiver alone that is down: a
	// little less than the period of the sweep.
	downFor = 50 * time.Second
	// The waits of a set: doubling from the first to the last, or the last at once if
	// the receiver has refused it.
	firstWait, lastWait = 30 * time.Second, time.Hour
)

// CourierReserve is the time that Run may take after the end of its context, for
// the sends that have begun and to record them.
const CourierReserve = sendFor + manifest.NotifyReserve

// Run sends sets until none is due, ctx ends or the receiver is down. Its errors
// are in the log: a set that was not accepted stays in the outbox.
func (c *Courier) Run(ctx context.Context) {
	for {
		limit := c.allowed(time.Now())
		if limit == 0 || ctx.Err() != nil {
			return
		}
		parcels, err := c.Outbox.ClaimSets(ctx, limit, hold)
		if err != nil && ctx.Err() == nil {
			c.Log.Error("cannot read the due sets", "error", failure.Of(err).Text)
		}
		if err != nil || len(parcels) == 0 {
			return
		}
		if !c.send(ctx, parcels) || len(parcels) < limit && limit > 1 {
			return
		}
	}
}

// allowed returns how many sets may be sent at once.
func (c *Courier) allowed(now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case now.Before(c.until):
		return 0
	case c.down:
		return 1
	}
	return parallel
}

// send sends the sets at once, and records the results. It reports false if they
// could not be recorded.
func (c *Courier) send(ctx context.Context, parcels []Parcel) bool {
	errs := c.deliver(ctx, parcels)
	var accepted []uuid.UUID
	var returned []Return
	var down time.Duration
	for i, p := range parcels {
		if errs[i] == nil {
			accepted = append(accepted, p.ID)
			continue
		}
		why := failure.Of(errs[i])
		returned = append(returned, Return{Job: p.ID, Tries: p.Tries, Wait: wait(p.Tries, why), Error: why.Text})
		if why.Kind == failure.Transient || why.Refused {
			down = max(down, downFor, why.RetryAfter)
		}
	}
	c.note(down)
	c.report(returned)
	return c.record(ctx, accepted, returned)
}

// deliver sends the sets at once. A send that has begun is not stopped: its answer
// would be lost.
func (c *Courier) deliver(ctx context.Context, parcels []Parcel) []error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendFor)
	defer cancel()
	errs := make([]error, len(parcels))
	var all sync.WaitGroup
	for i, p := range parcels {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					errs[i] = &failure.Panic{Value: v, Stack: debug.Stack()}
				}
			}()
			errs[i] = c.Receiver.Deliver(ctx, p.Set)
		})
	}
	all.Wait()
	return errs
}

// note leaves the receiver alone for that long; 0: it is up.
func (c *Courier) note(down time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down > 0
	if c.down {
		c.until = time.Now().Add(down)
	}
}

// report logs each reason once: as an error if a person has to look at it.
func (c *Courier) report(returned []Return) {
	counts := map[string]int{}
	for _, r := range returned {
		counts[r.Error]++
	}
	for _, r := range returned {
		if n := counts[r.Error]; n > 0 {
			c.Log.Error("sets were not accepted", "sets", n, "job", r.Job, "error", r.Error)
		}
		delete(counts, r.Error)
	}
}

// record writes how the sends ended, also when time is up.
func (c *Courier) record(ctx context.Context, accepted []uuid.UUID, returned []Return) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), manifest.NotifyReserve)
	defer cancel()
	if len(accepted) > 0 {
		if err := c.Outbox.SetsDelivered(ctx, accepted); err != nil {
			c.Log.Error("cannot record accepted sets: they are sent again", "sets", len(accepted), "error",
				failure.Of(err).Text)
			return false
		}
	}
	if len(returned) > 0 {
		if err := c.Outbox.ReleaseSets(ctx, returned); err != nil {
			c.Log.Error("cannot release sets: they are due when their claim ends", "sets", len(returned), "error",
				failure.Of(err).Text)
			return false
		}
	}
	return true
}

// wait returns the time until a set that was tried that often is due again.
func wait(tries int, why failure.Failure) time.Duration {
	if why.Kind == failure.Permanent {
		return lastWait
	}
	return max(min(firstWait<<min(max(tries-1, 0), 10), lastWait), why.RetryAfter)
}

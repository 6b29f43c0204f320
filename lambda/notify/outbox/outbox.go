// Package outbox brings what waits in an outbox to a receiver, at least once: the
// sets of match offers, and events. notify/webhook calls the receiver.
package outbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Receiver gets parcels. It is safe for concurrent use.
type Receiver interface {
	// Send sends a parcel once, and returns nil if it was accepted. A failure that
	// is transient or refused (see failure.Error) is about the receiver, any other
	// about the parcel. It may have arrived all the same: the answer was lost.
	Send(ctx context.Context, p Parcel) error
}

// Outbox holds the parcels that the receiver has not accepted.
type Outbox interface {
	// Claim takes up to limit due parcels, and keeps them from other senders for the
	// time of hold.
	Claim(ctx context.Context, limit int, hold time.Duration) ([]Parcel, error)
	// Delivered records that the receiver has accepted these parcels.
	Delivered(ctx context.Context, ids []uuid.UUID) error
	// Release ends claims without success. A claim that another sender has taken
	// over is not changed.
	Release(ctx context.Context, returned []Return) error
}

// Parcel is a message with its claim.
type Parcel struct {
	ID    uuid.UUID // its idempotency key
	Tries int       // with this one; it names the claim
	Body  []byte    // JSON, the same bytes at every try
}

// Return is a parcel that was not accepted.
type Return struct {
	ID      uuid.UUID
	Tries   int           // of its Parcel
	Wait    time.Duration // until it is due again
	Error   string        // safe to store
	Refused bool          // the receiver is up, and does not want this parcel
}

// Relay brings parcels to the receiver. Its sends hold no transaction. While the
// receiver is down, this process leaves it alone; its first parcel afterwards goes
// alone. All invocations of a process share one.
type Relay struct {
	Parcels  string // their name in the log, in the plural
	Outbox   Outbox
	Receiver Receiver
	Log      *slog.Logger

	mu    sync.Mutex
	down  bool
	until time.Time // the receiver is left alone
}

const (
	// parallel is the number of parcels that are sent at once. They are claimed and
	// recorded together: as many are sent twice if this process dies.
	parallel = 16
	// hold is much longer than sending and recording take.
	hold    = time.Minute
	sendFor = 5 * time.Second
	// downFor is the time for which a process leaves a receiver alone that is down: a
	// little less than the period of the sweep.
	downFor = 50 * time.Second
	// The waits of a parcel: doubling from the first to the last, or the last at once
	// if the receiver has refused it.
	firstWait, lastWait = 30 * time.Second, time.Hour
)

// Reserve is the time that Run may take after the end of its context, for
// the sends that have begun and to record them.
const Reserve = sendFor + manifest.NotifyReserve

// Run sends parcels until none is due, ctx ends or the receiver is down. Its errors
// are in the log: a parcel that was not accepted stays in the outbox.
func (c *Relay) Run(ctx context.Context) {
	for {
		limit := c.allowed(time.Now())
		if limit == 0 || ctx.Err() != nil {
			return
		}
		parcels, err := c.Outbox.Claim(ctx, limit, hold)
		if err != nil && ctx.Err() == nil {
			c.Log.Error("cannot read what is due", "parcels", c.Parcels, "error", failure.Of(err).Text)
		}
		if err != nil || len(parcels) == 0 {
			return
		}
		if !c.send(ctx, parcels) { // what was accepted may have held up others
			return
		}
	}
}

// allowed returns how many parcels may be sent at once.
func (c *Relay) allowed(now time.Time) int {
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

// send sends the parcels at once, and records the results. It reports false if they
// could not be recorded.
func (c *Relay) send(ctx context.Context, parcels []Parcel) bool {
	errs := c.sendAll(ctx, parcels)
	var accepted []uuid.UUID
	var returned []Return
	var down time.Duration
	for i, p := range parcels {
		if errs[i] == nil {
			accepted = append(accepted, p.ID)
			continue
		}
		why := failure.Of(errs[i])
		receiver := why.Kind == failure.Transient || why.Refused
		returned = append(returned,
			Return{ID: p.ID, Tries: p.Tries, Wait: wait(p.Tries, why), Error: why.Text, Refused: !receiver})
		if receiver {
			down = max(down, downFor, why.RetryAfter)
		}
	}
	c.note(down)
	c.report(returned)
	return c.record(ctx, accepted, returned)
}

// sendAll sends the parcels at once. A send that has begun is not stopped: its answer
// would be lost.
func (c *Relay) sendAll(ctx context.Context, parcels []Parcel) []error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendFor)
	defer cancel()
	errs := make([]error, len(parcels))
	var all sync.WaitGroup
	for i, p := range parcels {
		all.Go(func() { errs[i] = failure.Guard(func() error { return c.Receiver.Send(ctx, p) }) })
	}
	all.Wait()
	return errs
}

// note leaves the receiver alone for that long; 0: it is up.
func (c *Relay) note(down time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down > 0
	if c.down {
		c.until = time.Now().Add(down)
	}
}

// report logs each reason once: as an error if a person has to look at it.
func (c *Relay) report(returned []Return) {
	counts := map[string]int{}
	for _, r := range returned {
		counts[r.Error]++
	}
	for _, r := range returned {
		if n := counts[r.Error]; n > 0 {
			c.Log.Error(c.Parcels+" were not accepted", "count", n, "id", r.ID, "error", r.Error)
		}
		delete(counts, r.Error)
	}
}

// record writes how the sends ended, also when time is up.
func (c *Relay) record(ctx context.Context, accepted []uuid.UUID, returned []Return) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), manifest.NotifyReserve)
	defer cancel()
	if len(accepted) > 0 {
		if err := c.Outbox.Delivered(ctx, accepted); err != nil {
			c.Log.Error("cannot record what was accepted: it is sent again", "parcels", c.Parcels, "count", len(accepted),
				"error", failure.Of(err).Text)
			return false
		}
	}
	if len(returned) > 0 {
		if err := c.Outbox.Release(ctx, returned); err != nil {
			c.Log.Error("cannot release what was not accepted: its claim has to end", "parcels", c.Parcels, "count", len(returned),
				"error", failure.Of(err).Text)
			return false
		}
	}
	return true
}

// wait returns the time until a parcel that was tried that often is due again.
func wait(tries int, why failure.Failure) time.Duration {
	if why.Kind == failure.Permanent {
		return lastWait
	}
	return max(min(firstWait<<min(max(tries-1, 0), 10), lastWait), why.RetryAfter)
}

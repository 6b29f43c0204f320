// Package outbox delivers parcels from an outbox to a receiver, at least once. There are two
// such outboxes: the sets of match offers, and webhook events. Use package webhook for the
// receiver.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Receiver accepts parcels. It must be safe for concurrent use.
type Receiver interface {
	// Send sends a parcel once, and returns nil if it was accepted. Return a transient or
	// refused failure (see failure.Error) if the receiver is at fault, and any other if the
	// parcel is. After an error the parcel may still have arrived, since only the answer may
	// be lost.
	Send(ctx context.Context, p Parcel) error
}

// Outbox holds the parcels not accepted yet.
type Outbox interface {
	// Claim claims up to limit due parcels, and keeps them from other senders for the time of
	// hold.
	Claim(ctx context.Context, limit int, hold time.Duration) ([]Parcel, error)
	// Delivered marks these parcels as accepted.
	Delivered(ctx context.Context, ids []uuid.UUID) error
	// Release ends claims without success. It must not change a claim taken over by another
	// sender.
	Release(ctx context.Context, returned []Return) error
}

// Switch disables a receiver for all processes.
type Switch interface {
	// Disabled reports whether the receiver is disabled.
	Disabled(ctx context.Context) (bool, error)
	// Disable lasts until a person enables the receiver, or it has another URL.
	Disable(ctx context.Context) error
}

// ErrGone is in the error of Send if the receiver wants no more parcels, so the Relay disables
// it.
var ErrGone = errors.New("receiver is gone")

// Parcel is a message and its claim.
type Parcel struct {
	ID    uuid.UUID // its idempotency key
	Tries int       // including this one; it identifies the claim
	Body  []byte    // JSON, the same bytes for every try
}

// Return is a parcel not accepted by the receiver.
type Return struct {
	ID      uuid.UUID
	Tries   int           // the Parcel's
	Wait    time.Duration // until it is due again
	Error   string        // safe to store
	Refused bool          // the receiver is up, but refuses this parcel
}

// Relay delivers parcels to the receiver. (notify.Relay sends notifications to people;
// sqsjob.Relay handles messages of a queue.) It holds no transaction while sending. While the
// receiver is down, this process leaves it alone, then tries a single parcel first. You should
// share one Relay among all invocations of a process.
type Relay struct {
	Parcels  string // plural name in the log: sets or events
	Outbox   Outbox
	Receiver Receiver
	Switch   Switch // of the receiver; may be nil
	Log      *slog.Logger

	mu    sync.Mutex
	down  bool
	until time.Time // leave the receiver alone until then
}

const (
	// parallel is the number of parcels sent at once. They are claimed and recorded together,
	// so as many are sent twice if this process dies.
	parallel = 16
	// hold is much longer than sending and recording.
	hold    = time.Minute
	sendFor = 5 * time.Second
	// downFor is the pause after a failure of the receiver: a little less than the sweep's
	// period.
	downFor = 50 * time.Second
	// The waits of a parcel: doubling from the first to the last, or the last at once if the
	// receiver refused it.
	firstWait, lastWait = 30 * time.Second, time.Hour
)

// Reserve is the time that Run may take after the end of its context, to finish and record the
// started sends.
const Reserve = sendFor + manifest.NotifyReserve

// Run sends parcels until nothing is due, ctx ends or the receiver is down or disabled. It logs
// errors; a parcel not accepted stays in the outbox.
func (c *Relay) Run(ctx context.Context) {
	if c.disabled(ctx) {
		return
	}
	for {
		limit := c.allowed(time.Now())
		if limit == 0 || ctx.Err() != nil {
			return
		}
		parcels, err := c.Outbox.Claim(ctx, limit, hold)
		if err != nil && ctx.Err() == nil {
			c.Log.Error("reading due parcels failed", "parcels", c.Parcels, "reason", failure.Of(err).Text)
		}
		if err != nil || len(parcels) == 0 {
			return
		}
		if !c.send(ctx, parcels) { // continue, because accepted parcels may have held up others
			return
		}
	}
}

func (c *Relay) disabled(ctx context.Context) bool {
	if c.Switch == nil {
		return false
	}
	is, err := c.Switch.Disabled(ctx)
	if err != nil && ctx.Err() == nil {
		c.Log.Error("reading the receiver's state failed", "parcels", c.Parcels, "reason", failure.Of(err).Text)
	}
	return is || err != nil
}

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

// send sends the parcels at once, and records the results. It returns false if recording
// failed.
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
	recorded := c.record(ctx, accepted, returned)
	if c.Switch != nil && slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, ErrGone) }) {
		c.disable(ctx)
		return false
	}
	return recorded
}

// disable stops all sends to the receiver, even after the deadline.
func (c *Relay) disable(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), manifest.NotifyReserve)
	defer cancel()
	reason := "the receiver answered that it is gone"
	if err := c.Switch.Disable(ctx); err != nil {
		reason = failure.Of(err).Text
	}
	c.Log.Error("receiver disabled until its URL changes", "parcels", c.Parcels, "reason", reason)
}

// sendAll sends the parcels at once. It never stops a started send, because the answer would
// be lost.
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

// note leaves the receiver alone for down; 0 means that it is up.
func (c *Relay) note(down time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = down > 0
	if c.down {
		c.until = time.Now().Add(down)
	}
}

func (c *Relay) report(returned []Return) {
	counts := map[string]int{}
	for _, r := range returned {
		counts[r.Error]++
	}
	for _, r := range returned {
		if n := counts[r.Error]; n > 0 {
			c.Log.Error(c.Parcels+" not accepted; will retry", "count", n, "id", r.ID, "reason", r.Error)
		}
		delete(counts, r.Error)
	}
}

// record writes how the sends ended, even after the deadline.
func (c *Relay) record(ctx context.Context, accepted []uuid.UUID, returned []Return) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), manifest.NotifyReserve)
	defer cancel()
	if len(accepted) > 0 {
		if err := c.Outbox.Delivered(ctx, accepted); err != nil {
			c.Log.Error("recording accepted parcels failed; they will be sent again", "parcels", c.Parcels, "count", len(accepted),
				"reason", failure.Of(err).Text)
			return false
		}
	}
	if len(returned) > 0 {
		if err := c.Outbox.Release(ctx, returned); err != nil {
			c.Log.Error("releasing parcels failed; their claim will expire", "parcels", c.Parcels, "count", len(returned),
				"reason", failure.Of(err).Text)
			return false
		}
	}
	return true
}

// wait returns the time until a parcel is due again after so many tries.
func wait(tries int, why failure.Failure) time.Duration {
	if why.Kind == failure.Permanent {
		return lastWait
	}
	return max(min(firstWait<<min(max(tries-1, 0), 10), lastWait), why.RetryAfter)
}

package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// Outbox holds the failures that have to be sent, for each channel.
type Outbox interface {
	// ClaimNotifications lets plan choose among the pending failures of the
	// channel, and keeps the chosen ones from other senders for the time of
	// hold. last is the time of the last message of each kind; for a kind that
	// a sender holds at the moment, it is now. A channel that asked for a wait
	// has nothing pending.
	ClaimNotifications(ctx context.Context, channel string, hold time.Duration,
		plan func(now time.Time, last map[string]time.Time, pending []Failure) []Message) ([]Message, error)
	// NotificationsSent marks the notifications as accepted by the channel.
	NotificationsSent(ctx context.Context, channel string, ids []uuid.UUID) error
	// ReleaseNotifications makes them due again once wait has passed; if busy,
	// nothing else is sent to the channel before that either.
	ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration, busy bool) error
}

// Relay sends the contents of the outbox. Any number may run at once: a failure
// is sent once on each channel, and again only if the channel's answer was
// lost, or the sender died with it.
type Relay struct {
	Outbox  Outbox
	Senders []Sender
	Base    string // the address of the admin pages; empty: no links
	Log     *slog.Logger
}

// hold is the time for which other senders leave a claimed failure alone; a
// sender has its own, shorter, time.
const hold = time.Minute

// The waits after a send that failed, if the other side asks for none.
const (
	waitTransient = 30 * time.Second
	waitPermanent = 15 * time.Minute // a webhook that is gone may be put right
)

// Run sends, on all channels at once, every message that is due now. Its errors
// are in the log: a failure that could not be sent stays in the outbox.
func (r *Relay) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range r.Senders {
		all.Go(func() { r.sendDue(ctx, s) })
	}
	all.Wait()
}

func (r *Relay) sendDue(ctx context.Context, s Sender) {
	log := r.Log.With("channel", s.Channel())
	messages, err := r.Outbox.ClaimNotifications(ctx, s.Channel(), hold,
		func(now time.Time, last map[string]time.Time, pending []Failure) []Message {
			send, _ := Plan(now, last, pending, r.Base)
			return send
		})
	if err != nil {
		log.Error("cannot read the due notifications", "error", failure.Of(err).Text)
		return
	}
	for i, m := range messages {
		sent := failure.Guard(func() error { return s.Send(ctx, m) }) // a panic of a channel is its own error only
		if sent == nil {
			if err := r.note(ctx, func(ctx context.Context) error {
				return r.Outbox.NotificationsSent(ctx, s.Channel(), m.IDs)
			}); err != nil {
				log.Error("could not mark the notifications as sent", "kind", m.Kind, "failures", m.Count, "error",
					failure.Of(err).Text)
			}
			continue
		}
		why := failure.Of(sent)
		log.Error("could not send", "kind", m.Kind, "failures", m.Count, "error", why.Text)
		// Out of time, or asked to wait: release all that another sender could
		// send.
		busy := why.RetryAfter > 0
		left := messages[i : i+1]
		if busy || ctx.Err() != nil {
			left = messages[i:]
		}
		if err := r.note(ctx, func(ctx context.Context) error {
			return r.Outbox.ReleaseNotifications(ctx, s.Channel(), idsOf(left), wait(why), busy)
		}); err != nil {
			log.Error("could not release the unsent notifications", "error", failure.Of(err).Text)
		}
		if len(left) > 1 {
			return
		}
	}
}

// note writes how a send ended, also when time is up: it takes
// manifest.NotifyReserve at most, and ends that long after ctx at the latest.
func (r *Relay) note(ctx context.Context, write func(context.Context) error) error {
	end := time.Now()
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), end.Add(manifest.NotifyReserve))
	defer cancel()
	return write(ctx)
}

func idsOf(messages []Message) (ids []uuid.UUID) {
	for _, m := range messages {
		ids = append(ids, m.IDs...)
	}
	return ids
}

// wait is the time until a failure that was not sent is due again.
func wait(why failure.Failure) time.Duration {
	if why.Kind == failure.Permanent {
		return max(waitPermanent, why.RetryAfter)
	}
	return max(waitTransient, why.RetryAfter)
}

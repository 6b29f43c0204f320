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

// Outbox holds the failures to be sent, for each channel.
type Outbox interface {
	// ClaimNotifications calls plan with the channel's pending failures, and claims the chosen
	// ones for the time of hold. last is the time of the last message of each kind; for a kind
	// claimed by another sender it must be now. A channel that requested a wait has nothing
	// pending.
	ClaimNotifications(ctx context.Context, channel string, hold time.Duration,
		plan func(now time.Time, last map[string]time.Time, pending []Failure) []Message) ([]Message, error)
	// NotificationsSent marks the notifications as accepted by the channel.
	NotificationsSent(ctx context.Context, channel string, ids []uuid.UUID) error
	// ReleaseNotifications makes them due again after wait. If busy, nothing else is sent to
	// the channel before that.
	ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration, busy bool) error
}

// Relay sends notifications from their outbox to all channels. (outbox.Relay sends sets and
// events; sqsjob.Relay handles messages of a queue.) Any number may run at once: a failure is
// sent once on each channel, and again only if the channel's answer got lost, or the sender
// died with it.
type Relay struct {
	Outbox  Outbox
	Senders []Sender
	Base    string // the address of the admin pages; without it, no links
	Log     *slog.Logger
}

// hold keeps other senders away from a claimed failure. A sender's time limit must be shorter.
const hold = time.Minute

// The waits after a failed send, unless the other side requests a longer one.
const (
	waitTransient = 30 * time.Second
	waitPermanent = 15 * time.Minute // a person may repair a webhook
)

// Run sends every message due now, on all channels at once. It logs errors; unsent failures
// stay in the outbox.
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
		log.Error("reading due notifications failed", "reason", failure.Of(err).Text)
		return
	}
	for i, m := range messages {
		sent := failure.Guard(func() error { return s.Send(ctx, m) }) // so that a panic in one channel doesn't stop the others
		if sent == nil {
			if err := r.note(ctx, func(ctx context.Context) error {
				return r.Outbox.NotificationsSent(ctx, s.Channel(), m.IDs)
			}); err != nil {
				log.Error("notifications sent but not marked; they may be sent again", "kind", m.Kind, "failures", m.Count, "reason",
					failure.Of(err).Text)
			}
			continue
		}
		why := failure.Of(sent)
		log.Error("send failed; sweep will retry", "kind", m.Kind, "failures", m.Count, "reason", why.Text)
		// Out of time, or asked to wait: release everything for other senders.
		busy := why.RetryAfter > 0
		left := messages[i : i+1]
		if busy || ctx.Err() != nil {
			left = messages[i:]
		}
		if err := r.note(ctx, func(ctx context.Context) error {
			return r.Outbox.ReleaseNotifications(ctx, s.Channel(), idsOf(left), wait(why), busy)
		}); err != nil {
			log.Error("releasing unsent notifications failed; their claim will expire", "reason", failure.Of(err).Text)
		}
		if len(left) > 1 {
			return
		}
	}
}

// note records how a send ended, even after the deadline. It takes at most
// manifest.NotifyReserve, and ends at most so long after ctx.
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

// wait returns the time until an unsent failure is due again.
func wait(why failure.Failure) time.Duration {
	if why.Kind == failure.Permanent {
		return max(waitPermanent, why.RetryAfter)
	}
	return max(waitTransient, why.RetryAfter)
}

package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// Outbox holds the failures that have to be told, for each channel.
type Outbox interface {
	// ClaimNotifications has plan choose among what is pending on the channel,
	// and keeps what it chose from other senders for the time of hold. last is
	// when a kind was told last; a kind that somebody is telling is now.
	ClaimNotifications(ctx context.Context, channel string, hold time.Duration, plan func(now time.Time, last map[string]time.Time, pending []Failure) []Message) ([]Message, error)
	// NotificationsTold notes that the channel took them over.
	NotificationsTold(ctx context.Context, channel string, ids []uuid.UUID) error
	// ReleaseNotifications has them told again, not before wait has passed.
	ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration) error
}

// Relay sends what the outbox holds. Any number may run at once: a failure is
// told once on each channel, and again only if the channel's answer was lost,
// or the sender died with it.
type Relay struct {
	Outbox  Outbox
	Senders []Sender
	Base    string // where the admin pages are; empty: no links
	Log     *slog.Logger
}

const (
	// hold is how long others leave alone what a sender has claimed; a sender
	// has its own, shorter, time.
	hold = time.Minute
	// settleFor is how long noting the end of a send may take, also when time
	// is up.
	settleFor = 5 * time.Second
)

// The waits after a send that failed, if the other side asks for none.
const (
	waitTransient = 30 * time.Second
	waitPermanent = 15 * time.Minute // a webhook that is gone may be put right
)

// Run sends, on all channels at once, what is due now. Its errors are in the
// log: what could not be told stays in the outbox.
func (r *Relay) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range r.Senders {
		all.Go(func() { r.tell(ctx, s) })
	}
	all.Wait()
}

func (r *Relay) tell(ctx context.Context, s Sender) {
	log := r.Log.With("channel", s.Channel())
	messages, err := r.Outbox.ClaimNotifications(ctx, s.Channel(), hold, func(now time.Time, last map[string]time.Time, pending []Failure) []Message {
		send, _ := Plan(now, last, pending, r.Base)
		return send
	})
	if err != nil {
		log.Error("cannot read what has to be told", "error", failure.Of(err).Text)
		return
	}
	for _, m := range messages {
		if err := r.send(ctx, s, m); err != nil {
			log.Error("could not tell", "kind", m.Kind, "failures", m.Count, "error", failure.Of(err).Text)
		}
	}
}

func (r *Relay) send(ctx context.Context, s Sender, m Message) error {
	sent := s.Send(ctx, m)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleFor)
	defer cancel()
	if sent == nil {
		return failure.At("note what was told", r.Outbox.NotificationsTold(ctx, s.Channel(), m.Told))
	}
	f := failure.Of(sent)
	wait := waitTransient
	if f.Kind == failure.Permanent {
		wait = waitPermanent
	}
	if err := r.Outbox.ReleaseNotifications(ctx, s.Channel(), m.Told, max(wait, f.RetryAfter)); err != nil {
		return failure.At("release what was not told", err)
	}
	return sent
}

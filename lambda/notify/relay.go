package notify

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"matchbook/lambda/failure"

	"github.com/google/uuid"
)

// Outbox holds the failures that have to be told, for each channel.
type Outbox interface {
	// ClaimNotifications has plan choose among what is pending on the channel,
	// and keeps what it chose from other senders for the time of hold. last is
	// when a kind was told last; a kind that somebody is telling is now. A
	// channel that wants to be left alone has nothing pending.
	ClaimNotifications(ctx context.Context, channel string, hold time.Duration, plan func(now time.Time, last map[string]time.Time, pending []Failure) []Message) ([]Message, error)
	// NotificationsTold notes that the channel took them over.
	NotificationsTold(ctx context.Context, channel string, ids []uuid.UUID) error
	// ReleaseNotifications has them told again, not before wait has passed; if
	// busy, the channel is told of nothing else before that either.
	ReleaseNotifications(ctx context.Context, channel string, ids []uuid.UUID, wait time.Duration, busy bool) error
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

// hold is how long others leave alone what a sender has claimed; a sender has
// its own, shorter, time.
const hold = time.Minute

// SettleFor is how long Run may take beyond the end of its context, to note
// what was told and what was not.
const SettleFor = 5 * time.Second

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
	for i, m := range messages {
		sent := send(ctx, s, m)
		if sent == nil {
			if err := r.note(ctx, func(ctx context.Context) error { return r.Outbox.NotificationsTold(ctx, s.Channel(), m.Told) }); err != nil {
				log.Error("could not note what was told", "kind", m.Kind, "failures", m.Count, "error", failure.Of(err).Text)
			}
			continue
		}
		why := failure.Of(sent)
		log.Error("could not tell", "kind", m.Kind, "failures", m.Count, "error", why.Text)
		// Who is out of time, or told to wait, keeps nothing that another could tell.
		busy := why.RetryAfter > 0
		left := messages[i : i+1]
		if busy || ctx.Err() != nil {
			left = messages[i:]
		}
		if err := r.note(ctx, func(ctx context.Context) error {
			return r.Outbox.ReleaseNotifications(ctx, s.Channel(), told(left), wait(why), busy)
		}); err != nil {
			log.Error("could not release what was not told", "error", failure.Of(err).Text)
		}
		if len(left) > 1 {
			return
		}
	}
}

// send sends a message; a channel that panics harms nobody but itself.
func send(ctx context.Context, s Sender, m Message) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &failure.Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return s.Send(ctx, m)
}

// note writes how a send ended, also when time is up: for settleFor at the
// most, and settleFor after the end of ctx in all.
func (r *Relay) note(ctx context.Context, write func(context.Context) error) error {
	end := time.Now()
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(end) {
		end = deadline
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), end.Add(SettleFor))
	defer cancel()
	return write(ctx)
}

func told(messages []Message) (ids []uuid.UUID) {
	for _, m := range messages {
		ids = append(ids, m.Told...)
	}
	return ids
}

// wait is how long what was not told is left alone.
func wait(why failure.Failure) time.Duration {
	if why.Kind == failure.Permanent {
		return max(waitPermanent, why.RetryAfter)
	}
	return max(waitTransient, why.RetryAfter)
}

package notify

import (
	"cmp"
	"slices"
	"time"
)

// Window is the minimum time between two messages of a kind on a channel.
const Window = time.Minute

// Plan decides which messages to send on a channel now: one for each kind with its minute
// over, of all its pending failures. last is the time of the last accepted message by kind,
// single or digest; a missing kind is sent at once. until is the time when the first waiting
// kind is due; zero if nothing waits.
//
//	10:00:00  A fails                nothing sent yet: A at once
//	10:00:01  B fails                waits until 10:01:00
//	10:00:40  C fails                waits too
//	10:01:00                         a digest of B and C
//	10:01:30  D fails                waits until 10:02:00, then is sent alone
//	11:00:00  E fails                at once
//
// You must mark the notifications in Message.IDs as sent once the message is. Unsent failures
// stay pending and don't change last, so they are sent, along with later ones, as soon as the
// channel works again.
//
// Because clocks differ, a last in the future counts as now. Further ahead than a Window, it
// counts as never, because a clock was set back.
func Plan(now time.Time, last map[string]time.Time, pending []Failure, base string) (send []Message, until time.Time) {
	byTopic := map[string][]Failure{}
	for _, f := range pending {
		sent := last[f.Topic()]
		switch ahead := sent.Sub(now); {
		case ahead > Window:
			sent = time.Time{}
		case ahead > 0:
			sent = now
		}
		due := sent.Add(Window)
		switch {
		case !due.After(now):
			byTopic[f.Topic()] = append(byTopic[f.Topic()], f)
		case until.IsZero() || due.Before(until):
			until = due
		}
	}
	for _, failures := range byTopic {
		send = append(send, Digest(failures, base))
	}
	slices.SortFunc(send, func(a, b Message) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	return send, until
}

package notify

import (
	"cmp"
	"slices"
	"time"
)

// Window is the least time between two messages of a kind on a channel.
const Window = time.Minute

// Plan decides which messages to send on one channel, now: a message for each
// kind whose minute is over, of all the pending failures of that kind. last is
// the time at which the channel accepted the last message of a kind, single or
// digest; a kind that it does not contain is sent at once. until is the time at
// which the first of the waiting kinds is due, zero if none waits.
//
//	10:00:00  A fails                nothing was sent: A at once
//	10:00:01  B fails                waits until 10:01:00
//	10:00:40  C fails                waits, too
//	10:01:00                         a digest of B and C
//	10:01:30  D fails                waits until 10:02:00, and is sent as one failure
//	11:00:00  E fails                at once
//
// The caller marks the notifications of Message.IDs as sent once the message
// is. Failures that could not be sent stay pending and leave last as it was, so
// that they are sent, with later ones, as soon as the channel works again.
//
// A last that lies in the future, by a clock that differs, is taken for now;
// one that lies further ahead than a Window, by a clock that was put back, for
// never.
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

package notify

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"matchbook/lambda/failure"
)

// Recorder is a channel that remembers the messages sent to it: the fake of the
// tests, and the way to show messages where no channel is configured. Its zero
// value is ready to use.
type Recorder struct {
	Name string // of the channel; empty is "recorder"
	// Answer, if it is not nil, decides first, for each message, whether it
	// arrives and which error the sender gets. An answer that was lost is true
	// and an error.
	Answer func(Message) (arrives bool, err error)

	mu   sync.Mutex
	sent []Message
}

// Channel implements Sender.
func (r *Recorder) Channel() string { return cmp.Or(r.Name, "recorder") }

// Send implements Sender.
func (r *Recorder) Send(ctx context.Context, m Message) error {
	if err := ctx.Err(); err != nil {
		f := failure.Of(err)
		return &failure.Error{Kind: f.Kind, Sentence: f.Text}
	}
	arrives, err := true, error(nil)
	if r.Answer != nil {
		arrives, err = r.Answer(m)
	}
	if arrives {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent = append(r.sent, m)
	}
	return err
}

// Sent returns the messages that arrived, in that order.
func (r *Recorder) Sent() []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

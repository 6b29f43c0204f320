package notify

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"matchbook/lambda/failure"
)

// Recorder is a channel that remembers its messages. Use it as a fake in tests, and to show
// messages without a configured channel. The zero Recorder is ready to use.
type Recorder struct {
	Name string // of the channel; the default is "recorder"
	// Answer decides, for each message, whether it arrives, and with which error. Return true
	// and an error for a lost answer. If it is nil, all messages arrive.
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

// Sent returns the arrived messages in order.
func (r *Recorder) Sent() []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

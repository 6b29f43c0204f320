package sqs

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/local/clock"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// poll starts a long poll of 20 s and returns when it waits. The test fails if
// nothing ends it before its time: the look at the end does not count.
func (r *rig) poll(ctx context.Context, queue *string) <-chan *sqs.ReceiveMessageOutput {
	r.t.Helper()
	select {
	case <-r.waiting: // of an earlier poll
	default:
	}
	got := make(chan *sqs.ReceiveMessageOutput, 1)
	go func() {
		in := receiveInput(queue)
		in.WaitTimeSeconds = 20
		start := time.Now()
		out, _ := r.client.ReceiveMessage(ctx, in)
		if took := time.Since(start); took > 15*time.Second {
			r.t.Errorf("the poll ended only after %v", took)
		}
		got <- out
	}()
	<-r.waiting
	return got
}

func TestLongPollWakes(t *testing.T) {
	t.Parallel()
	for name, wake := range map[string]func(r *rig, q *string, m types.Message){
		"by a message":               func(r *rig, q *string, _ types.Message) { r.send(q, "x") },
		"by a visibility of 0":       func(r *rig, q *string, m types.Message) { r.must(r.change(q, m, 0)) },
		"by the end of a visibility": func(r *rig, _ *string, _ types.Message) { r.clock.Advance(time.Minute) },
		"by the end of a delay":      func(r *rig, _ *string, _ types.Message) { r.clock.Advance(45 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			q, _ := r.pair(10)
			r.send(q, "in flight")
			m := r.one(q)
			r.sendLate(q, 45)
			got := r.poll(t.Context(), q)
			if polls := r.stats("work").Polls; polls != 1 {
				t.Errorf("%d polls wait, want 1", polls)
			}
			wake(r, q, m)
			if out := <-got; out == nil || len(out.Messages) == 0 {
				t.Errorf("the poll ended with %+v, want a message", out)
			}
			if polls := r.stats("work").Polls; polls != 0 {
				t.Errorf("%d polls wait after it, want none", polls)
			}
		})
	}
}

func TestLongPollOnFrozenClock(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"VisibilityTimeout": "60"})
	r.send(q, "x")
	r.one(q) // comes back in a minute that never passes
	in := receiveInput(q)
	in.WaitTimeSeconds = 1
	start := time.Now()
	out, err := r.client.ReceiveMessage(t.Context(), in)
	r.must(err)
	if took := time.Since(start); len(out.Messages) != 0 || took < time.Second {
		t.Errorf("%d messages after %v, want none after 1 s", len(out.Messages), took)
	}
}

func TestLongPollSeesVisibility(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, clock.New())
	q := r.queue("work", map[string]string{"VisibilityTimeout": "1"})
	id := r.send(q, "x")
	r.one(q)
	if out := <-r.poll(t.Context(), q); out == nil || len(out.Messages) != 1 || *out.Messages[0].MessageId != id {
		t.Errorf("the poll ended with %+v, want the message again", out)
	}
}

func TestAbandonedLongPoll(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	ctx, leave := context.WithCancel(t.Context())
	got := r.poll(ctx, q)
	select {
	case <-r.ended: // of an earlier request; makes room for the poll's
	default:
	}
	leave()
	<-got
	for target := range r.ended {
		if target == "AmazonSQS.ReceiveMessage" {
			break
		}
	}
	r.send(q, "x")
	r.wantStats("work", Stats{Visible: 1})
}

func TestLongPollOnDeletedQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	got := r.poll(t.Context(), q)
	_, err := r.client.DeleteQueue(t.Context(), &sqs.DeleteQueueInput{QueueUrl: q})
	r.must(err)
	if out := <-got; out != nil {
		t.Errorf("the poll ended with %+v, want an error", out)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	const senders, each = 4, 100
	r := newRig(t)
	q := r.queue("work", nil)
	var mu sync.Mutex
	seen := map[string]int{}
	var left atomic.Int32
	left.Store(senders * each)
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for i := range each {
				r.send(q, fmt.Sprint(s, "-", i))
			}
		})
		wg.Go(func() {
			for left.Load() > 0 {
				in := receiveInput(q)
				in.WaitTimeSeconds = 1
				out, err := r.client.ReceiveMessage(t.Context(), in)
				if err != nil {
					t.Error(err)
					return
				}
				for _, m := range out.Messages {
					mu.Lock()
					seen[*m.Body]++
					mu.Unlock()
					if err := r.delete(q, m); err != nil {
						t.Error(err)
					}
					left.Add(-1)
				}
			}
		})
	}
	wg.Wait()
	for body, n := range seen {
		if n != 1 {
			t.Errorf("%s received %d times", body, n)
		}
	}
	if got, want := r.stats("work"), (Stats{HandedOut: senders * each}); len(seen) != senders*each || got != want {
		t.Errorf("%d distinct messages, stats %+v, want %d and %+v", len(seen), got, senders*each, want)
	}
	if got, want := len(r.events), 3*senders*each; got != want {
		t.Errorf("%d events, want %d: sent, received, deleted", got, want)
	}
}

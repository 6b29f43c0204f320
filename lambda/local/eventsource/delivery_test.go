package eventsource

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/local/lambdahost"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// These tests run a real process behind the Runtime API, the mapping and the
// SDK over HTTP, on a clock that stands still between jumps.

func TestPartialFailure(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("ok", "fail", "ok")
	d := q.run(newTestFunction(t, lambdahost.Config{}).Invoke, Config{})

	inv := gatetest.Receive(t, q.invocations)
	if inv.Err != nil || inv.DeleteErr != nil || len(inv.MessageIDs) != 3 || len(inv.Failed) != 1 ||
		len(inv.Undeleted) != 0 {
		t.Errorf("got %+v", inv)
	}
	if !inv.At.Equal(q.clock.Now()) {
		t.Errorf("at %v, want the clock's %v", inv.At, q.clock.Now())
	}
	q.checkCounts(0, 1)
	q.clock.Advance(mappedVisibility)
	if inv = gatetest.Receive(t, q.invocations); len(inv.MessageIDs) != 1 || len(inv.Failed) != 1 {
		t.Errorf("got %+v", inv)
	}
	d.check(t, []string{"fail 1", "ok 1", "ok 1"}, []string{"fail 2"})
}

func TestWholeFailure(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, err string }{
		{"function error", "error", "unknown document"},
		{"panic", "panic", "out of paper"},
		{"exit", "exit", "Runtime.ExitError"},
		{"timeout", "hang", "Sandbox.Timedout"},
		{"no JSON", "answer done, all fine", "decode function response"},
		{"null id", `answer {"batchItemFailures":[{"itemIdentifier":null}]}`, `unknown itemIdentifier ""`},
		{"empty id", `answer {"batchItemFailures":[{"itemIdentifier":""}]}`, `unknown itemIdentifier ""`},
		{"unknown id", `answer {"batchItemFailures":[{"itemIdentifier":"x"}]}`, `unknown itemIdentifier "x"`},
		{"wrong key", `answer {"batchItemFailures":[{"messageId":"x"}]}`, `unknown itemIdentifier ""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newMappedQueue(t)
			q.send("ok", tt.body)
			cfg := lambdahost.Config{}
			if tt.body == "hang" {
				cfg.Timeout = 200 * time.Millisecond
			}
			d := q.run(newTestFunction(t, cfg).Invoke, Config{})
			for range 3 {
				inv := gatetest.Receive(t, q.invocations)
				if inv.Err == nil || !strings.Contains(inv.Err.Error(), tt.err) || len(inv.Failed) != 2 {
					t.Errorf("got %+v, want all failed with %q", inv, tt.err)
				}
				q.checkCounts(0, 2)
				q.clock.Advance(mappedVisibility)
			}
			gatetest.Receive(t, q.toDLQ)
			gatetest.Receive(t, q.toDLQ)
			want := [][]string{{tt.body + " 1", "ok 1"}, {tt.body + " 2", "ok 2"}, {tt.body + " 3", "ok 3"}}
			for _, batch := range want {
				slices.Sort(batch)
			}
			d.check(t, want...)
		})
	}
}

func TestNullListIsSuccess(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send(`answer {"batchItemFailures":null}`, "fail")
	q.run(newTestFunction(t, lambdahost.Config{}).Invoke, Config{})
	if inv := gatetest.Receive(t, q.invocations); inv.Err != nil || len(inv.MessageIDs) != 2 || len(inv.Failed) != 0 {
		t.Errorf("got %+v", inv)
	}
	q.checkCounts(0, 0)
}

func TestKeepsSetVisibility(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("fail")
	d := q.run(q.parked(newTestFunction(t, lambdahost.Config{}).Invoke, 30*time.Minute), Config{})
	if inv := gatetest.Receive(t, q.invocations); inv.Err != nil || len(inv.Failed) != 1 {
		t.Fatalf("got %+v", inv)
	}
	if stats, _ := q.emul.Stats("work"); !stats.NextVisible.Equal(q.clock.Now().Add(30 * time.Minute)) {
		t.Errorf("visible at %v, want in 30 minutes", stats.NextVisible)
	}
	q.clock.Advance(30*time.Minute - time.Second)
	q.checkCounts(0, 1)
	q.clock.Advance(time.Second)
	gatetest.Receive(t, q.invocations)
	d.check(t, []string{"fail 1"}, []string{"fail 2"})
}

func TestDLQAtNextReceive(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("fail")
	q.run(q.parked(newTestFunction(t, lambdahost.Config{}).Invoke, time.Second), Config{})
	for range 2 {
		gatetest.Receive(t, q.invocations)
		q.clock.Advance(time.Second)
	}
	gatetest.Receive(t, q.invocations)
	q.checkCounts(0, 1)
	if n := len(q.toDLQ); n != 0 {
		t.Errorf("%d messages moved before their visibility ended", n)
	}
	q.clock.Advance(time.Second)
	if e := gatetest.Receive(t, q.toDLQ); e.ReceiveCount != 3 {
		t.Errorf("moved with a receive count of %d, want 3", e.ReceiveCount)
	}
}

func TestRedrivenIsNew(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("fail")
	d := q.run(q.parked(newTestFunction(t, lambdahost.Config{}).Invoke, 0), Config{})
	var inv Invocation
	for range 3 {
		inv = gatetest.Receive(t, q.invocations)
	}
	gatetest.Receive(t, q.toDLQ)
	must.Get(q.client.StartMessageMoveTask(t.Context(),
		&sqs.StartMessageMoveTaskInput{SourceArn: &q.dlqARN}))(t)
	if again := gatetest.Receive(t, q.invocations); len(again.MessageIDs) != 1 ||
		again.MessageIDs[0] == inv.MessageIDs[0] {
		t.Errorf("messages %v after %v, want a new id", again.MessageIDs, inv.MessageIDs)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if got := d.got[3]; got[0] != "fail 1" {
		t.Errorf("delivered %v, want a receive count of 1", got)
	}
}

func TestMaxConcurrency(t *testing.T) {
	t.Parallel()
	q, g := newMappedQueue(t), gatetest.New(t)
	body := "hold " + g.Addr()
	q.send(body, body, body)
	q.run(newTestFunction(t, lambdahost.Config{MaxConcurrency: 3}).Invoke, Config{BatchSize: 1, MaxConcurrency: 2})
	first, second := g.Next(), g.Next()
	q.checkCounts(1, 2)
	first.Release()
	third := g.Next()
	q.checkCounts(0, 2)
	second.Release()
	third.Release()
	for range 3 {
		if inv := gatetest.Receive(t, q.invocations); inv.Err != nil || len(inv.Failed) != 0 {
			t.Errorf("got %+v", inv)
		}
	}
}

// TestThrottlingUsesReceives keeps the function's reserved
// concurrency busy from elsewhere.
func TestThrottlingUsesReceives(t *testing.T) {
	t.Parallel()
	q, g := newMappedQueue(t), gatetest.New(t)
	f := newTestFunction(t, lambdahost.Config{MaxConcurrency: 1})
	busy := gatetest.InvokeAsync(t, f, g.Hold())
	held := g.Next()
	q.send("late")
	d := q.run(f.Invoke, Config{})
	throttled := func(inFlight int) {
		t.Helper()
		if inv := gatetest.Receive(t, q.invocations); !errors.Is(inv.Err, lambdahost.ErrThrottled) ||
			len(inv.Failed) != 1 {
			t.Errorf("got %+v, want throttled", inv)
		}
		q.checkCounts(0, inFlight)
	}
	throttled(1)
	q.clock.Advance(mappedVisibility)
	throttled(1)
	q.send("later")
	throttled(2) // polling goes on
	held.Release()
	<-busy
	q.clock.Advance(mappedVisibility)
	if inv := gatetest.Receive(t, q.invocations); inv.Err != nil {
		t.Errorf("got %+v", inv)
	}
	d.check(t, []string{"late 3", "later 2"})
	q.checkCounts(0, 0)
}

func TestThrottledGoesToDLQ(t *testing.T) {
	t.Parallel()
	q, g := newMappedQueue(t), gatetest.New(t)
	f := newTestFunction(t, lambdahost.Config{})
	busy := gatetest.InvokeAsync(t, f, g.Hold())
	held := g.Next()
	q.send("lost")
	d := q.run(f.Invoke, Config{})
	for range 3 {
		gatetest.Receive(t, q.invocations)
		q.clock.Advance(mappedVisibility)
	}
	gatetest.Receive(t, q.toDLQ)
	d.check(t)
	held.Release()
	<-busy
}

// SQS hands out and deletes ten messages in a call.
func TestBatchOverTen(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send(slices.Repeat([]string{"ok"}, 25)...)
	q.run(succeed, Config{BatchSize: 21})
	var sizes []int
	seen := map[string]bool{}
	for len(seen) < 25 {
		inv := gatetest.Receive(t, q.invocations)
		if inv.Err != nil || inv.DeleteErr != nil || len(inv.MessageIDs) > 21 {
			t.Errorf("got %+v", inv)
		}
		sizes = append(sizes, len(inv.MessageIDs))
		for _, id := range inv.MessageIDs {
			seen[id] = true
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	// The SDK repeats a call whose connection ends: then the batches are smaller.
	if sizes[0] <= 10 || !q.repeated && !slices.Equal(sizes, []int{21, 4}) {
		t.Errorf("batches of %v, want 21 and 4", sizes)
	}
	q.checkCounts(0, 0)
}

package eventsource

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/local/lambdahost"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func TestMappingWindowGathersUntilItHasPassed(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("a")
	d := q.run(newTestFunction(t, lambdahost.Config{}).Invoke, Config{Window: 5 * time.Minute})
	gatetest.Receive(t, q.received)
	q.send("b", "c")
	gatetest.Receive(t, q.received)
	gatetest.Receive(t, q.received)
	q.clock.Advance(4 * time.Minute)
	q.send("d")
	gatetest.Receive(t, q.received) // so it still gathers
	q.clock.Advance(time.Minute)
	if inv := gatetest.Receive(t, q.told); len(inv.MessageIDs) != 4 || inv.Err != nil {
		t.Errorf("told %+v", inv)
	}
	d.check(t, []string{"a 1", "b 1", "c 1", "d 1"})
	q.checkCounts(0, 0)
}

func TestMappingWindowEndsWithAFullBatch(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("a")
	d := q.run(newTestFunction(t, lambdahost.Config{}).Invoke, Config{BatchSize: 3, Window: 5 * time.Minute})
	gatetest.Receive(t, q.received)
	in := &sqs.SendMessageBatchInput{QueueUrl: &q.url} // all visible at once
	for _, body := range []string{"b", "c", "d"} {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{Id: &body, MessageBody: &body})
	}
	if _, err := q.client.SendMessageBatch(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	gatetest.Receive(t, q.told)
	d.check(t, []string{"a 1", "b 1", "c 1"})
}

// windowMapping is a mapping with a window of 5 minutes whose clock stands still.
func windowMapping(q fakeQueue, told chan Invocation) *Mapping {
	m := fakeMapping(q, 1, told, succeed)
	m.cfg.Window, m.cfg.Clock = 5*time.Minute, clock.NewFrozen(time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC))
	return m
}

func TestMappingWindowEndsInRealTimeOnAFrozenClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, told := newFakeQueue(), make(chan Invocation, 1)
		q.empty = true
		q.receives <- batchOf("a")
		start := time.Now()
		defer runMapping(t, windowMapping(q, told))()
		time.AfterFunc(4*time.Minute, func() { q.receives <- batchOf("b") })
		inv := <-told
		if took := time.Since(start); took != 5*time.Minute || len(inv.MessageIDs) != 2 {
			t.Errorf("%v after %v, want a and b after 5m", inv.MessageIDs, took)
		}
	})
}

func TestMappingWindowEndsWithAnErrorAndWithTheMapping(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(q fakeQueue, stop func()){
		"receive fails": func(q fakeQueue, _ func()) {
			q.receives <- func() (*sqs.ReceiveMessageOutput, error) { return nil, errors.New("connection refused") }
		},
		"mapping stops": func(q fakeQueue, stop func()) {
			q.receives <- func() (*sqs.ReceiveMessageOutput, error) {
				go stop()
				return &sqs.ReceiveMessageOutput{}, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, told := newFakeQueue(), make(chan Invocation, 1)
			q.receives <- batchOf("a")
			end(q, runMapping(t, windowMapping(q, told)))
			if inv := gatetest.Receive(t, told); inv.Err != nil || len(inv.MessageIDs) != 1 {
				t.Errorf("told %+v, want the batch of one", inv)
			}
		})
	}
}

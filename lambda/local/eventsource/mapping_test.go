package eventsource

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/local/lambdahost"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// runMapping runs m until stop is called, at the latest at the test's end.
func runMapping(t *testing.T, m *Mapping) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// fakeQueue hands out batches, then waits, or is empty; deletes fail on order.
type fakeQueue struct {
	empty    bool
	receives chan func() (*sqs.ReceiveMessageOutput, error)
	deleted  func(entries []types.DeleteMessageBatchRequestEntry) (*sqs.DeleteMessageBatchOutput, error)
}

func (f fakeQueue) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput,
	_ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	if f.empty && in.WaitTimeSeconds == 0 && len(f.receives) == 0 {
		return &sqs.ReceiveMessageOutput{}, nil
	}
	select {
	case receive := <-f.receives:
		return receive()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f fakeQueue) DeleteMessageBatch(ctx context.Context, in *sqs.DeleteMessageBatchInput,
	_ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f.deleted(in.Entries)
}

func batchOf(ids ...string) func() (*sqs.ReceiveMessageOutput, error) {
	out := &sqs.ReceiveMessageOutput{}
	for _, id := range ids {
		out.Messages = append(out.Messages,
			types.Message{MessageId: aws.String(id), ReceiptHandle: aws.String("handle " + id)})
	}
	return func() (*sqs.ReceiveMessageOutput, error) { return out, nil }
}

func newFakeQueue() fakeQueue {
	return fakeQueue{
		receives: make(chan func() (*sqs.ReceiveMessageOutput, error), 10),
		deleted: func([]types.DeleteMessageBatchRequestEntry) (*sqs.DeleteMessageBatchOutput, error) {
			return &sqs.DeleteMessageBatchOutput{}, nil
		},
	}
}

func fakeMapping(q fakeQueue, concurrency int, invocations chan Invocation,
	invoke func(context.Context, []byte) ([]byte, error)) *Mapping {
	return New(Config{QueueARN: "arn", BatchSize: 10, MaxConcurrency: concurrency, Client: q, Invoke: invoke,
		OnInvocation: func(i Invocation) { invocations <- i }})
}

func succeed(context.Context, []byte) ([]byte, error) { return nil, nil }

func TestFailedDeletesRetry(t *testing.T) {
	t.Parallel()
	failure := func(i int) types.BatchResultErrorEntry {
		return types.BatchResultErrorEntry{Id: aws.String(strconv.Itoa(i)), Code: aws.String("InternalError"),
			Message: aws.String("again")}
	}
	tests := []struct {
		name      string
		results   [][]types.BatchResultErrorEntry // of each call; nil: the call fails
		handles   [][]string                      // of each call
		undeleted []string
	}{
		{"one fails once", [][]types.BatchResultErrorEntry{{failure(1)}, {}},
			[][]string{{"handle a", "handle b"}, {"handle b"}}, nil},
		{"one fails twice", [][]types.BatchResultErrorEntry{{failure(1)}, {failure(0)}},
			[][]string{{"handle a", "handle b"}, {"handle b"}}, []string{"b"}},
		{"the call fails once", [][]types.BatchResultErrorEntry{nil, {}},
			[][]string{{"handle a", "handle b"}, {"handle a", "handle b"}}, nil},
		{"the call fails twice", [][]types.BatchResultErrorEntry{nil, nil},
			[][]string{{"handle a", "handle b"}, {"handle a", "handle b"}}, []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, invocations := newFakeQueue(), make(chan Invocation, 1)
			var calls [][]string
			q.deleted = func(entries []types.DeleteMessageBatchRequestEntry) (*sqs.DeleteMessageBatchOutput, error) {
				var handles []string
				for _, e := range entries {
					handles = append(handles, *e.ReceiptHandle)
				}
				calls = append(calls, handles)
				if len(calls) > len(tt.results) || tt.results[len(calls)-1] == nil {
					return nil, errors.New("connection reset")
				}
				return &sqs.DeleteMessageBatchOutput{Failed: tt.results[len(calls)-1]}, nil
			}
			q.receives <- batchOf("a", "b")
			runMapping(t, fakeMapping(q, 1, invocations, succeed))
			inv := gatetest.Receive(t, invocations)
			if !reflect.DeepEqual(calls, tt.handles) {
				t.Errorf("deleted %v, want %v", calls, tt.handles)
			}
			if !slices.Equal(inv.Undeleted, tt.undeleted) || (inv.DeleteErr != nil) != (tt.undeleted != nil) {
				t.Errorf("got %v, %v; want %v", inv.Undeleted, inv.DeleteErr, tt.undeleted)
			}
		})
	}
}

func TestReceiveErrors(t *testing.T) {
	t.Parallel()
	q, invocations := newFakeQueue(), make(chan Invocation, 10)
	down := errors.New("connection refused")
	for range 2 {
		q.receives <- func() (*sqs.ReceiveMessageOutput, error) { return nil, down }
	}
	q.receives <- batchOf("a")
	m := fakeMapping(q, 1, invocations, succeed)
	runMapping(t, m)
	for range 2 {
		if inv := gatetest.Receive(t, invocations); !errors.Is(inv.Err, down) || inv.MessageIDs != nil {
			t.Errorf("got %+v, want the receive error", inv)
		}
	}
	if inv := gatetest.Receive(t, invocations); inv.Err != nil || len(inv.MessageIDs) != 1 {
		t.Errorf("got %+v, want the batch", inv)
	}
}

func TestThrottledStays(t *testing.T) {
	t.Parallel()
	q, invocations := newFakeQueue(), make(chan Invocation, 10)
	q.deleted = func([]types.DeleteMessageBatchRequestEntry) (*sqs.DeleteMessageBatchOutput, error) {
		t.Error("deleted a message that was never looked at")
		return nil, errors.New("no")
	}
	q.receives <- batchOf("a")
	q.receives <- batchOf("b")
	runMapping(t, fakeMapping(q, 1, invocations,
		func(context.Context, []byte) ([]byte, error) { return nil, lambdahost.ErrThrottled }))
	for range 2 {
		if inv := gatetest.Receive(t, invocations); !errors.Is(inv.Err, lambdahost.ErrThrottled) ||
			len(inv.Failed) != 1 {
			t.Errorf("got %+v, want throttled", inv)
		}
	}
}

func TestStopFinishesBatches(t *testing.T) {
	t.Parallel()
	q, invocations := newFakeQueue(), make(chan Invocation, 10)
	q.receives <- batchOf("a")
	q.receives <- batchOf("b", "c")
	running, release := make(chan struct{}, 2), make(chan struct{})
	m := fakeMapping(q, 2, invocations, func(ctx context.Context, _ []byte) ([]byte, error) {
		running <- struct{}{}
		<-release
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	gatetest.Receive(t, running)
	gatetest.Receive(t, running)
	cancel()
	select {
	case err := <-done:
		t.Errorf("run returned %v while two invocations run", err)
	default:
	}
	close(release)
	must.OK(t, gatetest.Receive(t, done))
	for range 2 {
		if inv := gatetest.Receive(t, invocations); inv.Err != nil || len(inv.Failed)+len(inv.Undeleted) != 0 {
			t.Errorf("got %+v, want success although the mapping was stopped", inv)
		}
	}
}

func TestInvalidBatchSize(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{
		"empty batch":  {BatchSize: 0},
		"batch of 101": {BatchSize: 101},
	} {
		if err := New(cfg).Run(t.Context()); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

package local

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// mappedQueue is a queue on the emulator, over HTTP and with the real SDK.
// Messages stay hidden for 6 minutes; the third receive is the last one.
type mappedQueue struct {
	t       *testing.T
	clock   *Clock
	client  *sqs.Client
	url     string
	emul    *SQS
	told    chan Invocation
	toDLQ   chan Event
	mapping *Mapping
	stop    func()
}

const mappedVisibility = 6 * time.Minute

func newMappedQueue(t *testing.T) *mappedQueue {
	t.Helper()
	clock := NewFrozenClock(time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC))
	q := &mappedQueue{t: t, clock: clock, emul: NewSQS(clock), told: make(chan Invocation, 10), toDLQ: make(chan Event, 10)}
	q.emul.OnEvent(func(e Event) {
		if e.Kind == MovedToDLQ {
			q.toDLQ <- e
		}
	})
	srv := httptest.NewServer(q.emul)
	t.Cleanup(srv.Close)
	q.client = sqs.New(sqs.Options{Region: localRegion, BaseEndpoint: &srv.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
	dlq := q.create("dlq", nil)
	attributes, err := q.client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &dlq, AttributeNames: []types.QueueAttributeName{"QueueArn"}})
	if err != nil {
		t.Fatal(err)
	}
	q.url = q.create("work", map[string]string{
		"VisibilityTimeout": strconv.Itoa(int(mappedVisibility.Seconds())),
		"RedrivePolicy":     `{"maxReceiveCount":3,"deadLetterTargetArn":"` + attributes.Attributes["QueueArn"] + `"}`,
	})
	return q
}

func (q *mappedQueue) create(name string, attributes map[string]string) string {
	q.t.Helper()
	out, err := q.client.CreateQueue(q.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		q.t.Fatal(err)
	}
	return *out.QueueUrl
}

func (q *mappedQueue) send(bodies ...string) {
	q.t.Helper()
	for _, body := range bodies {
		_, err := q.client.SendMessage(q.t.Context(), &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &body,
			MessageAttributes: map[string]types.MessageAttributeValue{"published-at": {DataType: aws.String("String"), StringValue: aws.String("now")}}})
		if err != nil {
			q.t.Fatal(err)
		}
	}
}

// run maps the queue to invoke until the test ends.
func (q *mappedQueue) run(invoke func(context.Context, []byte) ([]byte, error)) {
	q.mapping = NewMapping(MappingConfig{
		QueueURL: q.url, QueueARN: "arn:aws:sqs:us-east-1:000000000000:work", Region: localRegion, BatchSize: 10,
		Client: q.client, Invoke: invoke, Clock: q.clock, OnInvocation: func(i Invocation) { q.told <- i },
	})
	q.stop = runMapping(q.t, q.mapping)
}

// deliveries records what a function is given: bodies with receive counts.
type deliveries struct {
	mu  sync.Mutex
	got [][]string
}

func (d *deliveries) record(invoke func(context.Context, []byte) ([]byte, error)) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var event events.SQSEvent
		if err := json.Unmarshal(payload, &event); err != nil {
			return nil, err
		}
		var batch []string
		for _, r := range event.Records {
			batch = append(batch, r.Body+" "+r.Attributes["ApproximateReceiveCount"])
		}
		slices.Sort(batch)
		d.mu.Lock()
		d.got = append(d.got, batch)
		d.mu.Unlock()
		return invoke(ctx, payload)
	}
}

func (d *deliveries) check(t *testing.T, want ...[]string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !reflect.DeepEqual(d.got, want) {
		t.Errorf("delivered %v, want %v", d.got, want)
	}
}

// checkCounts compares the queue's counts.
func (q *mappedQueue) checkCounts(visible, inFlight int) {
	q.t.Helper()
	stats, _ := q.emul.Stats("work")
	if stats.Visible != visible || stats.InFlight != inFlight {
		q.t.Errorf("%d visible, %d in flight; want %d, %d", stats.Visible, stats.InFlight, visible, inFlight)
	}
}

func TestMappingPartialFailureRedeliversOnlyTheFailed(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("ok", "fail", "ok")
	var d deliveries
	q.run(d.record(newTestFunction(t, FunctionConfig{}).Invoke))

	inv := receive(t, q.told)
	if inv.Err != nil || inv.DeleteErr != nil || len(inv.MessageIDs) != 3 || len(inv.Failed) != 1 || len(inv.Undeleted) != 0 {
		t.Errorf("told %+v", inv)
	}
	if !inv.At.Equal(q.clock.Now()) {
		t.Errorf("at %v, want the clock's %v", inv.At, q.clock.Now())
	}
	q.checkCounts(0, 1)
	q.clock.Advance(mappedVisibility)
	if inv = receive(t, q.told); len(inv.MessageIDs) != 1 || len(inv.Failed) != 1 {
		t.Errorf("told %+v", inv)
	}
	d.check(t, []string{"fail 1", "ok 1", "ok 1"}, []string{"fail 2"})
	q.stop()
	if stats, _ := q.emul.Stats("work"); stats.HandedOut != 4 || q.mapping.Finished() != 4 {
		t.Errorf("handed out %d, finished %d; want 4, 4", stats.HandedOut, q.mapping.Finished())
	}
}

func TestMappingWholeFailureRedeliversAllUntilTheDLQ(t *testing.T) {
	t.Parallel()
	tests := []struct{ body, err string }{
		{"garbage", "decode the function's response"},
		{"error", "poison"},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			t.Parallel()
			q := newMappedQueue(t)
			q.send("ok", tt.body)
			var d deliveries
			q.run(d.record(newTestFunction(t, FunctionConfig{}).Invoke))
			for range 3 {
				inv := receive(t, q.told)
				if inv.Err == nil || !strings.Contains(inv.Err.Error(), tt.err) || len(inv.Failed) != 2 {
					t.Errorf("told %+v, want all failed with %q", inv, tt.err)
				}
				q.checkCounts(0, 2)
				q.clock.Advance(mappedVisibility)
			}
			receive(t, q.toDLQ)
			receive(t, q.toDLQ)
			want := [][]string{{tt.body + " 1", "ok 1"}, {tt.body + " 2", "ok 2"}, {tt.body + " 3", "ok 3"}}
			for _, batch := range want {
				slices.Sort(batch)
			}
			d.check(t, want...)
		})
	}
}

func TestMappingLeavesAChangedVisibilityAlone(t *testing.T) {
	t.Parallel()
	q := newMappedQueue(t)
	q.send("later")
	q.run(func(ctx context.Context, payload []byte) ([]byte, error) {
		var event events.SQSEvent
		if err := json.Unmarshal(payload, &event); err != nil {
			return nil, err
		}
		r := event.Records[0]
		if aws.ToString(r.MessageAttributes["published-at"].StringValue) != "now" {
			t.Errorf("message attributes %v", r.MessageAttributes)
		}
		_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: &q.url, ReceiptHandle: &r.ReceiptHandle, VisibilityTimeout: 1800})
		if err != nil {
			return nil, err
		}
		return json.Marshal(events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{{ItemIdentifier: r.MessageId}}})
	})
	if inv := receive(t, q.told); inv.Err != nil {
		t.Fatal(inv.Err)
	}
	if stats, _ := q.emul.Stats("work"); !stats.NextVisible.Equal(q.clock.Now().Add(30 * time.Minute)) {
		t.Errorf("visible at %v, want in 30 minutes", stats.NextVisible)
	}
}

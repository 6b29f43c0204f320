package eventsource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/internal/gatetest"
	"matchbook/lambda/local/lambdahost"
	emulator "matchbook/lambda/local/sqs"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// mappedQueue is a queue on the emulator, over HTTP and with the real SDK.
// Messages stay hidden for 6 minutes; the third receive is the last one.
type mappedQueue struct {
	t           *testing.T
	clock       *clock.Clock
	client      *sqs.Client
	url         string
	dlqARN      string
	emul        *emulator.Server
	invocations chan Invocation
	received    chan emulator.Event
	toDLQ       chan emulator.Event

	mu       sync.Mutex
	requests []string // that have ended
	repeated bool     // a receive whose answer the client did not get
}

// ServeHTTP keeps a line about each request: a message that is missing went to
// a receive, whose answer may have been lost.
func (q *mappedQueue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repeated := strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".ReceiveMessage") &&
		!strings.HasPrefix(r.Header.Get("Amz-Sdk-Request"), "attempt=1")
	if repeated {
		q.clock.Advance(mappedVisibility) // what the first call took comes again
	}
	q.emul.ServeHTTP(w, r)
	stats, _ := q.emul.Stats("work")
	q.mu.Lock()
	defer q.mu.Unlock()
	q.repeated = q.repeated || repeated
	q.requests = append(q.requests, fmt.Sprintf("%s of %s, %s, client gone: %t; then %+v", r.Header.Get("X-Amz-Target"),
		r.RemoteAddr, r.Header.Get("Amz-Sdk-Request"), r.Context().Err() != nil, stats))
}

// explain prints the requests of a test that failed.
func (q *mappedQueue) explain() {
	if q.t.Failed() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.t.Log(strings.Join(q.requests, "\n"))
	}
}

const mappedVisibility = 6 * time.Minute

func newMappedQueue(t *testing.T) *mappedQueue {
	t.Helper()
	clock := clock.NewFrozen(time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC))
	q := &mappedQueue{t: t, clock: clock, emul: emulator.New(clock), invocations: make(chan Invocation, 100),
		received: make(chan emulator.Event, 100), toDLQ: make(chan emulator.Event, 100)}
	q.emul.OnEvent(func(e emulator.Event) {
		switch e.Kind {
		case emulator.Received:
			q.received <- e
		case emulator.MovedToDLQ:
			q.toDLQ <- e
		}
	})
	srv := httptest.NewServer(q)
	t.Cleanup(srv.Close)
	t.Cleanup(q.explain)
	q.client = sqs.New(sqs.Options{Region: emulator.Region, BaseEndpoint: &srv.URL,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
	dlq := q.create("dlq", nil)
	attributes := must.Get(q.client.GetQueueAttributes(t.Context(),
		&sqs.GetQueueAttributesInput{QueueUrl: &dlq, AttributeNames: []types.QueueAttributeName{"QueueArn"}}))(t)
	q.dlqARN = attributes.Attributes["QueueArn"]
	q.url = q.create("work", map[string]string{
		"VisibilityTimeout": strconv.Itoa(int(mappedVisibility.Seconds())),
		"RedrivePolicy":     `{"maxReceiveCount":3,"deadLetterTargetArn":"` + q.dlqARN + `"}`,
	})
	return q
}

func (q *mappedQueue) create(name string, attributes map[string]string) string {
	q.t.Helper()
	out := must.Get(q.client.CreateQueue(q.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes}))(q.t)
	return *out.QueueUrl
}

func (q *mappedQueue) send(bodies ...string) {
	q.t.Helper()
	for _, body := range bodies {
		must.Get(q.client.SendMessage(q.t.Context(), &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &body,
			MessageAttributes: map[string]types.MessageAttributeValue{"published-at": {DataType: aws.String("String"),
				StringValue: aws.String("now")}}}))(q.t)
	}
}

// run maps the queue to a function until the test ends. What is left out of
// cfg is a batch size of 10 and no window, one invocation at a time.
func (q *mappedQueue) run(invoke invokeFunc, cfg Config) *deliveries {
	d := &deliveries{}
	cfg.QueueURL, cfg.QueueARN, cfg.Region = q.url, "arn:aws:sqs:us-east-1:000000000000:work", emulator.Region
	cfg.BatchSize = cmp.Or(cfg.BatchSize, 10)
	cfg.Client, cfg.Now, cfg.Invoke = q.client, q.clock.Now, d.record(invoke)
	cfg.OnInvocation = func(i Invocation) { q.invocations <- i }
	runMapping(q.t, New(cfg))
	return d
}

type invokeFunc func(context.Context, []byte) ([]byte, error)

// parked hides a batch for so long before the function runs, as a function
// does that wants it back at a time of its own.
func (q *mappedQueue) parked(invoke invokeFunc, d time.Duration) invokeFunc {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var event events.SQSEvent
		if err := json.Unmarshal(payload, &event); err != nil {
			return nil, err
		}
		for _, r := range event.Records {
			if _, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: &q.url,
				ReceiptHandle: &r.ReceiptHandle, VisibilityTimeout: int32(d.Seconds())}); err != nil {
				return nil, err
			}
		}
		return invoke(ctx, payload)
	}
}

// deliveries records what a function ran with: bodies with receive counts.
type deliveries struct {
	mu  sync.Mutex
	got [][]string
}

func (d *deliveries) record(invoke invokeFunc) invokeFunc {
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
		out, err := invoke(ctx, payload)
		if !errors.Is(err, lambdahost.ErrThrottled) {
			d.mu.Lock()
			d.got = append(d.got, batch)
			d.mu.Unlock()
		}
		return out, err
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

func TestMain(m *testing.M) {
	postgrestest.Parallel("6")
	os.Exit(gatetest.Run(m, lambdahost.Bootstrap))
}

// newTestFunction returns a function of the test bootstrap that is closed with the test.
func newTestFunction(t *testing.T, cfg lambdahost.Config) *lambdahost.Function {
	t.Helper()
	cfg.Name, cfg.Bootstrap = "test", gatetest.Bootstrap(t)
	if cfg.Timeout == 0 {
		cfg.Timeout = gatetest.Patience
	}
	f := lambdahost.New(cfg)
	t.Cleanup(func() { f.Close() })
	return f
}

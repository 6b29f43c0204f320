package sqsjob_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/uuid"
)

const queueARN = "arn:aws:sqs:us-east-1:000000000000:match"

// rig is a queue "match" of a local SQS on a frozen clock, and the client that
// production uses. Its visibility timeout is a minute, and a message goes to
// the queue "dead" after three receives.
type rig struct {
	t      testing.TB
	sqs    *sqs.Server
	clock  *clock.Clock
	server *httptest.Server
	queue  *sqsjob.Queue
	log    logs

	mu     sync.Mutex
	calls  []string                                          // operations, in order
	events []sqs.Event                                       // of the SQS
	answer func(call int, w http.ResponseWriter) (done bool) // instead of the SQS; nil: never
	// answerTo is answer by the body of a call: calls that are made at once come in any order.
	answerTo func(body string, w http.ResponseWriter) (done bool)
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newRig(t testing.TB) *rig {
	t.Helper()
	clock := clock.NewFrozen(noon)
	r := &rig{t: t, clock: clock, sqs: sqs.New(clock)}
	r.sqs.OnEvent(func(e sqs.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	})
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	client := newClient(&r.server.URL, nil)
	for _, q := range []awssqs.CreateQueueInput{
		{QueueName: aws.String("dead")},
		{QueueName: aws.String("match"), Attributes: map[string]string{"VisibilityTimeout": "60",
			"RedrivePolicy": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":3}`}},
	} {
		must.Get(client.CreateQueue(t.Context(), &q))(t)
	}
	var err error
	if r.queue, err = sqsjob.NewQueue(client, r.server.URL+"/000000000000/match"); err != nil {
		t.Fatal(err)
	}
	r.forget()
	return r
}

// newClient tries once, like that of the functions.
func newClient(endpoint *string, transport awssqs.HTTPClient) *awssqs.Client {
	return awssqs.New(awssqs.Options{Region: "us-east-1",
		BaseEndpoint: endpoint, RetryMaxAttempts: 1, HTTPClient: transport,
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "")})
}

func (r *rig) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.calls = append(r.calls, strings.TrimPrefix(req.Header.Get("X-Amz-Target"), "AmazonSQS."))
	call, answer := len(r.calls), r.answer
	r.mu.Unlock()
	if answer != nil && answer(call, w) {
		return
	}
	if r.answerTo != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil || r.answerTo(string(body), w) {
			return
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	r.sqs.ServeHTTP(w, req)
}

// forget begins to count calls and events anew.
func (r *rig) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls, r.events = nil, nil
}

func (r *rig) wantCalls(want ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.calls, want) {
		r.t.Errorf("calls %q, want %q", r.calls, want)
	}
}

// happened returns the events of messages, in order.
func (r *rig) happened() []sqs.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// wantQueue counts the messages that wait and those in flight.
func (r *rig) wantQueue(name string, visible, inFlight int) {
	r.t.Helper()
	got, _ := r.sqs.Stats(name)
	if got.Visible != visible || got.InFlight != inFlight {
		r.t.Errorf("queue %s: %d visible and %d in flight, want %d and %d",
			name, got.Visible, got.InFlight, visible, inFlight)
	}
}

// send sends one message for each of the documents 1 to n.
func (r *rig) send(n int) {
	r.t.Helper()
	var messages []job.Stamped
	for i := range n {
		messages = append(messages, job.Stamped{ID: id(i + 1), PublishedAt: noon})
	}
	if unsent, err := r.queue.Send(r.t.Context(), messages); err != nil || len(unsent) > 0 {
		r.t.Fatalf("send: %v, %v", unsent, err)
	}
}

// receive takes messages until there are n, as Lambda does for one event.
func (r *rig) receive(n int) (event events.SQSEvent) {
	r.t.Helper()
	for len(event.Records) < n {
		out, err := r.queue.Client.ReceiveMessage(r.t.Context(), &awssqs.ReceiveMessageInput{
			QueueUrl: &r.queue.URL, MaxNumberOfMessages: 10, MessageAttributeNames: []string{"All"},
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll}})
		if err != nil || len(out.Messages) == 0 {
			r.t.Fatalf("received %d of %d messages: %v", len(event.Records), n, err)
		}
		for _, m := range out.Messages {
			event.Records = append(event.Records, recordOf(m))
		}
	}
	r.forget()
	return event
}

func recordOf(m types.Message) events.SQSMessage {
	record := record(aws.ToString(m.MessageId), aws.ToString(m.Body))
	record.ReceiptHandle, record.Attributes = aws.ToString(m.ReceiptHandle), m.Attributes
	record.MessageAttributes = map[string]events.SQSMessageAttribute{}
	for name, v := range m.MessageAttributes {
		record.MessageAttributes[name] = events.SQSMessageAttribute{StringValue: v.StringValue,
			DataType: aws.ToString(v.DataType)}
	}
	return record
}

// record is a first delivery from the queue.
func record(messageID, body string) events.SQSMessage {
	return events.SQSMessage{MessageId: messageID, Body: body, EventSource: "aws:sqs", EventSourceARN: queueARN,
		ReceiptHandle: "handle of " + messageID, Attributes: map[string]string{"ApproximateReceiveCount": "1"}}
}

func (r *rig) handler(run runner) *sqsjob.Handler {
	return &sqsjob.Handler{Queue: r.queue, Log: slog.New(slog.NewJSONHandler(&r.log, nil)),
		Runner: func(*slog.Logger) sqsjob.Runner { return run }}
}

// handle has the event handled and returns the ids of the response.
func (r *rig) handle(event events.SQSEvent, run runner) []string {
	r.t.Helper()
	out := must.Get(r.handler(run).Handle(r.t.Context(), event))(r.t)
	return unfinished(out)
}

func unfinished(out events.SQSEventResponse) []string {
	ids := []string{}
	for _, f := range out.BatchItemFailures {
		ids = append(ids, f.ItemIdentifier)
	}
	return ids
}

func messageIDs(records []events.SQSMessage) []string {
	ids := []string{}
	for _, r := range records {
		ids = append(ids, r.MessageId)
	}
	return ids
}

// runner is a Runner of the test.
type runner func(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement

func (r runner) Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement {
	return r(ctx, deliveries, m)
}

// ends is a runner that carries out these ends, all of them: an Ack too, as
// before a suspect.
func ends(ends ...job.Settlement) runner {
	return func(ctx context.Context, _ []job.Delivery, m job.Messages) []job.Settlement {
		var settled []job.Settled
		for i, s := range ends {
			settled = append(settled, job.Settled{Index: i, Settlement: s})
		}
		m.Settle(ctx, settled)
		return ends
	}
}

var (
	ack        = job.Settlement{Action: job.Ack}
	deadLetter = job.Settlement{Action: job.DeadLetter}
)

func retry(after time.Duration) job.Settlement {
	return job.Settlement{Action: job.Retry, Visibility: after}
}

func id(n int) uuid.UUID { return uuid.UUID{15: byte(n)} }

// logs are JSON lines.
type logs struct{ bytes.Buffer }

// line is one line of the log.
type line struct{ Level, Msg, Message, Code, Result, Action, Reason string }

func (l *logs) lines(t testing.TB) (lines []line) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var got line
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("log line %q: %v", text, err)
		}
		lines = append(lines, got)
	}
	return lines
}

func (r *rig) wantLog(want ...line) {
	r.t.Helper()
	if got := r.log.lines(r.t); !slices.Equal(got, want) {
		r.t.Errorf("logged %+v, want %+v", got, want)
	}
}

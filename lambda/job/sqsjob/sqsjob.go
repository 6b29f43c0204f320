// Package sqsjob connects package job to SQS and Lambda: it decodes an event into deliveries,
// writes their settlements as the partial batch response, and changes the visibility of
// messages.
//
// The response fails closed: every message is in it until settled with an Ack. An event that
// can't be answered message by message, because it isn't from the queue or a message has no
// id, is an error of the whole invocation. All its messages come back after the queue's
// visibility timeout.
package sqsjob

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
)

// Runner runs a batch of deliveries; see job.Runtime.
type Runner interface {
	Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement
}

// Handler handles the events of one queue. You must set Runner, Queue and Log. Use a Relay if
// the messages name no rows.
type Handler struct {
	Runner    func(*slog.Logger) Runner // called once per invocation
	Queue     *Queue
	Log       *slog.Logger
	Malformed func(n int) // gets the number of bodies without an id, kept from the Runner; may be nil
}

// Handle is the Lambda handler.
func (h *Handler) Handle(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	b, err := open(h.Queue, h.Log, event.Records)
	if err != nil {
		return events.SQSEventResponse{}, err
	}
	deliveries := b.decode(event.Records)
	if n := len(event.Records) - len(deliveries); n > 0 && h.Malformed != nil {
		h.Malformed(n)
	}
	ctx = job.WithWorker(ctx, worker(ctx, event.Records))
	for i, s := range h.Runner(h.Log).Run(ctx, deliveries, b) {
		b.note(b.records[i], s.Action == job.Ack)
	}
	return b.response(event.Records), nil
}

func worker(ctx context.Context, records []events.SQSMessage) job.Worker {
	w := job.Worker{Name: lambdacontext.LogStreamName, Hops: hops(records)}
	if w.Name == "" {
		w.Name, _ = os.Hostname()
	}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		w.Request = lc.AwsRequestID
	}
	return w
}

type batch struct {
	queue    *Queue
	log      *slog.Logger
	received time.Time
	records  []events.SQSMessage // of the deliveries, in the same order
	acked    map[string]bool     // by message id
}

// open begins the answer to an event, and refuses one that can't be answered message by message.
func open(queue *Queue, log *slog.Logger, records []events.SQSMessage) (*batch, error) {
	if err := queue.check(records); err != nil {
		log.Error("event refused; its messages stay in the queue", "reason", err.Error())
		return nil, err
	}
	return &batch{queue: queue, log: log, received: time.Now(), acked: make(map[string]bool)}, nil
}

func (q *Queue) check(records []events.SQSMessage) error {
	if records == nil {
		return fmt.Errorf("expected an SQS event: missing Records")
	}
	for i, r := range records {
		switch {
		case r.EventSource != "aws:sqs":
			return fmt.Errorf("record %d: expected an SQS message", i)
		case r.MessageId == "":
			return fmt.Errorf("record %d: missing messageId", i)
		case !sameQueue(r.EventSourceARN, q.ARN):
			return fmt.Errorf("record %d is from %.200q; expected the queue of %s, %s",
				i, r.EventSourceARN, variable.QueueURL, q.ARN)
		}
	}
	return nil
}

// sameQueue compares region, account and name only, because a queue's URL doesn't contain the
// partition (aws, aws-cn).
func sameQueue(a, b string) bool {
	x, y := strings.SplitN(a, ":", 3), strings.SplitN(b, ":", 3)
	return len(x) == 3 && len(y) == 3 && x[2] == y[2]
}

// decode returns the deliveries of the records. It logs a malformed body at error and
// acknowledges it, because no retry can mend it.
func (b *batch) decode(records []events.SQSMessage) (deliveries []job.Delivery) {
	for _, r := range records {
		id, err := document.ParseID(r.Body)
		if err != nil {
			s := job.Backoff(nil).Decide(job.Outcome{Result: job.Malformed})
			b.note(r, s.Action == job.Ack)
			b.log.Error("settled", "result", job.Malformed.String(), "message", r.MessageId,
				"action", s.Action.String(), "bytes", len(r.Body), "reason", "body: "+err.Error())
			continue
		}
		b.records = append(b.records, r)
		deliveries = append(deliveries, job.Delivery{
			ID:          id,
			Count:       b.count(r),
			SentAt:      sentAt(r.Attributes),
			PublishedAt: publishedAt(r.MessageAttributes[manifest.PublishedAt].StringValue),
			Trace:       text(r, manifest.Traceparent),
		})
	}
	return deliveries
}

// note keeps the end of a record. If the event repeats a message, all its records must be
// acknowledged, because the response names them by one id.
func (b *batch) note(r events.SQSMessage, ack bool) {
	others, repeated := b.acked[r.MessageId]
	b.acked[r.MessageId] = ack && (others || !repeated)
}

// count returns the message's receive count, or 1 if it is unreadable. That is safe: SQS
// counts too, and moves the message to the dead-letter queue in time.
func (b *batch) count(r events.SQSMessage) int {
	n, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
	if err != nil || n < 1 {
		b.log.Warn("ApproximateReceiveCount missing or invalid; using 1", "message", r.MessageId)
		return 1
	}
	return n
}

func sentAt(attributes map[string]string) time.Time {
	ms, err := strconv.ParseInt(attributes["SentTimestamp"], 10, 64)
	if err != nil {
		return time.Time{} // Go's zero time, earlier than any failure
	}
	return time.UnixMilli(ms)
}

// publishedAt reads a publish stamp; zero for a message from any other sender.
func publishedAt(stamp *string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, aws.ToString(stamp)) // zero with an error
	return t
}

// hops returns the length of the longest chain of functions before the work on these messages.
// An invalid count begins a new chain.
func hops(records []events.SQSMessage) (n int) {
	for _, r := range records {
		if before, err := strconv.Atoi(text(r, manifest.Hops)); err == nil {
			n = max(n, before)
		}
	}
	return n + 1
}

// text returns a message attribute; empty without one.
func text(r events.SQSMessage, attribute string) string {
	return aws.ToString(r.MessageAttributes[attribute].StringValue)
}

// response names each unacknowledged message once. Its list is never null, because null means
// that everything succeeded.
func (b *batch) response(records []events.SQSMessage) events.SQSEventResponse {
	failures := []events.SQSBatchItemFailure{}
	for _, r := range records {
		item := events.SQSBatchItemFailure{ItemIdentifier: r.MessageId}
		if !b.acked[r.MessageId] && !slices.Contains(failures, item) {
			failures = append(failures, item)
		}
	}
	return events.SQSEventResponse{BatchItemFailures: failures}
}

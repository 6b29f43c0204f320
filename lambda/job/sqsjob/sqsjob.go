// Package sqsjob connects package job to SQS and Lambda: it turns an event into
// deliveries, and their ends into the partial batch response, and changes the
// visibility of messages.
//
// The response fails closed. Every message is in it until it is settled with
// an Ack. An event that cannot be answered message by message (it is not from
// the queue, or a message has no id) is an error of the whole invocation, which
// leaves every message to the queue's visibility timeout.
package sqsjob

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-lambda-go/events"
)

// Runner runs a batch of deliveries to their ends; *job.Runtime is one.
type Runner interface {
	Run(ctx context.Context, deliveries []job.Delivery, m job.Messages) []job.Settlement
}

// Handler handles the events of one queue.
type Handler struct {
	Runner    func(*slog.Logger) Runner // called once per invocation
	Queue     *Queue
	Log       *slog.Logger
	Malformed func(n int) // gets the number of bodies that are not ids and that the Runner does not see; may be nil
}

// Handle is the Lambda function.
func (h *Handler) Handle(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	b := &batch{queue: h.Queue, log: h.Log, received: time.Now(), acked: make(map[string]bool)}
	if err := b.check(event.Records); err != nil {
		h.Log.Error("refused the event: nothing was done, every message stays in the queue", "reason", err.Error())
		return events.SQSEventResponse{}, err
	}
	deliveries := b.decode(event.Records)
	if n := len(event.Records) - len(deliveries); n > 0 && h.Malformed != nil {
		h.Malformed(n)
	}
	for i, s := range h.Runner(h.Log).Run(ctx, deliveries, b) {
		b.note(b.records[i], s)
	}
	return b.response(event.Records), nil
}

// batch is one event under way.
type batch struct {
	queue    *Queue
	log      *slog.Logger
	received time.Time
	records  []events.SQSMessage // of the deliveries, in their order
	acked    map[string]bool     // by message id
}

// check refuses an event that cannot be answered message by message.
func (b *batch) check(records []events.SQSMessage) error {
	if records == nil {
		return fmt.Errorf("the event has no Records: it is not from SQS")
	}
	for i, r := range records {
		switch {
		case r.EventSource != "aws:sqs":
			return fmt.Errorf("record %d is not from SQS", i)
		case r.MessageId == "":
			return fmt.Errorf("record %d has no messageId", i)
		case !sameQueue(r.EventSourceARN, b.queue.ARN):
			return fmt.Errorf("record %d is from %.200q, but %s names %s",
				i, r.EventSourceARN, variable.QueueURL, b.queue.ARN)
		}
	}
	return nil
}

// sameQueue compares region, account and name; the partition (aws, aws-cn) is
// not in a queue's URL.
func sameQueue(a, b string) bool {
	x, y := strings.SplitN(a, ":", 3), strings.SplitN(b, ":", 3)
	return len(x) == 3 && len(y) == 3 && x[2] == y[2]
}

// decode makes deliveries of the records. A body without a row id will never
// have one: it is logged at error, and acknowledged.
func (b *batch) decode(records []events.SQSMessage) (deliveries []job.Delivery) {
	for _, r := range records {
		id, err := document.ParseID(r.Body)
		if err != nil {
			s := job.Backoff(nil).Decide(job.Outcome{Result: job.Malformed})
			b.note(r, s)
			b.log.Error("settled", "result", job.Malformed.String(), "message", r.MessageId,
				"action", s.Action.String(), "bytes", len(r.Body), "reason", "the body is "+err.Error())
			continue
		}
		b.records = append(b.records, r)
		deliveries = append(deliveries, job.Delivery{
			ID:          id,
			Count:       b.count(r),
			SentAt:      sentAt(r),
			PublishedAt: publishedAt(r),
		})
	}
	return deliveries
}

// note keeps the end of a record. Of a message that the event repeats, all
// records must be acknowledged: the response names them by one id.
func (b *batch) note(r events.SQSMessage, s job.Settlement) {
	others, repeated := b.acked[r.MessageId]
	b.acked[r.MessageId] = s.Action == job.Ack && (others || !repeated)
}

// count returns the message's receive count. One that cannot be read is taken as
// 1: SQS counts on its own and moves the message away in time.
func (b *batch) count(r events.SQSMessage) int {
	n, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
	if err != nil || n < 1 {
		b.log.Warn("no ApproximateReceiveCount, taken as 1", "message", r.MessageId)
		return 1
	}
	return n
}

func sentAt(r events.SQSMessage) time.Time {
	ms, err := strconv.ParseInt(r.Attributes["SentTimestamp"], 10, 64)
	if err != nil {
		return time.Time{} // the epoch of Go: earlier than any failure
	}
	return time.UnixMilli(ms)
}

// publishedAt returns the stamp of our own publisher; zero for any other message.
func publishedAt(r events.SQSMessage) time.Time {
	attr, ok := r.MessageAttributes[manifest.PublishedAt]
	if !ok || attr.StringValue == nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, *attr.StringValue)
	if err != nil {
		return time.Time{}
	}
	return t
}

// response names every message that is not acknowledged, once; its list is
// never null, because null means that everything succeeded.
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

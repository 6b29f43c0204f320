package sqsjob

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/metric"

	"github.com/aws/aws-lambda-go/events"
)

// Relay handles the events of a queue when its messages name no rows, such as object events.
// You must set all fields. It takes one message after the other. After an error the message
// comes back after the queue's visibility timeout; after its last delivery SQS moves it to the
// dead-letter queue. Don't confuse it with notify.Relay, which sends notifications, or
// outbox.Relay, which sends parcels.
type Relay struct {
	Take  func(ctx context.Context, body string) (counted string, err error) // returns the metric that counts the message
	Queue *Queue
	Last  int // the queue's maxReceiveCount
	Log   *slog.Logger
	Count func(metric string, n int)
}

// Handle is the Lambda handler.
func (r *Relay) Handle(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	b, err := open(r.Queue, r.Log, event.Records)
	if err != nil {
		return events.SQSEventResponse{}, err
	}
	ctx = job.WithWorker(ctx, worker(ctx, event.Records))
	for _, record := range event.Records {
		b.note(record, r.take(ctx, b, record))
	}
	return b.response(event.Records), nil
}

var errNoTime = errors.New("too little time left in the invocation")

// take reports whether a message is done.
func (r *Relay) take(ctx context.Context, b *batch, record events.SQSMessage) bool {
	counted, err := "", errNoTime
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > manifest.SettleReserve {
		err = failure.Guard(func() (err error) { counted, err = r.Take(ctx, record.Body); return err })
	}
	if err == nil {
		r.Count(counted, 1)
		return true
	}
	if p, ok := errors.AsType[*failure.Panic](err); ok {
		r.Log.Error("panic", "type", fmt.Sprintf("%T", p.Value), "stack", string(p.Stack))
	}
	log, counted := r.Log.Warn, metric.Retried
	if b.count(record) >= r.Last {
		log, counted = r.Log.Error, metric.DeadLettered
	}
	r.Count(counted, 1)
	reason := err.Error()
	if !errors.Is(err, errNoTime) {
		reason = failure.Of(err).Text
	}
	log("message not processed; SQS retries or dead-letters it", "message", record.MessageId,
		"delivery", b.count(record), "reason", reason)
	return false
}

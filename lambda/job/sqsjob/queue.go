package sqsjob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/telemetry/trace"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/uuid"
)

const (
	maxEntries  = 10              // of a batch call
	callTimeout = 5 * time.Second // of the calls that settle a batch
	sendsAtOnce = 8               // calls; the SDK keeps 10 connections to a host
)

// Queue is an SQS queue; use NewQueue to make one. It is safe for concurrent use.
type Queue struct {
	Client *sqs.Client
	URL    string
	ARN    string
}

// NewQueue derives the queue's ARN from its URL, https://host/account/name, and the client's
// region. It makes no call.
func NewQueue(client *sqs.Client, queueURL string) (*Queue, error) {
	u, err := url.Parse(queueURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("invalid queue URL; expected one like https://sqs.eu-central-1.amazonaws.com/123456789012/name")
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return nil, errors.New("invalid queue URL; expected /account/name at its end")
	}
	arn := fmt.Sprintf("arn:aws:sqs:%s:%s:%s", client.Options().Region, parts[0], parts[1])
	return &Queue{client, queueURL, arn}, nil
}

// Settle carries out settlements for job.Messages. It logs errors; the messages then come back
// after the queue's visibility timeout.
func (b *batch) Settle(ctx context.Context, settled []job.Settled) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	var acks []types.DeleteMessageBatchRequestEntry
	var changes []types.ChangeMessageVisibilityBatchRequestEntry
	for _, s := range settled {
		handle := aws.String(b.records[s.Index].ReceiptHandle)
		id := aws.String(strconv.Itoa(s.Index))
		switch {
		case s.Action == job.Ack:
			acks = append(acks, types.DeleteMessageBatchRequestEntry{Id: id, ReceiptHandle: handle})
		case s.Visibility != job.KeepVisibility: // a DeadLetter too: its visibility is 0, and SQS moves it
			changes = append(changes, types.ChangeMessageVisibilityBatchRequestEntry{
				Id: id, ReceiptHandle: handle, VisibilityTimeout: b.seconds(s.Visibility)})
		}
	}
	for some := range slices.Chunk(changes, maxEntries) {
		out, err := b.queue.Client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
			QueueUrl: &b.queue.URL, Entries: some})
		if err == nil {
			b.logRefused("change visibility", out.Failed)
		}
		b.logError("change visibility", err)
	}
	for some := range slices.Chunk(acks, maxEntries) {
		out, err := b.queue.Client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &b.queue.URL, Entries: some})
		if err == nil {
			b.logRefused("delete", out.Failed)
		}
		b.logError("delete", err)
	}
}

// Extend extends visibilities for job.Messages. It logs errors; the next beat makes up for
// one.
func (b *batch) Extend(ctx context.Context, indexes []int, visibility time.Duration) {
	hidden := make([]job.Settled, len(indexes))
	for n, i := range indexes {
		hidden[n] = job.Settled{Index: i, Settlement: job.Settlement{Action: job.Retry, Visibility: visibility}}
	}
	b.Settle(ctx, hidden)
}

// seconds rounds up, and clamps to the rest of the 12 hours since the receive, because SQS
// refuses a longer visibility instead of shortening it.
func (b *batch) seconds(d time.Duration) int32 {
	left := manifest.MaxVisibility - time.Since(b.received) - time.Minute
	d = max(0, min(d, left))
	return int32((d + time.Second - 1) / time.Second)
}

func (b *batch) logRefused(operation string, refused []types.BatchResultErrorEntry) {
	for _, f := range refused {
		message := "?"
		if i, err := strconv.Atoi(aws.ToString(f.Id)); err == nil && i < len(b.records) {
			message = b.records[i].MessageId
		}
		b.log.Error("SQS refused to "+operation, "message", message, "code", aws.ToString(f.Code))
	}
}

func (b *batch) logError(operation string, err error) {
	if err != nil {
		b.log.Error(operation+" failed; messages come back after the queue's visibility timeout",
			"reason", failure.Of(err).Text)
	}
}

// Send sends a message for each row, with its id and publish stamp, in its tenant's message
// group: SQS fair queues then keep the import of one tenant from delaying the others. It makes
// several calls at once, so the messages have no order. It implements job.Sender.
func (q *Queue) Send(ctx context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	if job.WorkerOf(ctx).Hops > manifest.MaxHops {
		for _, m := range messages {
			unsent = append(unsent, m.ID)
		}
		return unsent, errLongChain
	}
	batches := slices.Collect(slices.Chunk(messages, maxEntries))
	left, errs, turns := make([][]uuid.UUID, len(batches)), make([]error, len(batches)), make(chan struct{}, sendsAtOnce)
	var sending sync.WaitGroup
	for i, batch := range batches {
		turns <- struct{}{}
		sending.Go(func() {
			defer func() { <-turns }()
			left[i], errs[i] = q.sendBatch(ctx, batch)
		})
	}
	sending.Wait()
	return slices.Concat(left...), failure.At("send messages", cmp.Or(errs...))
}

var errLongChain error = &failure.Error{Kind: failure.Transient,
	Sentence: fmt.Sprintf("chain of messages ended after %d functions", manifest.MaxHops+1)}

func (q *Queue) sendBatch(ctx context.Context, messages []job.Stamped) (unsent []uuid.UUID, err error) {
	ctx, span := trace.Start(ctx, "send", trace.Producer)
	defer func() {
		if err != nil {
			span.Fail(failure.Of(err).Text)
		}
		span.End()
	}()
	span.Set("messaging.system", "aws_sqs")
	span.SetInt("messaging.batch.message_count", len(messages))
	parent := trace.Traceparent(ctx)
	in := &sqs.SendMessageBatchInput{QueueUrl: &q.URL}
	for i, m := range messages {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{
			Id:          aws.String(strconv.Itoa(i)),
			MessageBody: aws.String(m.ID.String()),
			MessageAttributes: map[string]types.MessageAttributeValue{manifest.PublishedAt: {
				DataType: aws.String("String"), StringValue: aws.String(m.PublishedAt.UTC().Format(stampForm))}},
		})
		if n := job.WorkerOf(ctx).Hops; n > 0 {
			in.Entries[i].MessageAttributes[manifest.Hops] = types.MessageAttributeValue{
				DataType: aws.String("Number"), StringValue: aws.String(strconv.Itoa(n))}
		}
		if parent != "" {
			in.Entries[i].MessageAttributes[manifest.Traceparent] = types.MessageAttributeValue{
				DataType: aws.String("String"), StringValue: &parent}
		}
		if m.Tenant != uuid.Nil {
			in.Entries[i].MessageGroupId = aws.String(m.Tenant.String())
		}
	}
	out, err := q.Client.SendMessageBatch(ctx, in)
	if err != nil {
		for _, m := range messages {
			unsent = append(unsent, m.ID)
		}
		return unsent, err
	}
	for _, f := range out.Failed {
		err = &failure.Error{Sentence: fmt.Sprintf("SQS refused a message (%s)", aws.ToString(f.Code))}
		if i, convErr := strconv.Atoi(aws.ToString(f.Id)); convErr == nil && i < len(messages) {
			unsent = append(unsent, messages[i].ID)
		}
	}
	return unsent, err
}

// stampForm is RFC 3339 with microseconds, PostgreSQL's precision.
const stampForm = "2006-01-02T15:04:05.000000Z07:00"

var backlog = []types.QueueAttributeName{
	types.QueueAttributeNameApproximateNumberOfMessages,
	types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
	types.QueueAttributeNameApproximateNumberOfMessagesDelayed,
}

// Backlog returns the number of messages in the queue: visible, in flight (waiting retries
// included) and delayed. SQS counts approximately.
func (q *Queue) Backlog(ctx context.Context) (int, error) {
	attributes, err := q.attributes(ctx, backlog...)
	if err != nil {
		return 0, failure.At("read the queue's backlog", err)
	}
	total := 0
	for _, name := range backlog {
		n, err := strconv.Atoi(attributes[string(name)])
		if err != nil {
			return 0, failure.At("read the queue's backlog", &failure.Error{Sentence: "missing count in SQS's response"})
		}
		total += n
	}
	return total, nil
}

package sqsjob

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/uuid"
)

// DeadLetter is a message of a dead-letter queue. It keeps its id and the time of its first send.
type DeadLetter struct {
	MessageID   string
	ID          uuid.UUID // the row named by it; zero: none
	SentAt      time.Time
	PublishedAt time.Time // its publish stamp; zero: none
	ExpiresAt   time.Time // the queue then drops it
	message     types.Message
}

// Names reports whether the message has the id anywhere.
func (d DeadLetter) Names(id uuid.UUID) bool {
	return strings.Contains(strings.ToLower(aws.ToString(d.message.Body)), id.String())
}

// DeadLetters is the dead-letter queue of a queue.
type DeadLetters struct {
	queue     *Queue // the dead-letter queue
	source    *Queue
	waiting   int
	retention time.Duration
}

// FindQueue returns the queue with this name; nil if unknown.
func FindQueue(ctx context.Context, client *sqs.Client, name, account string) (*Queue, error) {
	in := &sqs.GetQueueUrlInput{QueueName: &name}
	if account != "" {
		in.QueueOwnerAWSAccountId = &account
	}
	out, err := client.GetQueueUrl(ctx, in)
	var none *types.QueueDoesNotExist
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, failure.At("find the queue "+name, err)
	}
	return NewQueue(client, aws.ToString(out.QueueUrl))
}

// DeadLetters returns the dead-letter queue named by the queue's redrive policy; nil without one.
func (q *Queue) DeadLetters(ctx context.Context) (*DeadLetters, error) {
	const step = "read the dead-letter queue"
	attributes, err := q.attributes(ctx, types.QueueAttributeNameRedrivePolicy)
	if err != nil {
		return nil, failure.At(step, err)
	}
	var policy struct{ DeadLetterTargetArn string }
	_ = json.Unmarshal([]byte(attributes[string(types.QueueAttributeNameRedrivePolicy)]), &policy)
	arn := strings.Split(policy.DeadLetterTargetArn, ":")
	if len(arn) != 6 {
		return nil, nil
	}
	dead, err := FindQueue(ctx, q.Client, arn[5], arn[4])
	if err != nil || dead == nil {
		return nil, err
	}
	attributes, err = dead.attributes(ctx, types.QueueAttributeNameApproximateNumberOfMessages,
		types.QueueAttributeNameMessageRetentionPeriod)
	if err != nil {
		return nil, failure.At(step, err)
	}
	d := &DeadLetters{queue: dead, source: q}
	d.waiting, _ = strconv.Atoi(attributes[string(types.QueueAttributeNameApproximateNumberOfMessages)])
	seconds, err := strconv.Atoi(attributes[string(types.QueueAttributeNameMessageRetentionPeriod)])
	d.retention = time.Duration(seconds) * time.Second
	return d, failure.At(step, err)
}

func (q *Queue) attributes(ctx context.Context, names ...types.QueueAttributeName) (map[string]string, error) {
	out, err := q.Client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &q.URL, AttributeNames: names})
	if err != nil {
		return nil, err
	}
	return out.Attributes, nil
}

// Waiting returns the approximate number of visible messages at the time of the read.
func (d *DeadLetters) Waiting() int { return d.waiting }

// Read receives up to most messages, and hides them for this time, so that each is read once. You
// must Delete or Release them.
func (d *DeadLetters) Read(ctx context.Context, most int, hidden time.Duration) (list []DeadLetter, err error) {
	seen := map[string]bool{}
	for d.waiting > len(list) && len(list) < most {
		out, err := d.queue.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: &d.queue.URL, MaxNumberOfMessages: maxEntries,
			VisibilityTimeout:           int32(min(hidden, manifest.MaxVisibility).Seconds()),
			WaitTimeSeconds:             1, // asks all servers, so that an empty answer is the end
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
			MessageAttributeNames:       []string{"All"}})
		before := len(list)
		if err != nil {
			return list, failure.At("read the dead-letter queue", err)
		}
		for _, m := range out.Messages {
			if id := aws.ToString(m.MessageId); !seen[id] {
				seen[id] = true
				list = append(list, d.letter(m))
			}
		}
		if len(list) == before {
			return list, nil
		}
	}
	return list, nil
}

func (d *DeadLetters) letter(m types.Message) DeadLetter {
	l := DeadLetter{MessageID: aws.ToString(m.MessageId), SentAt: sentAt(m.Attributes),
		PublishedAt: publishedAt(m.MessageAttributes[manifest.PublishedAt].StringValue), message: m}
	l.ID, _ = document.ParseID(aws.ToString(m.Body)) // zero for a message that names no row
	l.ExpiresAt = l.SentAt.Add(d.retention)
	return l
}

// Release makes messages visible again.
func (d *DeadLetters) Release(ctx context.Context, letters []DeadLetter) error {
	return d.each(letters, func(batch []DeadLetter) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &d.queue.URL}
		for i, l := range batch {
			in.Entries = append(in.Entries, types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: l.message.ReceiptHandle})
		}
		out, err := d.queue.Client.ChangeMessageVisibilityBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
}

// Delete deletes messages.
func (d *DeadLetters) Delete(ctx context.Context, letters []DeadLetter) error {
	return d.each(letters, func(batch []DeadLetter) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.DeleteMessageBatchInput{QueueUrl: &d.queue.URL}
		for i, l := range batch {
			in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: l.message.ReceiptHandle})
		}
		out, err := d.queue.Client.DeleteMessageBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
}

// Return sends messages to the queue they came from, unchanged. You must Delete them then. Use it
// for messages that name no row; otherwise publish the rows, so that each has one message.
func (d *DeadLetters) Return(ctx context.Context, letters []DeadLetter) error {
	return d.each(letters, func(batch []DeadLetter) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.SendMessageBatchInput{QueueUrl: &d.source.URL}
		for i, l := range batch {
			entry := types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: l.message.Body,
				MessageAttributes: l.message.MessageAttributes}
			if group := l.message.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)]; group != "" {
				entry.MessageGroupId = &group
			}
			in.Entries = append(in.Entries, entry)
		}
		out, err := d.source.Client.SendMessageBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
}

// each calls work for batches, and ends at the first error or refused message.
func (d *DeadLetters) each(letters []DeadLetter, work func([]DeadLetter) ([]types.BatchResultErrorEntry, error)) error {
	for batch := range slices.Chunk(letters, maxEntries) {
		refused, err := work(batch)
		if err == nil && len(refused) > 0 {
			err = &failure.Error{Sentence: "SQS refused a dead letter (" + aws.ToString(refused[0].Code) + ")"}
		}
		if err != nil {
			return failure.At("settle dead letters", err)
		}
	}
	return nil
}

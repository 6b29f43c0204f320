// Package eventsource is Lambda's SQS event source mapping: it receives batches, invokes a
// function, and deletes the succeeded messages.
package eventsource

import (
	"context"
	"fmt"
	"sync"
	"time"

	"matchbook/lambda/internal/backoff"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	longPoll       = 20                    // seconds, the maximum in SQS
	firstPollPause = 50 * time.Millisecond // after a failed receive; doubles up to maxPollPause
	maxPollPause   = time.Second
)

// QueueClient receives and deletes messages; *sqs.Client implements it.
type QueueClient interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput,
		...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Config connects a queue to a function.
type Config struct {
	QueueURL       string
	QueueARN       string // eventSourceARN in the event
	Region         string // awsRegion in the event
	BatchSize      int    // messages per invocation, 1 to manifest.MaxBatchSize
	MaxConcurrency int    // concurrent invocations; 1 when 0
	Client         QueueClient
	Invoke         func(ctx context.Context, payload []byte) ([]byte, error)
	Now            func() time.Time // used for the times in Invocation; time.Now when nil
	OnInvocation   func(Invocation) // called for every batch, concurrently; may be nil
}

// Invocation is the result of one batch. A failed receive is reported as an Invocation without
// messages.
type Invocation struct {
	At         time.Time     // when the batch was complete, on Config.Now
	Took       time.Duration // duration of the function, in real time
	MessageIDs []string      // the batch, in order
	Failed     []string      // left in the queue for redelivery, in batch order
	Undeleted  []string      // succeeded, but the delete failed twice, so they come again too
	Err        error         // failure of the whole batch: a lambdahost error, an invalid response ...
	DeleteErr  error         // last error of the deletes
}

// Mapping is Lambda's SQS event source mapping with ReportBatchItemFailures: it receives
// batches, invokes the function and deletes the succeeded messages. A failed message stays and
// comes again after its visibility timeout, set by the queue or by the function. A throttled
// batch comes again too; it has used up a receive without a run, and polling continues.
type Mapping struct{ cfg Config }

// New returns a mapping. Use Run to start it.
func New(cfg Config) *Mapping {
	cfg.MaxConcurrency = max(cfg.MaxConcurrency, 1)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.OnInvocation == nil {
		cfg.OnInvocation = func(Invocation) {}
	}
	return &Mapping{cfg: cfg}
}

// Run polls with MaxConcurrency workers until ctx ends, lets running invocations finish, and
// returns nil. It returns an error only for an invalid configuration.
func (m *Mapping) Run(ctx context.Context) error {
	if m.cfg.BatchSize < 1 || m.cfg.BatchSize > manifest.MaxBatchSize {
		return fmt.Errorf("map %s: invalid batch size %d: must be 1 to %d", m.cfg.QueueARN, m.cfg.BatchSize, manifest.MaxBatchSize)
	}
	var wg sync.WaitGroup
	for range m.cfg.MaxConcurrency {
		wg.Go(func() { m.poll(ctx) })
	}
	wg.Wait()
	return nil
}

// poll handles batch after batch. It backs off while receives fail, so that it doesn't flood
// the log.
func (m *Mapping) poll(ctx context.Context) {
	pauses := backoff.Waits{First: firstPollPause, Longest: maxPollPause}
	for waits := pauses; ctx.Err() == nil; {
		if m.handleNext(ctx) == nil {
			waits = pauses
			continue
		}
		waits.Next(ctx)
	}
}

// handleNext receives and handles one batch. On error, the caller must pause.
func (m *Mapping) handleNext(ctx context.Context) error {
	batch, err := m.receive(ctx)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil
	case err != nil:
		m.cfg.OnInvocation(Invocation{At: m.cfg.Now(), Err: err})
		return err
	case len(batch) == 0:
		return nil
	}
	// The batch must be finished even if ctx ends.
	m.cfg.OnInvocation(m.handle(context.WithoutCancel(ctx), batch))
	return nil
}

// receive waits for up to one batch. A batch larger than one receive gets the messages
// available now; Lambda would collect for a second.
func (m *Mapping) receive(ctx context.Context) ([]types.Message, error) {
	batch, err := m.receiveOnce(ctx, m.cfg.BatchSize, longPoll)
	if m.cfg.BatchSize <= manifest.MessagesPerCall {
		return batch, err
	}
	for more := batch; len(more) > 0 && len(batch) < m.cfg.BatchSize; batch = append(batch, more...) {
		more, _ = m.receiveOnce(ctx, m.cfg.BatchSize-len(batch), 0) // an error comes back with the next batch
	}
	return batch, err
}

// receiveOnce makes one call for at most the given number of messages.
func (m *Mapping) receiveOnce(ctx context.Context, most int, wait int32) ([]types.Message, error) {
	out, err := m.cfg.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:                    &m.cfg.QueueURL,
		MaxNumberOfMessages:         int32(min(most, manifest.MessagesPerCall)),
		WaitTimeSeconds:             wait,
		MessageAttributeNames:       []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, fmt.Errorf("receive messages: %w", err)
	}
	return out.Messages, nil
}

// handle invokes the function with a batch and deletes the succeeded messages.
func (m *Mapping) handle(ctx context.Context, batch []types.Message) Invocation {
	inv := Invocation{At: m.cfg.Now()}
	for _, msg := range batch {
		inv.MessageIDs = append(inv.MessageIDs, aws.ToString(msg.MessageId))
	}
	start := time.Now()
	failed, err := m.invoke(ctx, batch, inv.MessageIDs)
	inv.Took = time.Since(start)
	if err != nil {
		inv.Err, inv.Failed = err, inv.MessageIDs
		return inv
	}
	var done []types.Message
	for i, id := range inv.MessageIDs {
		if failed[id] {
			inv.Failed = append(inv.Failed, id)
		} else {
			done = append(done, batch[i])
		}
	}
	inv.Undeleted, inv.DeleteErr = m.deleteAll(ctx, done)
	return inv
}

// invoke returns the failed messages; on error, all failed.
func (m *Mapping) invoke(ctx context.Context, batch []types.Message, ids []string) (map[string]bool, error) {
	response, err := m.cfg.Invoke(ctx, queueEvent(batch, m.cfg.QueueARN, m.cfg.Region))
	if err != nil {
		return nil, err
	}
	return failedItems(response, ids)
}

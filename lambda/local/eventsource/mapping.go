// Package eventsource is Lambda's SQS event source mapping: it receives
// batches, invokes a function, and deletes the messages that succeeded.
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
	longPoll       = 20                    // seconds, the longest that SQS allows
	firstPollPause = 50 * time.Millisecond // after a receive that failed; doubles up to maxPollPause
	maxPollPause   = time.Second
)

// QueueClient receives and deletes messages; *sqs.Client implements it.
type QueueClient interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput,
		...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Config connects a queue with a function.
type Config struct {
	QueueURL       string
	QueueARN       string // the eventSourceARN in the function's event
	Region         string // the awsRegion in the function's event
	BatchSize      int    // messages per invocation, 1 to manifest.MaxBatchSize
	MaxConcurrency int    // invocations at the same time; 1 when 0
	Client         QueueClient
	Invoke         func(ctx context.Context, payload []byte) ([]byte, error)
	Now            func() time.Time // for the times in Invocation; time.Now when nil
	OnInvocation   func(Invocation) // called for every batch, from several goroutines; may be nil
}

// Invocation is the outcome of one batch. A failed receive is reported as an
// Invocation without messages.
type Invocation struct {
	At         time.Time     // when the batch was complete, on the mapping's clock
	Took       time.Duration // of the function, in real time
	MessageIDs []string      // the batch, in its order
	Failed     []string      // the messages that were left in the queue to come again, in the batch's order
	Undeleted  []string      // succeeded, but the delete failed twice: these come again too
	Err        error         // of the batch as a whole: a lambdahost error, an invalid response ...
	DeleteErr  error         // the last error of the deletes
}

// Mapping is Lambda's SQS event source mapping with ReportBatchItemFailures:
// it receives batches, invokes the function and deletes the messages that
// succeeded. A failed message stays: it comes again when its visibility timeout
// ends, be it the queue's or one that the function has set. So does a batch
// that was throttled: it has used up a receive without a run, and polling goes
// on all the same.
type Mapping struct{ cfg Config }

// New returns a mapping that does nothing until Run.
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

// Run polls with MaxConcurrency workers until ctx ends, then lets the
// invocations that are running finish and returns nil. Any other end is an
// error in the configuration.
func (m *Mapping) Run(ctx context.Context) error {
	if m.cfg.BatchSize < 1 || m.cfg.BatchSize > manifest.MaxBatchSize {
		return fmt.Errorf("map %s: batch size %d is not in 1 to %d", m.cfg.QueueARN, m.cfg.BatchSize, manifest.MaxBatchSize)
	}
	var wg sync.WaitGroup
	for range m.cfg.MaxConcurrency {
		wg.Go(func() { m.poll(ctx) })
	}
	wg.Wait()
	return nil
}

// poll handles one batch after the other. It slows down while the queue
// cannot be read, so that it does not flood the log.
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

// handleNext receives one batch and sees it through. The error asks for a pause.
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
	// From here on the batch is ours: it is finished although ctx may end.
	m.cfg.OnInvocation(m.handle(context.WithoutCancel(ctx), batch))
	return nil
}

// receive waits for the next messages, one batch at most. A batch that is larger
// than a receive is what the queue has now; Lambda collects it for a second.
func (m *Mapping) receive(ctx context.Context) ([]types.Message, error) {
	batch, err := m.receiveOnce(ctx, m.cfg.BatchSize, longPoll)
	if m.cfg.BatchSize <= manifest.MessagesPerCall {
		return batch, err
	}
	for more := batch; len(more) > 0 && len(batch) < m.cfg.BatchSize; batch = append(batch, more...) {
		more, _ = m.receiveOnce(ctx, m.cfg.BatchSize-len(batch), 0) // an error comes again with the next batch
	}
	return batch, err
}

// receiveOnce makes one call for at most so many messages.
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

// handle invokes the function with a batch and deletes the messages that succeeded.
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

// invoke returns which messages failed; an error fails them all.
func (m *Mapping) invoke(ctx context.Context, batch []types.Message, ids []string) (map[string]bool, error) {
	response, err := m.cfg.Invoke(ctx, queueEvent(batch, m.cfg.QueueARN, m.cfg.Region))
	if err != nil {
		return nil, err
	}
	return failedItems(response, ids)
}

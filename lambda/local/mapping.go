package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	longPoll       = 20                    // seconds, the longest that SQS allows
	deleteEntries  = 10                    // messages that one delete call may name
	deleteTimeout  = 10 * time.Second      // for the deletes of a batch, also after the mapping was stopped
	firstPollPause = 50 * time.Millisecond // after a receive that failed; doubles up to maxPollPause
	maxPollPause   = time.Second
)

// QueueClient is what the mapping needs of SQS; *sqs.Client has it.
type QueueClient interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// MappingConfig connects a queue with a function.
type MappingConfig struct {
	QueueURL       string
	QueueARN       string // what the function sees as eventSourceARN
	Region         string // what the function sees as awsRegion
	BatchSize      int    // messages per invocation, 1 to 10
	MaxConcurrency int    // invocations at the same time; 1 when 0
	Client         QueueClient
	Invoke         func(ctx context.Context, payload []byte) ([]byte, error)
	Clock          *Clock           // for the times in Invocation; the real time when nil
	OnInvocation   func(Invocation) // told of every batch, from several goroutines; may be nil
}

// Invocation is what became of one batch. A receive that failed is told as an
// Invocation without messages.
type Invocation struct {
	At         time.Time     // when the batch was received, on the mapping's clock
	Took       time.Duration // of the function, in real time
	MessageIDs []string      // the batch, in its order
	Failed     []string      // the messages that were left in the queue to come again, in the batch's order
	Undeleted  []string      // succeeded, but the delete failed twice: these come again too
	Err        error         // why the batch failed as a whole: *FunctionError, ErrThrottled, an invalid response ...
	DeleteErr  error         // the last error of the deletes
}

// Mapping is Lambda's SQS event source mapping with ReportBatchItemFailures:
// it receives batches, invokes the function and deletes what succeeded. What
// failed it leaves alone: the message comes again when its visibility timeout
// ends, be it the queue's or one that the function has set.
type Mapping struct {
	cfg      MappingConfig
	finished atomic.Int64
}

// NewMapping returns a mapping that does nothing until Run.
func NewMapping(cfg MappingConfig) *Mapping {
	if cfg.MaxConcurrency < 1 {
		cfg.MaxConcurrency = 1
	}
	if cfg.Clock == nil {
		cfg.Clock = NewClock()
	}
	if cfg.OnInvocation == nil {
		cfg.OnInvocation = func(Invocation) {}
	}
	return &Mapping{cfg: cfg}
}

// Finished counts the messages that were received and fully dealt with:
// deleted, or left in the queue. A message counts after the call that deletes
// its batch has returned and OnInvocation has been told.
func (m *Mapping) Finished() int64 { return m.finished.Load() }

// Run polls with MaxConcurrency workers until ctx ends, then lets the
// invocations that are running finish and returns nil. Any other end is an
// error in the configuration.
func (m *Mapping) Run(ctx context.Context) error {
	if m.cfg.BatchSize < 1 || m.cfg.BatchSize > 10 {
		return fmt.Errorf("map %s: batch size %d is not in 1 to 10", m.cfg.QueueARN, m.cfg.BatchSize)
	}
	var wg sync.WaitGroup
	for range m.cfg.MaxConcurrency {
		wg.Go(func() { m.poll(ctx) })
	}
	wg.Wait()
	return nil
}

// poll handles one batch after the other. It slows down while the queue
// cannot be read or the function is throttled, so that it neither floods the
// log nor uses up receives of messages that nobody looks at.
func (m *Mapping) poll(ctx context.Context) {
	var pause time.Duration
	for ctx.Err() == nil {
		err := m.handleNext(ctx)
		if err == nil {
			pause = 0
			continue
		}
		pause = min(max(2*pause, firstPollPause), maxPollPause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// handleNext receives one batch and sees it through. The error asks for a pause.
func (m *Mapping) handleNext(ctx context.Context) error {
	out, err := m.cfg.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:                    &m.cfg.QueueURL,
		MaxNumberOfMessages:         int32(m.cfg.BatchSize),
		WaitTimeSeconds:             longPoll,
		MessageAttributeNames:       []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return nil
	case err != nil:
		err = fmt.Errorf("receive messages: %w", err)
		m.cfg.OnInvocation(Invocation{At: m.cfg.Clock.Now(), Err: err})
		return err
	case len(out.Messages) == 0:
		return nil
	}
	// From here on the batch is ours: it is finished although ctx may end.
	inv := m.handle(context.WithoutCancel(ctx), out.Messages)
	m.cfg.OnInvocation(inv)
	m.finished.Add(int64(len(inv.MessageIDs)))
	if errors.Is(inv.Err, ErrThrottled) {
		return inv.Err
	}
	return nil
}

// handle invokes the function with a batch and deletes what succeeded.
func (m *Mapping) handle(ctx context.Context, batch []types.Message) Invocation {
	inv := Invocation{At: m.cfg.Clock.Now()}
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
	payload, err := queueEvent(batch, m.cfg.QueueARN, m.cfg.Region)
	if err != nil {
		return nil, err
	}
	response, err := m.cfg.Invoke(ctx, payload)
	if err != nil {
		return nil, err
	}
	return failedItems(response, ids)
}

// deleteAll deletes messages, those whose delete fails once more, and returns
// the ids of the rest with the last error.
func (m *Mapping) deleteAll(ctx context.Context, msgs []types.Message) (undeleted []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	for chunk := range slices.Chunk(msgs, deleteEntries) {
		left, err1 := m.delete(ctx, chunk)
		if len(left) > 0 {
			left, err1 = m.delete(ctx, left)
		}
		for _, msg := range left {
			undeleted, err = append(undeleted, aws.ToString(msg.MessageId)), err1
		}
	}
	return undeleted, err
}

// delete makes one call and returns the messages that are still there: all
// when the call failed, those in its list of failures otherwise.
func (m *Mapping) delete(ctx context.Context, msgs []types.Message) ([]types.Message, error) {
	in := &sqs.DeleteMessageBatchInput{QueueUrl: &m.cfg.QueueURL}
	for i, msg := range msgs {
		in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), ReceiptHandle: msg.ReceiptHandle})
	}
	out, err := m.cfg.Client.DeleteMessageBatch(ctx, in)
	if err != nil {
		return msgs, fmt.Errorf("delete messages: %w", err)
	}
	var left []types.Message
	for _, f := range out.Failed {
		i, convErr := strconv.Atoi(aws.ToString(f.Id))
		if convErr != nil || i < 0 || i >= len(msgs) {
			return msgs, fmt.Errorf("delete messages: failure of an unknown entry %q", aws.ToString(f.Id))
		}
		left = append(left, msgs[i])
		err = fmt.Errorf("delete messages: %s: %s", aws.ToString(f.Code), aws.ToString(f.Message))
	}
	return left, err
}

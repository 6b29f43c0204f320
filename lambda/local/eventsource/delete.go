package eventsource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const deleteTimeout = 10 * time.Second // for the deletes of a batch, even after the mapping's stop

// deleteAll deletes messages and retries failed deletes once. It returns the ids still left
// with the last error.
func (m *Mapping) deleteAll(ctx context.Context, msgs []types.Message) (undeleted []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	for try := 0; try < 2 && len(msgs) > 0; try++ {
		var left []types.Message
		err = nil
		for some := range slices.Chunk(msgs, manifest.MessagesPerCall) {
			still, wrong := m.delete(ctx, some)
			left, err = append(left, still...), cmp.Or(wrong, err)
		}
		msgs = left
	}
	for _, msg := range msgs {
		undeleted = append(undeleted, aws.ToString(msg.MessageId))
	}
	return undeleted, err
}

// delete makes one call, for at most ten messages, and returns the remaining ones: all
// messages if the call failed, otherwise the failed entries.
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
			return msgs, fmt.Errorf("delete messages: unknown entry %q in the failures", aws.ToString(f.Id))
		}
		left = append(left, msgs[i])
		err = fmt.Errorf("delete messages: %s: %s", aws.ToString(f.Code), aws.ToString(f.Message))
	}
	return left, err
}

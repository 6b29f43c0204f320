package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// QueueURLs holds the URLs of a queue and its dead-letter queue.
type QueueURLs struct{ Queue, DLQ string }

// CreateQueue creates a queue and its dead-letter queue, NAME-dlq, with the settings used by
// the deployed queues of f. endpoint is the URL of the SQS.
func CreateQueue(ctx context.Context, endpoint, name string, f manifest.Function) (QueueURLs, error) {
	return CreateQueueWith(ctx, sqs.NewClient(endpoint), name, f)
}

// CreateQueueWith is CreateQueue by a client.
func CreateQueueWith(ctx context.Context, client *awssqs.Client, name string, f manifest.Function) (
	u QueueURLs, err error) {
	dlq, err := client.CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String(name + dlqSuffix),
		Attributes: map[string]string{"MessageRetentionPeriod": seconds(manifest.DeadLetterRetention)}})
	if err != nil {
		return u, fmt.Errorf("create the dead-letter queue: %w", err)
	}
	arn, err := sqsjob.NewQueue(client, *dlq.QueueUrl)
	if err != nil {
		return u, err
	}
	redrive, err := json.Marshal(map[string]any{
		"deadLetterTargetArn": arn.ARN, "maxReceiveCount": f.MaxReceiveCount()})
	if err != nil {
		return u, err
	}
	queue, err := client.CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String(name),
		Attributes: map[string]string{"VisibilityTimeout": seconds(f.Visibility()),
			"MessageRetentionPeriod": seconds(manifest.QueueRetention), "RedrivePolicy": string(redrive)}})
	if err != nil {
		return u, fmt.Errorf("create the queue: %w", err)
	}
	return QueueURLs{*queue.QueueUrl, *dlq.QueueUrl}, nil
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }

// QueueSettings returns the function with the queue's name, or else match. Use its settings
// for the queue.
func QueueSettings(functions []manifest.Function, name string) manifest.Function {
	if i := slices.IndexFunc(functions, func(f manifest.Function) bool { return f.Name == name }); i >= 0 {
		return functions[i]
	}
	return manifest.Match
}

// queueName leaves room for the dead-letter suffix within SQS's 80 characters. It refuses FIFO
// queues because an event source mapping treats them differently.
var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,76}$`)

// CheckQueueName returns an error for a name unusable with CreateQueue.
func CheckQueueName(name string) error {
	if !queueName.MatchString(name) || strings.HasSuffix(name, dlqSuffix) {
		return errors.New("must have 1 to 76 letters, digits, hyphens and underscores and must not end in " +
			dlqSuffix + ", because that suffix is added for the dead-letter queue")
	}
	return nil
}

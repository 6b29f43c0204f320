package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// QueueURLs are the URLs of a queue and of its dead-letter queue.
type QueueURLs struct{ Queue, DLQ string }

// CreateQueue makes a queue and its dead-letter queue, NAME-dlq, with the
// settings that the infrastructure gives to the queues of the function. endpoint
// is the URL of the SQS.
func CreateQueue(ctx context.Context, endpoint, name string, f manifest.Function) (QueueURLs, error) {
	return createQueue(ctx, sqs.NewClient(endpoint), name, f)
}

func createQueue(ctx context.Context, client *awssqs.Client, name string, f manifest.Function) (
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

package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"matchbook/lambda/job/sqsjob"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// QueueURLs are the URLs of a queue and of its dead-letter queue.
type QueueURLs struct{ Queue, DLQ string }

// CreateQueue makes a queue and its dead-letter queue, NAME-dlq, at the SQS
// that endpoint is the URL of, with the settings that the infrastructure gives
// to the queues of the function.
func CreateQueue(ctx context.Context, endpoint, name string, f manifest.Function) (QueueURLs, error) {
	return createQueue(ctx, sqs.NewClient(endpoint), name, f)
}

func createQueue(ctx context.Context, client *awssqs.Client, name string, f manifest.Function) (u QueueURLs, err error) {
	dlq, err := client.CreateQueue(ctx, &awssqs.CreateQueueInput{QueueName: aws.String(name + dlqSuffix),
		Attributes: map[string]string{"MessageRetentionPeriod": strconv.Itoa(14 * 24 * 3600)}})
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
		Attributes: map[string]string{
			"VisibilityTimeout": strconv.Itoa(int(f.Visibility().Seconds())), "RedrivePolicy": string(redrive)}})
	if err != nil {
		return u, fmt.Errorf("create the queue: %w", err)
	}
	return QueueURLs{*queue.QueueUrl, *dlq.QueueUrl}, nil
}

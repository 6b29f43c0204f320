package eventsource

import (
	"encoding/json"
	"reflect"
	"testing"

	"matchbook/lambda/internal/testenv"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// lambdaExample is the example record of AWS's page "Using Lambda with Amazon
// SQS", with an attribute more.
const lambdaExample = `{
  "Records": [
    {
      "messageId": "059f36b4-87a3-44ab-83d2-661975830a7d",
      "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...",
      "body": "Test message.",
      "attributes": {
        "ApproximateReceiveCount": "1",
        "SentTimestamp": "1545082649183",
        "SenderId": "AIDAIENQZJOLO23YVJ4VO",
        "ApproximateFirstReceiveTimestamp": "1545082649185"
      },
      "messageAttributes": {
        "myAttribute": {
          "stringValue": "myValue",
          "stringListValues": [],
          "binaryListValues": [],
          "dataType": "String"
        },
        "bytes": {
          "binaryValue": "MTEwMA==",
          "stringListValues": [],
          "binaryListValues": [],
          "dataType": "Binary"
        }
      },
      "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
      "eventSource": "aws:sqs",
      "eventSourceARN": "arn:aws:sqs:us-east-2:123456789012:my-queue",
      "awsRegion": "us-east-2"
    }
  ]
}`

func TestMappingEventIsLambdas(t *testing.T) {
	t.Parallel()
	payload := queueEvent([]types.Message{{
		MessageId:     aws.String("059f36b4-87a3-44ab-83d2-661975830a7d"),
		ReceiptHandle: aws.String("AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a..."),
		Body:          aws.String("Test message."),
		MD5OfBody:     aws.String("e4e68fb7bd0e697a0ae8f1bb342846b3"),
		Attributes: map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": "1545082649183",
			"SenderId": "AIDAIENQZJOLO23YVJ4VO", "ApproximateFirstReceiveTimestamp": "1545082649185"},
		MessageAttributes: map[string]types.MessageAttributeValue{
			"myAttribute": {DataType: aws.String("String"), StringValue: aws.String("myValue")},
			"bytes":       {DataType: aws.String("Binary"), BinaryValue: []byte("1100")},
		},
	}}, "arn:aws:sqs:us-east-2:123456789012:my-queue", "us-east-2")
	var got, want any
	testenv.Must(t, json.Unmarshal(payload, &got))
	testenv.Must(t, json.Unmarshal([]byte(lambdaExample), &want))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %s", payload, lambdaExample)
	}
	var event events.SQSEvent
	if err := json.Unmarshal(payload, &event); err != nil {
		t.Errorf("aws-lambda-go cannot read it: %v", err)
	}
}

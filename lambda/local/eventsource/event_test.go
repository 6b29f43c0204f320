package eventsource

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"matchbook/lambda/internal/must"

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

func TestEventFormat(t *testing.T) {
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
	must.OK(t, json.Unmarshal(payload, &got))
	must.OK(t, json.Unmarshal([]byte(lambdaExample), &want))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %s", payload, lambdaExample)
	}
	var event events.SQSEvent
	must.OK(t, json.Unmarshal(payload, &event), "aws-lambda-go cannot read it")
}

func TestResponses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, response string
		failed         []string
		whole          bool // the whole batch failed
	}{
		{name: "empty", response: ``},
		{name: "white space", response: " \n"},
		{name: "empty string", response: `""`},
		{name: "null", response: `null`},
		{name: "empty object", response: `{}`},
		{name: "null list", response: `{"batchItemFailures":null}`},
		{name: "empty list", response: `{"batchItemFailures":[]}`},
		{name: "list under another name", response: `{"BatchItemFailures":[{"itemIdentifier":"a"}]}`},
		{name: "something else", response: `{"statusCode":200}`},
		{name: "one", response: `{"batchItemFailures":[{"itemIdentifier":"b"}]}`, failed: []string{"b"}},
		{name: "one twice", response: `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"b"}]}`,
			failed: []string{"b"}},
		{name: "all", response: `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"a"}]}`,
			failed: []string{"a", "b"}},
		{name: "more keys", response: `{"x":1,"batchItemFailures":[{"itemIdentifier":"a","reason":"r"}]}`,
			failed: []string{"a"}},
		{name: "no json", response: `done`, whole: true},
		{name: "cut off", response: `{"batchItemFailures":[{"itemIdentifier":"a"}`, whole: true},
		{name: "string", response: `"ok"`, whole: true},
		{name: "list of ids", response: `["a"]`, whole: true},
		{name: "no list", response: `{"batchItemFailures":"a"}`, whole: true},
		{name: "bare ids", response: `{"batchItemFailures":["a"]}`, whole: true},
		{name: "null item", response: `{"batchItemFailures":[null]}`, whole: true},
		{name: "empty item", response: `{"batchItemFailures":[{}]}`, whole: true},
		{name: "empty id", response: `{"batchItemFailures":[{"itemIdentifier":""}]}`, whole: true},
		{name: "null id", response: `{"batchItemFailures":[{"itemIdentifier":null}]}`, whole: true},
		{name: "number", response: `{"batchItemFailures":[{"itemIdentifier":1}]}`, whole: true},
		{name: "wrong key", response: `{"batchItemFailures":[{"messageId":"a"}]}`, whole: true},
		{name: "wrong case", response: `{"batchItemFailures":[{"ItemIdentifier":"a"}]}`, whole: true},
		{name: "unknown id", response: `{"batchItemFailures":[{"itemIdentifier":"c"}]}`, whole: true},
		{name: "one good, one bad", response: `{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"c"}]}`,
			whole: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := failedItems([]byte(tt.response), []string{"a", "b"})
			if (err != nil) != tt.whole {
				t.Fatalf("error %v, want one: %v", err, tt.whole)
			}
			if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, tt.failed) {
				t.Errorf("failed %v, want %v", ids, tt.failed)
			}
		})
	}
}

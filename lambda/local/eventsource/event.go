package eventsource

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// eventRecord is a message in Lambda's event format. Don't use the type in
// aws-lambda-go/events: it reads such records but writes them differently, with an empty
// md5OfMessageAttributes and null lists.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
type eventRecord struct {
	MessageID              string                    `json:"messageId"`
	ReceiptHandle          string                    `json:"receiptHandle"`
	Body                   string                    `json:"body"`
	Attributes             map[string]string         `json:"attributes"`
	MessageAttributes      map[string]eventAttribute `json:"messageAttributes"`
	MD5OfMessageAttributes string                    `json:"md5OfMessageAttributes,omitempty"`
	MD5OfBody              string                    `json:"md5OfBody"`
	EventSource            string                    `json:"eventSource"`
	EventSourceARN         string                    `json:"eventSourceARN"`
	AWSRegion              string                    `json:"awsRegion"`
}

// eventAttribute is a message attribute. SQS supports no list values, but Lambda writes the
// fields anyway.
type eventAttribute struct {
	StringValue      *string  `json:"stringValue,omitempty"`
	BinaryValue      []byte   `json:"binaryValue,omitempty"`
	StringListValues []string `json:"stringListValues"`
	BinaryListValues [][]byte `json:"binaryListValues"`
	DataType         string   `json:"dataType"`
}

// queueEvent returns the payload for a batch.
func queueEvent(batch []types.Message, arn, region string) []byte {
	event := struct{ Records []eventRecord }{}
	for _, m := range batch {
		event.Records = append(event.Records, newEventRecord(m, arn, region))
	}
	payload, _ := json.Marshal(event) // can't fail: strings and bytes only
	return payload
}

func newEventRecord(m types.Message, arn, region string) eventRecord {
	r := eventRecord{
		MessageID:              aws.ToString(m.MessageId),
		ReceiptHandle:          aws.ToString(m.ReceiptHandle),
		Body:                   aws.ToString(m.Body),
		Attributes:             m.Attributes,
		MessageAttributes:      make(map[string]eventAttribute, len(m.MessageAttributes)),
		MD5OfMessageAttributes: aws.ToString(m.MD5OfMessageAttributes),
		MD5OfBody:              aws.ToString(m.MD5OfBody),
		EventSource:            "aws:sqs",
		EventSourceARN:         arn,
		AWSRegion:              region,
	}
	for name, v := range m.MessageAttributes {
		r.MessageAttributes[name] = eventAttribute{
			StringValue:      v.StringValue,
			BinaryValue:      v.BinaryValue,
			StringListValues: []string{},
			BinaryListValues: [][]byte{},
			DataType:         aws.ToString(v.DataType),
		}
	}
	return r
}

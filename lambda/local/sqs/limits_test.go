package sqs

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func TestRefusesLikeAmazon(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	text := func(v string) types.MessageAttributeValue {
		return types.MessageAttributeValue{DataType: aws.String("String"), StringValue: &v}
	}
	send := func(body string, attributes map[string]types.MessageAttributeValue) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := r.client.SendMessage(ctx,
				&sqs.SendMessageInput{QueueUrl: q, MessageBody: &body, MessageAttributes: attributes})
			return err
		}
	}
	named := func(name string) func(context.Context) error {
		return send("x", map[string]types.MessageAttributeValue{name: text("v")})
	}
	create := func(name string, settings map[string]string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := r.client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: settings})
			return err
		}
	}
	receive := func(in sqs.ReceiveMessageInput) func(context.Context) error {
		return func(ctx context.Context) error {
			in.QueueUrl = q
			_, err := r.client.ReceiveMessage(ctx, &in)
			return err
		}
	}
	many := map[string]types.MessageAttributeValue{}
	for i := range 11 {
		many[fmt.Sprint("a", i)] = text("v")
	}
	for _, test := range []struct {
		name string
		call func(context.Context) error
		code string
	}{
		{"an empty body", send("", nil), "MissingParameter"},
		{"a body of 1 MiB is fine", send(strings.Repeat("<", 1<<20), nil), ""},
		{"a body and attributes over 1 MiB", send(strings.Repeat("a", 1<<20-8),
			map[string]types.MessageAttributeValue{"k": text("vv")}), "InvalidParameterValue"},
		{"tab, line ends and emoji are fine", send("a\t\r\n\U0001F600\uFFFD", nil), ""},
		{"a control character", send("a\x00", nil), "InvalidMessageContents"},
		{"U+FFFE", send("a\uFFFE", nil), "InvalidMessageContents"},
		{"a control character in an attribute", send("x", map[string]types.MessageAttributeValue{"k": text("\x01")}),
			"InvalidMessageContents"},
		{"eleven attributes", send("x", many), "InvalidParameterValue"},
		{"a name with dots is fine", named("a.b-c_d"), ""},
		{"a name of AWS", named("AWS.x"), "InvalidParameterValue"},
		{"a name of Amazon", named("amazon.x"), "InvalidParameterValue"},
		{"a name that ends with a dot", named("a."), "InvalidParameterValue"},
		{"a name with two dots", named("a..b"), "InvalidParameterValue"},
		{"a name with a space", named("a b"), "InvalidParameterValue"},
		{"a long name", named(strings.Repeat("a", 257)), "InvalidParameterValue"},
		{"an empty value", send("x", map[string]types.MessageAttributeValue{"k": text("")}), "InvalidParameterValue"},
		{"an unknown type", send("x", map[string]types.MessageAttributeValue{"k": {DataType: aws.String("Date"),
			StringValue: aws.String("v")}}), "InvalidParameterValue"},
		{"a type of one's own is fine", send("x", map[string]types.MessageAttributeValue{"k": {DataType: aws.String("Number.int"), StringValue: aws.String("4")}}), ""},
		{"a number that is none", send("x", map[string]types.MessageAttributeValue{"k": {DataType: aws.String("Number"),
			StringValue: aws.String("four")}}), "InvalidParameterValue"},
		{"a list", send("x", map[string]types.MessageAttributeValue{"k": {DataType: aws.String("String"),
			StringListValues: []string{"v"}}}), "InvalidParameterValue"},
		{"eleven messages", receive(sqs.ReceiveMessageInput{MaxNumberOfMessages: 11}), "InvalidParameterValue"},
		{"a wait of 21 s", receive(sqs.ReceiveMessageInput{WaitTimeSeconds: 21}), "InvalidParameterValue"},
		{"a visibility over 12 h", receive(sqs.ReceiveMessageInput{VisibilityTimeout: 43201}), "InvalidParameterValue"},
		{"a queue name with a space", create("a b", nil), "InvalidParameterValue"},
		{"a long queue name", create(strings.Repeat("a", 81), nil), "InvalidParameterValue"},
		{"an unknown queue attribute", create("b", map[string]string{"Visibility": "1"}), "InvalidAttributeName"},
		{"an attribute of FIFO queues", create("b", map[string]string{"FifoQueue": "true"}), "InvalidAttributeName"},
		{"a value out of range", create("b", map[string]string{"DelaySeconds": "901"}), "InvalidAttributeValue"},
		{"a value that is no number", create("b", map[string]string{"DelaySeconds": "1s"}), "InvalidAttributeValue"},
		{"a redrive policy without a count", create("b", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` +
			arnPrefix + `work"}`}), "InvalidParameterValue"},
		{"a redrive policy with a name for an ARN", create("b", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"work","maxReceiveCount":3}`}), "InvalidParameterValue"},
		{"a redrive policy with 0 receives", create("b", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` +
			arnPrefix + `work","maxReceiveCount":0}`}), "InvalidParameterValue"},
		{"a redrive policy with a quoted count is fine", create("b", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + arnPrefix + `work","maxReceiveCount":"3"}`}), ""},
		{"the same queue is fine", create("work", map[string]string{"DelaySeconds": "0"}), ""},
		{"the same name, another value", create("work", map[string]string{"DelaySeconds": "1"}), "QueueAlreadyExists"},
	} {
		t.Run(test.name, func(t *testing.T) { wantCode(t, test.call(t.Context()), test.code) })
	}
}

func TestBatchEntryErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", map[string]string{"MaximumMessageSize": "1024"})
	sent, err := r.client.SendMessageBatch(t.Context(),
		&sqs.SendMessageBatchInput{QueueUrl: q, Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("fine"), MessageBody: aws.String("x")},
			{Id: aws.String("invalid"), MessageBody: aws.String("\x00")},
			{Id: aws.String("large"), MessageBody: aws.String(strings.Repeat("a", 1025))},
			{Id: aws.String("late"), MessageBody: aws.String("x"), DelaySeconds: 901},
		}})
	r.must(err)
	wantFailed(t, sent.Failed, "invalid InvalidMessageContents", "large InvalidParameterValue",
		"late InvalidParameterValue")
	if len(sent.Successful) != 1 || *sent.Successful[0].Id != "fine" {
		t.Errorf("successful %+v, want fine", sent.Successful)
	}
	m := r.one(q)
	changed, err := r.client.ChangeMessageVisibilityBatch(t.Context(),
		&sqs.ChangeMessageVisibilityBatchInput{QueueUrl: q, Entries: []types.ChangeMessageVisibilityBatchRequestEntry{
			{Id: aws.String("fine"), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0},
			{Id: aws.String("visible"), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0},
			{Id: aws.String("long"), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 43201},
			{Id: aws.String("garbage"), ReceiptHandle: aws.String("garbage"), VisibilityTimeout: 0},
		}})
	r.must(err)
	wantFailed(t, changed.Failed, "visible AWS.SimpleQueueService.MessageNotInflight", "long InvalidParameterValue",
		"garbage ReceiptHandleIsInvalid")
	deleted, err := r.client.DeleteMessageBatch(t.Context(),
		&sqs.DeleteMessageBatchInput{QueueUrl: q, Entries: []types.DeleteMessageBatchRequestEntry{
			{Id: aws.String("fine"), ReceiptHandle: m.ReceiptHandle},
			{Id: aws.String("again"), ReceiptHandle: m.ReceiptHandle},
			{Id: aws.String("garbage"), ReceiptHandle: aws.String("garbage")},
		}})
	r.must(err)
	wantFailed(t, deleted.Failed, "garbage ReceiptHandleIsInvalid")
	r.wantCounts("work", 0, 0)
}

func wantFailed(t *testing.T, failed []types.BatchResultErrorEntry, want ...string) {
	t.Helper()
	var got []string
	for _, f := range failed {
		got = append(got, *f.Id+" "+*f.Code)
	}
	if !slices.Equal(got, want) {
		t.Errorf("failed %q, want %q", got, want)
	}
}

func TestWholeBatchErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	for _, test := range []struct {
		name, code string
		ids        []string
		size       int
	}{
		{"one byte over 1 MiB in all", "AWS.SimpleQueueService.BatchRequestTooLong",
			[]string{"a", "b", "c"}, 1<<20/3 + 1},
		{"1 MiB in all is fine", "", []string{"a", "b"}, 1 << 19},
		{"an id with a colon", "AWS.SimpleQueueService.InvalidBatchEntryId", []string{"a:b"}, 1},
		{"a long id", "AWS.SimpleQueueService.InvalidBatchEntryId", []string{strings.Repeat("a", 81)}, 1},
		{"ids that repeat", "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", []string{"a", "a"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var entries []types.SendMessageBatchRequestEntry
			for _, id := range test.ids {
				entries = append(entries, types.SendMessageBatchRequestEntry{Id: &id,
					MessageBody: aws.String(strings.Repeat("a", test.size))})
			}
			_, err := r.client.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{QueueUrl: q, Entries: entries})
			wantCode(t, err, test.code)
		})
	}
}

func TestFIFOQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work.fifo", map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true",
		"VisibilityTimeout": "60"})
	send := func(group, body string) *sqs.SendMessageOutput {
		out, err := r.client.SendMessage(t.Context(),
			&sqs.SendMessageInput{QueueUrl: q, MessageBody: &body, MessageGroupId: &group})
		r.must(err)
		return out
	}
	first := send("a", "a1")
	send("a", "a2")
	if again := send("a", "a1"); *again.MessageId != *first.MessageId {
		t.Error("a repeated message got an id of its own")
	}
	in := receiveInput(q)
	in.MaxNumberOfMessages = 1
	head, err := r.client.ReceiveMessage(t.Context(), in)
	r.must(err)
	r.none(q)
	poll := r.poll(t.Context(), q)
	r.must(r.delete(q, head.Messages[0])) // frees the group
	got := <-poll
	if got == nil || len(got.Messages) != 1 || *got.Messages[0].Body != "a2" {
		t.Fatalf("after a1: %+v, want a2", got)
	}
	r.clock.Advance(time.Minute)
	wantCode(t, r.delete(q, got.Messages[0]), "InvalidParameterValue") // expired
	r.clock.Advance(4 * time.Minute)
	if again := send("a", "a1"); *again.MessageId == *first.MessageId {
		t.Error("a message was taken for a repetition after five minutes")
	}
	for range 2 {
		pair := r.receive(q)
		if len(pair) != 2 || *pair[0].Body != "a2" || *pair[1].Body != "a1" {
			t.Fatalf("received %+v, want a2, a1", pair)
		}
		r.must(r.change(q, pair[1], 0)) // comes back first and stays second
		r.none(q)
		r.must(r.change(q, pair[0], 0))
	}
}

// The digests are those that Amazon SQS gave for these messages; localstack
// has recorded them in its snapshot tests.
func TestAttributesMD5(t *testing.T) {
	t.Parallel()
	text := func(v string) messageAttribute { return messageAttribute{DataType: "String", StringValue: v} }
	for want, attributes := range map[string]map[string]messageAttribute{
		"ae7155c6026991b6d54b11589678bf9c": {"Foo": text("Bar")},
		"fca026605781cb4126a1e9044df24232": {"Hello": text("There"), "General": text("Kenobi")},
		"8cbe4db156db8a94db8b801b7addb984": {"attr1": {DataType: "Binary",
			BinaryValue: []byte("traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01")}},
		"": nil,
	} {
		if got := attributesMD5(attributes); got != want {
			t.Errorf("digest %s, want %s", got, want)
		}
	}
}

func TestPurgeAndDelete(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue("work", nil)
	for name, empty := range map[string]func() error{
		"purge": func() error {
			_, err := r.client.PurgeQueue(t.Context(), &sqs.PurgeQueueInput{QueueUrl: q})
			return err
		},
		"delete": func() error {
			_, err := r.client.DeleteQueue(t.Context(), &sqs.DeleteQueueInput{QueueUrl: q})
			return err
		},
	} {
		r.queue("work", nil)
		r.send(q, "in flight")
		r.one(q)
		r.send(q, "visible")
		r.must(empty())
		r.queue("work", nil)
		if got := r.stats("work"); got.Visible+got.InFlight != 0 {
			t.Errorf("after a %s: %+v", name, got)
		}
	}
	r.queue("other", nil)
	list, err := r.client.ListQueues(t.Context(), &sqs.ListQueuesInput{QueueNamePrefix: aws.String("wo")})
	r.must(err)
	if !slices.Equal(list.QueueUrls, []string{*q}) {
		t.Errorf("queues %q, want %q", list.QueueUrls, *q)
	}
	_, err = r.client.DeleteQueue(t.Context(), &sqs.DeleteQueueInput{QueueUrl: q})
	r.must(err)
	_, err = r.client.ReceiveMessage(t.Context(), receiveInput(q))
	wantCode(t, err, "AWS.SimpleQueueService.NonExistentQueue")
}

func TestForeignRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, test := range map[string]struct {
		target, contentType, body string
		status                    int
	}{
		"another protocol":  {"", "application/x-www-form-urlencoded", "Action=GetQueueUrl", 400},
		"another operation": {"AmazonSQS.AddPermission", contentType, "{}", 400},
		"no JSON":           {"AmazonSQS.CreateQueue", contentType, "{", 400},
		"text as a number":  {"AmazonSQS.ListMessageMoveTasks", contentType, `{"SourceArn":1}`, 400},
		"without a queue":   {"AmazonSQS.PurgeQueue", contentType, "{}", 400},
		"too large":         {"AmazonSQS.ListMessageMoveTasks", contentType, strings.Repeat(" ", bodyLimit+1), 413},
		"fine":              {"AmazonSQS.ListMessageMoveTasks", contentType, "{}", 200},
	} {
		t.Run(name, func(t *testing.T) {
			req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, r.url,
				bytes.NewReader([]byte(test.body))))(t)
			req.Header.Set("X-Amz-Target", test.target)
			req.Header.Set("Content-Type", test.contentType)
			res, err := http.DefaultClient.Do(req)
			must.OK(t, err)
			res.Body.Close()
			if res.StatusCode != test.status {
				t.Errorf("status %d, want %d", res.StatusCode, test.status)
			}
		})
	}
}

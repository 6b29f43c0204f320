package sqs

import (
	"context"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/clock"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// A client within the process is served as one over HTTP: errors, lost responses, and the end
// of a long poll with its context.
func TestClientInside(t *testing.T) {
	t.Parallel()
	server := New(clock.New())
	client := server.Client()
	queue := must.Get(client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("match")}))(t).QueueUrl
	must.Get(client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("body")}))(t)
	receive := func(ctx context.Context, wait int32) (int, error) {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: queue, WaitTimeSeconds: wait})
		if err != nil {
			return 0, err
		}
		return len(out.Messages), nil
	}
	if n, err := receive(t.Context(), 0); n != 1 || err != nil {
		t.Errorf("received %d messages, error %v", n, err)
	}
	_, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(*queue + "s"), MessageBody: aws.String("body")})
	wantCode(t, err, "AWS.SimpleQueueService.NonExistentQueue")

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := receive(ctx, 20); ended <- err }()
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled poll returned no error")
	}
}

// A response is lost as if the connection broke.
func TestAnswerLostInside(t *testing.T) {
	t.Parallel()
	server := New(clock.NewFrozen(time.Unix(0, 0)))
	client := server.Client()
	queue := must.Get(client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("match")}))(t).QueueUrl
	server.Order(1, Fault{Kind: AnswerLost, Times: 1})
	if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("body")}); err == nil {
		t.Error("the response arrived")
	}
	if s, _ := server.Stats("match"); s.Visible != 1 {
		t.Errorf("%d messages, want the one whose response was lost", s.Visible)
	}
}

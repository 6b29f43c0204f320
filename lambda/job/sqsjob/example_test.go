package sqsjob_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"matchbook/lambda/job"
	"matchbook/lambda/job/sqsjob"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
)

// documents is a job.Store in which everything can be claimed.
type documents struct{}

func (documents) Claim(_ context.Context, deliveries []job.Delivery, _ time.Duration, _ bool) ([]job.Claim, error) {
	claims := make([]job.Claim, len(deliveries))
	for i, d := range deliveries {
		claims[i].Attempt = job.Attempt{ID: d.ID, Number: 1}
	}
	return claims, nil
}

func (documents) Release(context.Context, job.Attempt, job.Release) (bool, error) { return true, nil }

func (documents) Extend(_ context.Context, fences []job.Attempt, _ time.Duration) ([]job.Attempt, error) {
	return fences, nil
}

func (documents) Find(context.Context, uuid.UUID) (job.Row, error) {
	return job.Row{}, job.ErrNotFound
}

func Example() {
	client := sqs.New(sqs.Options{Region: "eu-central-1"}) // in a function: sqs.NewFromConfig
	queue, err := sqsjob.NewQueue(client, "https://sqs.eu-central-1.amazonaws.com/123456789012/match")
	if err != nil {
		fmt.Println(err)
		return
	}
	work := func(ctx context.Context, f job.Attempt) error {
		fmt.Println("work on", f.ID)
		return nil
	}
	handler := &sqsjob.Handler{
		Queue: queue,
		Log:   slog.New(slog.DiscardHandler),
		Runner: func(log *slog.Logger) sqsjob.Runner {
			return &job.Runtime{Store: documents{}, Work: job.Each(work),
				Backoff: job.Backoff{5 * time.Minute, 30 * time.Minute}, Log: log}
		},
	}
	// In a function, lambda.Start(handler.Handle) does the rest.
	response, err := handler.Handle(context.Background(), events.SQSEvent{Records: []events.SQSMessage{{
		MessageId:      "059f36b4-87a3-44ab-83d2-661975830a7d",
		Body:           "0b6f6a3e-3c1f-4d58-9a43-2f1f4f1d9c11",
		EventSource:    "aws:sqs",
		EventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:match",
		Attributes:     map[string]string{"ApproximateReceiveCount": "1"},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(response)
	fmt.Println(string(text), err)
	// Output:
	// work on 0b6f6a3e-3c1f-4d58-9a43-2f1f4f1d9c11
	// {"batchItemFailures":[]} <nil>
}

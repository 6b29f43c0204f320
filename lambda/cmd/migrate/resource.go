package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres/schema"

	"github.com/aws/aws-lambda-go/cfn"
)

const (
	// physicalID is always the same: if it changed, CloudFormation would delete
	// the old resource.
	physicalID = "matchbook-schema"
	// answerFor is kept free at the end of an invocation for the answer.
	answerFor = 30 * time.Second
	// answerTries is the number of tries to send the answer, answerTry bounds each.
	answerTries = 3
	answerTry   = 8 * time.Second
	// maxReason is in bytes; CloudFormation takes 4,096 for the whole answer.
	maxReason = 1500
)

// resource is the schema as a custom resource: creating and updating it run
// the migrations, deleting it leaves the data alone.
//
// It answers by itself, because cfn.LambdaWrap does so without a time limit,
// once, and logs the body of the response that it gets.
type resource struct {
	log     *slog.Logger
	migrate func(context.Context) ([]schema.Migration, error)
}

// result is the response of an invocation.
type result struct {
	Applied []schema.Migration `json:"applied"` // now; empty if the schema was up to date
}

// handle is the Lambda function. It sends a failure to CloudFormation instead of
// returning it: Lambda would run a failed invocation again.
func (r *resource) handle(ctx context.Context, event cfn.Event) (result, error) {
	if event.RequestType == "" && event.ResponseURL == "" {
		return r.run(ctx)
	}
	var done result
	var err error
	switch event.RequestType {
	case cfn.RequestCreate, cfn.RequestUpdate:
		done, err = r.run(ctx)
	case cfn.RequestDelete:
	default:
		err = fmt.Errorf("the request is neither Create, Update nor Delete: nothing was done")
	}
	return done, r.answer(ctx, event, done, err)
}

// run migrates, and always returns in time for the answer.
func (r *resource) run(ctx context.Context) (result, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(answerFor, time.Until(deadline)/2)))
		defer cancel()
	}
	type outcome struct {
		applied []schema.Migration
		err     error
	}
	ended := make(chan outcome, 1)
	go func() {
		applied, err := r.guarded(ctx)
		ended <- outcome{applied, err}
	}()
	select {
	case o := <-ended:
		return result{append([]schema.Migration{}, o.applied...)}, o.err
	case <-ctx.Done():
	}
	return result{}, errors.New("the schema was not brought up to date: out of time: " +
		"it continues from there when the stack is deployed again; check the log, and that PostgreSQL can be reached")
}

// guarded turns a panic into an error: CloudFormation needs an answer.
func (r *resource) guarded(ctx context.Context) (applied []schema.Migration, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the migration panicked (%T)", v)
		}
	}()
	return r.migrate(ctx)
}

// answer sends the outcome to CloudFormation.
func (r *resource) answer(ctx context.Context, event cfn.Event, done result, failed error) error {
	response := cfn.NewResponse(&event)
	response.Status, response.PhysicalResourceID = cfn.StatusSuccess, physicalID
	response.Data = map[string]any{"Applied": len(done.Applied)}
	if failed != nil {
		response.Status, response.Reason = cfn.StatusFailed, cut(failed.Error())
		r.log.Error("migrate", "request", event.RequestType, "reason", response.Reason)
	} else {
		r.log.Info("migrate", "request", event.RequestType, "applied", len(done.Applied))
	}
	body, err := json.Marshal(response)
	for try := 0; err == nil && try < answerTries; try++ {
		if unsent := put(ctx, event.ResponseURL, body); unsent == nil {
			return nil
		} else if try == answerTries-1 {
			err = unsent
		}
	}
	return fmt.Errorf("CloudFormation was not answered and waits: %w: is there a way from this function to S3?", err)
}

// put sends an answer. The URL is signed, and in no error.
func put(ctx context.Context, url string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, answerTry)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the event's ResponseURL is no URL")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return errors.New(failure.Of(err).Text)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", response.StatusCode)
	}
	return nil
}

func cut(reason string) string {
	if len(reason) <= maxReason {
		return reason
	}
	return string(bytes.ToValidUTF8([]byte(reason)[:maxReason], nil)) + "…"
}

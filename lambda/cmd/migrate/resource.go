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
	// physicalID must never change, otherwise CloudFormation deletes the old resource.
	physicalID = "matchbook-schema"
	// answerFor is the time reserved for the answer at the end of an invocation.
	answerFor = 30 * time.Second
	// answerTries is the number of tries to send the answer, answerTry the timeout of each.
	answerTries = 3
	answerTry   = 8 * time.Second
	// maxReason is in bytes; CloudFormation accepts 4,096 for the whole answer.
	maxReason = 1500
)

// resource is the schema as a custom resource. Creating or updating it runs the migrations;
// deleting it leaves the data alone. It doesn't use cfn.LambdaWrap, because that answers only
// once, without a timeout, and logs the response body.
type resource struct {
	log     *slog.Logger
	migrate func(context.Context) ([]schema.Migration, error)
}

type result struct {
	Applied []schema.Migration `json:"applied"` // now; empty if the schema was up to date
}

// handle is the Lambda function. It sends failures to CloudFormation instead of returning
// them, because Lambda retries a failed invocation.
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
		err = errors.New("unknown RequestType: expected Create, Update or Delete")
	}
	return done, r.answer(ctx, event, done, err)
}

// run migrates, and returns in time for the answer.
func (r *resource) run(ctx context.Context) (result, error) {
	applied, err := inTime(ctx, r.migrate)
	if errors.Is(err, errOutOfTime) {
		err = errors.New("migrate the schema: out of time; check the log and the connection to PostgreSQL, then deploy again to continue")
	}
	return result{append([]schema.Migration{}, applied...)}, err
}

var errOutOfTime = errors.New("out of time")

// inTime calls do, and returns in time for the answer, even if do hangs or panics.
func inTime[T any](ctx context.Context, do func(context.Context) (T, error)) (value T, err error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(answerFor, time.Until(deadline)/2)))
		defer cancel()
	}
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = failure.Guard(func() (err error) { o.value, err = do(ctx); return err })
		ended <- o
	}()
	select {
	case o := <-ended:
		return o.value, o.err
	case <-ctx.Done():
	}
	return value, errOutOfTime
}

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
	return fmt.Errorf("answer CloudFormation, which waits: %w; check that this function can reach S3", err)
}

// put sends an answer. Errors must not contain the URL, because it is signed.
func put(ctx context.Context, url string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, answerTry)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return errors.New("invalid ResponseURL in the event")
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

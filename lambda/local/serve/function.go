package serve

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"matchbook/lambda/function/ingest"
	"matchbook/lambda/function/match"
	"matchbook/lambda/function/offer"
	"matchbook/lambda/function/review"
	"matchbook/lambda/job"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"

	"github.com/aws/aws-lambda-go/lambda"
)

// lease is the time that a killed process's rows stay claimed. Work extends it.
const lease = time.Minute

// atOnce is the number of concurrent invocations of a function: few, because they share a
// machine and a database.
var atOnce = map[string]int{manifest.Match.Name: 2, manifest.Ingest.Name: 2, manifest.Review.Name: 4, manifest.Offer.Name: 1}

// openFunctions starts the functions of all workloads.
func (s *Server) openFunctions(ctx context.Context) error {
	for _, w := range []struct {
		row  manifest.Function
		open func(setup.Workload) setup.Opener
	}{
		{manifest.Match, worker(match.Work)},
		{manifest.Ingest, ingest.Opener},
		{manifest.Review, worker(review.Work)},
		{manifest.Offer, worker(offer.Work)},
	} {
		workload := inOneProcess(w.row)
		if err := s.openFunction(ctx, workload, w.open(workload)); err != nil {
			return fmt.Errorf("%s: %w", w.row.Name, err)
		}
	}
	return nil
}

// worker makes the opener of a function from its work, as setup.Workload.Main does.
// inOneProcess returns a function as this process runs it: all of its invocations share their
// connections, and the calls that may be in flight.
func inOneProcess(f manifest.Function) setup.Workload {
	f.MaxConcurrency, f.Lease = atOnce[f.Name], lease
	f.PoolSize *= f.MaxConcurrency
	f.CallsInFlight *= f.MaxConcurrency
	return setup.WorkloadOf(f)
}

func worker(work func(setup.Config) func(setup.Opened) job.Work) func(setup.Workload) setup.Opener {
	return func(w setup.Workload) setup.Opener { return w.Opener(work) }
}

// openFunction opens a function and maps its queue to it, as Lambda does.
func (s *Server) openFunction(ctx context.Context, w setup.Workload, open setup.Opener) error {
	t := telemetry.New(s.env, w.Name, s.metrics, s.config.Log)
	c, err := setup.LoadFunction(s.of(w.Function), w.Function)
	if err != nil {
		return err
	}
	c.Metrics, c.SQS = t.Metrics, s.sqs.Client()
	t.Trace(c.Trace)
	handler, stop, err := open(ctx, c, t)
	if err != nil {
		return err
	}
	s.onClose(stop)
	queue, err := c.OpenQueue(ctx, w.QueueEnv(), c.QueueURL)
	if err != nil {
		return err
	}
	mapping := eventsource.New(eventsource.Config{QueueURL: queue.URL, QueueARN: queue.ARN, Region: sqs.Region,
		BatchSize: w.BatchSize, MaxConcurrency: w.MaxConcurrency, Client: queue.Client,
		Invoke:       func(ctx context.Context, event []byte) ([]byte, error) { return invoke(ctx, w.Timeout, handler, event) },
		OnInvocation: func(i eventsource.Invocation) { logFailed(t.Log, i) }})
	s.running.Go(func() { _ = mapping.Run(ctx) }) // fails only for a batch size refused by manifest.Validate
	s.feeds = append(s.feeds, feed{w.Name, s.db.JobsOf(w.Table), queue})
	return nil
}

// invoke calls a function within its time. A panic fails the batch, as a crash would on Lambda.
func invoke(ctx context.Context, limit time.Duration, handler any, event []byte) (response []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %T at\n%s", p, debug.Stack()) // without its value, which may quote a document
		}
	}()
	return handler.(lambda.Handler).Invoke(ctx, event)
}

func logFailed(log *slog.Logger, i eventsource.Invocation) {
	for _, err := range []error{i.Err, i.DeleteErr} {
		if err != nil {
			log.Error("batch failed", "messages", len(i.MessageIDs), "reason", err.Error())
		}
	}
}

// Command review is the Lambda function that reads the chunks of contracts
// named by an SQS event.
package main

import (
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/review"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

func main() { setup.WorkloadOf(manifest.Review).Main(work) }

// work returns the maker of an invocation's work. All invocations of an instance
// share the slots of its calls.
func work(c setup.Config) func(setup.Opened) job.Work {
	shared := review.Reviewer{Slots: make(chan struct{}, c.CallsInFlight), Paused: telemetry.CountPause(c.Metrics)}
	if c.Model != nil {
		shared.Price = c.Model.Price
	}
	return func(o setup.Opened) job.Work {
		r := shared
		r.Store, r.Model, r.Sender, r.Log = o.DB.Reviews(), o.Model, o.Queue, o.Log
		return r.Review
	}
}

// Command review is the Lambda function for chunks of contracts: it reads the chunks named in
// an SQS event.
package main

import (
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/review"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

func main() { setup.WorkloadOf(manifest.Review).Main(work) }

// work returns the constructor of an invocation's work. Invocations of an instance share the
// slots, so that CallsInFlight bounds the instance.
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

// Package review is the Lambda function for chunks of contracts: it reads the chunks named in
// an SQS event.
package review

import (
	"matchbook/lambda/job"
	"matchbook/lambda/postgres/reviews"
	domain "matchbook/lambda/review"
	"matchbook/lambda/setup"
	"matchbook/lambda/telemetry"
)

// Work returns the constructor of an invocation's work. Invocations of an instance share the
// slots, so that CallsInFlight bounds the instance.
func Work(c setup.Config) func(setup.Opened) job.Work {
	shared := domain.Reviewer{Slots: make(chan struct{}, c.CallsInFlight), Paused: telemetry.CountPause(c.Metrics)}
	if c.Model != nil {
		shared.Price = c.Model.Price
	}
	return func(o setup.Opened) job.Work {
		r := shared
		r.Store, r.Model, r.Sender, r.Log = reviews.New(o.DB), o.Model, o.Queue, o.Log
		return job.Each(r.Review)
	}
}

// Command offer is the Lambda function for match offers: it composes the sets of the jobs
// named in an SQS event. A job is a user and a date.
package main

import (
	"sync"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/setup"
)

func main() { setup.WorkloadOf(manifest.Offer).Main(work) }

// work returns the constructor of an invocation's work. Invocations of an instance share its
// rosters, so that each is read once.
func work(c setup.Config) func(setup.Opened) job.Work {
	shared := offer.Offerer{Deliver: c.Offers.URL != ""}
	var once sync.Once
	return func(o setup.Opened) job.Work {
		once.Do(func() {
			store := o.DB.Offers()
			shared.Store, shared.Rankings = store, &offer.Cache{Rosters: store}
		})
		return shared.Offer
	}
}

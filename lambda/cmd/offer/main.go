// Command offer is the Lambda function that composes the match offers of users, one
// job for each user and date, named by an SQS event.
package main

import (
	"sync"

	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/offer"
	"matchbook/lambda/setup"
)

func main() { setup.WorkloadOf(manifest.Offer).Main(work) }

// work returns the maker of an invocation's work. All invocations of an instance
// share the rosters that it has read.
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

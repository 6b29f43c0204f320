// Package offer is the Lambda function for match offers: it composes the sets of the jobs
// named in an SQS event. A job is a user and a date.
package offer

import (
	"sync"

	"matchbook/lambda/job"
	domain "matchbook/lambda/offer"
	"matchbook/lambda/postgres/offers"
	"matchbook/lambda/setup"
)

// Work returns the constructor of an invocation's work. Invocations of an instance share its
// rosters, so that each is read once.
func Work(c setup.Config) func(setup.Opened) job.Work {
	shared := domain.Offerer{Deliver: c.Offers.URL != ""}
	var once sync.Once
	return func(o setup.Opened) job.Work {
		once.Do(func() {
			store := offers.New(o.DB)
			shared.Store, shared.Rankings = store, &domain.Cache{Rosters: store}
		})
		return shared.Offer
	}
}

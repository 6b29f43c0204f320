// Package match is the Lambda function for documents: it matches the ones named in an SQS
// event.
package match

import (
	"matchbook/lambda/job"
	domain "matchbook/lambda/match"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/setup"
)

// Work returns the constructor of an invocation's work.
func Work(setup.Config) func(setup.Opened) job.Work {
	return func(o setup.Opened) job.Work {
		m := &domain.Matcher{Store: matches.New(o.DB), Log: o.Log, Model: o.Model, Embeddings: o.Embeddings, Sender: o.Queue}
		return m.Match
	}
}

// Command match is the Lambda function for documents: it matches the ones named in an SQS
// event.
package main

import (
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/match"
	"matchbook/lambda/setup"
)

func main() { setup.WorkloadOf(manifest.Match).Main(work) }

func work(setup.Config) func(setup.Opened) job.Work {
	return func(o setup.Opened) job.Work {
		m := &match.Matcher{Store: o.DB, Log: o.Log, Model: o.Model, Embeddings: o.Embeddings, Sender: o.Queue}
		return m.Match
	}
}

package main

import (
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// newSweep makes the sweep function and its schedule. Failed runs aren't retried, because the
// next run is due by then.
func newSweep(s *site, workloads []queueFunction) awslambda.Function {
	variables := s.notifications()
	var queues, deadLetters []*string
	for _, w := range workloads {
		if w.facts.Rowless {
			continue
		}
		variables.values[w.facts.QueueEnv()] = w.queue.QueueUrl()
		queues, deadLetters = append(queues, w.queue.QueueArn()), append(deadLetters, w.deadLetter.QueueArn())
		if w.facts.First {
			// The sweep doesn't retry, but setup.LoadSweep reads and checks this variable.
			variables.values[variable.RetrySchedule] = jsii.String(w.facts.FormatBackoff())
		}
	}
	variables.values[variable.QueueURL] = jsii.String("")
	s.addReceiver(variables, manifest.Sets)
	s.addReceiver(variables, manifest.Events)
	sweep := s.newFunction(s.facts.Sweep, variables)
	role := sweep.Role()
	allow(role, queues, "sqs:SendMessage", "sqs:GetQueueAttributes")
	allow(role, deadLetters, "sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:DeleteMessage",
		"sqs:ChangeMessageVisibility") // it drops the ones with nothing left to do
	s.allowMail(role)
	s.invokeEvery(sweep, s.facts.Sweep)
	s.alarms.onSweep(sweep)
	s.alarms.onEvents()
	return sweep
}

package main

import (
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
)

// newSweep makes the sweep function and its schedule. Failed runs aren't retried, because the
// next run is due by then.
func newSweep(s *site, workloads []queueFunction) awslambda.Function {
	variables := s.notifications()
	for _, w := range workloads {
		if w.facts.Rowless {
			continue
		}
		variables.values[w.facts.QueueEnv()] = w.queue.QueueUrl()
		if w.facts.First {
			// The sweep doesn't retry, but setup.LoadSweep reads and checks this variable.
			variables.values[variable.RetrySchedule] = jsii.String(w.facts.FormatBackoff())
		}
	}
	variables.values[variable.QueueURL] = jsii.String("")
	if s.config.Pauses() {
		variables.values[variable.SweepRests] = jsii.String("true")
	}
	s.addReceiver(variables, manifest.Sets)
	s.addReceiver(variables, manifest.Events)
	sweep := s.newFunction(s.facts.Sweep, variables)
	s.grant(sweep.Role(), workloads, permission.OfTask(s.facts.Sweep, s.facts.Functions)...)
	s.allowMail(sweep.Role())
	s.invokeEvery(sweep, s.facts.Sweep)
	s.alarms.onSweep(sweep)
	s.alarms.onEvents()
	return sweep
}

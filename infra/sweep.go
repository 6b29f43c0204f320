package main

import (
	"fmt"
	"time"

	"matchbook/lambda/manifest"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"
)

// newSweep makes the function that repairs crashed and lost work, and its
// schedule. A run that fails is not repeated: the next one is due by then.
func newSweep(s *site, workloads []queueFunction) awslambda.Function {
	variables := s.notifications()
	var queues []*string
	for _, w := range workloads {
		if w.facts.Rowless {
			continue
		}
		variables.values[w.facts.QueueEnv()] = w.queue.QueueUrl()
		queues = append(queues, w.queue.QueueArn())
		if w.facts.Name == manifest.Match.Name {
			// The sweep decides no retry. It reads and checks this variable as the
			// match function does (setup.LoadSweep).
			variables.values[manifest.EnvRetrySchedule] = jsii.String(w.facts.RetrySchedule())
		}
	}
	variables.values[manifest.EnvQueueURL] = jsii.String("")
	sweep := s.newFunction(s.facts.Sweep, variables)
	role := sweep.Role()
	allow(role, queues, "sqs:SendMessage", "sqs:GetQueueAttributes")
	s.allowMail(role)
	live := s.live(sweep, s.facts.Sweep.Name)
	live.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{RetryAttempts: jsii.Number(0),
		MaxEventAge: seconds(time.Minute)})
	s.newSchedule(live)
	s.alarms.onSweep(sweep)
	return sweep
}

func (s *site) newSchedule(target awslambda.Alias) {
	role := called(awsiam.NewRole(s.stack, jsii.String("SweepScheduleRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": s.stack.Account()}},
		}),
		Description: jsii.String("Lets the schedule invoke the sweep and nothing else"),
	}), "SweepScheduleRole")
	allow(role, []*string{target.FunctionArn()}, "lambda:InvokeFunction")
	schedule := awsscheduler.NewCfnSchedule(s.stack, jsii.String("SweepSchedule"), &awsscheduler.CfnScheduleProps{
		Name:               s.name(s.facts.Sweep.Name),
		Description:        jsii.String("Runs the sweep"),
		ScheduleExpression: jsii.String(rate(s.facts.Sweep.Every)),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("OFF")},
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn:     target.FunctionArn(),
			RoleArn: role.RoleArn(),
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{MaximumRetryAttempts: jsii.Number(0),
				MaximumEventAgeInSeconds: jsii.Number(60)},
		},
	})
	schedule.Node().AddDependency(role)
}

// rate writes a period as EventBridge does.
func rate(every time.Duration) string {
	unit := "minutes"
	if every == time.Minute {
		unit = "minute"
	}
	return fmt.Sprintf("rate(%d %s)", int(every.Minutes()), unit)
}

package main

import (
	"fmt"
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"
)

// invokeEvery runs a task periodically. Failed runs aren't retried, because the next one makes
// up for them.
func (s *site) invokeEvery(function awslambda.Function, task manifest.Task) {
	live := s.live(function, task.Name)
	live.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{RetryAttempts: jsii.Number(0),
		MaxEventAge: seconds(task.Every)})
	role := called(awsiam.NewRole(s.stack, jsii.String(title(task.Name)+"ScheduleRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": s.stack.Account()}},
		}),
		Description: jsii.String("Lets the schedule invoke only the " + task.Name),
	}), title(task.Name)+"ScheduleRole")
	allow(role, []*string{live.FunctionArn()}, permission.Start.Actions...)
	schedule := awsscheduler.NewCfnSchedule(s.stack, jsii.String(title(task.Name)+"Schedule"), &awsscheduler.CfnScheduleProps{
		Name:               s.name(task.Name),
		Description:        jsii.String("Runs the " + task.Name),
		ScheduleExpression: jsii.String(rate(task.Every)),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{Mode: jsii.String("OFF")},
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn:     live.FunctionArn(),
			RoleArn: role.RoleArn(),
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{MaximumRetryAttempts: jsii.Number(0),
				MaximumEventAgeInSeconds: jsii.Number(task.Every.Seconds())},
		},
	})
	schedule.Node().AddDependency(role)
}

// rate returns the expression of a period; an hour begins on the hour.
func rate(every time.Duration) string {
	if every == time.Hour {
		return "cron(0 * * * ? *)"
	}
	unit := "minutes"
	if every == time.Minute {
		unit = "minute"
	}
	return fmt.Sprintf("rate(%d %s)", int(every.Minutes()), unit)
}

package doctor

import (
	"context"
	"errors"
	"slices"
	"time"

	"matchbook/lambda/manifest/permission"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	cwtypes "github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	schedulertypes "github.com/aws/aws-sdk-go-v2/service/scheduler/types"
)

// Types of the stack's resources around the functions.
const (
	typeSchedule = "AWS::Scheduler::Schedule"
	typeAlarm    = "AWS::CloudWatch::Alarm"
)

// schedule starts a function. A gone one is in the stack, but was deleted.
type schedule struct {
	name, rate, target string
	gone, off, ended   bool
	role               fact[role]
	needs              []need
}

func (l *look) askSchedules(ctx context.Context, names []string) fact[[]schedule] {
	client := scheduler.NewFromConfig(l.cloud.config)
	var list []schedule
	for _, name := range names {
		l.Progress("asking the schedules")
		s, err := l.askSchedule(ctx, client, name)
		if err != nil {
			return unknown[[]schedule]("scheduler:GetSchedule: " + sentence(err))
		}
		list = append(list, s)
	}
	return known(list)
}

func (l *look) askSchedule(ctx context.Context, client *scheduler.Client, name string) (schedule, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, err := client.GetSchedule(ctx, &scheduler.GetScheduleInput{Name: &name})
	if gone := (*schedulertypes.ResourceNotFoundException)(nil); errors.As(err, &gone) {
		return schedule{name: name, gone: true}, nil
	}
	if err != nil {
		return schedule{}, err
	}
	found := schedule{name: name, rate: aws.ToString(s.ScheduleExpression), off: s.State == schedulertypes.ScheduleStateDisabled,
		ended: s.EndDate != nil && s.EndDate.Before(time.Now())}
	if s.Target != nil {
		found.target = aws.ToString(s.Target.Arn)
		found.role = l.roleOf(ctx, aws.ToString(s.Target.RoleArn))
		found.needs = []need{{Right: permission.Start, on: []string{found.target}}}
	}
	return found, nil
}

// notification has the queues that S3 sends a bucket's events to.
type notification struct {
	bucket string
	to     []toQueue
}

type toQueue struct {
	queue          string // its id
	events         []string
	prefix, suffix string
}

// askNotification reads where S3 reports new files.
func (l *look) askNotification(ctx context.Context, bucket string) fact[notification] {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := l.cloud.s3().GetBucketNotificationConfiguration(ctx,
		&s3.GetBucketNotificationConfigurationInput{Bucket: &bucket})
	switch {
	case err != nil:
		return unknown[notification]("s3:GetBucketNotification: " + sentence(err))
	case found.EventBridgeConfiguration != nil && len(found.QueueConfigurations) == 0:
		return unknown[notification]("S3 reports to EventBridge; see its rules")
	}
	n := notification{bucket: bucket}
	for _, c := range found.QueueConfigurations {
		to := toQueue{queue: queueID(aws.ToString(c.QueueArn), "")}
		for _, e := range c.Events {
			to.events = append(to.events, string(e))
		}
		if c.Filter != nil && c.Filter.Key != nil {
			for _, rule := range c.Filter.Key.FilterRules {
				*map[bool]*string{true: &to.prefix, false: &to.suffix}[rule.Name == s3types.FilterRuleNamePrefix] = aws.ToString(rule.Value)
			}
		}
		n.to = append(n.to, to)
	}
	return known(n)
}

// alarm is an alarm of the stack.
type alarm struct {
	name      string
	gone, off bool
	actions   int
}

const alarmsPerCall = 100

func (a *cloud) alarms(ctx context.Context, names []string) fact[[]alarm] {
	client := cloudwatch.NewFromConfig(a.config)
	found := map[string]alarm{}
	for some := range slices.Chunk(names, alarmsPerCall) {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		page, err := client.DescribeAlarms(ctx, &cloudwatch.DescribeAlarmsInput{AlarmNames: some, MaxRecords: aws.Int32(alarmsPerCall),
			AlarmTypes: []cwtypes.AlarmType{cwtypes.AlarmTypeMetricAlarm}})
		cancel()
		if err != nil {
			return unknown[[]alarm]("cloudwatch:DescribeAlarms: " + sentence(err))
		}
		for _, m := range page.MetricAlarms {
			name := aws.ToString(m.AlarmName)
			found[name] = alarm{name: name, off: !aws.ToBool(m.ActionsEnabled), actions: len(m.AlarmActions)}
		}
	}
	var list []alarm
	for _, name := range names {
		if one, ok := found[name]; ok {
			list = append(list, one)
			continue
		}
		list = append(list, alarm{name: name, gone: true})
	}
	return known(list)
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cftypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

// stack examines a deployment. CloudFormation lists the resources; each is then queried
// itself, because someone may have changed it by hand.
func (l *look) stack(ctx context.Context) (f facts, err error) {
	c, err := l.aws(ctx)
	if err != nil {
		return f, err
	}
	l.Progress("reading the stack")
	resources, err := c.resources(ctx, l.Stack)
	if err != nil {
		return f, err
	}
	f.target = "the stack " + l.Stack
	for _, name := range resources[typeFunction] {
		l.Progress("asking the function " + name)
		if err := l.askFunction(ctx, &f, name); err != nil {
			return f, err
		}
	}
	if len(f.lines) == 0 {
		return f, fmt.Errorf("unsupported stack %.100s: expected functions of Matchbook with SQS queues",
			l.Stack)
	}
	f.schedules = l.askSchedules(ctx, resources[typeSchedule])
	l.Progress("asking the alarms")
	f.alarms = l.cloud.alarms(ctx, resources[typeAlarm])
	l.deadLetterNeeds(&f)
	l.keyNeeds(ctx, &f)
	return f, nil
}

const typeFunction = "AWS::Lambda::Function"

// resources lists the names of a stack's resources by their types.
func (a *cloud) resources(ctx context.Context, stack string) (names map[string][]string, err error) {
	names = map[string][]string{}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := cloudformation.NewFromConfig(a.config)
	// Not DescribeStackResources, because it returns only the first 100.
	input := &cloudformation.ListStackResourcesInput{StackName: &stack}
	pages := cloudformation.NewListStackResourcesPaginator(client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, noStack(stack, a.config.Region, err)
		}
		for _, r := range page.StackResourceSummaries {
			deleted := r.ResourceStatus == cftypes.ResourceStatusDeleteComplete
			if kind := aws.ToString(r.ResourceType); aws.ToString(r.PhysicalResourceId) != "" && !deleted {
				names[kind] = append(names[kind], *r.PhysicalResourceId)
			}
		}
	}
	slices.Sort(names[typeFunction])
	return names, nil
}

func noStack(stack, region string, err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "ValidationError" {
		return fmt.Errorf("stack not found: %.100s in %s; check its name, AWS_REGION and the account", stack, region)
	}
	return fmt.Errorf("read stack %.100s: %s", stack, sentence(err))
}

// askFunction examines a function. It skips functions of other applications.
func (l *look) askFunction(ctx context.Context, f *facts, name string) error {
	aliases, err := l.cloud.aliases(ctx, name)
	if err != nil {
		return err
	}
	maps, err := l.cloud.mappings(ctx, name, aliases)
	if err != nil {
		return err
	}
	running := name
	switch { // the version taking work
	case len(maps) > 0:
		running = maps[0].target.value
	case len(aliases) > 0:
		running = name + ":" + aliases[0].name
	}
	fn, env, err := l.cloud.function(ctx, name, running)
	if err != nil {
		return err
	}
	if !env.ours() && len(maps) == 0 {
		return nil
	}
	resolved := l.secrets(ctx, f, env)
	fed := len(maps) > 0 || env.has(variable.QueueURL)
	fn.read(resolved, fed, l.rows)
	fn.within(l.cloud.config.Region, env)
	fn.alias, fn.role = l.cloud.alias(ctx, name, aliases), l.roleOf(ctx, fn.runs.value.role)
	if len(fn.runs.value.subnets) > 0 {
		fn.network = l.cloud.network(ctx, fn.runs.value)
	}
	if fed {
		l.fed(ctx, f, line{function: fn, mapping: known(maps)}, env, resolved)
		return nil
	}
	fn.needs = l.needs(ctx, f, fn, env, "")
	f.functions = append(f.functions, fn)
	return nil
}

// fed examines a function with a queue.
func (l *look) fed(ctx context.Context, f *facts, ln line, env, resolved variables) {
	if maps := ln.mapping.value; len(maps) == 0 {
		l.askQueueOf(ctx, &ln, env)
	} else { // the mapping's queue, whatever QUEUE_URL is
		l.Progress("asking the queue")
		ln.queue, ln.answers = l.cloud.queueOf(ctx, maps[0].queue.value)
		l.cloud.askDLQ(ctx, &ln)
	}
	ln.needs = l.needs(ctx, f, ln.function, env, ln.queue.value.id)
	if bucket, ok := strings.CutPrefix(env[variable.BlobURL], "s3://"); ok && ln.row.Watches != "" {
		ln.watch = l.askNotification(ctx, bucket)
	}
	if !l.outside && !ln.row.Rowless { // one that notifies people
		l.outside = true
		l.askOutside(ctx, f, resolved, ln.row, true)
	} else {
		l.ask(ctx, f, resolved, ln.row)
	}
	f.lines = append(f.lines, ln)
	l.askFiles(ctx, f, ln.name, resolved)
	if ln.row.ReadsPages {
		f.ocr = l.engineAway(ctx, resolved)
	}
}

// within adds the stack's region to queue URLs without one.
func (f *function) within(region string, env variables) {
	if url := env[variable.QueueURL]; url != "" {
		f.listens = known(queueID(url, region))
	}
	for i, to := range f.sends {
		if url := env[to.row.QueueEnv()]; url != "" {
			f.sends[i].queue = known(queueID(url, region))
		}
	}
}

// mappings lists the mappings from SQS queues to the function or one of its aliases.
func (a *cloud) mappings(ctx context.Context, function string, aliases []alias) (list []mapping, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := lambda.NewFromConfig(a.config)
	targets := []string{function} // because Lambda lists mappings by exact target
	for _, alias := range aliases {
		targets = append(targets, function+":"+alias.name)
	}
	for _, target := range targets {
		input := &lambda.ListEventSourceMappingsInput{FunctionName: &target}
		pages := lambda.NewListEventSourceMappingsPaginator(client, input)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return nil, fmt.Errorf("list the event source mappings of %s: %s", function, sentence(err))
			}
			for _, m := range page.EventSourceMappings {
				found := readMapping(m)
				listed := slices.ContainsFunc(list, func(m mapping) bool { return m.name == found.name })
				if isQueueARN(aws.ToString(m.EventSourceArn)) && !listed {
					list = append(list, found)
				}
			}
		}
	}
	return list, nil
}

func readMapping(m lambdatypes.EventSourceMappingConfiguration) mapping {
	off := []string{"Disabling", "Disabled", "Deleting"}
	const reports = lambdatypes.FunctionResponseTypeReportBatchItemFailures
	found := mapping{
		name:    aws.ToString(m.UUID),
		enabled: known(!slices.Contains(off, aws.ToString(m.State))),
		queue:   known(queueID(aws.ToString(m.EventSourceArn), "")),
		batch:   known(int(aws.ToInt32(m.BatchSize))),
		most:    known(0),
		reports: known(slices.Contains(m.FunctionResponseTypes, reports)),
		target:  known(aws.ToString(m.FunctionArn)),
		window:  known(time.Duration(aws.ToInt32(m.MaximumBatchingWindowInSeconds)) * time.Second),
		filters: known(0),
	}
	if m.FilterCriteria != nil {
		found.filters = known(len(m.FilterCriteria.Filters))
	}
	if m.ScalingConfig != nil {
		found.most = known(int(aws.ToInt32(m.ScalingConfig.MaximumConcurrency)))
	}
	return found
}

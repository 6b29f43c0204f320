package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	cftypes "github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

// stack examines a deployment. CloudFormation lists the resources; each one is
// then queried itself, because it may have been changed by hand since.
func (l *look) stack(ctx context.Context) (f facts, err error) {
	c, err := l.aws(ctx)
	if err != nil {
		return f, err
	}
	l.Progress("reading the stack")
	functions, err := c.functions(ctx, l.Stack)
	if err != nil {
		return f, err
	}
	f.target = "the stack " + l.Stack
	for _, name := range functions {
		l.Progress("asking the function " + name)
		if err := l.deployed(ctx, &f, name); err != nil {
			return f, err
		}
	}
	if len(f.lines) == 0 {
		return f, fmt.Errorf("the stack %.100s has no function that an SQS queue feeds: is it a stack of Matchbook?",
			l.Stack)
	}
	return f, nil
}

const typeFunction = "AWS::Lambda::Function"

// functions lists the functions of a stack.
func (a *cloud) functions(ctx context.Context, stack string) (names []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := cloudformation.NewFromConfig(a.config)
	// Not DescribeStackResources, which returns the first 100 only.
	input := &cloudformation.ListStackResourcesInput{StackName: &stack}
	pages := cloudformation.NewListStackResourcesPaginator(client, input)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, noStack(stack, a.config.Region, err)
		}
		for _, r := range page.StackResourceSummaries {
			deleted := r.ResourceStatus == cftypes.ResourceStatusDeleteComplete
			there := aws.ToString(r.PhysicalResourceId) != "" && !deleted
			if there && aws.ToString(r.ResourceType) == typeFunction {
				names = append(names, *r.PhysicalResourceId)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func noStack(stack, region string, err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "ValidationError" {
		return fmt.Errorf("there is no stack %.100s in %s: check its name, AWS_REGION and the account", stack, region)
	}
	return fmt.Errorf("the stack %.100s cannot be read: %s", stack, sentence(err))
}

// deployed examines a function. A function that does not belong to Matchbook is
// left out.
func (l *look) deployed(ctx context.Context, f *facts, name string) error {
	maps, err := l.cloud.mappings(ctx, name)
	if err != nil {
		return err
	}
	running := name
	if len(maps) > 0 {
		running = maps[0].target // the version that takes messages
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
	if !fed {
		f.functions = append(f.functions, fn)
		return nil
	}
	ln := line{function: fn, mapping: known(plain(maps))}
	if len(maps) == 0 {
		l.askQueueOf(ctx, &ln, env)
	} else { // the queue that feeds it, whatever QUEUE_URL names
		l.Progress("asking the queue")
		ln.queue, ln.answers = l.cloud.queueOf(ctx, maps[0].queue.value)
		l.cloud.askDLQ(ctx, &ln)
	}
	if len(f.lines) == 0 {
		l.askOutside(ctx, f, resolved, fn.row, true)
	} else {
		l.ask(ctx, f, resolved, fn.row)
	}
	f.lines = append(f.lines, ln)
	l.askFiles(ctx, f, fn.name, resolved)
	if fn.row.ReadsPages {
		f.ocr = l.engineAway(ctx, resolved)
	}
	return nil
}

// within adds the stack's region to queues whose URL names none.
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

// feeding is a mapping and the function or alias that it invokes.
type feeding struct {
	mapping
	target string
}

func (f feeding) is(other feeding) bool { return f.name == other.name }

func plain(list []feeding) (maps []mapping) {
	for _, m := range list {
		maps = append(maps, m.mapping)
	}
	return maps
}

// mappings lists the mappings of SQS queues that invoke the function or an alias
// of it.
func (a *cloud) mappings(ctx context.Context, function string) (list []feeding, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := lambda.NewFromConfig(a.config)
	targets, err := targets(ctx, client, function)
	if err != nil {
		return nil, fmt.Errorf("the aliases of %s cannot be read: %s", function, sentence(err))
	}
	for _, target := range targets {
		input := &lambda.ListEventSourceMappingsInput{FunctionName: &target}
		pages := lambda.NewListEventSourceMappingsPaginator(client, input)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return nil, fmt.Errorf("the event source mappings of %s cannot be read: %s", function, sentence(err))
			}
			for _, m := range page.EventSourceMappings {
				found := readMapping(m)
				if isQueueARN(aws.ToString(m.EventSourceArn)) && !slices.ContainsFunc(list, found.is) {
					list = append(list, found)
				}
			}
		}
	}
	return list, nil
}

// targets lists the function and its aliases: Lambda does not list the mappings
// of an alias with those of its function.
func targets(ctx context.Context, client *lambda.Client, function string) (list []string, err error) {
	list = []string{function}
	pages := lambda.NewListAliasesPaginator(client, &lambda.ListAliasesInput{FunctionName: &function})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, alias := range page.Aliases {
			list = append(list, function+":"+aws.ToString(alias.Name))
		}
	}
	return list, nil
}

func readMapping(m lambdatypes.EventSourceMappingConfiguration) feeding {
	off := []string{"Disabling", "Disabled", "Deleting"}
	const reports = lambdatypes.FunctionResponseTypeReportBatchItemFailures
	f := feeding{target: aws.ToString(m.FunctionArn), mapping: mapping{
		name:    aws.ToString(m.UUID),
		enabled: known(!slices.Contains(off, aws.ToString(m.State))),
		queue:   known(queueID(aws.ToString(m.EventSourceArn), "")),
		batch:   known(int(aws.ToInt32(m.BatchSize))),
		most:    known(0),
		reports: known(slices.Contains(m.FunctionResponseTypes, reports)),
	}}
	if m.ScalingConfig != nil {
		f.most = known(int(aws.ToInt32(m.ScalingConfig.MaximumConcurrency)))
	}
	return f
}

// function reads the configuration of the version that runs, and the reserved
// concurrency, which belongs to the function as a whole.
func (a *cloud) function(ctx context.Context, name, running string) (fn function, env variables, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := lambda.NewFromConfig(a.config)
	c, err := client.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: &running})
	if err != nil {
		return fn, nil, fmt.Errorf("the function %s cannot be read: %s", name, sentence(err))
	}
	env = variables{}
	if c.Environment != nil {
		for variable, text := range c.Environment.Variables {
			if text != "" {
				env[variable] = text
			}
		}
	}
	fn = function{name: name, timeout: known(time.Duration(aws.ToInt32(c.Timeout)) * time.Second), reserved: known(-1)}
	reserved, err := client.GetFunctionConcurrency(ctx, &lambda.GetFunctionConcurrencyInput{FunctionName: &name})
	switch {
	case err != nil:
		fn.reserved = unknown[int]("lambda:GetFunctionConcurrency: " + sentence(err))
	case reserved.ReservedConcurrentExecutions != nil:
		fn.reserved = known(int(*reserved.ReservedConcurrentExecutions))
	}
	return fn, env, nil
}
